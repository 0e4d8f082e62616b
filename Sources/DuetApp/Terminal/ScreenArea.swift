import Glibc

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
    /// What the terminal shows; nil: the screen is not ours.
    private var shown: Cells?
    /// Whether the terminal was asked what it draws by itself.
    private var hasAsked = false

    /// A screen that is not taken yet, of the terminal `descriptor`.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Whether this program has the screen.
    var stands: Bool { shown != nil }

    /// The bytes that make the change, to be written whole; empty when there is nothing to do.
    mutating func draw(_ change: Change) -> [UInt8] {
        switch change {
        case .shows(let cells):
            // Where a picture goes, the terminal's own pixels are to go from its cells, too.
            guard let shown,
                shown.image.map({ old in cells.image?.covers(old) ?? false }) ?? true
            else { return drawAnew(cells) }
            self.shown = cells
            return CellDiff(from: shown, to: cells).bytes
                + images(cells, isNew: cells.image != shown.image)
        case .showsAnew(let cells): return drawAnew(cells)
        case .left:
            guard let old = shown else { return [] }
            shown = nil
            return (old.image == nil ? [] : TerminalRescue.imageGone) + TerminalRescue.screenGiven
        }
    }

    private mutating func drawAnew(_ cells: Cells) -> [UInt8] {
        TerminalRescue.screenStands(on: descriptor)
        let hadImage = shown?.image != nil
        shown = cells
        return (hadImage ? TerminalRescue.imageGone : []) + TerminalRescue.screenTaken
            + CellDiff(from: nil, to: cells).bytes + images(cells, isNew: true)
    }

    /// Whether tmux or screen stands between.
    private static var isInMultiplexer: Bool {
        let name = getenv("TERM").map { String(cString: $0) } ?? ""
        return getenv("TMUX") != nil || name.hasPrefix("screen") || name.hasPrefix("tmux")
    }

    /// What asks the terminal, and its own picture, where that `isNew`.
    private mutating func images(_ cells: Cells, isNew: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        if cells.asksForGraphics, !hasAsked {
            hasAsked = true
            bytes += TerminalAnswer.question(inMultiplexer: Self.isInMultiplexer)
        }
        if isNew, let image = cells.image {
            TerminalRescue.imageStands()
            bytes += ImageBytes.draw(image)
        }
        return bytes
    }

    /// To be called when the bytes of `draw` have been written.
    func settle() {
        if !stands { TerminalRescue.screenIsGone() }
        if shown?.image == nil { TerminalRescue.imageIsGone() }
    }
}
