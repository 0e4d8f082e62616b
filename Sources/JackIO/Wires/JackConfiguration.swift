/// A client's name, its ports and their connections, as the caller wants them.
public struct JackConfiguration: Sendable, Hashable {
    /// The wanted client name; a suffix is added when it is taken.
    public var name: String
    /// The name that patchbays show. The client's name follows in brackets, unless it is just
    /// `prettyName` in small letters. Nil: patchbays show the client's name alone.
    public var prettyName: String?
    /// Channels of the first microphone: 0 (it has no port), 1 (`mic`), 2 (`mic_left`, `mic_right`)
    /// or more (`mic_ch1`, `mic_ch2`, …).
    public var microphoneChannels: Int
    /// The ports that the first microphone's ports are connected to.
    public var microphone: PortSelection
    /// The ports that `mic_2`, `mic_3` and so on are connected to: further microphones of one
    /// channel each. With `.none` the port is there, and not connected.
    public var moreMicrophones: [PortSelection]
    /// The ports that `out_left` and `out_right` are connected to.
    public var outputs: PortSelection
    /// The sources that have outputs of their own, beside the mix: `song` has the ports
    /// `song_out_left` and `song_out_right`. Nothing connects them.
    public var directOutputs: [String]
    /// Connections to make, each as soon as its ports are there, instead of those that `microphone`,
    /// `moreMicrophones` and `outputs` choose; the client's own ports are written `:port`. Nil: the
    /// chosen ones.
    public var wires: Set<JackWire>?
    /// Whether the songs follow JACK's transport: frame n of a song sounds at frame n of the
    /// transport.
    public var followsTransport: Bool
    /// Whether to measure the processor time of every cycle: two more system calls a cycle.
    public var measuresCallbackTime: Bool

    /// - Parameters:
    ///   - name: the wanted client name.
    ///   - prettyName: default nil.
    ///   - microphoneChannels: 0…256, clamped; default 1.
    ///   - microphone: default physical ports.
    ///   - moreMicrophones: default none.
    ///   - outputs: default physical ports.
    ///   - directOutputs: default none.
    ///   - wires: default nil.
    ///   - followsTransport: default false.
    ///   - measuresCallbackTime: default false.
    public init(
        name: String, prettyName: String? = nil, microphoneChannels: Int = 1,
        microphone: PortSelection = .automatic, moreMicrophones: [PortSelection] = [],
        outputs: PortSelection = .automatic,
        directOutputs: [String] = [], wires: Set<JackWire>? = nil, followsTransport: Bool = false,
        measuresCallbackTime: Bool = false
    ) {
        self.name = name
        self.prettyName = prettyName
        self.microphoneChannels = min(max(microphoneChannels, 0), 256)
        self.microphone = microphone
        self.moreMicrophones = moreMicrophones
        self.outputs = outputs
        self.directOutputs = directOutputs
        self.wires = wires
        self.followsTransport = followsTransport
        self.measuresCallbackTime = measuresCallbackTime
    }

    /// The text that patchbays show for a client called `name`.
    func title(ofClient name: String) -> String {
        guard let prettyName else { return name }
        return name == prettyName.lowercased() ? prettyName : "\(prettyName) (\(name))"
    }

    /// The microphones in their order: the short names of the ports of each, and what those are
    /// connected to.
    var microphones: [(ports: [String], selection: PortSelection)] {
        let first =
            switch microphoneChannels {
            case 0: [String]()
            case 1: ["mic"]
            case 2: ["mic_left", "mic_right"]
            default: (1...microphoneChannels).map { "mic_ch\($0)" }
            }
        return [(first, microphone)]
            + moreMicrophones.enumerated().map { (["mic_\($0 + 2)"], $1) }
    }

    /// The short names of all microphones' ports, those of the first one first.
    var microphonePorts: [String] { microphones.flatMap(\.ports) }

    /// The short names of the outputs of the mix.
    static let outputPorts = ["out_left", "out_right"]

    /// The short names of all outputs, those of the mix first.
    var allOutputPorts: [String] {
        Self.outputPorts + directOutputs.flatMap { ["\($0)_out_left", "\($0)_out_right"] }
    }
}

/// A connection from a port that gives sound to a port that takes it, by their full names.
public struct JackWire: Hashable, Sendable {
    public let from: String
    public let to: String

    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// This connection with `:port` for each port of the client `name`, which stays right when the
    /// client gets another name.
    func nameless(_ name: String) -> JackWire {
        func short(_ port: String) -> String {
            port.hasPrefix(name + ":") ? String(port.dropFirst(name.count)) : port
        }
        return JackWire(from: short(from), to: short(to))
    }

    /// This connection with `name:port` for each `:port`: the reverse of `nameless`.
    func named(_ name: String) -> JackWire {
        func long(_ port: String) -> String { port.hasPrefix(":") ? name + port : port }
        return JackWire(from: long(from), to: long(to))
    }
}
