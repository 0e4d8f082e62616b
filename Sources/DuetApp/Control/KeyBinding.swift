/// What a user wants of a key.
struct KeyBinding: Sendable, Equatable {
    let key: Key
    /// Nil: the key does nothing.
    let command: Command?

    /// Reads a key's name and a command, as `x adjust /mic/preset 1`, or `none` in its place.
    init(line: String) throws(Refusal) {
        let words = line.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
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
        command = rest == "none" ? nil : try Command(line: rest)
        try command?.checkForKey()
    }
}

extension Command {
    /// Refuses what no run could carry out, and what a key is of no use for.
    fileprivate func checkForKey() throws(Refusal) {
        if case .add = verb { return }
        let entry = try Self.entry(address)
        switch (verb, entry.kind) {
        case (.get, _): throw Refusal(reason: "a key cannot show a value: get is for scripts")
        case (.save(let name), _): try OwnPreset.check(name: name, of: entry.preset().kind)
        case (.trigger, nil): break
        case (.trigger, _): throw Refusal(reason: "\(address) has a value; set it")
        case (_, nil): throw Refusal(reason: "\(address) has no value; trigger it")
        case (.set(let text), let kind?): _ = try kind.read(text)
        case (.toggle, let kind?): _ = try kind.toggled(0)
        case (.adjust, _), (.add, _): break
        }
    }

    /// What stands at an address of any command; at `/strip/…` what stands there of the first strip
    /// that has it.
    private static func entry(_ address: String) throws(Refusal) -> Vocabulary.Entry {
        let all = Vocabulary.all
        guard address.hasPrefix("/strip/") else { return try all.entry(address) }
        let name = address.dropFirst(7)
        for strip in ["song", "mic", "second", "mic2", "out"] {
            if let found = all.parameter("/\(strip)/\(name)") { return .parameter(found) }
        }
        throw Refusal(reason: "no channel has \(name.prefix(40))")
    }
}
