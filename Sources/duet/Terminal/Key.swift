/// A key that was pressed.
enum Key: Sendable, Equatable {
    case character(Character)
    case left
    case right
}
