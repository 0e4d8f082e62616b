import ArgumentParser
import AudioGraph

/// The command `graph`: prints the graph that options build.
struct GraphCommand: ConfiguredCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Print the audio graph that options build.",
        usage: "duet graph [<options>] [sing|play|mix]",
        discussion: """
            Prints nodes, connections, formats and latencies at 48000 Hz. A live graph runs at the \
            JACK server's sample rate.
            """)

    /// The command that renders the graph.
    private enum Kind: String {
        case sing, play, mix
    }

    @Argument(
        help: ArgumentHelp(
            "Command whose graph to print: sing, play or mix (default: sing).",
            valueName: "command"),
        completion: .list(["sing", "play", "mix"]))
    var words: [String] = []

    private var kind: Kind { words.first.flatMap { Kind(rawValue: $0) } ?? .sing }

    @OptionGroup(title: "Song") var song: SongOptions
    @OptionGroup(title: "Second song") var second: SecondOptions
    @OptionGroup(title: "Microphone") var mic: MicOptions
    @OptionGroup(title: "Microphone") var secondMic: SecondMicOptions
    @OptionGroup(title: "Output") var output: OutputOptions
    @OptionGroup(title: "Settings") var values: SetOptions
    @OptionGroup(title: "Settings") var config: ConfigurationOptions

    @Flag(help: JackOptions.directOutsHelp) var directOuts = false

    @Flag(help: "Print for Graphviz: duet graph --dot | dot -Tsvg > graph.svg.")
    var dot = false

    static var hasKeys: Bool { false }

    /// Where there is no microphone they have no effect.
    func passedOver(beside names: Set<String>) -> Set<String> {
        kind == .sing ? [] : ["stereo-mic", "second-mic"]
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

    func validate() throws {
        if let other = words.first(where: { Kind(rawValue: $0) == nil }) ?? words.dropFirst().first
        {
            throw ValidationError(
                "use sing, play or mix, not '\(other.prefix(100))'; the graph is the same for every "
                    + "song")
        }
        try secondMic.check(beside: mic)
        let others =
            (kind == .mix ? [] : second.given)
            + (kind == .sing
                ? [] : mic.given + (secondMic.secondMic == nil ? [] : ["--second-mic"]))
        if let other = others.first {
            throw ValidationError(
                "\(other) has no effect: 'duet \(kind.rawValue)' has no "
                    + (second.given.contains(other) ? "second song" : "microphone"))
        }
    }

    func run() throws {
        for warning in config.values.warnings { Output.error.write("duet: warning: \(warning)\n") }
        var plan =
            switch kind {
            case .sing:
                try MixPlan(
                    second: secondMic.second(beside: mic), guardsFeedback: true,
                    configured: config.values.assignments, [song, mic, output, values])
            case .play: try MixPlan(configured: config.values.assignments, [song, output, values])
            case .mix:
                try MixPlan(
                    second: .song, configured: config.values.assignments,
                    [song, second, output, values])
            }
        plan.hasDirectOutputs = directOuts
        let mix = try MixGraph(plan, sampleRate: 48_000)
        _ = try mix.addSong(bus: 0)
        if kind == .mix { _ = try mix.addSong(bus: 1) }
        mix.waitForFiles(milliseconds: 10_000)
        let text = dot ? mix.graph.dot : mix.graph.description + Self.stages(of: plan)
        Output.standard.write(text + "\n")
    }
}
