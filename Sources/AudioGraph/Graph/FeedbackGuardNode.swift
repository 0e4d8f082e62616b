import Synchronization

/// Tells a mixer to turn the microphone down when it feeds back through the loudspeakers.
///
/// When a limiter reduces by more than 6 dB for 1 s and the microphone is the larger source, the
/// output goes down to −20 dB, until `answer()`, or until the node is removed. It stands beside the
/// sound's way, and is connected by `watch`.
public final class FeedbackGuardNode: AudioNode {
    /// The input bus for the limiter's gains, a control bus.
    public static let limiterBus = 0
    /// The input bus for the microphone after volume and pan; the buses for all others follow.
    public static let microphoneBus = 1

    private let others: Int
    private let controls = Shared(FeedbackGuardKernel.Controls())
    private var kernel: Shared<FeedbackGuardKernel>?

    private static let ownUnit = UnitDescription(
        .effect, "feedback-guard",
        "Turns down a microphone that feeds back through the loudspeakers.",
        inputs: [
            BusDescription("limiter", kind: .control),
            BusDescription("microphone", first: 1),
            BusDescription("other", first: 2, count: 0...255),
        ],
        outputs: [BusDescription("gain", kind: .control)],
        parameters: [.onOff(.bypass)],
        properties: [PropertyDescription("tripped", .switch, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    /// - Parameters:
    ///   - others: how many buses there are beside the microphone's.
    ///   - name: the node's name.
    public init(others: Int = 1, name: String = "feedback guard") {
        self.others = others
        super.init(name: name)
    }

    /// Connects the node, which is in the same graph: its inputs to inputs of `mixer` after
    /// volume and pan and to the gains of `limiter`, its output to the gain of the mixer's input
    /// `microphone`.
    ///
    /// - Parameters:
    ///   - microphone: the input of the mixer that is turned down.
    ///   - compared: the inputs that it is compared with, as many as the node has; by default all
    ///     others. Two microphones that howl together are as loud as each other, so each is compared
    ///     with what is no microphone.
    ///   - mixer: the mixer.
    ///   - limiter: the limiter that it comes to.
    ///
    /// Throws what `Graph.connect` throws; then none of these connections is made.
    public func watch(
        microphone: Int, comparedWith compared: [Int]? = nil, of mixer: MixerNode,
        limiter: LimiterNode
    ) throws(GraphError) {
        guard let graph else { throw .notInGraph(node: name) }
        for bus in 0..<inputBusCount
        where graph.connections.connection(to: self, bus: bus) != nil {
            throw .busIsTaken(node: name, bus: bus)
        }
        do throws(GraphError) {
            let compared = compared ?? mixer.inputs.map(\.number).filter { $0 != microphone }
            try connect(microphone, compared, of: mixer, limiter, in: graph)
        } catch {
            for bus in 0..<inputBusCount { graph.disconnect(self, bus: bus) }
            throw error
        }
    }

    private func connect(
        _ microphone: Int, _ others: [Int], of mixer: MixerNode, _ limiter: LimiterNode,
        in graph: Graph
    ) throws(GraphError) {
        try graph.connect(limiter, bus: LimiterNode.gainBus, to: self, bus: Self.limiterBus)
        for (place, input) in ([microphone] + others).enumerated() {
            try graph.connect(
                mixer, bus: MixerNode.directBus(of: input), to: self,
                bus: Self.microphoneBus + place)
        }
        try graph.connectBack(self, bus: 0, to: mixer, bus: MixerNode.gainBus(of: microphone))
    }

    /// Whether the guard holds the microphone down.
    public var hasTripped: Bool {
        unsafe controls.pointer.pointee.trips.load(ordering: .relaxed)
            > controls.pointer.pointee.answers.load(ordering: .relaxed)
    }

    /// Turns the microphone down as if it had fed back: for a graph that replaces another whose
    /// guard had tripped. Call it before the graph starts.
    public func trip() {
        unsafe controls.pointer.pointee.trips.add(1, ordering: .relaxed)
    }

    /// Brings the microphone back in 10 ms. Does nothing unless the guard has tripped.
    public func answer() {
        let trips = unsafe controls.pointer.pointee.trips.load(ordering: .relaxed)
        unsafe controls.pointer.pointee.answers.store(trips, ordering: .relaxed)
    }

    /// Whether the guard gives no gain, whatever it hears; false by default. A change takes 10 ms.
    public var isBypassed: Bool {
        get { parameters[isOn: .bypass] }
        set { parameters[isOn: .bypass] = newValue }
    }

    override func apply(_ address: ParameterAddress) {
        unsafe controls.pointer.pointee.isBypassed.store(isBypassed, ordering: .relaxed)
    }

    public override func property(_ name: String) -> PropertyValue? {
        name == "tripped" ? .switch(hasTripped) : super.property(name)
    }

    public override var inputBusCount: Int { 2 + others }

    override var controlInputs: [Int] { [Self.limiterBus] }

    override func kind(ofInput bus: Int) -> BusKind? {
        bus == Self.limiterBus ? .control : super.kind(ofInput: bus)
    }

    override func kind(ofOutput bus: Int) -> BusKind? { bus == 0 ? .control : nil }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { 1 }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(
            FeedbackGuardKernel(controls: controls.pointer, sampleRate: graph.sampleRate),
            keeping: controls)
    }

    override func emit(into builder: PlanBuilder) {
        guard let kernel else { return }
        let inputs = (0..<inputBusCount).map { builder.input(of: self, bus: $0) }
        let out = builder.bus(.control)
        unsafe builder.add(.feedbackGuard(builder.keep(kernel)), from: inputs, to: [out])
        builder.set(out, output: 0, of: self)
    }
}
