import AudioGraph
import AudioMedia
import Glibc
import SystemSupport

/// Carries the command `render` out.
struct OfflineRun {
    var song: String
    /// Where the song's stems are looked for; nil: nowhere.
    var stems: StemRequest?
    /// The take that is mixed again; nil: a song.
    var take: StoredTake?
    /// Where in the song the render begins, in seconds.
    var songStart = 0.0
    /// Where in the render the song begins, in seconds.
    var songPlace = 0.0
    /// The files of the microphones, in their order.
    var voices: [String] = []
    /// Where in the render the voices begin, in seconds; what lies before 0 is left out.
    var voicePlace = 0.0
    /// A second song in place of a microphone, and where in it the render begins, in seconds.
    var second: String?
    var secondStart = 0.0
    /// The file to write.
    var output: FileName
    /// The rate of the file, in Hz; nil: the song's. Where the file cannot have it, 48,000.
    var rate: Int?
    var format: SampleFormat
    /// The loudness of the file, in LUFS; nil: as it is mixed.
    var loudness: Double?
    /// Frames rendered at once; more than 4096 count as 4096.
    var period: Int
    var mix: MixPlan
    /// How the values change while it is rendered.
    var changes: [TakeChanges.Change] = []
    /// The addresses that no change changes.
    var given: Set<String> = []
    var time: TimeOptions
    /// Whether the gain in a song's tags is not applied (`--no-replay-gain`).
    var ignoresReplayGain = false
    /// Options that were given, and change nothing without a voice.
    var withoutEffect: [String] = []
    var report: ReportOptions
    /// What is wrong with the user's configuration.
    var warnings: [String] = []

    /// Renders to the end. Throws `DuetError`, or `ReportedError` when the event of the error was
    /// written already.
    func run() throws {
        StandardErrorLog.install(level: report.log.level)
        _ = try Signals()
        try StandardInput.check([song] + voices)
        let target = try OfflineTarget(output, take: take, report: report)
        let reporter = target.reporter
        for warning in warnings { try reporter.warn(warning) }
        if !withoutEffect.isEmpty {
            try reporter.warn(
                "\(withoutEffect.joined(separator: ", ")): without --voice there is no voice to change"
            )
        }
        let song = try openSong(target.container, reporter)
        defer { song.stop() }
        let rate = song.source.feed.sampleRate
        var changes = TakeChanges(self.mix, changes, given: given, rate: rate)
        _ = changes.move(to: 0)
        let mix = try MixGraph(changes.mix, sampleRate: rate)
        let sources = try OfflineSources(of: self, song, in: mix, for: target)
        defer { for other in sources.others { other.stop() } }
        for other in sources.others { try other.waitUntilOpen(telling: reporter) }
        try song.tell(reporter)
        var loop = try RenderLoop(
            mix, changes, songs: [song] + sources.others, voices: sources.voices,
            limit: RenderLoop.limit(time.duration?.seconds, rate: rate), period: period, reporter)
        let output = try OfflineOutput(
            target.file(sampleRate: rate, format: format), loudness: loudness,
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
        var guess = container.rate(for: rate ?? 44_100)
        while true {
            let candidate = try OfflineSong(
                song, sampleRate: guess, at: songStart, loops: time.loop,
                isHeld: songPlace > 0, stems: stems, appliesGain: !ignoresReplayGain,
                effects: mix.effects(bus: 0))
            try candidate.waitUntilOpen(telling: reporter)
            guard stems?.named == nil || candidate.isSingle else {
                throw .stemsOfList(Location.shown(song))
            }
            guard rate == nil, song != "-",
                let own = candidate.description?.format.sampleRate,
                case let wanted = container.rate(for: own), wanted != guess
            else { return candidate }
            candidate.stop()
            guess = wanted
        }
    }
}
