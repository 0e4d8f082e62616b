/// The bytes that turn what a terminal shows into the next cells, and its own picture with them.
struct ScreenPainter {
    /// What the terminal shows; nil: that is not known.
    private(set) var shown: Cells?

    /// Whether all of `cells` is to be drawn: what is shown is not known, or has another look; or a picture
    /// is gone, whose pixels are to go from its cells, too.
    func drawsAll(of cells: Cells) -> Bool {
        guard let shown, shown.look == cells.look else { return true }
        return shown.image.map { !(cells.image?.covers($0) ?? false) } ?? false
    }

    /// The bytes that show `cells`.
    ///
    /// - Parameters:
    ///   - anew: whether all of them is drawn.
    ///   - begin: bytes before those that draw all.
    mutating func draw(_ cells: Cells, anew: Bool, begin: [UInt8] = []) -> [UInt8] {
        defer { shown = cells }
        guard !anew, let shown else {
            return (shown?.image == nil ? [] : TerminalRescue.imageGone) + begin
                + CellDiff(from: nil, to: cells).bytes + (cells.image.map(ImageBytes.draw) ?? [])
        }
        let image = cells.image == shown.image ? nil : cells.image
        return CellDiff(from: shown, to: cells).bytes + (image.map(ImageBytes.draw) ?? [])
    }

    /// The terminal shows something else.
    mutating func forget() { shown = nil }
}
