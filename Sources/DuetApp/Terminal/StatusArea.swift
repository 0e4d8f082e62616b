import SystemSupport

/// The lines that stand below all others on a terminal and are drawn over in place: the status,
/// and notices below it.
///
/// Belongs to the thread that writes to the terminal.
struct StatusArea {
    /// A change of the area.
    enum Change: Equatable {
        /// The area shows these lines, each shorter than the terminal is wide.
        case lines([String])
        /// Another program wrote on the terminal: these lines are drawn where the cursor is.
        case linesAnew([String])
        /// The area shows these lines, or stays as it is when nil, and the cursor goes below it.
        case left(last: [String]? = nil)

        /// This change and an earlier one, which was not drawn yet, as a single change.
        func following(_ earlier: Change?) -> Change {
            switch (earlier, self) {
            case (.linesAnew, .lines(let lines)): .linesAnew(lines)
            case (.lines(let lines), .left(nil)), (.linesAnew(let lines), .left(nil)):
                .left(last: lines)
            case (.left(let lines), .left(nil)): .left(last: lines)
            default: self
            }
        }
    }

    private let descriptor: Int32
    private var drawn: [String] = []

    /// An area that is empty, on the terminal `descriptor`.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// The bytes that put `texts`, whole lines, above the area, and change it; empty when there is
    /// nothing to do.
    mutating func draw(_ texts: String, _ change: Change?) -> String {
        var lines = drawn
        switch change {
        case .lines(let new): lines = new
        case .linesAnew(let new): (lines, drawn) = (new, [])
        case .left(let last): lines = last ?? drawn
        case nil: break
        }
        var bytes = ""
        if !texts.isEmpty || lines != drawn {
            bytes += texts.isEmpty && !lines.isEmpty ? "" : clear
            bytes += texts + Self.text(lines)
            drawn = lines
        }
        if case .left = change {
            bytes += String(repeating: "\n", count: drawn.count)
            drawn = []
        }
        if !drawn.isEmpty { TerminalRescue.areaStands(on: descriptor) }
        return bytes
    }

    /// To be called when the bytes of `draw` have been written.
    func settle() {
        if drawn.isEmpty { TerminalRescue.areaIsGone() }
    }

    private var clear: String { drawn.isEmpty ? "" : "\r\u{1B}[J" }

    private static func text(_ lines: [String]) -> String {
        guard !lines.isEmpty else { return "" }
        // The cursor goes back to the first line's start: a terminal made narrower, which wraps
        // the lines, keeps it there, and the next drawing clears all of them.
        let up = lines.count > 1 ? "\u{1B}[\(lines.count - 1)A" : ""
        let lines = lines.map { SafeText.withoutControls($0) }
        return "\r" + lines.joined(separator: "\u{1B}[K\n") + "\u{1B}[J" + up + "\r"
    }
}
