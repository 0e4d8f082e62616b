/// Compiles a graph to the steps of a plan: from the output back to the sources, each node once.
///
/// Nodes call it from `emit(into:)`.
@safe final class Compiler {
    private let graph: Graph
    /// Whether the graph was edited; false: a fade is over.
    let isEdit: Bool
    /// What the render thread gets together with the plan.
    private(set) var deliveries: [ParameterDelivery] = []
    private let sliceFrames: Int
    private let index: ConnectionIndex
    private var emitted: Set<ObjectIdentifier> = []
    private var outputs: [OutputBus: Bus] = [:]
    /// Connections that lead back, whose sources are rendered last.
    private var backward: [Connection] = []
    private var atRest: [BusKind: Bus] = [:]

    /// The plan that was compiled.
    let plan = CompiledPlan()
    private var steps: [RenderStep] = []
    /// Connections whose samples the plan renders.
    private var rendered: Set<ObjectIdentifier> = []

    init(_ graph: Graph, sliceFrames: Int, isEdit: Bool) {
        self.graph = graph
        self.isEdit = isEdit
        self.sliceFrames = sliceFrames
        index = ConnectionIndex(graph.wiring.audible)
        graph.hardware?.emitOutput(into: self)
        while let connection = backward.popLast() {
            let source = output(of: connection.source, bus: connection.sourceBus)
            unsafe add(
                .writeDelay(keep(connection.delay(frames: sliceFrames))), from: [source], to: [])
        }
        plan.finish(steps, of: emitted)
    }

    /// Whether the plan renders the samples of a connection.
    func renders(_ connection: Connection) -> Bool {
        rendered.contains(ObjectIdentifier(connection))
    }

    /// Whether the plan renders a node.
    func renders(_ node: AudioNode) -> Bool { emitted.contains(ObjectIdentifier(node)) }

    // MARK: For nodes

    /// Gives the render thread a value together with the plan.
    func deliver(_ delivery: ParameterDelivery) { deliveries.append(delivery) }

    func add(_ kernel: RenderStep.Kernel, from inputs: [Bus], to outputs: [Bus]) {
        steps.append(
            RenderStep(kernel, inputs: list(inputs), outputs: list(outputs)))
    }

    /// Adds the step of a node's kernel.
    func add(kernelOf node: AudioNode, from inputs: [Bus], to outputs: [Bus]) {
        guard let rendering = node.rendering, let kernel = rendering.kernel else { return }
        plan.keep(rendering)
        add(kernel, from: inputs, to: outputs)
    }

    private func list(_ buses: [Bus]) -> Buses {
        unsafe Buses(UnsafePointer(plan.list(buses).baseAddress!), count: buses.count)
    }

    /// Keeps `object` alive for as long as the plan is in use, and returns its pointer.
    func keep<Value: ~Copyable>(_ object: Shared<Value>) -> UnsafeMutablePointer<Value> {
        plan.keep(object)
        return unsafe object.pointer
    }

    /// New buffers for a bus.
    func bus(_ kind: BusKind, channelCount: Int = 1) -> Bus {
        let value: Float = kind == .audio ? 0 : 1
        let channels = unsafe (0..<channelCount).map { _ in
            unsafe plan.samples(sliceFrames, value: value)
        }
        return unsafe Bus(
            channels: plan.list(channels).baseAddress!,
            channelCount: channelCount, rest: plan.list([true]).baseAddress!)
    }

    /// Says what the buffers of an output bus are.
    func set(_ bus: Bus, output number: Int, of node: AudioNode) {
        outputs[OutputBus(number, of: node)] = bus
    }

    /// The buffers of what is connected to an input bus; a bus at rest where nothing is.
    func input(of node: AudioNode, bus number: Int) -> Bus {
        if let found = connectedInput(of: node, bus: number) { return found }
        return resting(node.kind(ofInput: number) ?? .audio)
    }

    /// The buffers of what is connected to an input bus, or nil.
    func connectedInput(of node: AudioNode, bus number: Int) -> Bus? {
        join(index.connections(to: node, bus: number))
    }

    /// As `input(of:bus:)`, in buffers that the node may change: the source's own if no other node
    /// reads them, else a copy.
    func changeableInput(of node: AudioNode, bus number: Int) -> Bus {
        let connected = connectedInput(of: node, bus: number)
        if let connected, !isResting(connected), index.isOnlyReader(node, bus: number) {
            return connected
        }
        let source = connected ?? resting(.audio)
        return copy(of: source)
    }

    /// A copy of `source` in buffers of its own.
    func copy(of source: Bus) -> Bus {
        let own = bus(.audio, channelCount: source.channelCount)
        add(.copy, from: [source], to: [own])
        return own
    }

    /// The sum of buses (the product of control buses), each with its fade.
    func sum(_ parts: [(bus: Bus, fade: Fade)], _ kind: BusKind = .audio) -> Bus {
        let sum = bus(kind, channelCount: parts.map(\.bus.channelCount).max() ?? 1)
        add(.clear, from: [], to: [sum])
        for part in parts {
            unsafe add(.fade(keep(part.fade.kernel)), from: [part.bus], to: [sum])
        }
        return sum
    }

    // MARK: For mixers, whose inputs may be removed and still be fading out

    /// The inputs of a mixer that were removed and are still heard.
    func removedInputs(of mixer: MixerNode) -> [MixerInput] {
        var found: [MixerInput] = []
        for connection in index.connections(to: mixer) {
            guard let input = connection.mixerInput, !mixer.has(input),
                !found.contains(where: { $0 === input })
            else { continue }
            found.append(input)
        }
        return found
    }

    /// The buffers of what is connected to an input of a mixer, or nil.
    func connectedInput(through input: MixerInput) -> Bus? {
        join(index.connections(to: input, .audio))
    }

    /// The gains that other units give an input of a mixer.
    func gains(for input: MixerInput) -> Bus {
        join(index.connections(to: input, .control)) ?? resting(.control)
    }

    // MARK: Buffers

    /// The buffers of all that is connected to one bus.
    private func join(_ connections: [Connection]) -> Bus? {
        guard let kind = connections.first?.kind else { return nil }
        let sources = connections.map { source(of: $0) }
        if connections.count == 1, connections[0].isSettled { return sources[0] }
        return sum(zip(sources, connections).map { ($0, $1.fadeInSum) }, kind)
    }

    private func source(of connection: Connection) -> Bus {
        rendered.insert(ObjectIdentifier(connection))
        guard connection.leadsBack else {
            let all = output(of: connection.source, bus: connection.sourceBus)
            return connection.channels(of: all.channelCount).map { picked($0, of: all) } ?? all
        }
        let delayed = bus(.control)
        unsafe add(
            .readDelay(keep(connection.delay(frames: sliceFrames))), from: [], to: [delayed])
        backward.append(connection)
        return delayed
    }

    /// Some channels of a bus, in buffers of their own.
    func picked(_ channels: [Int], of source: Bus) -> Bus {
        let own = bus(.audio, channelCount: channels.count)
        let map = unsafe plan.list(channels)
        unsafe add(.pick(UnsafePointer(map.baseAddress!)), from: [source], to: [own])
        return own
    }

    private func output(of node: AudioNode, bus number: Int) -> Bus {
        emitFirst(node)
        return outputs[OutputBus(number, of: node)]
            ?? resting(node.kind(ofOutput: number) ?? .audio)
    }

    /// Adds the steps of a node that is to be rendered before the one which asks for it.
    func emitFirst(_ node: AudioNode) {
        if emitted.insert(ObjectIdentifier(node)).inserted { emit(node) }
    }

    /// Adds the steps of the nodes that are rendered though nothing reads them, also of those that
    /// were removed and fade out.
    func emitEnds() {
        for node in graph.nodes + graph.wiring.audible.map(\.sink) where node.isEnd {
            emitFirst(node)
        }
    }

    private func emit(_ node: AudioNode) {
        // The hardware is two ends, not one unit between them.
        guard !node.onlookers.isEmpty, !(node is HardwareIO) else { return node.emit(into: self) }
        // What feeds the node comes first, so that its onlookers stand beside its own steps.
        for connection in index.connections(to: node) where !connection.leadsBack {
            _ = output(of: connection.source, bus: connection.sourceBus)
        }
        addOnlookers(before: node)
        node.emit(into: self)
        addOnlookers(after: node, output: outputs[OutputBus(0, of: node)])
    }

    /// Adds the calls of those who look on before a node renders.
    func addOnlookers(before node: AudioNode) {
        guard !node.onlookers.isEmpty else { return }
        let nothing = bus(.audio, channelCount: 0)
        for each in node.onlookers {
            unsafe add(.callback(keep(each.before.kernel)), from: [], to: [nothing])
        }
    }

    /// Adds the calls of those who look on after a node has rendered.
    func addOnlookers(after node: AudioNode, output: Bus?) {
        guard !node.onlookers.isEmpty else { return }
        let out = output ?? bus(.audio, channelCount: 0)
        for each in node.onlookers {
            unsafe add(.callback(keep(each.after.kernel)), from: [out], to: [out])
        }
    }

    private func isResting(_ bus: Bus) -> Bool {
        atRest.values.contains { unsafe $0.channels == bus.channels }
    }

    /// What is connected to an input bus of the hardware, in buffers that are not the driver's.
    func ownInput(of io: HardwareIO, bus number: Int) -> Bus {
        let source = input(of: io, bus: number)
        return index.mayBeDriversBuffers(of: io, bus: number) ? copy(of: source) : source
    }

    /// A bus that is always at rest.
    private func resting(_ kind: BusKind) -> Bus {
        if let made = atRest[kind] { return made }
        let made = bus(kind, channelCount: kind == .audio ? 2 : 1)
        atRest[kind] = made
        return made
    }
}
