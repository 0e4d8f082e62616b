import Synchronization

/// A graph of audio units: nodes and the connections between their buses. A driver pulls the
/// samples out of it.
///
/// Add nodes and connect them in an `edit`, `prepare`, give `context` to a driver (JACK,
/// `OfflineRenderer`), `start`. The graph may be edited while it runs: what an edit connects fades
/// in, what it disconnects fades out, in 10 ms. A graph and its nodes are used on one thread, the
/// control thread, which never blocks the render thread.
///
/// ```swift
/// try graph.edit {
///     try graph.add(limiter)
///     graph.disconnect(graph.outputNode)
///     try graph.connect(mixer, to: limiter)
///     try graph.connect(limiter, to: graph.outputNode)
/// }
/// ```
@safe public final class Graph {
    /// Frames a second, in Hz.
    public internal(set) var sampleRate: Int
    /// The most frames that `prepare` was given.
    public private(set) var maximumFrames = 4096
    /// The most frames that a plan renders at once: so few that all its buffers stay in the
    /// processor's nearest cache. A cycle of 1024 frames takes less time in four slices than in one.
    var sliceFrames: Int { min(maximumFrames, longestSlice) }
    /// The nodes, in the order in which they were added.
    public internal(set) var nodes: [AudioNode] = []
    var wiring = Connections()
    private(set) var hardware: HardwareIO?
    /// The node of `mainMixer`.
    weak var madeMixer: MixerNode?

    let controls = Shared(RenderContext.Controls())
    var edits = EditQueue()
    let listeners = ParameterListeners()
    var propertyListeners = PropertyListeners()
    var preparedContext: Shared<RenderContext>?
    var transaction: Transaction?
    /// Nodes that were removed and may still be heard.
    var leaving: [AudioNode] = []
    /// Edits that hold, and of which nobody was told yet.
    var held: [EditQueue.Entry] = []
    /// Who is to be told of edits that the render thread never saw.
    var told: [(heard: (Int) -> Void, frame: Int)] = []
    /// The newest frame from which on an edit is known to hold.
    var newestFrame = 0
    /// What renders the graph.
    weak var driver: AnyObject?
    /// How many channels `outputNode` captures if it is made.
    package var capturedChannels = 1

    /// An empty graph for `sampleRate` Hz, 1…2²⁴.
    public init(sampleRate: Int) {
        Self.check(sampleRate)
        self.sampleRate = sampleRate
    }

    static func check(_ rate: Int) {
        require(
            (1...1 << 24).contains(rate),
            "a graph of \(rate) Hz: a rate is 1 to 16,777,216 Hz")
    }

    deinit { for node in nodes + leaving { node.leave() } }

    // MARK: Nodes and connections

    /// Adds a node. One that was removed and still fades out goes on; any other begins in its initial
    /// state, with the values of its parameters.
    ///
    /// Throws `alreadyInGraph`, `belongsToAnotherGraph`, `rateNotTaken`, `secondHardwareIO`,
    /// `noDescriptors` or `noThread`.
    public func add(_ node: AudioNode) throws(GraphError) {
        try edit { () throws(GraphError) in
            guard node.graph == nil else { throw .alreadyInGraph(node: node.name) }
            let isLeaving = leaving.contains { $0 === node }
            guard node.rendering == nil || isLeaving else {
                throw .belongsToAnotherGraph(node: node.name)
            }
            guard !(node is HardwareIO) || hardware == nil else { throw .secondHardwareIO }
            if !isLeaving { node.enter(try Rendering(of: node, sampleRate: sampleRate)) }
            leaving.removeAll { $0 === node }
            node.graph = self
            nodes.append(node)
            if let io = node as? HardwareIO { hardware = io }
            changePlan { [self] in
                nodes.removeAll { $0 === node }
                if node === hardware { hardware = nil }
                node.graph = nil
                if isLeaving { leaving.append(node) } else { node.leave() }
            }
            // What was set meanwhile.
            if isLeaving {
                for address in node.parameters.all.keys {
                    deliver(node.parameters.deliveries(for: address))
                }
            }
        }
    }

    /// Removes a node and all its connections, which fade out. Throws `notInGraph`, or
    /// `hardwareIsInUse` for the `HardwareIO` of a prepared graph.
    public func remove(_ node: AudioNode) throws(GraphError) {
        try edit { () throws(GraphError) in
            guard node.graph === self else { throw .notInGraph(node: node.name) }
            guard node !== hardware || preparedContext == nil else { throw .hardwareIsInUse }
            disconnect { $0.source === node || $0.sink === node }
            let place = nodes.firstIndex { $0 === node } ?? nodes.endIndex
            nodes.remove(at: place)
            let io = hardware
            if node === hardware { hardware = nil }
            node.graph = nil
            leaving.append(node)
            // Values that it is given from here on are not this graph's.
            let (restore, id) = (node.parameters.restorer(), ObjectIdentifier(node))
            forget { $0.unit == id }
            changePlan { [self] in
                restore()
                leaving.removeAll { $0 === node }
                nodes.insert(node, at: place)
                hardware = io
                node.graph = self
            }
        }
    }

    /// Connects an output bus to an input bus. An output may feed several inputs.
    ///
    /// - Parameters:
    ///   - source: the upstream node.
    ///   - sourceBus: output bus of `source`.
    ///   - sink: the downstream node.
    ///   - sinkBus: input bus of `sink`; default 0.
    ///   - channels: output channels for the input, in order, each 0…7, of a `HardwareIO`
    ///     0…255; a number above the output's last channel means the last one. nil connects all that the input takes.
    ///
    /// Throws `notInGraph`, `noSuchBus`, `unlikeBuses`, `noChannels`, `wrongChannels`, `busIsTaken`,
    /// or `cycle`.
    public func connect(
        _ source: AudioNode, bus sourceBus: Int, to sink: AudioNode, bus sinkBus: Int = 0,
        channels: [Int]? = nil
    ) throws(GraphError) {
        let kind = try check(source, sourceBus, to: sink, sinkBus)
        if let channels {
            let accepted = sink.channels(ofInput: sinkBus)
            let most = source is HardwareIO ? HardwareIO.mostChannels : 8
            guard kind == .audio else { throw .noChannels(node: sink.name, bus: sinkBus) }
            guard accepted.contains(channels.count), channels.allSatisfy({ 0..<most ~= $0 })
            else { throw .wrongChannels(node: sink.name, bus: sinkBus, accepted: accepted) }
        }
        guard !wiring.isFed(source, by: sink) else {
            throw .cycle(from: source.name, to: sink.name)
        }
        add(
            Connection(
                from: source, bus: sourceBus, to: sink, bus: sinkBus, kind: kind,
                channels: channels, sampleRate: sampleRate))
    }

    private func add(_ connection: Connection) {
        edit {
            let before = wiring.made
            wiring.add(
                // One that was removed in the same edit was never away.
                transaction?.connections.first { $0.isLike(connection) } ?? connection)
            changePlan { [self] in wiring.restore(before) }
        }
    }

    /// Connects a control bus to a node that comes before `source`: the sink gets every gain
    /// 256 frames later (or `maximumFrames`, if that is less), whatever the driver's periods.
    ///
    /// Throws `notInGraph`, `noSuchBus`, `unlikeBuses`, or `busIsTaken`.
    public func connectBack(
        _ source: AudioNode, bus sourceBus: Int, to sink: AudioNode, bus sinkBus: Int
    ) throws(GraphError) {
        guard try check(source, sourceBus, to: sink, sinkBus) == .control else {
            throw .cycle(from: source.name, to: sink.name)
        }
        add(
            Connection(
                from: source, bus: sourceBus, to: sink, bus: sinkBus, kind: .control,
                leadsBack: true, sampleRate: sampleRate))
    }

    /// Throws unless both buses exist, are alike, and the input is free.
    private func check(
        _ source: AudioNode, _ sourceBus: Int, to sink: AudioNode, _ sinkBus: Int
    ) throws(GraphError) -> BusKind {
        for node in [source, sink] where node.graph !== self {
            throw .notInGraph(node: node.name)
        }
        guard let kind = source.kind(ofOutput: sourceBus) else {
            throw .noSuchBus(node: source.name, bus: sourceBus)
        }
        guard let sinkKind = sink.kind(ofInput: sinkBus) else {
            throw .noSuchBus(node: sink.name, bus: sinkBus)
        }
        guard kind == sinkKind else { throw .unlikeBuses(from: source.name, to: sink.name) }
        guard wiring.connection(to: sink, bus: sinkBus) == nil else {
            throw .busIsTaken(node: sink.name, bus: sinkBus)
        }
        return kind
    }

    /// Removes the connection to an input bus, if there is one.
    public func disconnect(_ sink: AudioNode, bus: Int = 0) {
        disconnect { $0.sink === sink && $0.sinkBus == bus }
    }

    /// Removes all connections from an output bus.
    func disconnectOutput(_ bus: Int, of source: AudioNode) {
        disconnect { $0.source === source && $0.sourceBus == bus }
    }

    private func disconnect(where matches: (Connection) -> Bool) {
        guard wiring.made.contains(where: matches) else { return }
        edit {
            let before = wiring.made
            wiring.remove(where: matches)
            changePlan { [self] in wiring.restore(before) }
        }
    }

    /// How many channels an input bus gets; 2 where nothing is connected.
    func inputChannelCount(of node: AudioNode, bus: Int) -> Int {
        wiring.connection(to: node, bus: bus).map { format(of: $0).channelCount } ?? 2
    }

    /// By how many frames `sink` hears on an input bus what `source` gives, all units between them
    /// summed: the least and the most of all ways; nil when no way leads there. From and to the
    /// graph's `HardwareIO` it is the way of what is captured.
    public func latency(
        from source: AudioNode, to sink: AudioNode, bus: Int = 0
    ) -> ClosedRange<Int>? {
        let all = wiring.latencies(from: source, to: sink)
        return all.indices.contains(bus) ? all[bus] : nil
    }

    // MARK: Running

    /// Compiles the graph for a driver.
    ///
    /// - Parameter maximumFrames: the most frames that a unit renders at once; 4096 by default.
    ///   Cycles of any length are rendered in slices of at most so many frames, and at most 256.
    ///
    /// Throws `noHardwareIO` or `alreadyPrepared`. Not to be called in an edit.
    public func prepare(maximumFrames: Int = 4096) throws(GraphError) {
        require(maximumFrames > 0, "a slice of \(maximumFrames) frames: it has 1 or more")
        require(transaction == nil, "a graph is not prepared in an edit")
        guard preparedContext == nil else { throw .alreadyPrepared }
        guard let hardware else { throw .noHardwareIO }
        self.maximumFrames = maximumFrames
        preparedContext = Shared(makeContext(for: hardware))
        hand(compile())
        tellLatencies()
    }

    private func hand(_ compiler: Compiler) {
        edits.hand(
            compiler.plan, compiler.deliveries,
            at: edits.frame(for: renderedFrames, hasPlan: true))
    }

    func makeContext(for hardware: HardwareIO) -> RenderContext {
        unsafe RenderContext(
            controls: controls.pointer, edits: edits.incoming.pointer, sampleRate: sampleRate,
            sliceFrames: sliceFrames, outputChannelCount: hardware.outputChannelCount)
    }

    /// Whether `prepare` was called.
    public var isPrepared: Bool { preparedContext != nil }

    /// The context that a driver renders, valid as long as the graph lives. Call `prepare` first.
    public var context: UnsafeMutablePointer<RenderContext> {
        guard let preparedContext else { fatalError("prepare() comes before context") }
        return unsafe preparedContext.pointer
    }

    /// Starts rendering; before this call, and after `stop`, a driver gets silence. Throws
    /// `notPrepared`.
    public func start() throws(GraphError) {
        guard preparedContext != nil else { throw .notPrepared }
        setRunning(true)
    }

    /// Fades out in 5 ms and then renders nothing: every node keeps its state.
    public func stop() { setRunning(false) }

    private func setRunning(_ isRunning: Bool) {
        guard isRunning != self.isRunning else { return }
        unsafe controls.pointer.pointee.isRunning.store(isRunning, ordering: .relaxed)
        runningChanged?(isRunning)
    }

    /// Whether `start` was called, and not `stop` since.
    public var isRunning: Bool {
        unsafe controls.pointer.pointee.isRunning.load(ordering: .relaxed)
    }

    /// Called on the control thread when `start` or `stop` has changed `isRunning`.
    public var runningChanged: ((Bool) -> Void)?

    /// Brings every unit to its beginning, at the driver's next cycle: parameters have their values
    /// without a ramp, nothing sounds on, meters are empty; connections fade on. Parameters keep their
    /// values, songs their places. While the graph runs this may click.
    public func reset() {
        unsafe controls.pointer.pointee.resets.add(1, ordering: .releasing)
    }

    /// Whether `load` is measured; false by default: two looks at a clock in every cycle.
    public var measuresLoad: Bool {
        get { unsafe controls.pointer.pointee.measuresLoad.load(ordering: .relaxed) }
        set {
            unsafe controls.pointer.pointee.measuresLoad.store(newValue, ordering: .relaxed)
        }
    }

    /// The part of the time that rendering takes, over about a second: 1 is all of it.
    public var load: Double {
        Double(unsafe controls.pointer.pointee.load.load(ordering: .relaxed))
    }

    /// Frames rendered while running. The number stands still while no driver renders, as while a lost
    /// server is away.
    public var renderedFrames: Int {
        unsafe controls.pointer.pointee.frames.load(ordering: .relaxed)
    }

    /// Frees what the render thread no longer uses, ends nodes that have faded out, and tells
    /// listeners what has changed. Call it now and then, and after edits; within an edit it does
    /// nothing.
    public func collect() {
        guard transaction == nil else { return }
        gather()
        let (held, told) = (held, told)
        (self.held, self.told) = ([], [])
        if preparedContext != nil {
            let hasFaded = wiring.settle()
            let settled = nodes.filter { $0.settle() }
            if hasFaded || !settled.isEmpty {
                let compiler = compile(isEdit: false)
                hand(compiler)
            }
        }
        release()
        tellLatencies()
        listeners.tell(nodes.flatMap { $0.parameters.takeNews() })
        for (heard, frame) in told { heard(frame) }
        for entry in held { for heard in entry.heard { heard(entry.heldFrom ?? 0) } }
        listeners.tellHeard(
            held.flatMap { entry in
                entry.notes.compactMap { note in
                    note.unit.map {
                        ParameterChange(
                            unit: $0, address: note.address, value: note.value,
                            origin: note.origin, frame: entry.heldFrom)
                    }
                }
            })
        tellProperties()
    }

    /// Whether a driver may be rendering when an edit is made, so that a change must fade.
    var isHeard: Bool { (isRunning || transaction?.frame != nil) && !edits.plans.isEmpty }

    /// Compiles the graph for the render thread.
    ///
    /// - Parameter isEdit: whether the graph was edited; false: a fade is over. Nothing that is heard
    ///   changes then, to the bit, whenever that is.
    func compile(isEdit: Bool = true) -> Compiler {
        let compiler = Compiler(self, sliceFrames: sliceFrames, isEdit: isEdit)
        wiring.endFades { !compiler.renders($0) }
        for node in nodes where !compiler.renders(node) { node.endFades() }
        let latencies = hardware.map { wiring.latencies(from: $0, to: $0) } ?? []
        if latencies != capturedLatencies {
            (capturedLatencies, hasNewLatencies) = (latencies, true)
        }
        return compiler
    }

    /// By how many frames each input bus of the hardware hears what is captured, as `latency` says.
    package private(set) var capturedLatencies: [ClosedRange<Int>?] = []

    private var hasNewLatencies = false

    /// Called on the control thread when `capturedLatencies` has changed; the driver's.
    package var latencyChanged: (() -> Void)?

    /// Tells of new latencies, once the graph is whole.
    func tellLatencies() {
        guard hasNewLatencies else { return }
        hasNewLatencies = false
        latencyChanged?()
    }
}
