/// Turns a microphone down while nobody sings: one gain for both sides, and no latency.
///
/// It opens at the first sample above the threshold, and closes when the loudest sample of 12.5 ms has
/// been `hysteresis` dB below it for the time of `hold`: so that a tone that dies away closes it once.
/// Values outside a range are brought to its nearest end, what is no number to the default. Control
/// thread.
public final class GateNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "gate",
        "Turns its input down while it is quiet, like a microphone when nobody sings.",
        of: GateNode(),
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")])

    public override class var unit: UnitDescription { ownUnit }

    private let reduction = Shared(ReductionReading())

    public override init(name: String = "gate") { super.init(name: name) }

    /// Above which level the gate opens, −80…0 dBFS; −45 by default.
    @Parameter(
        .threshold, .decibels, -80...0, default: -45, as: { value, _ in Decibels(value).gain })
    public var threshold: Decibels

    /// By how much the level must be below the threshold before the gate closes, 0…20 dB; 6 by
    /// default.
    @Parameter(
        .hysteresis, .decibels, 0...20, default: 6, as: { value, _ in Decibels(-value).gain })
    public var hysteresis: Decibels

    /// How long it takes to 63 % of the dB that the gain goes up when the gate opens, 0.0001…0.1 s;
    /// 0.001 by default.
    @Parameter(
        .attack, .seconds, 0.0001...0.1, default: 0.001, curve: .logarithmic,
        as: { value, rate in Double(BranchingSmoother.speed(seconds: value, sampleRate: rate)) })
    public var attack: Double

    /// How long the gate stays open after the last sample that is loud enough, 0.02…2 s; 0.1 by
    /// default.
    @Parameter(
        .hold, .seconds, 0.02...2, default: 0.1, curve: .logarithmic,
        as: { value, rate in Double(PeakWindow.frames(afterTheLast: value, sampleRate: rate)) })
    public var hold: Double

    /// How long it takes to 63 % of the dB that the gain goes down when the gate closes, 0.005…2 s;
    /// 0.1 by default.
    @Parameter(
        .release, .seconds, 0.005...2, default: 0.1, curve: .logarithmic,
        as: { value, rate in Double(BranchingSmoother.speed(seconds: value, sampleRate: rate)) })
    public var release: Double

    /// How loud the sound is while the gate is closed, −80…0 dB; −60 by default.
    @Parameter(
        .depth, .decibels, -80...0, default: -60,
        as: { value, _ in -value / BinaryLogarithm.decibels })
    public var depth: Decibels

    /// By how much the sound is turned down now, in dB, at most 0; 0 while the node is bypassed.
    @Reading(.gainReduction, .decibels, -120...0, default: 0) public var gainReduction: Decibels

    override func reading(of address: ParameterAddress) -> Double {
        isBypassed ? 0 : unsafe reduction.pointer.pointee.decibels
    }

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        unsafe .gate(
            rendering.own(GateKernel(rendering, reduction: reduction.pointer), keeping: reduction))
    }
}

/// A gate in a plan. Input 0 and output 0 are the same buffers, mono or stereo.
@safe struct GateKernel: ~Copyable {
    private let reduction: UnsafePointer<ReductionReading>
    private var window: PeakWindow
    private var detector = GateDetector()
    private var smoother = BranchingSmoother(at: 0)
    /// Linear; the threshold times the hysteresis is where the gate closes.
    private let threshold, hysteresis: RampedParameter
    /// One-pole coefficients.
    private let attack, release: RampedParameter
    /// In frames.
    private let hold: RampedParameter
    /// What is taken away while the gate is closed, in log₂ of the gain.
    private let depth: RampedParameter
    private let parameters: ParameterRamps
    private var isNew = true

    init(_ made: Rendering, reduction: UnsafePointer<ReductionReading>) {
        unsafe self.reduction = reduction
        window = PeakWindow(sampleRate: made.sampleRate, sliceFrames: longestSlice)
        (threshold, hysteresis, depth) = (made[.threshold], made[.hysteresis], made[.depth])
        (attack, hold, release) = (made[.attack], made[.hold], made[.release])
        parameters = made.ramps
    }

    @_noLocks private mutating func reset() {
        parameters.take()
        window.reset()
        detector = GateDetector()
        smoother = BranchingSmoother(at: Double(depth.target))
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        parameters.take()
        if isNew {
            // Closed.
            reset()
            isNew = false
        }
        let (out, count) = unsafe (outputs[0], slice.count)
        let closed = depth.target
        let isIdle =
            out.isAtRest && window.isSilent && !detector.isOpen && smoother.value == Double(closed)
        if !isIdle { unsafe process(out.stereo, closed: closed, count: count) }
        unsafe reduction.pointee.publish(smoother.value)
    }

    @_noLocks private mutating func process(_ samples: StereoSamples, closed: Float, count: Int) {
        unsafe window.process(samples, count: count)
        let levels = unsafe window.levels
        let opening = threshold.target
        let closing = opening * hysteresis.target
        let holdFrames = Int32(truncatingIfNeeded: Int(hold.target))
        var detector = detector
        for i in 0..<count {
            let isOpen = unsafe detector.hears(
                levels[i], opening: opening, closing: closing, hold: holdFrames)
            unsafe levels[i] = isOpen ? 0 : closed
        }
        self.detector = detector
        unsafe smoother.process(levels, up: release.target, down: attack.target, count: count)
        unsafe GainCurve.apply(levels, offset: 0, to: samples, count: count)
    }
}
