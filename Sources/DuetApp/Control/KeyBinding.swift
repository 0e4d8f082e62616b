/// A user's wish for a key.
struct KeyBinding: Sendable, Equatable {
    let key: Key
    /// The line of its action; nil if it does nothing.
    let line: String?

    /// Reads a key's name and a command, as `x adjust /mic/preset 1`, or `none` in its place.
    init(line text: String) throws(Refusal) {
        let words = text.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
        let name = words.first.map(String.init) ?? ""
        guard let key = Key(name: name) else {
            throw Refusal(
                reason: "'\(name.prefix(40))' is not a key; use a character, or a name like space, "
                    + "tab, left, pgup or F1")
        }
        guard words.count == 2 else {
            throw Refusal(reason: "use KEY COMMAND, like x adjust /mic/preset 1, or KEY none")
        }
        self.key = key
        let rest = String(words[1]).withoutSpaceAround
        guard rest != "none" else {
            line = nil
            return
        }
        // What no run could do is refused here; what this run cannot do, when the key is bound.
        switch try Action(line: rest, in: .all) {
        case .get: throw Refusal(reason: "a key cannot show a value: get is for scripts")
        case .find: throw Refusal(reason: "a key cannot show what is found: find is for scripts")
        default: break
        }
        line = try Action.words(of: rest).joined(separator: " ")
    }
}
