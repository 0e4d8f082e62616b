import AudioGraph
import AudioMedia
import SystemSupport

/// Carries out `render --as-heard`: renders a take again, frame by frame as it was rendered when it was
/// recorded, each change and each hold in its frame.
struct RepeatRun {
    var take: StoredTake
    /// The file to write.
    var output: FileName
    /// Nil: floats, in a file that can hold them.
    var format: SampleFormat?
    /// Frames rendered at once; more than 4096 count as 4096.
    var period: Int
    /// The most seconds of the file; nil: all of the take.
    var duration: Double?
    var report: ReportOptions
    /// What is wrong with the user's configuration.
    var warnings: [String] = []

    /// Frames between two looks at signals.
    private static let block = 4096

    /// What plays into the graph.
    private struct Sources {
        var songs: [RepeatedSong] = []
        var voices: [OfflineVoice] = []

        var all: [OfflineSong] { songs.map(\.song) + voices.map(\.song) }
    }

    /// Renders to the end. Throws `DuetError`, or `ReportedError` when the event of the error was
    /// written already.
    func run() throws {
        StandardErrorLog.install(level: report.log.level)
        _ = try Signals()
        let target = try OfflineTarget(output, take: take, report: report)
        let reporter = target.reporter
        for warning in warnings { try reporter.warn(warning) }
        let repeated = try RepeatedTake(take)
        for difference in repeated.differences {
            try reporter.warn("not exactly as heard: \(difference)")
        }
        let output = try OfflineOutput(
            target.file(sampleRate: repeated.rate, format: format), loudness: nil,
            isReported: target.isRead)
        var failure: DuetError?
        do {
            try render(repeated, to: output, reporter)
        } catch {
            failure = error
        }
        try output.end(failure, reporter)
    }

    /// Renders a take to the end of what is wanted.
    func render(
        _ repeated: RepeatedTake, to output: OfflineOutput, _ reporter: Reporter
    ) throws(DuetError) {
        var changes = TakeChanges(repeated.mix, repeated.changes, rate: repeated.rate)
        _ = changes.move(to: 0)
        let mix = try MixGraph(changes.mix, sampleRate: repeated.rate, hearsFeedback: false)
        var sources = Sources()
        defer { for song in sources.all { song.stop() } }
        for (bus, name) in repeated.songs.enumerated() {
            sources.songs.append(try RepeatedSong(name, in: mix, bus: bus))
        }
        for (name, count) in zip(repeated.voices, repeated.mix.second.microphones) {
            sources.voices.append(
                try OfflineVoice(name, sampleRate: repeated.rate, channelCount: count))
        }
        for song in sources.all { try song.waitUntilOpen { _ in } }
        mix.waitForFiles(milliseconds: 10_000)
        for fault in mix.takeFaults() { try reporter.warn(fault) }
        try render(repeated, mix, &changes, sources, to: output, reporter)
        if let failure = sources.all.compactMap(\.failure).first { throw failure }
        guard output.frameCount > 0 else {
            throw DuetError(
                status: .noInput, attempt: "cannot render \(self.take.folder)",
                result: "there is no sound in it", hint: "choose another take")
        }
    }

    private func render(
        _ take: RepeatedTake, _ mix: MixGraph, _ changes: inout TakeChanges, _ sources: Sources,
        to output: OfflineOutput, _ reporter: Reporter
    ) throws(DuetError) {
        let limit = duration.map { max(1, SongTime.frame(at: $0, rate: take.rate)) } ?? .max
        let total = min(Int64(take.lead) + take.frames, limit)
        let startTime = Clock.seconds
        var nextShow = 0.0
        func show(isOver: Bool) throws(DuetError) {
            guard isOver || Clock.seconds >= nextShow else { return }
            nextShow = Clock.seconds + 0.2
            var status = Status()
            status.state = .rendering
            status.elapsed = Clock.seconds - startTime
            (status.position, status.duration) = (
                output.seconds, Double(total) / Double(take.rate)
            )
            status.song.peak = mix.mixer.inputs[0].levels.louderPeak
            status.others = zip(take.mix.second.names, mix.mixer.inputs.dropFirst()).map {
                Status.Strip(name: $0, peak: $1.levels.louderPeak)
            }
            status.out = mix.io.levels.louderPeak
            try output.show(status, reporter)
        }
        // What the files have before the graph's first frame.
        while output.frameCount < min(Int64(take.lead), total) {
            try show(isOver: false)
            let count = Int(min(Int64(Self.block), Int64(take.lead) - output.frameCount))
            try wait(sources, frames: count)
            Signals.held { for song in sources.songs { song.skip(count) } }
            let kept = Int(min(Int64(count), total - output.frameCount))
            try output.write(Array(repeating: [Float](repeating: 0, count: kept), count: 2))
        }
        var holds = take.holds[...]
        hold(&holds, at: 0, in: mix)
        try mix.start()
        let renderer: OfflineRenderer
        do {
            renderer = try OfflineRenderer(mix.graph, period: min(period, Self.block))
        } catch {
            throw .graphRefused(error)
        }
        while output.frameCount < total {
            try show(isOver: false)
            let frame = renderer.position
            let values = changes.move(to: frame)
            if !values.isEmpty {
                try mix.set(values)
                if mix.takeDifferences().contains(.headResponses) {
                    mix.waitForFiles(milliseconds: 10_000)
                }
            }
            hold(&holds, at: frame, in: mix)
            // A block ends where something changes.
            let next = min(changes.nextFrame ?? .max, holds.first?.frame ?? .max)
            let count = Int(
                min(Int64(Self.block), total - output.frameCount, next - frame))
            try wait(sources, frames: count)
            // RealtimeSanitizer would report the handler's system call in the middle of a cycle. All
            // frames of the songs are there.
            let mixed = Signals.held {
                for song in sources.songs { song.supply(count) }
                return renderer.render(
                    frames: count, inputs: sources.voices.flatMap { $0.capture(frames: count) })
            }
            for song in sources.all { song.look() }
            try output.write(mixed)
        }
        try show(isOver: true)
    }

    /// Carries out the holds that are due, and takes them away.
    private func hold(
        _ holds: inout ArraySlice<Take.Hold>, at frame: Int64, in mix: MixGraph
    ) {
        while let hold = holds.first, hold.frame <= frame {
            holds.removeFirst()
            if hold.isHeld {
                mix.holdMicrophone(bus: hold.bus)
            } else {
                mix.releaseMicrophone(bus: hold.bus)
            }
        }
    }

    /// Waits until all files have the next `frames` frames; a stop by the user is noticed within a fifth
    /// of a second.
    private func wait(_ sources: Sources, frames: Int) throws(DuetError) {
        while !sources.songs.allSatisfy({ $0.wait(frames: frames, milliseconds: 200) })
            || !sources.voices.allSatisfy({ $0.wait(frames: frames, milliseconds: 200) })
        {
            if Signals.isStopping { throw .interrupted }
        }
        if Signals.isStopping { throw .interrupted }
    }
}
