/// A unit in a graph. The control thread uses the node; a kernel does its rendering.
///
/// Nodes have numbered input and output buses, and parameters, which are found by name, scope and
/// element. They are used on one thread, the control thread, together with their graph.
public class AudioNode: ParameterOwner {
    /// The node's name in `Graph.description` and in errors.
    public let name: String
    /// The graph it was added to.
    public internal(set) weak var graph: Graph?
    /// What renders the node; nil in no graph. A node that was removed has it until its last
    /// connection has faded out.
    var rendering: Rendering?
    private(set) lazy var parameters = ParameterStore(of: self)

    init(name: String) { self.name = name }

    /// What is known of units of this kind.
    public class var unit: UnitDescription { fatalError("\(Self.self) describes no unit") }
    /// What is known of units of this kind.
    public var unit: UnitDescription { Self.unit }

    // MARK: Kernel

    /// Makes the kernel that renders the node, and starts its threads. Called when the node is added
    /// to a graph, and when the graph gets another rate; a node that is added to another graph, or
    /// again after it has faded out, begins anew. It changes nothing of the node: another rendering
    /// may still be in use, and this one may never be.
    ///
    /// - Parameter rendering: gives the graph's rate, and the parameters as the kernel gets them;
    ///   owns what is made.
    func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? { nil }

    /// Begins to use `rendering`.
    func begin() {}

    /// Forgets what belongs to `rendering`: nothing renders the node any more.
    func end() {}

    /// Lets `rendering` render the node.
    final func enter(_ rendering: Rendering) {
        self.rendering = rendering
        begin()
    }

    /// Frees what renders the node, and ends its threads.
    final func leave() {
        guard let rendering else { return }
        end()
        rendering.end()
        self.rendering = nil
    }

    // MARK: Parameters

    /// The value of a parameter.
    ///
    /// Throws `noSuchParameter` or `noSuchElement`.
    public func value(
        of name: ParameterName, scope: Scope = .global, element: Int = 0
    ) throws(ParameterError) -> Double {
        try parameters.value(of: ParameterAddress(name, scope: scope, element: element))
    }

    /// Sets a parameter; the change takes as long as the parameter's description says.
    ///
    /// - Parameters:
    ///   - name: the parameter, as the unit's description names it.
    ///   - scope: the scope that it belongs to.
    ///   - element: the bus of that scope; 0 in the global one.
    ///   - value: the new value, in the parameter's unit.
    ///   - origin: who sets it, for listeners.
    ///
    /// Throws `noSuchParameter`, `noSuchElement`, `outOfRange` or `readOnly`.
    public func set(
        _ name: ParameterName, scope: Scope = .global, element: Int = 0, to value: Double,
        by origin: String = ""
    ) throws(ParameterError) {
        try parameters.set(
            ParameterAddress(name, scope: scope, element: element), to: value, by: origin)
    }

    /// Sets a parameter at exactly `frame`, counted as `Graph.renderedFrames`; live as offline, and
    /// whatever the driver's periods. A frame that is over means the next one rendered. Listeners
    /// hear of the change after it was made.
    ///
    /// - Parameters:
    ///   - name: the parameter, as the unit's description names it.
    ///   - scope: the scope that it belongs to.
    ///   - element: the bus of that scope; 0 in the global one.
    ///   - value: the new value, in the parameter's unit.
    ///   - frame: the first frame of the change.
    ///   - ramp: how many frames the change takes; nil: as its description says.
    ///   - origin: who sets it, for listeners.
    ///
    /// Throws as `set`, and `notSchedulable`, `notRampable`, `notInGraph` or `scheduleIsFull`.
    public func schedule(
        _ name: ParameterName, scope: Scope = .global, element: Int = 0, to value: Double,
        at frame: Int, ramp: Int? = nil, by origin: String = ""
    ) throws(ParameterError) {
        try parameters.schedule(
            ParameterAddress(name, scope: scope, element: element), to: value, at: frame,
            ramp: ramp, by: origin)
    }

    /// Sets all parameters that a factory preset names; the others stay as they are. The name is
    /// found without regard to case, spaces and hyphens.
    ///
    /// Throws `noSuchPreset`.
    public func use(preset name: String, by origin: String = "") throws(ParameterError) {
        guard let found = unit.preset(name) else {
            throw .noSuchPreset(unit: self.name, name, known: unit.presets.map(\.name))
        }
        func change() {
            for (address, value) in found.values {
                parameters.change(address, to: value, by: origin)
            }
        }
        if let graph { graph.edit(change) } else { change() }
    }

    /// The value of a property that the unit's description names; nil for any other name.
    public func property(_ name: String) -> PropertyValue? {
        name == PropertyDescription.latency.name ? .number(Int64(latency)) : nil
    }

    /// The value of a property that the unit's description names, of a bus in another scope than the
    /// global one; nil: there is none.
    func property(_ name: String, scope: Scope, element: Int) -> PropertyValue? {
        scope == .global ? property(name) : nil
    }

    /// Sets a property that the unit's description calls writable; false: it cannot have that value.
    func setProperty(
        _ name: String, scope: Scope, element: Int, to value: PropertyValue
    ) -> Bool { false }

    /// How many elements there are in a scope.
    func elementCount(in scope: Scope) -> Int {
        switch scope {
        case .global: 1
        case .input: inputBusCount
        case .output: outputBuses.isEmpty ? 0 : 1
        case .band, .filter: 0
        }
    }

    // MARK: What its parameters are declared in

    public final var unitOfParameters: AudioNode? { self }
    public final var parameterScope: Scope { .global }
    public final var parameterElement: Int { 0 }

    /// The unit, and one of each kind of its buses or bands that have parameters.
    var partsOfParameters: [any ParameterOwner] { [self] }

    /// The parameters as they are declared.
    final private(set) lazy var declarations = declareParameters()

    /// The parameters of the unit: those that its class declares.
    func declareParameters() -> ParameterList { .of(self) }

    /// What the render thread gets for the value of a parameter, by slots: of a parameter that is one
    /// number for the kernel, that number in the slot of its address. `value` gives every value that
    /// it depends on. Empty for parameters that take effect by `apply`.
    func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [(slot: ParameterAddress, floats: [Float])] {
        guard let rendering, rendering.slots[address] != nil,
            let declared = declarations[address.name, address.scope]
        else { return [] }
        return [(address, [Float(declared.rendered(value(address), rendering.sampleRate))])]
    }

    /// Applies a change of a parameter that takes more than deliveries.
    func apply(_ address: ParameterAddress) {}

    /// Whether a change of a parameter may take a ramp; false: the unit takes each value in one frame, or by
    /// a fade of its own.
    func takesRamp(_ name: ParameterName) -> Bool { true }

    /// What a parameter reads that the unit alone sets.
    func reading(of address: ParameterAddress) -> Double { 0 }

    // MARK: Buses

    /// The number of audio input buses; they are numbered from 0.
    public var inputBusCount: Int { 1 }
    /// The numbers of the output buses.
    public var outputBuses: Range<Int> { 0..<1 }
    /// By how many frames the node delays its input.
    public var latency: Int { 0 }

    /// Of a node that plays something with an end: the graph's frame after the last that sounded, and nil
    /// before that. Of any other node nil.
    var endFrame: Int? { nil }

    /// Whether the node plays something with an end.
    var hasEnd: Bool { false }

    /// Ends, of a node that waits for more to play, with what it has.
    func endWhenPlayed() {}

    /// Longest cycle for which an offline driver can wait for this node, in frames.
    var longestCycle: Int { .max }

    /// What flows on an input bus; nil: there is no such bus.
    func kind(ofInput bus: Int) -> BusKind? { 0..<inputBusCount ~= bus ? .audio : nil }

    /// What flows on an output bus; nil: there is no such bus.
    func kind(ofOutput bus: Int) -> BusKind? { outputBuses.contains(bus) ? .audio : nil }

    /// Whether what comes in on an input bus goes out on an output bus.
    func passes(input: Int, to output: Int) -> Bool { true }

    /// How many channels an input bus takes.
    final func channels(ofInput bus: Int) -> ClosedRange<Int> {
        unit.inputs.first { $0.first <= bus && bus - $0.first < $0.count.upperBound }?.channels
            ?? 1...1
    }

    /// The input buses that take gains; empty for most nodes.
    var controlInputs: [Int] { [] }

    /// Whether a node that reads an output alone may change its buffers.
    var givesBuffersAway: Bool { true }

    /// Whether the node is rendered though nothing reads it.
    var isEnd: Bool { false }

    /// Whether connections to the node fade in and out while the graph runs, because they are heard.
    var fadesConnections: Bool { true }

    /// Whether the node's output is the buffers of its input, unchanged.
    var passesInputOn: Bool { false }

    /// Channels of an output bus, 1…8, of a `HardwareIO` up to 256; it may depend on what is
    /// connected to the inputs.
    func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        graph.inputChannelCount(of: self, bus: 0)
    }

    // MARK: Rendering

    /// Callbacks that look on, before and after the node renders.
    private(set) var onlookers: [(before: CallbackUnit, after: CallbackUnit)] = []

    /// Calls `callback` before the node renders a slice (with `RenderFlags.isBefore`, and no
    /// channels) and after it (with `isAfter`, and the buffers of its first output, to be read). For
    /// a `HardwareIO` that is the beginning and the end of every slice, with the buffers of what is
    /// played, before the fades of a start and a stop. For a node in a graph it begins with
    /// the graph's next edit.
    ///
    /// - Parameters:
    ///   - context: passed to every call; it must live as long as the graph does.
    ///   - callback: the C function that is called, on the render thread.
    public func addRenderNotify(
        context: UnsafeMutableRawPointer? = nil, _ callback: @escaping RenderCallback
    ) {
        let new = (
            before: unsafe CallbackUnit(callback, context: context, flags: RenderFlags.isBefore),
            after: unsafe CallbackUnit(callback, context: context, flags: RenderFlags.isAfter)
        )
        guard let graph else { return onlookers.append(new) }
        graph.edit {
            onlookers.append(new)
            graph.changePlan { [self] in onlookers.removeLast() }
        }
    }

    /// The errors that the callbacks which look on have returned.
    public var notifyErrors: CallbackErrors {
        let all = onlookers.flatMap { [$0.before.errors, $0.after.errors] }
        return CallbackErrors(
            count: all.map(\.count).reduce(0, +), last: all.last { $0.count > 0 }?.last ?? 0)
    }

    /// Adds the node's steps to a plan, after those of the nodes that feed it, and tells the
    /// compiler the buffers of the output buses.
    func emit(into compiler: Compiler) {}

    /// Waits, at most so long, for what the node reads before it renders as it should; whether something
    /// came. For drivers that have time, on the control thread.
    func finishLoading(milliseconds: Int) -> Bool { false }

    /// Ends fades of the node's own: nothing renders it.
    func endFades() {}

    /// Whether something of the node has come to rest, so that its graph is to be compiled anew.
    func settle() -> Bool { false }
}

/// A node that changes one bus in place, and can be bypassed.
public class EffectNode: AudioNode {
    /// The fades of the changed and of the unchanged sound, while one takes the other's place.
    private var crossfade: (wet: Fade, dry: Fade)?

    /// Whether the input passes unchanged; false by default. A change takes 10 ms. A bypassed effect
    /// costs nothing and stands still: what rang in it goes on when the bypass ends, unless
    /// `Graph.reset` comes between.
    @Parameter(EffectNode.bypass) public final var isBypassed: Bool

    static let bypass = ParameterDescription(.bypass, .switch, 0...1, default: 0, ramp: 10)

    /// Whether the effect writes to the bus; one that only reads it needs no copy.
    var changesInput: Bool { true }

    override var passesInputOn: Bool { crossfade == nil && (isBypassed || !changesInput) }

    override func apply(_ address: ParameterAddress) {
        guard address.name == .bypass, let graph else { return }
        let (isBypassed, old) = (isBypassed, crossfade)
        let goals = old.map { ($0.wet.goal, $0.dry.goal) }
        graph.undo { [self] in
            crossfade = old
            guard let old, let goals else { return }
            old.wet.restore(goals.0)
            old.dry.restore(goals.1)
        }
        guard changesInput, graph.isHeard else {
            // There is nothing to fade.
            crossfade = nil
            graph.changePlan()
            return
        }
        if let crossfade {
            graph.changePlan([
                crossfade.wet.go(to: isBypassed ? 0 : 1), crossfade.dry.go(to: isBypassed ? 1 : 0),
            ])
        } else {
            func fade(to target: Float) -> Fade {
                Fade(from: 1 - target, to: target, sampleRate: graph.sampleRate)
            }
            crossfade = (wet: fade(to: isBypassed ? 0 : 1), dry: fade(to: isBypassed ? 1 : 0))
            graph.changePlan()
        }
    }

    override func end() { crossfade = nil }

    override func endFades() { crossfade = nil }

    override func settle() -> Bool {
        guard let crossfade, crossfade.dry.rests(at: isBypassed ? 1 : 0),
            crossfade.wet.rests(at: isBypassed ? 0 : 1)
        else { return false }
        self.crossfade = nil
        return true
    }

    override func emit(into compiler: Compiler) {
        let out: Bus
        if let crossfade {
            let dry = compiler.input(of: self, bus: 0)
            let wet = addWet(to: compiler, beside: dry)
            out = compiler.sum([(wet, crossfade.wet), (dry, crossfade.dry)])
        } else if passesInputOn {
            out = compiler.input(of: self, bus: 0)
            if !isBypassed { addSteps(to: compiler, changing: out) }
        } else {
            out = addWet(to: compiler, beside: nil)
        }
        compiler.set(out, output: 0, of: self)
    }

    /// Adds the steps that make the changed sound, and returns its buffers; effects that do not work
    /// in place have their own.
    ///
    /// - Parameter dry: the input's buffers where they are heard unchanged, too; nil: only the
    ///   changed sound is heard.
    func addWet(to compiler: Compiler, beside dry: Bus?) -> Bus {
        let bus = dry.map { compiler.copy(of: $0) } ?? compiler.changeableInput(of: self, bus: 0)
        addSteps(to: compiler, changing: bus)
        return bus
    }

    /// Adds the steps that change `bus` in place: by default the node's kernel.
    func addSteps(to compiler: Compiler, changing bus: Bus) {
        compiler.add(kernelOf: self, from: [bus], to: [bus])
    }
}
