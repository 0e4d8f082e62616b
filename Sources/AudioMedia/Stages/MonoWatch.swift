/// Notices that the sides of a song have become the same. For one thread.
@safe struct MonoWatch {
    /// How many seconds with sound in them must be alike, in a row: longer than most voices sing
    /// alone at the beginning of a song.
    private static let seconds = 5
    /// In a second that is alike, the power of left minus right against that of both: −40 dB.
    private static let difference: Float = 1e-4
    /// The power of a sample in a second without sound, at most: −80 dBFS.
    private static let silence: Float = 1e-8

    private let sampleRate: Int
    /// Of the present second: its frames, the sum of both sides' powers, and that of their difference.
    private var (count, both, apart): (Int, Float, Float) = (0, 0, 0)
    /// Seconds that were alike, in a row.
    private var alike = 0

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// Takes the next frames, `count` of them, interleaved; true when with them the song turns out
    /// to be mono: once, until its sides differ again.
    mutating func take(_ frames: UnsafePointer<Float>, count: Int) -> Bool {
        var isNews = false
        for frame in 0..<count {
            let (left, right) = unsafe (frames[2 * frame], frames[2 * frame + 1])
            both += left * left + right * right
            apart += (left - right) * (left - right)
            self.count += 1
            if self.count == sampleRate { isNews = endSecond() || isNews }
        }
        return isNews
    }

    private mutating func endSecond() -> Bool {
        defer { (count, both, apart) = (0, 0, 0) }
        // Nor is anything known of a second with samples that are no number.
        guard both > Self.silence * Float(2 * count) else { return false }
        guard apart <= Self.difference * both else {
            alike = 0
            return false
        }
        alike = min(alike + 1, Self.seconds + 1)
        return alike == Self.seconds
    }
}
