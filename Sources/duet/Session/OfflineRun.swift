import AudioGraph
import AudioMedia
import Glibc

/// What `render` asks for, and how it is done.
struct OfflineRun {
    var song: String
    var voice: String?
    /// The file to write.
    var output: String
    /// Hz; nil: the song's.
    var rate: Int?
    var format: SampleFormat
    /// Frames a cycle; more than the graph's slice make no difference.
    var period: Int
    var settings: MixSettings
    var time: TimeOptions
    var report: ReportOptions

    /// Frames between two looks at signals and songs.
    private static let block = 4096

    /// Renders to the end. Throws `DuetError`, or `ReportedError` when its event was written.
    func run() throws {
        StandardErrorLog.install(level: report.log.level)
        _ = Signals()
        let reporter: Reporter =
            report.json ? JSONReporter(wantsLevels: false) : PlainReporter()
        let song = try openSong()
        defer { song.stop() }
        if let facts = song.description?.facts(bus: 0) { try reporter.report(.source(facts)) }
        let rate = song.source.feed.sampleRate
        let mix = try MixGraph(settings, sampleRate: rate)
        try mix.setSong(song.source, bus: 0)
        let voice = try voice.map { name in
            try OfflineVoice(
                name, sampleRate: rate,
                channelCount: settings.second == .mic(channelCount: 2) ? 2 : 1)
        }
        defer { voice?.song.stop() }
        try voice?.song.waitUntilOpen()
        try mix.start()
        let writer: SoundFileWriter
        do {
            writer = try SoundFileWriter(path: output, sampleRate: rate, format: format)
        } catch {
            throw DuetError(error)
        }
        var failure: DuetError?
        do {
            try render(mix, song, voice, to: writer, reporter)
            failure = [song, voice?.song].compactMap { $0?.failure }.first
        } catch {
            failure = error
        }
        try end(writer, failure, reporter)
    }

    /// Opens the song at the rate of the file. An MP3's rate is known when its first frames have
    /// come: the most common one is tried at first.
    private func openSong() throws(DuetError) -> OfflineSong {
        let seconds = time.startAt?.seconds ?? 0
        var guess = rate ?? 44_100
        if rate == nil, let path = OfflineSong.soundFile(song) {
            do {
                guess = try SoundFileReader(path: path).fileRate
            } catch {
                throw DuetError(error)
            }
        }
        while true {
            let candidate = try OfflineSong(song, sampleRate: guess, at: seconds)
            try candidate.waitUntilOpen()
            guard rate == nil, let own = candidate.description?.format.sampleRate, own != guess
            else { return candidate }
            candidate.stop()
            guess = own
        }
    }

    private func render(
        _ mix: MixGraph, _ song: OfflineSong, _ voice: OfflineVoice?, to writer: SoundFileWriter,
        _ reporter: Reporter
    ) throws(DuetError) {
        let rate = mix.graph.sampleRate
        let renderer: OfflineRenderer
        do {
            renderer = try OfflineRenderer(mix.graph, period: min(period, Self.block))
        } catch {
            throw .graphRefused(error)
        }
        let limit = time.duration.map { Int64(($0.seconds * Double(rate)).rounded()) } ?? .max
        let start = Int64(((time.startAt?.seconds ?? 0) * Double(rate)).rounded())
        var status = Status()
        status.state = .rendering
        var nextShow = 0.0
        while writer.frameCount < limit {
            let count = Int(min(Int64(Self.block), limit - writer.frameCount))
            try wait(mix, voice, frames: count)
            let captured = voice?.capture(frames: count) ?? []
            let mixed = renderer.render(frames: count, inputs: captured)
            song.look()
            voice?.song.look()
            let isOver = song.isOver && voice?.song.isOver ?? true
            // The end lies inside this block: what is beyond it was silence.
            let last = max(song.source.position - start, voice?.song.source.position ?? 0)
            let kept = isOver ? Int(min(Int64(count), max(0, last - writer.frameCount))) : count
            do {
                try writer.write(mixed.map { Array($0.prefix(kept)) })
            } catch {
                throw DuetError(error)
            }
            if isOver { break }
            guard Clock.seconds >= nextShow else { continue }
            nextShow = Clock.seconds + 0.2
            status.position = Double(writer.frameCount) / Double(rate)
            status.duration = song.duration
            status.song = mix.mixer.inputs[0].levels.louderPeak
            if voice != nil { status.second = ("mic", mix.mixer.inputs[1].levels.louderPeak) }
            status.out = mix.io.levels.louderPeak
            try reporter.show(status)
        }
    }

    /// Waits as long as the network takes; a stop is noticed in a fifth of a second.
    private func wait(
        _ mix: MixGraph, _ voice: OfflineVoice?, frames: Int
    ) throws(DuetError) {
        let context = mix.graph.context
        while !context.pointee.waitForSources(frames: frames, milliseconds: 200)
            || !(voice?.wait(frames: frames, milliseconds: 200) ?? true)
        {
            if Signals.isStopping { throw .stopped }
        }
        if Signals.isStopping { throw .stopped }
    }

    /// Ends the file. One without a frame is of no use to anybody.
    private func end(
        _ writer: SoundFileWriter, _ failure: DuetError?, _ reporter: Reporter
    ) throws {
        var failure = failure
        do {
            try writer.close()
        } catch {
            failure = failure ?? DuetError(error)
        }
        reporter.finish()
        let seconds = Double(writer.frameCount) / Double(writer.sampleRate)
        let written = "\(fixed(seconds, digits: 3)) s in \(output)"
        if writer.frameCount == 0 { unlink(output) }
        if var failure, failure != .stopped {
            if writer.frameCount > 0 { failure.hint += "; what came before is there: \(written)" }
            try? reporter.report(failure.event)
            try? reporter.report(bye(writer))
            throw ReportedError(error: failure)
        }
        try reporter.greet("wrote \(written), \(writer.sampleRate) Hz")
        try reporter.report(bye(writer))
    }

    private func bye(_ writer: SoundFileWriter) -> Event {
        .bye(frames: writer.frameCount, xruns: 0, underruns: 0)
    }
}
