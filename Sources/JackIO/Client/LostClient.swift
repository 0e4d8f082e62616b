import SystemSupport

/// What is left of a client that was closed, as because its server is gone: enough to be the same
/// in another client.
public struct LostClient: Sendable {
    /// What was asked for, under the name that the client had.
    public let configuration: JackConfiguration
    /// The server's name.
    public let server: String
    /// What was connected when the client was closed, as `JackClient.wires`.
    public var wires: Set<JackWire> {
        let name = configuration.name
        return Set(patchbay(forClient: name).allWires.map { $0.nameless(name) })
    }

    /// What was connected to what.
    private let patchbay: Patchbay
    /// When it was lost, in seconds, of `monotonicSeconds`.
    private let time: Double
    /// Set when libjack is done with the closed client; nil: libjack was not asked to close it.
    let closing: EventFlag?
    /// Whether the next client may have another name when that is taken.
    var takesAnyName = false

    init(
        configuration: JackConfiguration, server: String, patchbay: Patchbay, time: Double,
        closing: EventFlag?
    ) {
        self.configuration = configuration
        self.server = server
        self.patchbay = patchbay
        self.time = time
        self.closing = closing
    }

    /// What a client called `name` is to be connected to in this one's place.
    func patchbay(forClient name: String) -> Patchbay {
        patchbay.afterLoss(of: configuration.name, as: name, at: time)
    }
}
