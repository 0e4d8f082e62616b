import ArgumentParser

extension Option where Value == Assignment? {
    /// An option that sets the parameter at `address`.
    ///
    /// - Parameters:
    ///   - what: the help; the values and the default follow.
    ///   - values: the values in the help; nil: all of them.
    init(of address: String, _ what: String, values: String? = nil, valueName: String) {
        let kind = Vocabulary.all.parameter(address)?.kind
        let range = kind.map {
            ": \(values ?? $0.rangeText) (default: \($0.helpDefault))"
        }
        self.init(
            parsing: .unconditional,
            help: ArgumentHelp("\(what)\(range ?? "").", valueName: valueName),
            completion: kind.map { $0.names.isEmpty ? .default : .list($0.names) },
            transform: assignmentArgument(address))
    }
}

/// Options that set parameters of the mix.
protocol MixOptions: ParsableArguments {
    /// What was given, in the order in which it counts.
    var assignments: [Assignment] { get }
}

/// Sets any parameter by its address.
struct SetOptions: MixOptions {
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Set any value by its address, like /mic/pan=left; 'duet addresses' lists them.",
            valueName: "address=value"),
        transform: assignmentArgument)
    var set: [Assignment] = []

    var assignments: [Assignment] { self.set }
}

extension MixPlan {
    /// The mix that the options of a command ask for; those that come later win.
    ///
    /// - Parameter configured: values of the user's configuration, over which the options win; what
    ///   this mix has not is passed over. By default none.
    init(
        second: Second = .nothing, guardsFeedback: Bool = false, configured: [Assignment] = [],
        _ options: [any MixOptions]
    ) throws {
        self.init(second: second)
        self.guardsFeedback = guardsFeedback
        let vocabulary = vocabulary
        let usable = configured.filter { vocabulary.parameter($0.address) != nil }
        do throws(Refusal) {
            try set(usable + options.flatMap(\.assignments), turningOn: true)
        } catch {
            throw ValidationError("--set: \(error.reason)")
        }
    }
}
