/// The buffers of one output bus in a plan; in a mono bus one channel serves both sides.
@safe struct Bus {
    let samples: StereoSamples
    var channelCount: Int { unsafe samples.isMono ? 1 : 2 }
}

/// Compiles a graph to the steps of a plan: from the output back to the sources, each node once.
///
/// Nodes call it from `emit(into:)`.
@safe final class PlanBuilder {
    private let graph: Graph
    let maximumFrames: Int
    var sampleRate: Int { graph.sampleRate }
    private var outputs: [ObjectIdentifier: Bus] = [:]
    private var inputsOfMixers: [ObjectIdentifier: MixerInputs] = [:]
    private var limiterCurves: [ObjectIdentifier: Samples] = unsafe [:]

    private(set) var steps: [RenderStep] = []
    private(set) var samples: [Samples] = unsafe []
    private(set) var inputLists: [UnsafeMutableBufferPointer<MixerKernel.Input>] = unsafe []
    private(set) var songs: [UnsafePointer<SongRing>] = unsafe []
    private(set) var kept: [AnyObject] = []

    /// The input buses of a mixer that are connected in the plan.
    @safe struct MixerInputs {
        let list: UnsafeBufferPointer<MixerKernel.Input>
        /// Index in `list` of each connected bus, by the bus's number.
        let places: [Int: Int]
    }

    init(_ graph: Graph, maximumFrames: Int) {
        self.graph = graph
        self.maximumFrames = maximumFrames
        graph.hardware?.emitOutput(into: self)
    }

    func add(_ step: RenderStep) { steps.append(step) }

    /// Keeps `object` alive for as long as the plan is in use, and returns its pointer.
    func keep<Value: ~Copyable>(_ object: Shared<Value>) -> UnsafeMutablePointer<Value> {
        kept.append(object)
        return unsafe object.pointer
    }

    func keep(_ feed: SongFeed) { kept.append(feed) }

    /// A new buffer of one slice's samples.
    func channel() -> Samples {
        let channel = Samples.allocate(capacity: maximumFrames)
        unsafe channel.initialize(repeating: 0, count: maximumFrames)
        unsafe samples.append(channel)
        return unsafe channel
    }

    /// New buffers for a bus.
    func bus(channelCount: Int) -> Bus {
        let left = unsafe channel()
        return unsafe Bus(
            samples: StereoSamples(left: left, right: channelCount == 2 ? channel() : left))
    }

    func add(song ring: UnsafePointer<SongRing>) { unsafe songs.append(ring) }

    /// The buffers of what is connected to an input bus; silence where nothing is.
    func input(of node: AudioNode, bus number: Int) -> Bus {
        if let found = connectedInput(of: node, bus: number) { return found }
        let silence = bus(channelCount: 2)
        unsafe add(.clear(silence.samples))
        return silence
    }

    /// The buffers of what is connected to an input bus, or nil.
    func connectedInput(of node: AudioNode, bus number: Int) -> Bus? {
        sum(graph.audibleConnections(to: node).filter { $0.sinkBus == number })
    }

    /// As `connectedInput(of:bus:)` for a mixer's bus, which may be removed and fading out.
    func connectedInput(of mixer: MixerNode, through input: MixerInput) -> Bus? {
        sum(graph.audibleConnections(to: mixer).filter { $0.mixerInput === input })
    }

    /// The connected buses of a mixer, those that are fading out included.
    func mixerInputs(connectedTo mixer: MixerNode) -> [MixerInput] {
        var found: [MixerInput] = []
        for case let input? in graph.audibleConnections(to: mixer).map(\.mixerInput)
        where !found.contains(where: { $0 === input }) {
            found.append(input)
        }
        return found
    }

    private func sum(_ connections: [Connection]) -> Bus? {
        if connections.count == 1, connections[0].isSettled {
            return output(of: connections[0].source, bus: connections[0].sourceBus)
        }
        guard !connections.isEmpty else { return nil }
        let sources = connections.map { output(of: $0.source, bus: $0.sourceBus) }
        let sum = bus(channelCount: sources.map(\.channelCount).max() ?? 1)
        unsafe add(.clear(sum.samples))
        for (connection, source) in zip(connections, sources) {
            kept.append(connection.controls)
            unsafe add(.fade(keep(connection.kernel), source.samples, to: sum.samples))
        }
        return sum
    }

    /// As `input(of:bus:)`, in buffers that the node may change: the source's own if no other node
    /// reads them, else a copy.
    func changeableInput(of node: AudioNode, bus number: Int) -> Bus {
        let source = input(of: node, bus: number)
        if graph.isOnlyReader(node, bus: number) { return source }
        let own = bus(channelCount: source.channelCount)
        unsafe add(.copy(source.samples, to: own.samples))
        return own
    }

    private func output(of node: AudioNode, bus: Int) -> Bus {
        if let made = outputs[ObjectIdentifier(node)] { return made }
        let made = node.emit(into: self)
        outputs[ObjectIdentifier(node)] = made
        return made
    }

    /// Stores the list of a mixer's inputs, for the steps of the mixer and of the feedback guard.
    func setInputs(
        _ inputs: [MixerKernel.Input], places: [Int: Int], of mixer: MixerNode
    ) -> UnsafeBufferPointer<MixerKernel.Input> {
        let list = unsafe UnsafeMutableBufferPointer<MixerKernel.Input>.allocate(
            capacity: inputs.count)
        _ = unsafe list.initialize(from: inputs)
        unsafe inputLists.append(list)
        inputsOfMixers[ObjectIdentifier(mixer)] = unsafe MixerInputs(
            list: UnsafeBufferPointer(list), places: places)
        return UnsafeBufferPointer(list)
    }

    /// Marks a mixer's input as watched by a feedback guard of the plan.
    func guardInput(_ place: Int, of mixer: MixerNode) {
        guard let list = unsafe inputsOfMixers[ObjectIdentifier(mixer)]?.list else { return }
        unsafe UnsafeMutableBufferPointer(mutating: list)[place].isGuarded = true
    }

    func inputs(of mixer: MixerNode) -> MixerInputs? { inputsOfMixers[ObjectIdentifier(mixer)] }

    func setCurve(_ curve: Samples, of limiter: LimiterNode) {
        unsafe limiterCurves[ObjectIdentifier(limiter)] = curve
    }

    func curve(of limiter: LimiterNode) -> Samples? {
        unsafe limiterCurves[ObjectIdentifier(limiter)]
    }
}
