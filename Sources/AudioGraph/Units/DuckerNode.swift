/// Makes room for a voice: turns another sound down while the voice is heard.
///
/// It stands beside the sound's way, listens to the voice, and gives the gain of the other sound on a
/// control bus; `duck` connects it. While the loudest sample of 12.5 ms is above the threshold, the gain
/// goes to `depth` and stays there, `hold` after the last such sample it comes back, both ways linear
/// in decibels. Values outside a range are brought to its nearest end, what is no number to the
/// default. Control thread.
public final class DuckerNode: AudioNode {
    private static let ownUnit = UnitDescription(
        .effect, "ducker",
        "Turns the song down while a voice is heard.",
        of: DuckerNode(),
        inputs: [BusDescription("voice")],
        outputs: [BusDescription("gain", kind: .control)])

    public override class var unit: UnitDescription { ownUnit }

    private let reduction = Shared(ReductionReading())

    public override init(name: String = "ducker") { super.init(name: name) }

    /// Connects the node, which is in the same graph: its input to the input `voice` of `mixer` after
    /// volume and pan, its output to the gain of the input `other`.
    ///
    /// Throws what `Graph.connect` throws; then neither connection is made.
    public func duck(_ other: Int, by voice: Int, of mixer: MixerNode) throws(GraphError) {
        guard let graph else { throw .notInGraph(node: name) }
        try graph.edit { () throws(GraphError) in
            try graph.connect(mixer, bus: MixerNode.directBus(of: voice), to: self)
            try graph.connectBack(self, bus: 0, to: mixer, bus: MixerNode.gainBus(of: other))
        }
    }

    /// How loud the other sound is beside the voice, −40…0 dB; −9 by default, and 0 changes nothing. A
    /// change beside the voice takes as long as `attack` or `release`.
    @Parameter(
        .depth, .decibels, -40...0, default: -9,
        as: { value, _ in -value / BinaryLogarithm.decibels })
    public var depth: Decibels

    /// Above which level the voice counts, −60…0 dBFS; −40 by default.
    @Parameter(
        .threshold, .decibels, -60...0, default: -40, as: { value, _ in Decibels(value).gain })
    public var threshold: Decibels

    /// How long it takes from the voice's first sample until the other sound is as soft as it shall be,
    /// 0.04…2 s, with the 256 frames that the way back into the mixer takes; 0.1 by default.
    @Parameter(
        .attack, .seconds, 0.04...2, default: 0.1, curve: .logarithmic, as: DuckerNode.frames)
    public var attack: Double

    /// How long the other sound stays soft after the voice's last sample, 0.02…5 s; 0.5 by default.
    @Parameter(
        .hold, .seconds, 0.02...5, default: 0.5, curve: .logarithmic,
        as: { value, rate in Double(PeakWindow.frames(afterTheLast: value, sampleRate: rate)) })
    public var hold: Double

    /// How long the other sound takes to come back, 0.04…5 s; 1 by default.
    @Parameter(.release, .seconds, 0.04...5, default: 1, curve: .logarithmic, as: DuckerNode.frames)
    public var release: Double

    /// By how much the other sound is turned down now, in dB, at most 0.
    @Reading(.gainReduction, .decibels, -120...0, default: 0) public var gainReduction: Decibels

    /// Whether the node gives no gain, whatever it hears; false by default. A change takes 10 ms.
    @Parameter(.bypass, .switch, 0...1, default: 0, ramp: 10) public var isBypassed: Bool

    private static let frames: @Sendable (Double, Int) -> Double = { seconds, rate in
        max(1, (seconds * Double(rate)).rounded() - Double(longestSlice))
    }

    override func reading(of address: ParameterAddress) -> Double {
        unsafe reduction.pointer.pointee.decibels
    }

    override func kind(ofOutput bus: Int) -> BusKind? { bus == 0 ? .control : nil }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { 1 }

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        unsafe .ducker(
            rendering.own(
                DuckerKernel(rendering, reduction: reduction.pointer), keeping: reduction))
    }

    override func emit(into compiler: Compiler) {
        let gains = compiler.bus(.control)
        compiler.add(kernelOf: self, from: [compiler.input(of: self, bus: 0)], to: [gains])
        compiler.set(gains, output: 0, of: self)
    }
}

/// A ducker in a plan. Input 0: the voice, mono or stereo. Output 0: a control bus, the gain of what
/// makes room for it.
@safe struct DuckerKernel: ~Copyable {
    private let reduction: UnsafePointer<ReductionReading>
    private var window: PeakWindow
    private var detector = GateDetector()
    /// Gain reduction, in log₂ of the gain.
    private var taken = Ramp(at: 0, length: 0)
    /// Linear.
    private let threshold: RampedParameter
    /// What is taken away while the voice is heard, in log₂ of the gain.
    private let depth: RampedParameter
    /// In frames.
    private let attack, hold, release: RampedParameter
    /// 0, or 1 while nothing is taken away.
    private let bypass: RampedParameter
    private let parameters: ParameterRamps

    init(_ made: Rendering, reduction: UnsafePointer<ReductionReading>) {
        unsafe self.reduction = reduction
        window = PeakWindow(sampleRate: made.sampleRate, sliceFrames: longestSlice)
        (threshold, depth, bypass) = (made[.threshold], made[.depth], made[.bypass])
        (attack, hold, release) = (made[.attack], made[.hold], made[.release])
        parameters = made.ramps
    }

    @_noLocks private mutating func reset() {
        parameters.reset()
        window.reset()
        detector = GateDetector()
        taken = Ramp(at: 0, length: 0)
    }

    /// Whether nothing is taken away.
    private var isResting: Bool { @_noLocks get { taken.isSilent } }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        parameters.take()
        let (voice, out, count) = unsafe (inputs[0], outputs[0], slice.count)
        let isIdle = voice.isAtRest && window.isSilent && !detector.isOpen && isResting
        out.isAtRest = unsafe isIdle || !duck(by: voice.stereo, to: out.gains, count: count)
        parameters.advance(count)
        let part = 1 - bypass.value(at: 0)
        unsafe reduction.pointee.publish(Double(taken.value(at: 0) * part))
    }

    /// Returns whether anything is taken away in these frames.
    @_noLocks private mutating func duck(
        by voice: StereoSamples, to gains: Samples, count: Int
    ) -> Bool {
        unsafe window.process(voice, count: count)
        let levels = unsafe window.levels
        var isHeard = false
        for i in 0..<count {
            let opening = threshold.value(at: i)
            let holdFrames = Int32(truncatingIfNeeded: Int(hold.value(at: i)))
            let isOpen = unsafe detector.hears(
                levels[i], opening: opening, closing: opening, hold: holdFrames)
            let wanted = isOpen ? depth.value(at: i) : 0
            if wanted != taken.target {
                let way = wanted > taken.value(at: 0) ? attack : release
                taken.aim(at: wanted, over: Int32(truncatingIfNeeded: Int(way.value(at: i))))
            }
            taken.advance(1)
            if !isResting { isHeard = true }
            let away = taken.value(at: 0) * (1 - bypass.value(at: i))
            unsafe gains[i] = BinaryLogarithm.power(-away)
        }
        return isHeard
    }
}
