/// Notices that the voice of a song cannot be told from the band: both sides are alike, or no voice is
/// found. Tells each once for a song. For one thread.
struct VoiceWatch {
    /// How many seconds with sound in them must be alike, in a row: longer than voices sing alone. The plain
    /// mode takes such a beginning for the voice as a whole, so there it is told sooner.
    private static func alikeSeconds(_ mode: VocalMode) -> Int { mode == .plain ? 5 : 30 }
    /// In a second that is alike, the power of left minus right against that of both: −40 dB.
    private static let difference: Float = 1e-4
    /// The power of a sample in a second without sound, at most: −80 dBFS.
    private static let silence: Float = 1e-8
    /// Louder frames are no music: their energy would be all that counts. 12 dB above full scale.
    private static let loudest: Float = 16
    /// In how many seconds with sound a voice must be found, and its energy against the song's, at least:
    /// −16 dB.
    private static let (voiceSeconds, voicePart): (Int, Float) = (90, 0.025)

    private let sampleRate: Int
    /// Of the present second: its frames, the sum of both sides' powers, and that of their difference.
    private var (count, both, apart): (Int, Float, Float) = (0, 0, 0)
    /// Seconds that were alike, in a row.
    private var alike = 0
    /// The frames in which a voice was looked for, their energy, and that of the voice.
    private var (searched, song, voice): (Int, Float, Float) = (0, 0, 0)
    private var told: Set<EffectLimit> = []
    private var news: [EffectLimit] = []

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// The voice is looked for elsewhere from now on.
    mutating func forgetVoice() { (searched, song, voice) = (0, 0, 0) }

    /// The frames that come next are another song's.
    mutating func forgetSong() {
        let news = news
        self = VoiceWatch(sampleRate: sampleRate)
        self.news = news
    }

    /// What turned out since this was asked last.
    mutating func takeLimits() -> [EffectLimit] {
        defer { news = [] }
        return news
    }

    /// Takes the next frames of the song, interleaved, in which a voice is looked for in that mode.
    mutating func take(song frames: [Float], _ mode: VocalMode) {
        for n in stride(from: 0, to: frames.count, by: 2) {
            let (left, right) = (frames[n], frames[n + 1])
            both += left * left + right * right
            apart += (left - right) * (left - right)
            count += 1
            if count == sampleRate { endSecond() }
        }
        if alike >= Self.alikeSeconds(mode) { tell(.mono(mode)) }
    }

    private mutating func endSecond() {
        defer { (count, both, apart) = (0, 0, 0) }
        // Nor is anything known of a second with samples that are no number.
        guard both > Self.silence * Float(2 * count) else { return }
        alike = apart <= Self.difference * both ? alike + 1 : 0
    }

    /// Takes the next frames of the song and the voice that was found in them.
    mutating func take(voice found: [Float], in frames: ArraySlice<Float>) {
        let end = Self.voiceSeconds * sampleRate
        guard searched < end else { return }
        let (power, part) = (Self.energy(frames), Self.energy(found[...]))
        let count = Float(frames.count)
        guard power > Self.silence * count, power + part < Self.loudest * count else { return }
        searched += frames.count / 2
        song += power
        voice += part
        guard searched >= end, voice < Self.voicePart * song else { return }
        if !told.contains(.mono(.spectral)) { tell(.noVoice) }
    }

    private static func energy(_ samples: ArraySlice<Float>) -> Float {
        samples.reduce(0) { $0 + $1 * $1 }
    }

    private mutating func tell(_ limit: EffectLimit) {
        if told.insert(limit).inserted { news.append(limit) }
    }
}
