import AudioGraph
import AudioMedia
import Glibc
import SystemSupport

/// Carries the command `render` out.
struct OfflineRun {
    let request: OfflineRequest

    /// Renders to the end. Throws `DuetError`, or `ReportedError` when the event of the error was
    /// written already.
    func run() throws {
        StandardErrorLog.install(level: request.report.logLevel)
        _ = try Signals()
        try StandardInput.check([request.song] + request.voices)
        let target = try OfflineTarget(request.output, take: request.take, report: request.report)
        let reporter = target.reporter
        for warning in request.warnings { try reporter.warn(warning) }
        if !request.withoutEffect.isEmpty {
            try reporter.warn(
                "\(request.withoutEffect.joined(separator: ", ")): without --voice there is no voice to change"
            )
        }
        let song = try openSong(target.container, reporter)
        defer { song.stop() }
        let rate = song.source.feed.sampleRate
        var changes = TakeChanges(
            request.mix, request.changes, given: request.given, rate: rate)
        _ = changes.move(to: 0)
        let mix = try MixGraph(changes.mix, sampleRate: rate)
        let sources = try OfflineSources(of: request, song, in: mix, for: target)
        defer { for other in sources.others { other.stop() } }
        for other in sources.others { try other.waitUntilOpen(telling: reporter) }
        try song.tell(reporter)
        var loop = try RenderLoop(
            mix, changes, songs: [song] + sources.others, voices: sources.voices,
            limit: RenderLoop.limit(request.duration, rate: rate),
            period: request.period,
            reporter)
        let output = try OfflineOutput(
            target.file(sampleRate: rate, format: request.format), loudness: request.loudness,
            isReported: target.isRead, view: target.view
        ) { song.isSingle ? song.tags : nil }
        var failure: DuetError?
        do {
            try loop.run(sources, to: output, or: sources.nothing)
        } catch {
            failure = error
        }
        try output.end(failure, reporter)
    }

    /// Opens the song at the rate of the file. The rate of a song is known when its first frames
    /// have come: 44100 Hz, the most common rate, is tried first, and the song is opened again where
    /// that was wrong. Standard input cannot be opened twice, and keeps 44100 Hz.
    private func openSong(
        _ container: SoundContainer, _ reporter: any EventSink
    ) throws(DuetError) -> OfflineSong {
        var guess = container.rate(for: request.rate ?? 44_100)
        while true {
            let candidate = try OfflineSong(
                request.song, sampleRate: guess, at: request.songStart, loops: request.loops,
                isHeld: request.songPlace > 0, stems: request.stems,
                appliesGain: !request.ignoresReplayGain, effects: request.mix.effects(bus: 0))
            try candidate.waitUntilOpen(telling: reporter)
            guard request.stems?.named == nil || candidate.isSingle else {
                throw .stemsOfList(Location.shown(request.song))
            }
            guard request.rate == nil, request.song != "-",
                let own = candidate.description?.format.sampleRate,
                case let wanted = container.rate(for: own), wanted != guess
            else { return candidate }
            candidate.stop()
            guess = wanted
        }
    }
}
