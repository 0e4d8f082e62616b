/// A key that was pressed.
enum Key: Sendable, Hashable, ExpressibleByUnicodeScalarLiteral, CustomStringConvertible {
    case character(Character)
    case left, right, up, down
    case shiftUp, shiftDown, shiftLeft, shiftRight
    case home, end, pageUp, pageDown
    case tab, shiftTab, backspace, delete, enter, escape
    /// Ctrl-L: draws the screen anew.
    case redraw
    /// Ctrl-U and Ctrl-W: remove what was typed, or its last word.
    case deleteLine, deleteWord
    /// F1…F12.
    case function(Int)
    case mouse(Mouse)
    /// What was pasted, no key: only where users type a line it is one.
    case pasted(String)

    init(unicodeScalarLiteral character: Character) { self = .character(character) }

    /// The key's name, as the help says it.
    var description: String {
        switch self {
        case .character(" "): "space"
        case .character(let character): "\(character)"
        case .left: "←"
        case .right: "→"
        case .up: "↑"
        case .down: "↓"
        case .shiftUp: "shift-↑"
        case .shiftDown: "shift-↓"
        case .shiftLeft: "shift-←"
        case .shiftRight: "shift-→"
        case .home: "home"
        case .end: "end"
        case .pageUp: "pgup"
        case .pageDown: "pgdn"
        case .tab: "tab"
        case .shiftTab: "shift-tab"
        case .backspace: "backspace"
        case .delete: "delete"
        case .enter: "enter"
        case .escape: "esc"
        case .redraw: "ctrl-l"
        case .deleteLine: "ctrl-u"
        case .deleteWord: "ctrl-w"
        case .function(let number): "F\(number)"
        case .mouse: "mouse"
        case .pasted: "paste"
        }
    }
}
