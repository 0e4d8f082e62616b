/// What happens between two songs of the list.
enum BetweenSongs: String, CaseIterable, Sendable {
    /// The next one follows without a gap.
    case play
    /// The next one waits at its first frame until users play on.
    case pause
}
