import AudioGraph
import AudioMedia
import Glibc
import SystemSupport

/// What a render writes: its file, and how loud the sound in it is, where somebody is told. A thread of
/// its own writes and measures, while the next blocks are rendered. Where a loudness was asked for, the
/// sound is held until all of it is there, and goes into the file with one gain: songs from pipes and
/// stations cannot be rendered twice.
final class OfflineOutput {
    /// What no true peak reaches where a loudness was asked for, in dBTP.
    private static let ceiling = -1.0
    /// Frames copied at once.
    private static let block = 4096
    /// Blocks that wait for the thread at most.
    private static let waitingBlocks = 16

    /// Where the blocks go.
    private final class Sink: @unchecked Sendable {
        // Safety: `file`, `held` and `meter` are used by the thread of the blocks, and by the caller's
        // thread before the first block and after `WorkLine.finish`, which wait for each other.
        let file: OfflineFile
        let held: HeldSound?
        var meter: LoudnessMeter?

        init(_ file: OfflineFile, isHeld: Bool, isMeasured: Bool) throws(DuetError) {
            self.file = file
            held = isHeld ? try HeldSound() : nil
            meter = isMeasured ? LoudnessMeter(sampleRate: file.sampleRate) : nil
        }

        func write(_ sides: [[Float]]) throws(DuetError) {
            // Nobody waits for what a pipe's reader would take before the end.
            if Signals.isStopping, !file.isKept { throw .interrupted }
            if let held { try held.write(sides) } else { try file.write(sides) }
            meter?.add(sides)
        }
    }

    private let sink: Sink
    private let line: WorkLine<[[Float]], DuetError>
    private let sampleRate: Int
    /// The loudness asked for, in LUFS.
    private let target: Double?
    /// Asked for when the first frames come.
    private let tags: () -> SongTags?
    private let view: (any View)?
    /// Frames rendered so far.
    private(set) var frameCount: Int64 = 0
    /// What was done to the sound on its way into the file, in dB.
    private var gain = 0.0
    private var shown: Status?

    /// - Parameters:
    ///   - loudness: what the file is brought to, in LUFS; nil: its sound is not changed.
    ///   - isReported: whether somebody is told how loud the file is: otherwise that is measured only
    ///     for `loudness`.
    ///   - view: shows people how far it has come; nil for scripts.
    ///   - tags: gives title and artist, which go into the file.
    init(
        _ file: OfflineFile, loudness: Double?, isReported: Bool = true, view: (any View)? = nil,
        tags: @escaping () -> SongTags? = { nil }
    ) throws(DuetError) {
        (sampleRate, target) = (file.sampleRate, loudness)
        (self.view, self.tags) = (view, tags)
        let sink = try Sink(
            file, isHeld: loudness != nil, isMeasured: isReported || loudness != nil)
        self.sink = sink
        line = WorkLine("write", limit: Self.waitingBlocks) { sides throws(DuetError) in
            try sink.write(sides)
        }
    }

    /// Seconds rendered so far.
    var seconds: Double { Double(frameCount) / Double(sampleRate) }

    /// Adds frames, equally many for each side. Throws why these, or earlier ones, cannot be written.
    func write(_ sides: [[Float]]) throws(DuetError) {
        let count = sides[0].count
        guard count > 0 else { return }
        // A place that cannot be written to is known before the last frame is rendered.
        if frameCount == 0 { try sink.file.prepare(tags()) }
        try line.add(sides)
        frameCount += Int64(count)
    }

    /// Shows how far a pass has come.
    func show(_ status: Status) throws(DuetError) {
        shown = status
        try view?.show(status)
    }

    /// Ends the file, and reports what is in it. Throws `ReportedError` for a failure.
    ///
    /// - Parameter failure: why not all is there; what is there is kept.
    func end(_ failure: DuetError?, _ reporter: any EventSink) throws {
        var failure = failure
        do throws(DuetError) { try line.finish() } catch { failure = failure ?? error }
        if failure != nil { showStopped() }
        let file = sink.file
        do throws(DuetError) {
            try release()
        } catch {
            showStopped()
            failure = failure ?? error
        }
        do throws(DuetError) {
            try file.close(isWhole: failure == nil)
        } catch {
            failure = failure ?? error
        }
        view?.finish()
        let seconds = "\(fixed(file.seconds, digits: 3)) s"
        let bye = Event.bye(frames: file.frameCount, xruns: 0, underruns: 0)
        if var failure {
            if file.frameCount > 0, file.isKept {
                failure.hint +=
                    (failure.hint.isEmpty ? "" : "; ")
                    + "\(seconds) are in \(file.location)"
            }
            try? reporter.report(failure.event)
            try? reporter.report(bye)
            throw ReportedError(error: failure)
        }
        if file.frameCount > 0, let reading = sink.meter?.reading {
            try view?.greet(
                "wrote \(seconds) to \(file.location), \(file.sampleRate) Hz; "
                    + Self.text(of: reading))
            try reporter.report(
                .loudness(
                    integrated: reading.integrated, truePeak: reading.truePeak, gain: gain))
            try noteMiss(reading, reporter)
        }
        try reporter.report(bye)
    }

    /// Shows where a pass broke off. The line differs from that before, over which a terminal has
    /// written `^C`.
    private func showStopped() {
        guard var shown else { return }
        shown.state = .stopped
        try? view?.show(shown)
    }

    /// Puts what is held into the file, with one gain. A Ctrl-C before does not end it: what was
    /// rendered until then is kept.
    private func release() throws(DuetError) {
        guard let held = sink.held, let target, held.frameCount > 0, let meter = sink.meter else {
            return
        }
        let file = sink.file
        let wasStopping = Signals.isStopping
        // Nothing is kept in a pipe.
        guard !wasStopping || file.isKept else { return }
        gain = Self.gain(from: meter.reading, to: target)
        let newMeter = LoudnessMeter(sampleRate: file.sampleRate)
        sink.meter = newMeter
        let factor = Float(pow(10, gain / 20))
        let startTime = Clock.seconds
        var nextShow = 0.0
        var status = Status()
        (status.state, status.duration) = (.normalizing, seconds)
        while file.frameCount < held.frameCount {
            if Signals.isStopping, !wasStopping { throw .interrupted }
            if Clock.seconds >= nextShow {
                nextShow = Clock.seconds + 0.2
                (status.position, status.elapsed) = (file.seconds, Clock.seconds - startTime)
                try show(status)
            }
            var sides = try held.read(from: file.frameCount, limit: Self.block)
            if factor != 1 { sides = sides.map { $0.map { $0 * factor } } }
            try file.write(sides)
            newMeter.add(sides)
        }
        (status.position, status.elapsed) = (file.seconds, Clock.seconds - startTime)
        try show(status)
    }

    /// The gain, in dB, that brings a sound to a loudness, or as near as its true peak lets it. A sound
    /// too quiet or too short to have a loudness stays as it is.
    static func gain(from reading: LoudnessMeter.Reading, to target: Double) -> Double {
        guard let loudness = reading.integrated, let peak = reading.truePeak else { return 0 }
        // A file of 16 bits rounds its samples.
        return min(target - loudness, ceiling - 0.01 - peak)
    }

    /// Says where the true peak kept the file from the loudness that was asked for.
    private func noteMiss(
        _ reading: LoudnessMeter.Reading, _ reporter: any EventSink
    ) throws(DuetError) {
        guard let target, let loudness = reading.integrated, loudness < target - 0.1 else { return }
        try reporter.report(
            .notice(
                message: "\(fixed(target, digits: 1)) LUFS is not reached: a louder file would "
                    + "have a true peak above \(fixed(Self.ceiling, digits: 0)) dBTP"))
    }

    private static func text(of reading: LoudnessMeter.Reading) -> String {
        guard let peak = reading.truePeak else { return "silence" }
        let loudness = reading.integrated.map { "\(fixed($0, digits: 1)) LUFS" }
        return "loudness \(loudness ?? "unknown, too quiet or too short"), "
            + "true peak \(fixed(peak, digits: 1)) dBTP"
    }
}
