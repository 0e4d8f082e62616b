import ArgumentParser

extension Option where Value == Assignment? {
    /// An option that sets the parameter at `address`.
    init(of address: String, _ help: ArgumentHelp) {
        self.init(parsing: .unconditional, help: help, transform: assignmentArgument(address))
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
            "Any value of the mix, as /mic/pan=left; duet addresses lists them.",
            valueName: "address=value"),
        transform: assignmentArgument)
    var set: [Assignment] = []

    var assignments: [Assignment] { self.set }
}

extension MixPlan {
    /// The mix that the options of a command ask for; those that come later win.
    init(
        second: Second = .nothing, guardsFeedback: Bool = false, _ options: [any MixOptions]
    ) throws {
        self.init(second: second)
        self.guardsFeedback = guardsFeedback
        do throws(Refusal) {
            try set(options.flatMap(\.assignments))
        } catch {
            throw ValidationError("--set: \(error.reason)")
        }
    }
}
