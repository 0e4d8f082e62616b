import TestSupport

@testable import DuetApp

extension Tmux {
    func press(_ key: Key) throws {
        if case .character(let character) = key { return try type(String(character)) }
        try press(Self.name(of: key))
    }

    private static func name(of key: Key) -> String {
        switch key {
        case .left: "Left"
        case .right: "Right"
        case .up: "Up"
        case .down: "Down"
        case .shiftUp: "S-Up"
        case .shiftDown: "S-Down"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PPage"
        case .pageDown: "NPage"
        case .tab: "Tab"
        case .shiftTab: "BTab"
        case .backspace: "BSpace"
        case .delete: "DC"
        case .enter: "Enter"
        case .escape: "Escape"
        case .function(let number): "F\(number)"
        case .redraw: "C-l"
        case .deleteLine: "C-u"
        case .deleteWord: "C-w"
        case .character, .mouse, .pasted: ""
        }
    }
}
