/// The configuration and connections of a closed client, as after the loss of its server: a new
/// client takes them over.
public struct LostClient: Sendable {
    /// The client's configuration, with the name that the server gave the client.
    public let configuration: JackConfiguration
    /// The server's name.
    public let server: String
    /// The connections at the time the client was closed, as `JackClient.wires`.
    public var wires: Set<JackWire> {
        let name = configuration.name
        return Set(patchbay(forClient: name).allWires.map { $0.nameless(name) })
    }

    /// The connections of the closed client.
    private let patchbay: Patchbay
    /// When the client was lost, in seconds, of `monotonicSeconds`.
    private let time: Double
    /// Whether the next client may get another name when the name is taken.
    var takesAnyName = false

    init(
        configuration: JackConfiguration, server: String, patchbay: Patchbay, time: Double
    ) {
        self.configuration = configuration
        self.server = server
        self.patchbay = patchbay
        self.time = time
    }

    /// The connections that a client called `name`, which replaces this client, is to make.
    func patchbay(forClient name: String) -> Patchbay {
        patchbay.afterLoss(of: configuration.name, as: name, at: time)
    }
}
