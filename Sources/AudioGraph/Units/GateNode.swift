/// A noise gate: turns its input down while it is quiet, by the same gain on both channels. Adds no latency.
///
/// It opens at the first sample above the threshold. It closes when the peak of 12.5 ms has stayed
/// `hysteresis` dB below the threshold for `hold` seconds, so that a decaying tone closes it only once.
/// Values outside a range become its nearest end; NaN becomes the default. Control thread.
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

    /// Threshold at which the gate opens, −80…0 dBFS; default −45.
    @Parameter(
        .threshold, .decibels, -80...0, default: -45, as: { value, _ in Decibels(value).gain })
    public var threshold: Decibels

    /// Hysteresis, 0…20 dB; default 6. The gate closes this far below the threshold.
    @Parameter(
        .hysteresis, .decibels, 0...20, default: 6, as: { value, _ in Decibels(-value).gain })
    public var hysteresis: Decibels

    /// Attack time to 63 % of the way open, in dB, 0.0001…0.1 s; default 0.001.
    @Parameter(
        .attack, .seconds, 0.0001...0.1, default: 0.001, curve: .logarithmic,
        as: { value, rate in Double(BranchingSmoother.speed(seconds: value, sampleRate: rate)) })
    public var attack: Double

    /// Hold time after the last sample that is loud enough, 0.02…2 s; default 0.1.
    @Parameter(
        .hold, .seconds, 0.02...2, default: 0.1, curve: .logarithmic,
        as: { value, rate in Double(PeakWindow.frames(afterTheLast: value, sampleRate: rate)) })
    public var hold: Double

    /// Release time to 63 % of the way closed, in dB, 0.005…2 s; default 0.1.
    @Parameter(
        .release, .seconds, 0.005...2, default: 0.1, curve: .logarithmic,
        as: { value, rate in Double(BranchingSmoother.speed(seconds: value, sampleRate: rate)) })
    public var release: Double

    /// Gain of the closed gate, −80…0 dB; default −60.
    @Parameter(
        .depth, .decibels, -80...0, default: -60,
        as: { value, _ in -value / BinaryLogarithm.decibels })
    public var depth: Decibels

    /// Present gain reduction, −120…0 dB; 0 while the node is bypassed.
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
    /// Gain reduction of the closed gate, in log₂ of the gain.
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
        parameters.reset()
        window.reset()
        detector = GateDetector()
        smoother = BranchingSmoother(at: Double(depth.value(at: 0)))
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
        let isIdle =
            out.isAtRest && window.isSilent && !detector.isOpen && !parameters.areMoving
            && smoother.value == Double(depth.value(at: 0))
        if !isIdle {
            // While a parameter moves, every frame has its own.
            let part = parameters.areMoving ? 1 : count
            var i = 0
            while i < count {
                let rest = unsafe StereoSamples(
                    left: out.stereo.left + i, right: out.stereo.right + i)
                unsafe process(rest, at: i, count: part)
                i += part
            }
        }
        parameters.advance(count)
        unsafe reduction.pointee.publish(smoother.value)
    }

    /// Gates `count` frames by the parameters as they are `offset` frames from now.
    @_noLocks private mutating func process(_ samples: StereoSamples, at offset: Int, count: Int) {
        let closed = depth.value(at: offset)
        unsafe window.process(samples, count: count)
        let levels = unsafe window.levels
        let opening = threshold.value(at: offset)
        let closing = opening * hysteresis.value(at: offset)
        let holdFrames = Int32(truncatingIfNeeded: Int(hold.value(at: offset)))
        var detector = detector
        for i in 0..<count {
            let isOpen = unsafe detector.hears(
                levels[i], opening: opening, closing: closing, hold: holdFrames)
            unsafe levels[i] = isOpen ? 0 : closed
        }
        self.detector = detector
        unsafe smoother.process(
            levels, up: release.value(at: offset), down: attack.value(at: offset),
            count: count)
        unsafe GainCurve.apply(levels, offset: 0, to: samples, count: count)
    }
}
