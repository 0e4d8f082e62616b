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
    var report = ReportStyle()
    /// What is wrong with the user's configuration.
    var warnings: [String] = []

    /// Renders to the end. Throws `DuetError`, or `ReportedError` when the event of the error was
    /// written already.
    func run() throws {
        StandardErrorLog.install(level: report.logLevel)
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
            isReported: target.isRead, view: target.view)
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
        _ take: RepeatedTake, to output: OfflineOutput, _ reporter: any EventSink
    ) throws(DuetError) {
        var changes = TakeChanges(take.mix, take.changes, rate: take.rate)
        _ = changes.move(to: 0)
        let mix = try MixGraph(changes.mix, sampleRate: take.rate, hearsFeedback: false)
        let voices = try zip(take.voices, take.mix.second.microphones).map {
            (name, count) throws(DuetError) in
            try OfflineVoice(name, sampleRate: take.rate, channelCount: count)
        }
        var songs: [OfflineSong] = []
        defer { for song in songs + voices.map(\.song) { song.stop() } }
        for (bus, name) in take.songs.enumerated() {
            let song = try open(name, of: take)
            songs.append(song)
            try mix.setSong(song.source, bus: bus)
        }
        for voice in voices { try voice.song.waitUntilOpen() }
        let total = Int64(take.lead) + take.frames
        let limit = min(total, RenderLoop.limit(duration, rate: take.rate))
        var loop = try RenderLoop(
            mix, changes, holds: take.holds, songs: songs + voices.map(\.song), voices: voices,
            limit: limit, period: period, reporter)
        try loop.run(
            nil, after: take.lead, to: output,
            or: DuetError(
                status: .noInput, attempt: "cannot render \(self.take.folder)",
                result: "there is no sound in it", hint: "choose another take"))
    }

    /// Opens a song of the take, and passes over what its file has before the graph's first frame: in a
    /// graph of its own. In another one it goes on with the very next frame.
    private func open(_ name: String, of take: RepeatedTake) throws(DuetError) -> OfflineSong {
        let file = try OfflineVoice(name, sampleRate: take.rate, channelCount: 2)
        try file.song.waitUntilOpen()
        try file.pass(take.lead)
        return file.song
    }
}
