import AudioGraph
import JackIO

/// The demo's singer: another JACK client of this program, whose output goes to the microphone port
/// of the first client alone.
final class DemoVoice {
    private var kept: KeptClient
    private(set) var mix: MixGraph
    private let plan: MixPlan

    /// A client in the server of `singer`, which has a microphone port.
    init(for singer: JackClient) throws(DuetError) {
        // Both outputs are connected to the one port: the voice is on the left one alone, so as not
        // to be added to itself.
        var plan = MixPlan()
        do {
            let port = try PortPattern(pattern: "^" + Self.literal(singer.microphonePorts[0]) + "$")
            let client = try JackClient.open(
                JackConfiguration(
                    name: "\(singer.name)-voice", prettyName: "Duet", microphoneChannels: 0,
                    outputs: .one(port)),
                server: singer.server, unless: { Signals.isStopping })
            kept = KeptClient(client, patience: 0)
        } catch let error as JackError {
            throw DuetError(error)
        } catch {
            throw DuetError(
                status: .failure, attempt: "cannot connect the voice", result: "\(error)", hint: "")
        }
        do throws(Refusal) {
            try plan.set([
                Assignment("/song/pan", "left"), Assignment("/out/limiter/bypass", "on"),
            ])
        } catch {
            throw DuetError(
                status: .failure, attempt: "cannot mix the voice", result: error.reason, hint: "")
        }
        mix = try MixGraph(plan, sampleRate: kept.client.sampleRate)
        self.plan = plan
    }

    /// Builds the same graph for another rate of the server. The client renders it when it is
    /// activated anew, or from `render` on.
    func rebuild(for sampleRate: Int) throws(DuetError) {
        mix = try MixGraph(plan, sampleRate: sampleRate)
        try mix.start()
    }

    /// Lets an active client render the present graph.
    func render() throws(JackError) { try kept.client.render(mix.graph) }

    /// Opens another client in place of the closed one; nothing is heard yet.
    func comeBack() throws(JackError) {
        let lost = kept.client.lost
        kept = KeptClient(
            try JackClient.open(
                lost.configuration, server: lost.server, after: lost,
                unless: { Signals.isStopping }), patience: 0)
    }

    /// Begins the cycles of the voice's client.
    func activate() throws(JackError) {
        try kept.activate(rendering: mix.graph, unless: { Signals.isStopping })
    }

    /// Fades out and closes the client. Returns whether another driver may render the graph.
    @discardableResult func close() -> Bool { kept.client.close() }

    /// Handles what JACK has told the voice's client, which would be kept for ever otherwise;
    /// reconnects the voice when the program's microphone port comes back.
    ///
    /// - Returns: why the voice has lost the server, which may have thrown out the voice alone; nil
    ///   when it has not.
    func lossReason() -> String? {
        for case .shutdown(let reason) in kept.client.drainEvents() { return reason }
        return nil
    }

    /// `text` as a pattern that matches nothing else.
    private static func literal(_ text: String) -> String {
        String(text.flatMap { ".[]{}()*+?^$|\\".contains($0) ? ["\\", $0] : [$0] })
    }
}
