/// A change of a value of the run: of a parameter or of a state.
struct ValueChange: Sendable {
    let address: String
    let kind: ValueKind
    let old: Double
    let new: Double
}

/// The cause of a change of values.
enum Origin: Sendable {
    /// A user, by a key, the mouse or a command.
    case user
    /// A user's return to the values of the start.
    case reset
    /// A user's way back from there.
    case undo
    /// The saved settings of a song.
    case memory
    /// The take that plays.
    case take
    /// A song that began.
    case song
}
