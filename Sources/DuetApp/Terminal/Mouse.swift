/// What was done with the mouse at a place of the terminal.
struct Mouse: Sendable, Hashable {
    enum Gesture: Sendable {
        /// The left button went down.
        case press
        /// The wheel was turned by a notch.
        case wheelUp, wheelDown
    }

    let gesture: Gesture
    /// From 0.
    let row: Int
    /// From 0.
    let column: Int

    /// Reads the numbers of a report (xterm, ctlseqs, SGR 1006): the button with bits for modifiers,
    /// column and row from 1. Nil for other buttons, for a button that was let go, and for what no
    /// terminal sends.
    init?(button: Int, column: Int, row: Int, isDown: Bool) {
        // Shift, Alt and Ctrl change nothing.
        switch button & ~(4 | 8 | 16) {
        case 0 where isDown: gesture = .press
        case 64: gesture = .wheelUp
        case 65: gesture = .wheelDown
        default: return nil
        }
        guard (1...9999).contains(row), (1...9999).contains(column) else { return nil }
        self.row = row - 1
        self.column = column - 1
    }
}
