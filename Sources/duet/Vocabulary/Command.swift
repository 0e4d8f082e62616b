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
    }

    let verb: Verb
    let address: String

    init(_ verb: Verb, _ address: String) {
        self.verb = verb
        self.address = address
    }

    /// Reads a line: `set /mic/pan -0.5`, `adjust /song/volume 1`, `toggle /mic/mute`,
    /// `trigger /transport/next`, `get /song/volume`.
    init(line: String) throws(Refusal) {
        let words = line.split(separator: " ", maxSplits: 2).map {
            String($0.drop { $0 == " " })
        }
        guard words.count >= 2 else { throw Self.malformed }
        address = words[1]
        switch (words[0], words.count) {
        case ("set", 3): verb = .set(words[2])
        case ("adjust", 3):
            guard let amount = Double(words[2]), abs(amount) <= 1e9 else {
                throw Refusal(reason: "“\(words[2])” is no number of steps")
            }
            verb = .adjust(amount)
        case ("toggle", 2): verb = .toggle
        case ("trigger", 2): verb = .trigger
        case ("get", 2): verb = .get
        default: throw Self.malformed
        }
    }

    private static let malformed = Refusal(
        reason: "it is set ADDRESS VALUE, adjust ADDRESS STEPS, toggle ADDRESS, trigger ADDRESS"
            + " or get ADDRESS")
}
