/// A request of users, by a key, the mouse or a command.
enum Action: Sendable, Equatable {
    /// A thing with a value.
    enum Target: Sendable, Equatable {
        case parameter(MixParameter)
        case state(RunState, ValueKind)
        /// A value of the channel that is selected, as `volume`; of the kind that it is of the first channel
        /// that has it.
        case ofChannel(String, ValueKind)

        var address: String {
            switch self {
            case .parameter(let parameter): parameter.address
            case .state(let state, _): state.rawValue
            case .ofChannel(let name, _): "/strip/\(name)"
            }
        }

        var kind: ValueKind {
            switch self {
            case .parameter(let parameter): parameter.kind
            case .state(_, let kind), .ofChannel(_, let kind): kind
            }
        }
    }

    /// Sets a value; nil is the default.
    case set(Target, to: Double?)
    /// Moves a value by so many steps of its unit: see `ValueKind.adjusted`.
    case adjust(Target, by: Double)
    /// Turns a switch to its other value.
    case toggle(Target)
    /// Asks for a value.
    case get(Target)
    /// Saves the values of a preset, as they are now, under a name.
    case save(MixParameter, as: String)
    case trigger(Trigger)
    /// Shows a page, or hides it.
    case page(Page)
    /// Adds a song, as users name it, to the list: at the end, or behind the present one; for a singer, if
    /// one is named.
    case add(String, isNext: Bool, singer: String? = nil)
    /// Asks which songs have words.
    case find(String)

    /// The line that `init(line:in:)` reads.
    var line: String {
        switch self {
        case .set(let target, to: let value):
            "set \(target.address) \(value.map(target.kind.readableSpelling) ?? Self.defaultWord)"
        case .adjust(let target, by: let steps):
            "adjust \(target.address) "
                + (steps == steps.rounded() ? "\(Int(steps))" : "\(steps)")
        case .toggle(let target): "toggle \(target.address)"
        case .get(let target): "get \(target.address)"
        case .save(let parameter, as: let name): "save \(parameter.address) \(name)"
        case .trigger(let trigger): "trigger \(trigger.rawValue)"
        case .page(let page): "trigger \(page.rawValue)"
        case .add(let song, let isNext, nil): "\(isNext ? "insert" : "add") \(song)"
        case .add(let song, let isNext, let singer?):
            "\(isNext ? "insert" : "add")-for \(ShellWords.quoted(singer)) \(song)"
        case .find(let words): "find \(words)"
        }
    }

    private static let defaultWord = "default"

    /// The words of a line: a verb, an address, and what follows it, if any; or a verb and a song.
    ///
    /// - Throws: a refusal of a line that no vocabulary could make an action.
    static func words(of line: String) throws(Refusal) -> [String] {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        let line = line.withoutSpaceAround
        let words = line.split(maxSplits: 2, whereSeparator: isSpace)
            .map { String($0.drop(while: isSpace)) }
        let verb = words.first ?? ""
        let form: String? =
            switch verb {
            case "set": "ADDRESS VALUE"
            case "adjust": "ADDRESS STEPS"
            case "save": "ADDRESS NAME"
            case "toggle", "trigger", "get": nil
            case "add", "insert": "SONG"
            case "add-for", "insert-for": "SINGER SONG"
            case "find": "WORDS"
            default:
                throw Refusal(
                    reason:
                        "use set, adjust, toggle, trigger, get, save, add, insert, add-for, "
                        + "insert-for or find, not '\(verb.prefix(40))'")
            }
        let takesRest = form == "SONG" || form == "WORDS"
        if takesRest, words.count > 1 {
            return [verb, String(line.dropFirst(verb.count)).withoutSpaceAround]
        }
        if form == "SINGER SONG" {
            // A name with spaces stands in quotes.
            let rest = String(line.dropFirst(verb.count)).withoutSpaceAround
            let read = ShellWords.read(rest)
            guard read.count > 1 else { throw Refusal(reason: "use \(verb) SINGER SONG") }
            guard let singer = SingerName.read(read[0].value) else {
                throw Refusal(reason: "the singer has no name")
            }
            return [verb, singer, String(rest[read[1].start...])]
        }
        guard !takesRest, words.count == (form == nil ? 2 : 3) else {
            throw Refusal(reason: "use \(verb) \(form ?? "ADDRESS")")
        }
        return words
    }

    /// Reads a line: `set /mic/pan -0.5`, `adjust /song/volume 1`, `toggle /mic/mute`,
    /// `trigger /transport/next`, `get /song/volume`, `save /mic/preset my plate`, `add song.mp3`,
    /// `insert song.mp3`, `add-for 'Anna' song.mp3`, `find queen dan`.
    init(line: String, in vocabulary: Vocabulary) throws(Refusal) {
        let words = try Self.words(of: line)
        switch words[0] {
        case "add", "insert": self = .add(words[1], isNext: words[0] == "insert")
        case "add-for", "insert-for":
            self = .add(words[2], isNext: words[0] == "insert-for", singer: words[1])
        case "find": self = .find(words[1])
        case "trigger":
            switch try vocabulary.entry(words[1]) {
            case .trigger(let trigger): self = .trigger(trigger)
            case .page(let page): self = .page(page)
            case .parameter, .state:
                throw Refusal(reason: "\(words[1]) has a value; set it")
            }
        case "save":
            guard case .parameter(let parameter) = try vocabulary.entry(words[1]),
                case .preset(let preset) = parameter.unit
            else {
                throw Refusal(
                    reason: "only presets can be saved, like /mic/preset or /song/eq/preset")
            }
            try OwnPreset.check(name: words[2], of: preset.kind)
            self = .save(parameter, as: words[2])
        default:
            let target = try vocabulary.target(words[1])
            switch words[0] {
            case "set":
                let isDefault = words[2] == Self.defaultWord
                self = .set(target, to: isDefault ? nil : try target.kind.read(words[2]))
            case "adjust":
                guard let amount = Double(words[2]), abs(amount) <= 1e9 else {
                    throw Refusal(
                        reason: "use a number of steps, not '\(words[2].prefix(40))'")
                }
                self = .adjust(target, by: amount)
            case "toggle":
                _ = try target.kind.toggled(0)
                self = .toggle(target)
            default: self = .get(target)
            }
        }
    }
}

extension Vocabulary {
    /// Finds the thing with a value at `address`.
    fileprivate func target(_ address: String) throws(Refusal) -> Action.Target {
        if address.hasPrefix("/strip/"),
            case .state(.strip, let channels) = try entry(RunState.strip.rawValue)
        {
            let name = String(address.dropFirst("/strip/".count))
            for channel in channels.choices ?? [] {
                if let found = parameter("/\(channel)/\(name)") {
                    return .ofChannel(name, found.kind)
                }
            }
            throw Refusal(reason: "no channel has \(name.prefix(40))")
        }
        switch try entry(address) {
        case .parameter(let parameter): return .parameter(parameter)
        case .state(let state, let kind): return .state(state, kind)
        case .trigger, .page: throw Refusal(reason: "\(address) has no value; trigger it")
        }
    }
}
