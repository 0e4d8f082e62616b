import AudioGraph

/// A part of a song that is played over and over, without a gap.
public struct SongPart: Sendable, Equatable {
    /// The shortest part, in seconds.
    public static let shortest = 0.5

    /// Where it begins, in seconds.
    public let start: Double
    /// Where it ends, in seconds; what is there is not played.
    public let end: Double

    /// Nil unless both lie within a year, and the end at least 0.5 s after the start.
    public init?(from start: Double, to end: Double) {
        guard start >= 0, end <= SongTime.longest, end - start >= Self.shortest else { return nil }
        self.start = start
        self.end = end
    }

    /// The frames of the part at `rate` Hz.
    func frames(rate: Int) -> Range<Int64> {
        SongTime.frame(at: start, rate: rate)..<SongTime.frame(at: end, rate: rate)
    }
}
