/// A change of a value of the run: of a parameter or of a state.
struct ValueChange: Sendable {
    let address: String
    let kind: ValueKind
    let old: Double
    let new: Double
}

/// Who has changed values.
enum Origin: Sendable {
    /// Somebody by a key, the mouse or a command.
    case user
    /// Somebody who returned to the values of the start.
    case reset
    /// Somebody who undid that.
    case undo
    /// What is remembered of a song.
    case memory
    /// The take that plays.
    case take
}
