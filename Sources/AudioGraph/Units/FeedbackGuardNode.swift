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

    private static let ownUnit = UnitDescription(
        .effect, "feedback-guard",
        "Turns down a microphone that feeds back through the loudspeakers.",
        of: FeedbackGuardNode(),
        inputs: [
            BusDescription("limiter", kind: .control),
            BusDescription("microphone", first: 1),
            BusDescription("other", first: 2, count: 0...255),
        ],
        outputs: [BusDescription("gain", kind: .control)],
        properties: [PropertyDescription("tripped", .switch, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    /// - Parameters:
    ///   - others: how many buses there are beside the microphone's, 0…255; 1 by default.
    ///   - name: the node's name.
    public init(others: Int = 1, name: String = "feedback guard") {
        require((0...255).contains(others), "\(others) other buses: a guard has 0 to 255")
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
        where graph.wiring.connection(to: self, bus: bus) != nil {
            throw .busIsTaken(node: name, bus: bus)
        }
        let compared = compared ?? mixer.inputs.map(\.number).filter { $0 != microphone }
        try graph.edit { () throws(GraphError) in
            try connect(microphone, compared, of: mixer, limiter, in: graph)
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

    /// Whether the microphone is down, and the first frame of that, counted as `Graph.renderedFrames`:
    /// exactly the frame at which `trip` or `answer` gives the same sound again. In no graph it is up.
    public var turn: (isDown: Bool, frame: Int) {
        guard let turns = rendering?.inUse(as: Shared<FeedbackGuardKernel.Turn>.self) else {
            return (false, 0)
        }
        let turn = unsafe turns.pointer.pointee.last.load(ordering: .relaxed)
        return (turn & 1 == 1, turn >> 1)
    }

    /// Turns the microphone down as if it had fed back, from the next frame rendered on: for a graph
    /// that replaces another whose guard had tripped, or that repeats what was heard there.
    public func trip() {
        unsafe controls.pointer.pointee.trips.add(1, ordering: .relaxed)
    }

    /// Brings the microphone back in 10 ms. Does nothing unless the guard has tripped.
    public func answer() {
        let trips = unsafe controls.pointer.pointee.trips.load(ordering: .relaxed)
        unsafe controls.pointer.pointee.answers.store(trips, ordering: .relaxed)
    }

    /// Whether the guard gives no gain, whatever it hears; false by default. A change takes 10 ms.
    @Parameter(.bypass, .switch, 0...1, default: 0, ramp: 10) public var isBypassed: Bool

    override func takesRamp(_ name: ParameterName) -> Bool { name != .bypass }

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

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        // Its frames are those of one graph.
        let turn = Shared(FeedbackGuardKernel.Turn())
        rendering.use(turn)
        return unsafe .feedbackGuard(
            rendering.own(
                FeedbackGuardKernel(
                    bypass: rendering.slot(ParameterAddress(.bypass), [isBypassed ? 1 : 0]),
                    controls: controls.pointer, turn: turn.pointer,
                    sampleRate: rendering.sampleRate),
                keeping: controls, turn))
    }

    override func emit(into compiler: Compiler) {
        let inputs = (0..<inputBusCount).map { compiler.input(of: self, bus: $0) }
        let out = compiler.bus(.control)
        compiler.add(kernelOf: self, from: inputs, to: [out])
        compiler.set(out, output: 0, of: self)
    }
}

/// Turns the microphone down to −20 dB when it feeds back, until the user turns it up again.
///
/// Input 0: a control bus, the limiter's gains. Input 1: the microphone's bus after volume and pan.
/// Inputs 2…: all other buses. Output 0: a control bus, the microphone's gain.
@safe struct FeedbackGuardKernel {
    /// What the control thread and the render thread share.
    struct Controls: ~Copyable {
        /// How often the guard turned the microphone down.
        let trips = Atomic<Int>(0)
        /// How many of these trips the user has answered.
        let answers = Atomic<Int>(0)
    }

    /// When the microphone went down or up. Written by the render thread.
    struct Turn: ~Copyable {
        /// The last time: twice the graph's frame, and 1 when it went down.
        let last = Atomic<Int>(0)
    }

    private let controls: UnsafePointer<Controls>
    private let turn: UnsafePointer<Turn>
    private let bypass: UnsafeMutablePointer<ParameterSlot>
    private var isBypassed = false
    private var detector: FeedbackDetector
    private var duck: Ramp
    /// Whether the microphone is down, as `turn` says.
    private var isDown = false

    init(
        bypass: UnsafeMutablePointer<ParameterSlot>, controls: UnsafePointer<Controls>,
        turn: UnsafePointer<Turn>, sampleRate: Int
    ) {
        unsafe self.bypass = bypass
        unsafe self.controls = controls
        unsafe self.turn = turn
        detector = FeedbackDetector(sampleRate: sampleRate)
        duck = Ramp(at: 1, length: RampClock.parameterLength(sampleRate: sampleRate))
    }

    @_noLocks private mutating func reset() {
        detector.reset()
        _ = follow()
        duck.end()
    }

    /// Aims at the gain that holds now. Returns how often the guard has tripped when it listens, and
    /// nil while it holds the microphone down or is bypassed.
    @inline(__always) @_noLocks private mutating func follow() -> Int? {
        let answers = unsafe controls.pointee.answers.load(ordering: .relaxed)
        // Read in every slice: the control thread may have tripped the guard (`trip`).
        let trips = unsafe controls.pointee.trips.load(ordering: .relaxed)
        if let new = unsafe bypass.pointee.take() { isBypassed = unsafe new.floats[0] != 0 }
        duck.aim(at: trips > answers && !isBypassed ? 0.1 : 1)
        return trips == answers && !isBypassed ? trips : nil
    }

    /// Says when the microphone goes down or up: in `frame`, if it does.
    @_noLocks private mutating func tellTurn(in frame: Int) {
        let isDown = duck.target != 1
        guard isDown != self.isDown else { return }
        self.isDown = isDown
        unsafe turn.pointee.last.store(2 &* frame &+ (isDown ? 1 : 0), ordering: .relaxed)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        let (out, count) = unsafe (outputs[0], slice.count)
        let trips = follow()
        unsafe tellTurn(in: slice.frame)
        if let trips, let frame = unsafe findFeedback(slice, inputs) {
            unsafe controls.pointee.trips.store(trips &+ 1, ordering: .relaxed)
            duck.aim(at: 0.1, delay: frame)
            unsafe tellTurn(in: slice.frame &+ frame)
        }
        out.isAtRest = duck.isUnity
        if !out.isAtRest {
            let gains = unsafe out.gains
            for i in 0..<count { unsafe gains[i] = duck.value(at: i) }
        }
        duck.advance(count)
    }

    /// The frame of the slice at which feedback is certain, or nil.
    @_noLocks private mutating func findFeedback(_ slice: Slice, _ inputs: Buses) -> Int? {
        let curve = inputs[0]
        guard !curve.isAtRest,
            unsafe anyBelow(FeedbackDetector.threshold, in: curve.gains, count: slice.count)
        else {
            detector.reset()
            return nil
        }
        var detector = detector
        defer { self.detector = detector }
        for i in unsafe 0..<slice.count where unsafe detector.suspects(gain: curve.gains[i]) {
            var others: Float = 0
            for k in 2..<max(inputs.count, 2) { others += power(inputs[k], at: i) }
            if detector.addSuspect(mic: power(inputs[1], at: i), others: others) {
                return i
            }
        }
        return nil
    }

    /// A bus's power in one frame.
    @_noLocks private func power(_ bus: Bus, at frame: Int) -> Float {
        let left = unsafe bus.stereo.left[frame]
        let right = unsafe bus.stereo.right[frame]
        return left * left + right * right
    }
}

/// Notices feedback from the loudspeakers into the microphone: the limiter reduces by more than
/// 6 dB for 1 s, and over that second the microphone is the larger source.
struct FeedbackDetector: BitwiseCopyable {
    /// The limiter's gain below which it reduces by more than 6 dB, 10^(−6/20).
    static var threshold: Float { @_noLocks get { 0.501_187_2 } }

    private let window: Int32
    private var frames: Int32 = 0
    private var micEnergy: Float = 0
    private var otherEnergy: Float = 0

    init(sampleRate: Int) { window = Int32(sampleRate) }

    /// Starts the second anew: the limiter is at rest, or the user has answered the warning.
    @_noLocks mutating func reset() {
        frames = 0
        micEnergy = 0
        otherEnergy = 0
    }

    /// Whether the limiter's gain in a frame is low enough to suspect feedback; if not, the second
    /// starts anew.
    @_noLocks mutating func suspects(gain: Float) -> Bool {
        if gain < Self.threshold { return true }
        reset()
        return false
    }

    /// Adds a suspected frame: the power of the microphone's bus and the summed power of all other
    /// buses, after volume and pan.
    ///
    /// - Returns: true on the frame at which the second is full and the microphone is larger.
    @_noLocks mutating func addSuspect(mic: Float, others: Float) -> Bool {
        micEnergy += min(mic, 0x1p40)
        otherEnergy += min(others, 0x1p40)
        frames &+= 1
        guard frames >= window else { return false }
        let isMic = micEnergy > otherEnergy
        reset()
        return isMic
    }
}
