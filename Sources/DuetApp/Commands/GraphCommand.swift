import AudioGraph

/// The command `graph`: prints the graph that options build.
struct GraphCommand: ProgramCommand {
    static let summary = "Print the audio graph that options build."
    static let usage = "[<options>] [sing|play|mix]"
    static let discussion = """
        Prints nodes, connections, formats and latencies at 48000 Hz. A live graph runs at the \
        JACK server's sample rate.
        """
    static let arguments = [
        CommandArgument(
            name: "command",
            help: "Command whose graph to print: sing, play or mix (default: sing).",
            isNeeded: false, mayRepeat: true,
            completion: .choices([Kind.sing, .play, .mix].map(\.rawValue)), read: anyArgument)
    ]

    /// The command that renders the graph.
    private enum Kind: String {
        case sing, play, mix

        init(_ values: OptionValues) {
            self = values.words.first.flatMap { Kind(rawValue: $0) } ?? .sing
        }
    }

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    /// Where there is no microphone they have no effect.
    static func ignored(in values: OptionValues) -> [OptionRow] {
        Kind(values) == .sing ? [] : [.stereoMic, .secondMic, .thirdMic, .fourthMic]
    }

    static func problem(in values: OptionValues) -> OptionProblem? {
        let words = values.words
        if let other = words.first(where: { Kind(rawValue: $0) == nil }) ?? words.dropFirst().first
        {
            return OptionProblem(
                "use sing, play or mix, not '\(other.prefix(100))'; the graph is the same for every "
                    + "song", [])
        }
        let kind = Kind(values)
        for (rows, source, hasIt) in [
            (OptionTable.ofSecondSong, "second song", kind == .mix),
            (OptionTable.ofMicrophone, "microphone", kind == .sing),
        ] {
            if !hasIt, let name = values.names(among: rows).first {
                return OptionProblem(
                    "\(name) has no effect: 'duet \(kind.rawValue)' has no \(source)", rows)
            }
        }
        return nil
    }

    /// What is done to songs on their own threads, before they come to the graph.
    private static func stages(of plan: MixPlan) -> String {
        let values = plan.vocabulary.parameters.filter {
            $0.unit.isStage && plan[$0] != $0.kind.defaultValue
        }
        guard !values.isEmpty else { return "" }
        return "\nbefore the graph:\n"
            + values.map { "  \($0.address) \($0.kind.text(plan[$0]))" }.joined(separator: "\n")
    }

    func run() throws {
        for warning in options.configured.warnings {
            Output.error.write("duet: warning: \(warning)\n")
        }
        let kind = Kind(options)
        var plan =
            switch kind {
            case .sing: try options.mix(second: options.microphones, guardsFeedback: true)
            case .play: try options.mix()
            case .mix: try options.mix(second: .song)
            }
        plan.hasDirectOutputs = options[.directOuts]
        let mix = try MixGraph(plan, sampleRate: 48_000)
        _ = try mix.addSong(bus: 0)
        if kind == .mix { _ = try mix.addSong(bus: 1) }
        mix.waitForFiles(milliseconds: 10_000)
        let text = options[.dot] ? mix.graph.dot : mix.graph.description + Self.stages(of: plan)
        Output.standard.write(text + "\n")
    }
}
