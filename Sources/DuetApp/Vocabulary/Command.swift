/// What a user asks of a run, whichever way they ask.
struct Command: Sendable, Equatable {
    enum Verb: Sendable, Equatable {
        /// To a value, as users write it.
        case set(String)
        /// By so many steps of the value's unit: see `ValueKind.adjusted`.
        case adjust(Double)
        /// A switch to its other value.
        case toggle
        case trigger
        /// Only tell the value.
        case get
        /// What a preset sets, as it is now, under a name.
        case save(String)
        /// Add a song, as users name it, to the list: at the end, or behind the present one.
        case add(String, isNext: Bool)
    }

    let verb: Verb
    /// What it is done to; empty where a song is added.
    let address: String

    init(_ verb: Verb, _ address: String) {
        self.verb = verb
        self.address = address
    }

    /// Adds a song, as users name it, to the list.
    init(adding song: String, isNext: Bool) {
        self.init(.add(song, isNext: isNext), "")
    }

    /// The line that `init(line:)` reads.
    var line: String {
        switch verb {
        case .set(let value): "set \(address) \(value)"
        case .adjust(let steps):
            "adjust \(address) " + (steps == steps.rounded() ? "\(Int(steps))" : "\(steps)")
        case .toggle: "toggle \(address)"
        case .trigger: "trigger \(address)"
        case .get: "get \(address)"
        case .save(let name): "save \(address) \(name)"
        case .add(let song, isNext: let isNext): "\(isNext ? "insert" : "add") \(song)"
        }
    }

    /// Reads a line: `set /mic/pan -0.5`, `adjust /song/volume 1`, `toggle /mic/mute`,
    /// `trigger /transport/next`, `get /song/volume`, `save /mic/preset my plate`, `add song.mp3`,
    /// `insert song.mp3`.
    init(line: String) throws(Refusal) {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        let line = line.withoutSpaceAround
        let words = line.split(maxSplits: 2, whereSeparator: isSpace)
            .map { String($0.drop(while: isSpace)) }
        if let verb = words.first, ["add", "insert"].contains(verb) {
            let song = String(line.dropFirst(verb.count)).withoutSpaceAround
            guard !song.isEmpty else { throw Refusal(reason: "use \(verb) SONG") }
            self.init(adding: song, isNext: verb == "insert")
            return
        }
        let form = ["set": "ADDRESS VALUE", "adjust": "ADDRESS STEPS", "save": "ADDRESS NAME"]
        let name = words.first ?? ""
        guard ["set", "adjust", "toggle", "trigger", "get", "save"].contains(name) else {
            throw Refusal(
                reason:
                    "use set, adjust, toggle, trigger, get, save, add or insert, not "
                    + "'\(name.prefix(40))'")
        }
        guard words.count == (form[name] == nil ? 2 : 3) else {
            throw Refusal(reason: "use \(name) \(form[name] ?? "ADDRESS")")
        }
        let verb: Verb
        switch name {
        case "set": verb = .set(words[2])
        case "save": verb = .save(words[2])
        case "adjust":
            guard let amount = Double(words[2]), abs(amount) <= 1e9 else {
                throw Refusal(reason: "use a number of steps, not '\(words[2].prefix(40))'")
            }
            verb = .adjust(amount)
        case "toggle": verb = .toggle
        case "trigger": verb = .trigger
        default: verb = .get
        }
        self.init(verb, words[1])
    }
}
