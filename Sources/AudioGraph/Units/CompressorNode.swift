/// A feed-forward compressor: turns loud parts down, by the same gain on both channels. Adds no latency.
///
/// It detects the peak of the last 12.5 ms in either channel, and computes in decibels with a smooth
/// branching detector (Giannoulis, Massberg, Reiss, "Digital Dynamic Range Compressor Design", 2012).
/// Values outside a range become its nearest end; NaN becomes the default. Control thread.
public final class CompressorNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "compressor",
        "Turns loud parts down, by the same gain on both sides and without latency.",
        of: CompressorNode(), inputs: [BusDescription("input")],
        outputs: [BusDescription("output")])

    public override class var unit: UnitDescription { ownUnit }

    /// Threshold, −60…0 dBFS; default −20. A change takes 10 ms.
    @Parameter(
        .threshold, .decibels, -60...0, default: -20, ramp: 10,
        as: { value, _ in value / BinaryLogarithm.decibels })
    public var threshold: Decibels

    /// Ratio, 1…20; default 3. A change takes 10 ms.
    @Parameter(
        .ratio, .number, 1...20, default: 3, curve: .logarithmic, ramp: 10,
        as: { value, _ in 1 - 1 / value })
    public var ratio: Double

    /// Knee width, 0…24 dB; default 6. A change takes 10 ms.
    @Parameter(
        .knee, .decibels, 0...24, default: 6, ramp: 10,
        as: { value, _ in value / BinaryLogarithm.decibels })
    public var knee: Decibels

    /// Attack time to 63 % of the gain reduction, 0.0001…0.2 s; default 0.005.
    @Parameter(
        .attack, .seconds, 0.0001...0.2, default: 0.005, curve: .logarithmic,
        as: { value, rate in Double(BranchingSmoother.speed(seconds: value, sampleRate: rate)) })
    public var attack: Double

    /// Release time to 63 % of the way back, 0.02…2 s; default 0.1.
    @Parameter(
        .release, .seconds, 0.02...2, default: 0.1, curve: .logarithmic,
        as: { value, rate in
            // The level falls when the last loud sample has left the window.
            Double(BranchingSmoother.speed(seconds: value - PeakWindow.seconds, sampleRate: rate))
        })
    public var release: Double

    /// Make-up gain, 0…18 dB; default 0. A change takes 10 ms.
    @Parameter(
        .makeUp, .decibels, 0...18, default: 0, ramp: 10,
        as: { value, _ in value / BinaryLogarithm.decibels })
    public var makeUp: Decibels

    /// Present gain reduction without the make-up gain, −120…0 dB; 0 while the node is bypassed.
    @Reading(.gainReduction, .decibels, -120...0, default: 0) public var gainReduction: Decibels

    private let reduction = Shared(ReductionReading())

    public override init(name: String = "compressor") { super.init(name: name) }

    override func reading(of address: ParameterAddress) -> Double {
        isBypassed ? 0 : unsafe reduction.pointer.pointee.decibels
    }

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        unsafe .compressor(
            rendering.own(
                CompressorKernel(rendering, reduction: reduction.pointer), keeping: reduction))
    }
}

/// A compressor in a plan. Input 0 and output 0 are the same buffers, mono or stereo.
///
/// Feed-forward, in the logarithmic domain: level → curve → smoothing → gain (Giannoulis, Massberg,
/// Reiss, 2012, figure 7c).
@safe struct CompressorKernel: ~Copyable {
    private let reduction: UnsafePointer<ReductionReading>
    private var window: PeakWindow
    private var smoother = BranchingSmoother(at: 0)
    /// Levels in log₂ of the gain; the slope is 1 − 1/ratio.
    private let threshold, slope, knee, makeUp: RampedParameter
    /// One-pole coefficients.
    private let attack, release: RampedParameter
    private let parameters: ParameterRamps

    init(_ made: Rendering, reduction: UnsafePointer<ReductionReading>) {
        unsafe self.reduction = reduction
        window = PeakWindow(sampleRate: made.sampleRate, sliceFrames: longestSlice)
        (threshold, slope, knee) = (made[.threshold], made[.ratio], made[.knee])
        (attack, release, makeUp) = (made[.attack], made[.release], made[.makeUp])
        parameters = made.ramps
    }

    @_noLocks private mutating func reset() {
        parameters.reset()
        window.reset()
        smoother = BranchingSmoother(at: 0)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        parameters.take()
        let (out, count) = unsafe (outputs[0], slice.count)
        if !(out.isAtRest && window.isSilent && smoother.value == 0) {
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

    /// Compresses `count` frames by the parameters as they are `offset` frames from now.
    @_noLocks private mutating func process(_ samples: StereoSamples, at offset: Int, count: Int) {
        unsafe window.process(samples, count: count)
        let curve = CompressorCurve(
            threshold: threshold.value(at: offset), slope: slope.value(at: offset),
            knee: knee.value(at: offset))
        let levels = unsafe window.levels
        unsafe curve.process(levels, count: count)
        unsafe smoother.process(
            levels, up: attack.value(at: offset), down: release.value(at: offset),
            count: count)
        unsafe GainCurve.apply(levels, offset: makeUp.value(at: offset), to: samples, count: count)
    }
}

/// Static curve of a compressor: the gain reduction for a level. It is 0 below the threshold, follows
/// the ratio above it, and is a parabola in the knee (Giannoulis, Massberg, Reiss, 2012, equation 4).
/// Levels are in log₂ of the gain, as in `BinaryLogarithm`.
struct CompressorCurve: BitwiseCopyable {
    private let threshold: Float
    private let slope: Float
    private let halfKnee: Float
    /// 1/(2·knee); 0 without a knee.
    private let bend: Float

    /// - Parameters:
    ///   - threshold: log₂ of the gain; 0 is full scale.
    ///   - slope: 1 − 1/ratio, 0…1.
    ///   - knee: knee width, half of it on either side, in log₂ of the gain; 0 or more.
    @inline(__always) @_noLocks init(threshold: Float, slope: Float, knee: Float) {
        self.threshold = threshold
        self.slope = slope
        halfKnee = knee / 2
        bend = knee > 0 ? 0.5 / knee : 0
    }

    /// Replaces each of `count` levels, linear, 0 or more, by what is taken away of it, 0 or more.
    @_noLocks func process(_ levels: Samples, count: Int) {
        let (threshold, slope) = (threshold, slope)
        let (halfKnee, bend) = (halfKnee, bend)
        for i in 0..<count {
            // Below −144 dBFS there is nothing to be taken away.
            let level = unsafe levels[i] > 0x1p-24 ? levels[i] : 0x1p-24
            let over = BinaryLogarithm.of(level) - threshold
            let entered = over + halfKnee > 0 ? over + halfKnee : 0
            let inside = entered < 2 * halfKnee ? entered : 2 * halfKnee
            let beyond = over - halfKnee > 0 ? over - halfKnee : 0
            unsafe levels[i] = slope * (inside * inside * bend + beyond)
        }
    }
}
