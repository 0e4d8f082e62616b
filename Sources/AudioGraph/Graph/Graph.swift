import Synchronization

/// A graph of audio units: nodes and the connections between their buses. A driver pulls the
/// samples out of it.
///
/// Add nodes and connect them, `prepare`, give `context` to a driver (JACK, `OfflineRenderer`),
/// `start`. The graph may be edited while it runs: after the edits call `update`, and what was
/// connected fades in, what was disconnected fades out, in 10 ms. A graph and its nodes are used
/// on one thread, the control thread, which never blocks the render thread.
@safe public final class Graph {
    /// Frames a second, in Hz.
    public let sampleRate: Int
    /// The most frames that `prepare` was given.
    public private(set) var maximumFrames = 4096
    /// The most frames that a plan renders at once: so few that all its buffers stay in the
    /// processor's nearest cache. A cycle of 1024 frames takes less time in four slices than in one.
    var sliceFrames: Int { min(maximumFrames, 256) }
    /// The nodes, in the order in which they were added.
    public private(set) var nodes: [AudioNode] = []
    private(set) var connections = Connections()
    private(set) var hardware: HardwareIO?

    private let controls = Shared(RenderContext.Controls())
    /// Changes of parameters that wait for their frame.
    var scheduled = ScheduledDeliveries()
    private let listeners = ParameterListeners()
    private var preparedContext: Shared<RenderContext>?
    /// All plans that are not freed, the newest last; older ones may still be in use by the render
    /// thread.
    private var plans: [CompiledPlan] = []

    /// An empty graph for `sampleRate` Hz.
    public init(sampleRate: Int) {
        precondition(sampleRate > 0)
        self.sampleRate = sampleRate
    }

    // MARK: Nodes and connections

    /// Adds a node. A node that was removed may be added again, and goes on in the state it had.
    ///
    /// Throws `alreadyInGraph`, `belongsToAnotherGraph`, `otherRate`, `secondHardwareIO`,
    /// `noDescriptors` or `noThread`.
    public func add(_ node: AudioNode) throws(GraphError) {
        guard node.graph == nil else { throw .alreadyInGraph(node: node.name) }
        guard node.home == nil || node.home === self else {
            throw .belongsToAnotherGraph(node: node.name)
        }
        if let rate = node.sampleRate, rate != sampleRate {
            throw .otherRate(node: node.name, rate: rate, graph: sampleRate)
        }
        guard !(node is HardwareIO) || hardware == nil else { throw .secondHardwareIO }
        if node.home == nil {
            try node.attach(to: self)
            node.home = self
        }
        if let io = node as? HardwareIO { hardware = io }
        nodes.append(node)
        node.graph = self
        node.parameters.deliverAll()
    }

    /// Removes a node and all its connections. Throws `notInGraph`, or `hardwareIsInUse` for the
    /// `HardwareIO` of a prepared graph.
    public func remove(_ node: AudioNode) throws(GraphError) {
        guard node.graph === self else { throw .notInGraph(node: node.name) }
        guard node !== hardware || preparedContext == nil else { throw .hardwareIsInUse }
        node.parameters.giveUp { _ in true }
        disconnect { $0.source === node || $0.sink === node }
        nodes.removeAll { $0 === node }
        if node === hardware { hardware = nil }
        node.graph = nil
    }

    /// Connects the first output bus of `source` to an input bus, by default the first.
    ///
    /// Throws as `connect(_:bus:to:bus:channels:)`.
    public func connect(
        _ source: AudioNode, to sink: AudioNode, bus sinkBus: Int = 0
    ) throws(GraphError) {
        try connect(source, bus: source.outputBuses.lowerBound, to: sink, bus: sinkBus)
    }

    /// Connects an output bus to an input bus. An output may feed several inputs.
    ///
    /// - Parameters:
    ///   - source: the node that gives.
    ///   - sourceBus: its output bus.
    ///   - sink: the node that takes.
    ///   - sinkBus: its input bus.
    ///   - channels: which channels of the output the input gets, each 0…7, in their order; a channel
    ///     that the output does not have is its last one. nil: all, or as many as the input takes.
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
            guard kind == .audio else { throw .noChannels(node: sink.name, bus: sinkBus) }
            guard accepted.contains(channels.count), channels.allSatisfy({ 0..<8 ~= $0 })
            else { throw .wrongChannels(node: sink.name, bus: sinkBus, accepted: accepted) }
        }
        guard !connections.isFed(source, by: sink) else {
            throw .cycle(from: source.name, to: sink.name)
        }
        connections.add(
            Connection(
                from: source, bus: sourceBus, to: sink, bus: sinkBus, kind: kind,
                channels: channels, isFadedIn: isHeard && sink.fadesConnections,
                sampleRate: sampleRate))
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
        connections.add(
            Connection(
                from: source, bus: sourceBus, to: sink, bus: sinkBus, kind: .control,
                leadsBack: true, isFadedIn: isHeard, sampleRate: sampleRate))
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
        guard connections.connection(to: sink, bus: sinkBus) == nil else {
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
        connections.remove(isHeard: isHeard, where: matches)
    }

    /// How many channels an input bus gets; 2 where nothing is connected.
    func inputChannelCount(of node: AudioNode, bus: Int) -> Int {
        guard let found = connections.connection(to: node, bus: bus) else { return 2 }
        let count = found.source.outputChannelCount(bus: found.sourceBus, in: self)
        return found.channels(of: count)?.count ?? count
    }

    /// By how many frames `sink` hears on an input bus what `source` gives, all units between them
    /// summed: the least and the most of all ways; nil when no way leads there. From and to the
    /// graph's `HardwareIO` it is the way of what is captured.
    public func latency(
        from source: AudioNode, to sink: AudioNode, bus: Int = 0
    ) -> ClosedRange<Int>? {
        let all = connections.latencies(from: source, to: sink)
        return all.indices.contains(bus) ? all[bus] : nil
    }

    // MARK: Running

    /// Compiles the graph for a driver.
    ///
    /// - Parameter maximumFrames: the most frames that a unit renders at once; 4096 by default.
    ///   Cycles of any length are rendered in slices of at most so many frames, and at most 256.
    ///
    /// Throws `noHardwareIO` or `alreadyPrepared`.
    public func prepare(maximumFrames: Int = 4096) throws(GraphError) {
        precondition(maximumFrames > 0)
        guard preparedContext == nil else { throw .alreadyPrepared }
        guard let hardware else { throw .noHardwareIO }
        self.maximumFrames = maximumFrames
        preparedContext = unsafe Shared(
            RenderContext(
                controls: controls.pointer, schedule: scheduled.schedule.pointer,
                sampleRate: sampleRate,
                sliceFrames: sliceFrames, outputChannelCount: hardware.outputChannelCount))
        publish()
    }

    /// Whether `prepare` was called.
    var isPrepared: Bool { preparedContext != nil }

    /// The context that a driver renders, valid as long as the graph lives. Call `prepare` first.
    public var context: UnsafeMutablePointer<RenderContext> {
        guard let preparedContext else { preconditionFailure("prepare() comes first") }
        return unsafe preparedContext.pointer
    }

    /// Makes the edits since the last call heard, from the driver's next cycle on.
    /// Throws `notPrepared`.
    public func update() throws(GraphError) {
        guard preparedContext != nil else { throw .notPrepared }
        collect()
        publish()
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

    /// Frames rendered while running.
    public var renderedFrames: Int {
        unsafe controls.pointer.pointee.frames.load(ordering: .relaxed)
    }

    /// Frees old plans that the render thread no longer uses, and connections that have faded out;
    /// compiles connections that have faded in without their fade. `update` does this too; call it
    /// now and then after edits.
    public func collect() {
        let adopted = unsafe controls.pointer.pointee.adopted.load(ordering: .acquiring)
        plans.removeAll { $0.generation < adopted }
        let hasFaded = connections.settle()
        let settled = nodes.filter { $0.settle() }
        if hasFaded || !settled.isEmpty { publish() }
        scheduled.collect()
        for node in nodes { listeners.tell(node.parameters.update()) }
    }

    /// How many plans are not freed yet; 1 when `collect` has nothing more to free.
    var planCount: Int { plans.count }

    /// Whether a driver may be rendering, so that a change must fade.
    var isHeard: Bool { isRunning && !plans.isEmpty }

    func publishIfPrepared() {
        if preparedContext != nil { publish() }
    }

    /// Compiles the graph for the render thread.
    func publish() {
        let plan = PlanBuilder(self, sliceFrames: sliceFrames)
            .plan(generation: (plans.last?.generation ?? 0) + 1)
        let skipped = unsafe controls.pointer.pointee.pending.exchange(
            plan.pointer, ordering: .acquiringAndReleasing)
        // The render thread never took the last plan, so it can be freed at once.
        if unsafe skipped != nil { plans.removeLast() }
        plans.append(plan)
        let latencies = hardware.map { connections.latencies(from: $0, to: $0) } ?? []
        if latencies != capturedLatencies {
            capturedLatencies = latencies
            latencyChanged?()
        }
    }

    /// By how many frames each input bus of the hardware hears what is captured, as `latency` says.
    package private(set) var capturedLatencies: [ClosedRange<Int>?] = []

    /// Called on the control thread when `capturedLatencies` has changed; the driver's.
    package var latencyChanged: (() -> Void)?

    // MARK: Parameters

    /// Calls `body` on the control thread with every change of a parameter of the graph's nodes,
    /// whoever made it: each parameter once, with its last value, when `collect` or `update` is
    /// called. Ends with the object that is returned.
    public func addListener(
        _ body: @escaping (ParameterChange) -> Void
    ) -> ParameterListener {
        listeners.add(body)
    }
}
