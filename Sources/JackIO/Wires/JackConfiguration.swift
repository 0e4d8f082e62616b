/// A client's name, its ports and their connections, as the caller wants them.
public struct JackConfiguration: Sendable, Hashable {
    /// The wanted client name; a suffix is added when it is taken.
    public var name: String
    /// The name that patchbays show. The client's name follows in brackets, unless it is just
    /// `prettyName` in small letters. Nil: patchbays show the client's name alone.
    public var prettyName: String?
    /// 0 (no microphone port), 1 (`mic`) or 2 (`mic_left`, `mic_right`).
    public var microphoneChannels: Int
    /// The ports that the microphone's ports are connected to.
    public var microphone: PortSelection
    /// The port that `mic_2` is connected to, the port of a second microphone, of one channel; nil:
    /// there is none. (`PortSelection.none`, written out: the port is there, and not connected.)
    public var secondMicrophone: PortSelection?
    /// The ports that `out_left` and `out_right` are connected to.
    public var outputs: PortSelection
    /// The sources that have outputs of their own, beside the mix: `song` has the ports
    /// `song_out_left` and `song_out_right`. Nothing connects them.
    public var directOutputs: [String]
    /// Connections to make, each as soon as its ports are there, instead of those that `microphone`,
    /// `secondMicrophone` and `outputs` choose; the client's own ports are written `:port`. Nil: the
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
    ///   - microphoneChannels: 0…2, clamped; default 1.
    ///   - microphone: default physical ports.
    ///   - secondMicrophone: default nil.
    ///   - outputs: default physical ports.
    ///   - directOutputs: default none.
    ///   - wires: default nil.
    ///   - followsTransport: default false.
    ///   - measuresCallbackTime: default false.
    public init(
        name: String, prettyName: String? = nil, microphoneChannels: Int = 1,
        microphone: PortSelection = .automatic, secondMicrophone: PortSelection? = nil,
        outputs: PortSelection = .automatic,
        directOutputs: [String] = [], wires: Set<JackWire>? = nil, followsTransport: Bool = false,
        measuresCallbackTime: Bool = false
    ) {
        self.name = name
        self.prettyName = prettyName
        self.microphoneChannels = min(max(microphoneChannels, 0), 2)
        self.microphone = microphone
        self.secondMicrophone = secondMicrophone
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

    /// The short names of the first microphone's ports.
    var firstMicrophonePorts: [String] {
        switch microphoneChannels {
        case 0: []
        case 1: ["mic"]
        default: ["mic_left", "mic_right"]
        }
    }

    /// The short names of the second microphone's ports.
    var secondMicrophonePorts: [String] { secondMicrophone == nil ? [] : ["mic_2"] }

    /// The short names of all microphones' ports, those of the first one first.
    var microphonePorts: [String] { firstMicrophonePorts + secondMicrophonePorts }

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
