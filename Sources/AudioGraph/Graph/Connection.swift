import Synchronization

/// A connection from an output bus of one node to an input bus of another.
final class Connection {
    let source: AudioNode
    let sourceBus: Int
    let sink: AudioNode
    let sinkBus: Int
    let kind: BusKind
    /// The channels of the source that the sink gets; nil: as many as it takes.
    let channels: [Int]?
    /// Whether it leads back to a node that is rendered before its source.
    let leadsBack: Bool
    /// The mixer's bus that was connected, when the sink is a mixer: its gains hold until the
    /// connection has faded out, even if the bus is removed from the mixer.
    let mixerInput: MixerInput?
    /// Nil: it rests at its full gain.
    private var fade: Fade?
    private let sampleRate: Int
    private var ownDelay: Shared<ControlDelay>?

    init(
        from source: AudioNode, bus sourceBus: Int, to sink: AudioNode, bus sinkBus: Int,
        kind: BusKind, channels: [Int]? = nil, leadsBack: Bool = false, sampleRate: Int
    ) {
        self.source = source
        self.sourceBus = sourceBus
        self.sink = sink
        self.sinkBus = sinkBus
        self.kind = kind
        self.channels = channels
        self.leadsBack = leadsBack
        self.sampleRate = sampleRate
        mixerInput = (sink as? MixerNode)?.input(ofBus: sinkBus)
    }

    /// The same in a graph of `sampleRate` Hz.
    func copy(sampleRate: Int) -> Connection {
        Connection(
            from: source, bus: sourceBus, to: sink, bus: sinkBus, kind: kind, channels: channels,
            leadsBack: leadsBack, sampleRate: sampleRate)
    }

    /// Whether it connects the same as another.
    func isLike(_ other: Connection) -> Bool {
        source === other.source && sourceBus == other.sourceBus && sink === other.sink
            && sinkBus == other.sinkBus && channels == other.channels
            && mixerInput === other.mixerInput && leadsBack == other.leadsBack
    }

    // MARK: Fades

    /// Begins silent, and fades in.
    func fadeIn() { fade = Fade(from: 0, to: 1, kind: kind, sampleRate: sampleRate) }

    /// Begins to fade out; returns what the render thread gets for that.
    func fadeOut() -> [ParameterDelivery] {
        if let fade { return [fade.go(to: 0)] }
        fade = Fade(from: 1, to: 0, kind: kind, sampleRate: sampleRate)
        return []
    }

    /// Rests at its full gain at once.
    func endFade() { fade = nil }

    /// The fade, for a sum of several connections.
    var fadeInSum: Fade {
        let fade = self.fade ?? Fade(from: 1, to: 1, kind: kind, sampleRate: sampleRate)
        self.fade = fade
        return fade
    }

    /// Whether it has faded in fully, so that its samples pass unchanged.
    var isSettled: Bool { fade?.rests(at: 1) ?? true }
    /// Whether it was disconnected and has faded out fully, so that nothing of it is heard.
    var isGone: Bool { fade?.rests(at: 0) ?? false }

    /// The delay of a connection that leads back, for slices of at most `frames` frames.
    func delay(frames: Int) -> Shared<ControlDelay> {
        let delay = ownDelay ?? Shared(ControlDelay(frames: frames))
        ownDelay = delay
        return delay
    }

    /// Of `count` channels of the source, those that the sink gets; nil: all of them.
    func channels(of count: Int) -> [Int]? {
        if let channels { return channels.map { min($0, count - 1) } }
        let most = sink.channels(ofInput: sinkBus).upperBound
        return count > most ? Array(0..<most) : nil
    }
}

/// An output bus of a node.
struct OutputBus: Hashable {
    private let node: ObjectIdentifier
    private let number: Int

    init(_ number: Int, of node: AudioNode) {
        self.node = ObjectIdentifier(node)
        self.number = number
    }
}

/// The connections that a plan renders, found by their ends.
struct ConnectionIndex {
    private let all: [Connection]
    private let bySink: [Sink: [Connection]]
    private let bySource: [OutputBus: [Connection]]

    /// An input bus: of a mixer by its `MixerInput`, for when it fades out its number may be
    /// another's.
    private struct Sink: Hashable {
        let owner: ObjectIdentifier
        let number: Int
        let kind: BusKind

        init(of connection: Connection) {
            owner = ObjectIdentifier(connection.mixerInput ?? connection.sink)
            number = connection.mixerInput == nil ? connection.sinkBus : 0
            kind = connection.kind
        }

        init(_ owner: AnyObject, _ number: Int, _ kind: BusKind) {
            self.owner = ObjectIdentifier(owner)
            self.number = number
            self.kind = kind
        }
    }

    init(_ connections: [Connection]) {
        all = connections
        bySink = Dictionary(grouping: connections) { Sink(of: $0) }
        bySource = Dictionary(grouping: connections) { OutputBus($0.sourceBus, of: $0.source) }
    }

    /// What an input bus of a node other than a mixer gets.
    func connections(to node: AudioNode, bus: Int) -> [Connection] {
        bySink[Sink(node, bus, node.kind(ofInput: bus) ?? .audio), default: []]
    }

    /// What an input of a mixer gets: sound, or gains.
    func connections(to input: MixerInput, _ kind: BusKind) -> [Connection] {
        bySink[Sink(input, 0, kind), default: []]
    }

    /// What a node gets, all its inputs together.
    func connections(to node: AudioNode) -> [Connection] { all.filter { $0.sink === node } }

    /// Whether an input bus of a node may get the driver's own buffers, also through nodes that pass them on.
    func mayBeDriversBuffers(of node: AudioNode, bus: Int) -> Bool {
        connections(to: node, bus: bus).contains { connection in
            let source = connection.source
            return !source.givesBuffersAway
                || source.passesInputOn && mayBeDriversBuffers(of: source, bus: 0)
        }
    }

    /// Whether no other input reads the buffers that an input bus of a node gets, so that the node
    /// may change them in place.
    func isOnlyReader(_ node: AudioNode, bus: Int) -> Bool {
        connections(to: node, bus: bus).allSatisfy { connection in
            let source = connection.source
            let readers = bySource[OutputBus(connection.sourceBus, of: source), default: []]
            return readers.allSatisfy { $0.sink === node && $0.sinkBus == bus }
                && source.givesBuffersAway
                && (!source.passesInputOn || isOnlyReader(source, bus: 0))
        }
    }
}

/// A gain that goes from 0 to 1, or back, in 10 ms, and says when it is there. Control thread.
@safe final class Fade {
    let kernel: Shared<ConnectionFade>
    private let slot: Shared<ParameterSlot>
    private let reached = Shared(ConnectionFade.Reached())
    private let length: Int32
    private(set) var goal: Goal

    /// Where the fade goes.
    struct Goal {
        let target: Float
        /// How many goals there were before; the kernel says which one it has reached.
        let number: Float
    }

    /// A fade that begins at `start`, 0 or 1, with the first frame that is rendered.
    init(from start: Float, to target: Float, kind: BusKind = .audio, sampleRate: Int) {
        length = RampClock.parameterLength(sampleRate: sampleRate)
        goal = Goal(target: target, number: 0)
        slot = unsafe Shared(ParameterSlot([target, 0], ramp: length))
        kernel = unsafe Shared(
            ConnectionFade(
                from: start, slot: slot.pointer, reached: reached.pointer,
                isControl: kind == .control),
            keeping: slot, reached)
    }

    /// What the render thread gets to go to 0 or 1.
    func go(to target: Float) -> ParameterDelivery {
        goal = Goal(target: target, number: goal.number + 1)
        return ParameterDelivery(slot: slot, floats: [target, goal.number], ramp: length)
    }

    /// Goes where it went before an edit that was given up.
    func restore(_ old: Goal) { goal = old }

    /// Whether it rests at `value`. What was reached before the render thread got a new goal does not
    /// count.
    func rests(at value: Float) -> Bool {
        unsafe goal.target == value
            && reached.pointer.pointee.goal.load(ordering: .relaxed) == goal.number
    }
}
