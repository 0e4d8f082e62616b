/// The whole screen of a terminal, while this program has it for itself.
///
/// Belongs to the thread that writes to the terminal.
struct ScreenArea {
    /// A change of the screen.
    enum Change: Sendable {
        /// The screen shows these cells.
        case shows(Cells)
        /// The same, where it is not known what the terminal shows: another program wrote on it, or
        /// its size has changed.
        case showsAnew(Cells)
        /// The terminal shows again what it did before.
        case left

        /// This change and an earlier one, which was not drawn yet, as a single change.
        func following(_ earlier: Change?) -> Change {
            if case .showsAnew = earlier, case .shows(let cells) = self { return .showsAnew(cells) }
            return self
        }
    }

    private let descriptor: Int32
    private var painter = ScreenPainter()
    /// Whether the terminal was asked what it is and what it draws.
    private var hasAsked = false

    /// A screen that is not taken yet, of the terminal `descriptor`.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Whether this program has the screen.
    var stands: Bool { painter.shown != nil }

    /// The bytes that make the change, to be written whole; empty when there is nothing to do.
    mutating func draw(_ change: Change) -> [UInt8] {
        switch change {
        case .shows(let cells): return draw(cells, anew: painter.drawsAll(of: cells))
        case .showsAnew(let cells): return draw(cells, anew: true)
        case .left:
            guard let old = painter.shown else { return [] }
            painter.forget()
            return (old.image == nil ? [] : TerminalRescue.imageGone) + TerminalRescue.screenGiven
        }
    }

    private mutating func draw(_ cells: Cells, anew: Bool) -> [UInt8] {
        if cells.image != nil { TerminalRescue.imageStands() }
        let asks = cells.asks && !hasAsked && TerminalAnswer.fits(cells.columns, cells.rows)
        // What asks writes on the screen.
        guard anew || asks else { return painter.draw(cells, anew: false) }
        hasAsked = hasAsked || asks
        TerminalRescue.screenStands(on: descriptor)
        let question = asks ? TerminalAnswer.question(on: .own) : []
        return painter.draw(cells, anew: true, begin: TerminalRescue.screenTaken + question)
    }

    /// To be called when the bytes of `draw` have been written.
    func settle() {
        if !stands { TerminalRescue.screenIsGone() }
        if painter.shown?.image == nil { TerminalRescue.imageIsGone() }
    }
}
