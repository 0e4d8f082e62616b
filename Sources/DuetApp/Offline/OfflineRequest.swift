import AudioMedia

/// A render as the command asks for it.
struct OfflineRequest {
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
    /// The most seconds of the file; nil: all of the song.
    var duration: Double?
    var loops = false
    /// Whether the gain in a song's tags is not applied (`--no-replay-gain`).
    var ignoresReplayGain = false
    /// Options that were given, and change nothing without a voice.
    var withoutEffect: [String] = []
    var report = ReportStyle()
    /// What is wrong with the user's configuration.
    var warnings: [String] = []
}
