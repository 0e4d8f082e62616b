/// What a client is called, which ports it has and what they are connected to.
public struct JackConfiguration: Sendable, Hashable {
    /// The wanted client name; a suffix is added when it is taken.
    public var name: String
    /// What patchbays show in place of the name; behind it in brackets the client's name, where
    /// that is more than `prettyName` in small letters. Nil: the client's name alone.
    public var prettyName: String?
    /// 0 (no microphone port), 1 (`mic`) or 2 (`mic_left`, `mic_right`).
    public var microphoneChannels: Int
    /// What the microphone's ports are connected to.
    public var microphone: PortSelection
    /// What `out_left` and `out_right` are connected to.
    public var outputs: PortSelection
    /// What is connected instead of what `microphone` and `outputs` choose, as soon as it is
    /// there; the client's own ports are written `:port`. Nil: what they choose.
    public var wires: Set<JackWire>?
    /// Whether the songs follow JACK's transport: each of their frames sounds at that frame of it.
    public var followsTransport: Bool
    /// Whether the processor time of every cycle is taken: two system calls a cycle more.
    public var measuresCallbackTime: Bool

    /// - Parameters:
    ///   - name: the wanted client name.
    ///   - prettyName: default nil.
    ///   - microphoneChannels: 0…2, brought to the nearest end; default 1.
    ///   - microphone: default physical ports.
    ///   - outputs: default physical ports.
    ///   - wires: default nil.
    ///   - followsTransport: default false.
    ///   - measuresCallbackTime: default false.
    public init(
        name: String, prettyName: String? = nil, microphoneChannels: Int = 1,
        microphone: PortSelection = .automatic, outputs: PortSelection = .automatic,
        wires: Set<JackWire>? = nil, followsTransport: Bool = false,
        measuresCallbackTime: Bool = false
    ) {
        self.name = name
        self.prettyName = prettyName
        self.microphoneChannels = min(max(microphoneChannels, 0), 2)
        self.microphone = microphone
        self.outputs = outputs
        self.wires = wires
        self.followsTransport = followsTransport
        self.measuresCallbackTime = measuresCallbackTime
    }

    /// What patchbays show for a client called `name`.
    func title(ofClient name: String) -> String {
        guard let prettyName else { return name }
        return name == prettyName.lowercased() ? prettyName : "\(prettyName) (\(name))"
    }

    /// The short names of the microphone's ports.
    var microphonePorts: [String] {
        switch microphoneChannels {
        case 0: []
        case 1: ["mic"]
        default: ["mic_left", "mic_right"]
        }
    }

    /// The short names of the outputs.
    static let outputPorts = ["out_left", "out_right"]
}
