import Synchronization

/// A graph of audio units: nodes, the connections between their buses, and a driver that pulls
/// what they make.
///
/// Add nodes and connect them, `prepare`, give `context` to a driver (JACK, `OfflineRenderer`),
/// `start`. The graph may be edited while it runs: after the edits call `update`, and what was
/// connected fades in, what was disconnected fades out, in 10 ms. A graph and its nodes are used
/// on one thread, the control thread, which never blocks the render thread.
@safe public final class AudioGraph: CustomStringConvertible {
    /// Frames a second, in Hz.
    public let sampleRate: Int
    /// Frames that are rendered at once; longer cycles are cut.
    public private(set) var maximumFrames = 4096
    /// In the order in which they were added.
    public private(set) var nodes: [AudioNode] = []
    private(set) var connections: [Connection] = []
    /// Disconnected, but heard until they have faded.
    private var leaving: [Connection] = []
    /// Connected, but compiled as long as they fade in.
    private var entering: [Connection] = []
    private(set) var hardware: HardwareIO?

    private let controls = Shared(RenderContext.Controls())
    private var preparedContext: Shared<RenderContext>?
    /// The newest plan is the last; the others wait for the render thread to let go of them.
    private var plans: [CompiledPlan] = []

    /// An empty graph for `sampleRate` Hz.
    public init(sampleRate: Int) {
        precondition(sampleRate > 0)
        self.sampleRate = sampleRate
    }

    // MARK: Nodes and connections

    /// Adds a node. One that was removed may be added again, and goes on as it was.
    ///
    /// Throws `alreadyInGraph`, `belongsToAnotherGraph`, `secondHardwareIO`, or `noDescriptors`.
    public func add(_ node: AudioNode) throws(GraphError) {
        guard node.graph == nil else { throw .alreadyInGraph(node: node.name) }
        guard node.home == nil || node.home === self else {
            throw .belongsToAnotherGraph(node: node.name)
        }
        guard !(node is HardwareIO) || hardware == nil else { throw .secondHardwareIO }
        if node.home == nil {
            try node.attach(to: self)
            node.home = self
        }
        if let io = node as? HardwareIO { hardware = io }
        nodes.append(node)
        node.graph = self
    }

    /// Removes a node and all that is connected to it. Throws `notInGraph`, or `hardwareIsInUse`
    /// for the `HardwareIO` of a prepared graph.
    public func remove(_ node: AudioNode) throws(GraphError) {
        guard node.graph === self else { throw .notInGraph(node: node.name) }
        guard node !== hardware || preparedContext == nil else { throw .hardwareIsInUse }
        disconnect { $0.source === node || $0.sink === node }
        nodes.removeAll { $0 === node }
        if node === hardware { hardware = nil }
        node.graph = nil
    }

    /// Connects the only output bus of `source` to an input bus, by default the first.
    ///
    /// Throws `notInGraph`, `noSuchBus`, `busIsTaken`, or `cycle`.
    public func connect(
        _ source: AudioNode, to sink: AudioNode, bus sinkBus: Int = 0
    ) throws(GraphError) {
        try connect(source, bus: source.outputBuses.lowerBound, to: sink, bus: sinkBus)
    }

    /// Connects an output bus to an input bus. An output may feed several inputs.
    ///
    /// Throws `notInGraph`, `noSuchBus`, `busIsTaken`, or `cycle`.
    public func connect(
        _ source: AudioNode, bus sourceBus: Int, to sink: AudioNode, bus sinkBus: Int = 0
    ) throws(GraphError) {
        for node in [source, sink] where node.graph !== self {
            throw .notInGraph(node: node.name)
        }
        guard source.outputBuses.contains(sourceBus) else {
            throw .noSuchBus(node: source.name, bus: sourceBus)
        }
        guard 0..<sink.inputBusCount ~= sinkBus else {
            throw .noSuchBus(node: sink.name, bus: sinkBus)
        }
        guard !connections.contains(where: { $0.sink === sink && $0.sinkBus == sinkBus }) else {
            throw .busIsTaken(node: sink.name, bus: sinkBus)
        }
        guard !isFed(source, by: sink, through: connections) else {
            throw .cycle(from: source.name, to: sink.name)
        }
        // One that still fades the other way would close a circle: it goes at once.
        let audible = connections + leaving
        leaving = leaving.filter {
            !isFed(source, by: $0.sink, through: audible)
                || !isFed($0.source, by: sink, through: audible)
        }
        let isFadedIn = isRunning && hasPlan
        let connection = Connection(
            from: source, bus: sourceBus, to: sink, bus: sinkBus, isFadedIn: isFadedIn,
            sampleRate: sampleRate)
        connections.append(connection)
        if isFadedIn { entering.append(connection) }
    }

    /// Disconnects what is connected to an input bus, if anything is.
    public func disconnect(_ sink: AudioNode, bus: Int = 0) {
        disconnect { $0.sink === sink && $0.sinkBus == bus }
    }

    private func disconnect(where matches: (Connection) -> Bool) {
        if isRunning && hasPlan {
            let found = connections.filter(matches)
            for connection in found { connection.leave() }
            leaving += found
        }
        connections.removeAll(where: matches)
        entering.removeAll(where: matches)
    }

    /// Whether `node`, directly or not, gets input from `origin`. The hardware's two halves are
    /// not connected inside.
    private func isFed(
        _ node: AudioNode, by origin: AudioNode, through connections: [Connection]
    ) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var waiting = [node]
        while let node = waiting.popLast() {
            // Each node once, however many ways lead to it.
            guard !(node is HardwareIO), seen.insert(ObjectIdentifier(node)).inserted else {
                continue
            }
            if node === origin { return true }
            for connection in connections where connection.sink === node {
                waiting.append(connection.source)
            }
        }
        return false
    }

    /// All that is heard of what is or was connected to a node.
    func audibleConnections(to node: AudioNode) -> [Connection] {
        leaving.filter { $0.sink === node } + connections.filter { $0.sink === node }
    }

    /// Whether what an input bus gets is heard nowhere else, so that it may be changed in place.
    func isOnlyReader(_ node: AudioNode, bus: Int) -> Bool {
        let sources = audibleConnections(to: node).filter { $0.sinkBus == bus }.map(\.source)
        return (connections + leaving).filter { read in sources.contains { $0 === read.source } }
            .allSatisfy { $0.sink === node && $0.sinkBus == bus }
            && sources.allSatisfy { !$0.passesInputOn || isOnlyReader($0, bus: 0) }
    }

    func inputChannelCount(of node: AudioNode, bus: Int) -> Int {
        connections.first { $0.sink === node && $0.sinkBus == bus }
            .map { $0.source.outputChannelCount(bus: $0.sourceBus, in: self) } ?? 2
    }

    // MARK: Running

    /// Compiles the graph for a driver.
    ///
    /// - Parameter maximumFrames: what is rendered at once, 4096 by default. Longer cycles are
    ///   rendered in slices of that length.
    ///
    /// Throws `noHardwareIO` or `alreadyPrepared`.
    public func prepare(maximumFrames: Int = 4096) throws(GraphError) {
        precondition(maximumFrames > 0)
        guard preparedContext == nil else { throw .alreadyPrepared }
        guard let hardware else { throw .noHardwareIO }
        self.maximumFrames = maximumFrames
        preparedContext = unsafe Shared(
            RenderContext(
                controls: controls.pointer, sampleRate: sampleRate, maximumFrames: maximumFrames,
                outputChannelCount: hardware.outputChannelCount))
        publish()
    }

    /// What a driver renders. `prepare` comes first. Valid as long as the graph lives.
    public var context: UnsafeMutablePointer<RenderContext> {
        guard let preparedContext else { preconditionFailure("prepare() comes first") }
        return unsafe preparedContext.pointer
    }

    /// Lets the edits since the last call be heard, from the driver's next cycle on.
    /// Throws `notPrepared`.
    public func update() throws(GraphError) {
        guard preparedContext != nil else { throw .notPrepared }
        collect()
        publish()
    }

    /// Begins to render; before, and after `stop`, a driver gets silence. Throws `notPrepared`.
    public func start() throws(GraphError) {
        guard preparedContext != nil else { throw .notPrepared }
        unsafe controls.pointer.pointee.isRunning.store(true, ordering: .relaxed)
    }

    /// Fades out in 5 ms and holds everything as it is.
    public func stop() {
        unsafe controls.pointer.pointee.isRunning.store(false, ordering: .relaxed)
    }

    /// Between `start` and `stop`.
    public var isRunning: Bool {
        unsafe controls.pointer.pointee.isRunning.load(ordering: .relaxed)
    }

    /// Frames rendered while running.
    public var renderedFrames: Int {
        unsafe controls.pointer.pointee.frames.load(ordering: .relaxed)
    }

    /// Frees what the render thread has let go of: old plans, and what has faded out; and compiles
    /// what has faded in as if it had always been there. `update` does it too; call it now and
    /// then after edits.
    public func collect() {
        let adopted = unsafe controls.pointer.pointee.adopted.load(ordering: .acquiring)
        plans.removeAll { $0.generation < adopted }
        let count = leaving.count + entering.count
        leaving.removeAll(where: \.isGone)
        entering.removeAll(where: \.isSettled)
        if leaving.count + entering.count < count { publish() }
    }

    /// Plans that are not freed yet; 1 when all is collected.
    var planCount: Int { plans.count }

    private var hasPlan: Bool { !plans.isEmpty }

    private func publish() {
        let plan = CompiledPlan(
            PlanBuilder(self, maximumFrames: maximumFrames),
            generation: (plans.last?.generation ?? 0) + 1)
        let skipped = unsafe controls.pointer.pointee.pending.exchange(
            plan.pointer, ordering: .acquiringAndReleasing)
        // One that the render thread never took: it is ours again.
        if unsafe skipped != nil { plans.removeLast() }
        plans.append(plan)
    }

    // MARK: Description

    /// The nodes, where each input comes from, and in which format.
    public var description: String {
        var lines = [
            "AudioGraph, \(sampleRate) Hz, at most \(maximumFrames) frames a slice, "
                + (isRunning ? "running" : "stopped")
        ]
        for node in nodes {
            lines.append("  \(node.name) (latency \(node.latency) frames)")
            for bus in 0..<node.inputBusCount {
                let found = connections.first { $0.sink === node && $0.sinkBus == bus }
                guard let found else {
                    lines.append("    bus \(bus) <- nothing")
                    continue
                }
                let format = StreamFormat(
                    sampleRate: sampleRate,
                    channelCount: inputChannelCount(of: node, bus: bus))
                lines.append(
                    "    bus \(bus) <- \(found.source.name) bus \(found.sourceBus), \(format)")
            }
        }
        return lines.joined(separator: "\n")
    }
}
