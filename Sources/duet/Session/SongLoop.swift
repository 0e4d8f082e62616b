import AudioMedia

/// The part of the song that users loop: its two ends, in seconds.
struct SongLoop: Sendable, Equatable {
    /// Nil: not set.
    var start: Double?
    /// Nil: not set.
    var end: Double?

    /// The part to repeat; nil while an end is missing.
    var part: SongPart? {
        guard let start, let end else { return nil }
        return SongPart(from: start, to: end)
    }

    /// Refuses ends in the wrong order, or too near to each other.
    func check() throws(Refusal) {
        guard let start, let end, part == nil else { return }
        throw Refusal(
            reason: "a loop ends at least \(SongPart.shortest) s after its start, "
                + "\(ClockTime(seconds: start)), and not at \(ClockTime(seconds: end))")
    }
}
