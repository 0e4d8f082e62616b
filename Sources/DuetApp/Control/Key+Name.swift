extension Key {
    /// The keys that are no characters, or whose character has another meaning in a file of keys, by
    /// their names: as the help says them, and as any keyboard writes them.
    private static let named: [String: Key] = {
        let keys: [Key] = [
            " ", .left, .right, .up, .down, .shiftUp, .shiftDown, .shiftLeft,
            .shiftRight, .home, .end, .pageUp, .pageDown,
            .tab, .shiftTab, .backspace, .delete, .enter, .escape,
        ]
        let words: [String: Key] = [
            "left": .left, "right": .right, "up": .up, "down": .down, "shift-up": .shiftUp,
            "shift-down": .shiftDown, "shift-left": .shiftLeft, "shift-right": .shiftRight,
            "hash": "#",
        ]
        var named = Dictionary(uniqueKeysWithValues: keys.map { ($0.description, $0) })
        named.merge(words) { $1 }
        for number in 1...12 { named["F\(number)"] = .function(number) }
        return named
    }()

    /// The key of that name: `space`, `←` or `left`, `F1`, `x`. Nil where there is none.
    init?(name: String) {
        if let key = Self.named[name] {
            self = key
        } else if let character = name.first, name.count == 1 {
            self = .character(character)
        } else {
            return nil
        }
    }

    /// The key's name, as `init(name:)` reads it: that of the help, but for the number sign, which
    /// begins a comment.
    var name: String { self == "#" ? "hash" : description }
}
