import Glibc

/// An echo: repeats its input after a time, each repeat softer and duller than the one before.
///
/// Adds no latency: the input itself passes at once. Control thread.
public final class DelayNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "delay",
        "Repeats its input as an echo, each repeat softer and duller.",
        of: DelayNode(),
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")])

    public override class var unit: UnitDescription { ownUnit }

    /// The rates that it takes: every number of frames is at least 1, and exact in Float.
    private static let rates = 1000...4_000_000

    public override init(name: String = "delay") { super.init(name: name) }

    /// When the first repeat comes, 0.001…2 s, rounded to whole frames; 0.3 by default. What is no
    /// number counts as 0.3; values outside a range are brought to its nearest end, here and below.
    /// A change is a crossfade of 20 ms, with no change of pitch.
    @Parameter(
        .time, .seconds, 0.001...2, default: 0.3, curve: .logarithmic, ramp: 20,
        as: { value, rate in (value * Double(rate)).rounded() })
    public var time: Double

    /// How loud each repeat is, relative to the one before, 0…95 %; 30 by default. A change takes
    /// 10 ms.
    @Parameter(.feedback, .percent, 0...95, default: 30, ramp: 10, as: { value, _ in value / 100 })
    public var feedback: Double

    /// Above which frequency each repeat loses 6 dB per octave, once more than the one before,
    /// 200…20,000 Hz; 5000 by default. At 20,000 repeats lose nothing. A change takes 10 ms.
    @Parameter(
        .tone, .hertz, 200...20_000, default: 5000, curve: .logarithmic, ramp: 10,
        as: { value, rate in DelayNode.smoothing(value, sampleRate: rate) })
    public var tone: Double

    /// The part of the repeats in the output, 0…100 %; 25 by default. The input has the rest. A
    /// change takes 10 ms.
    @Parameter(.mix, .percent, 0...100, default: 25, ramp: 10, as: { value, _ in value / 100 })
    public var mix: Double

    /// The a of y = y·(1 − a) + x·a that has its −3 dB at `frequency`: with c = 1 − cos ω,
    /// a = √(c² + 2c) − c, from |a/(1 − (1 − a)·z⁻¹)|² = ½. Exactly 1, no filter, at 20 kHz.
    private static func smoothing(_ frequency: Double, sampleRate rate: Int) -> Double {
        guard frequency < 20_000 else { return 1 }
        let w = min(2 * Double.pi * frequency / Double(rate), Double.pi)
        let c = 1 - cos(w)
        return (c * c + 2 * c).squareRoot() - c
    }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel {
        try rendering.require(Self.rates)
        return unsafe .delay(rendering.own(DelayKernel(rendering)))
    }
}

/// An echo in a plan. Input 0 and output 0 are the same buffers, mono or stereo.
///
/// Of each frame x: d = the line's frame that is one delay old; y = y·(1 − a) + d·a, the tone; into
/// the line goes x + feedback·y, and out x·(1 − mix) + y·mix.
@safe struct DelayKernel: ~Copyable {
    private var line: DelayLine
    /// The delay in frames, which the line fades to.
    private var time: ParameterRamp
    private let feedback, mix: RampedParameter
    /// The a of the tone.
    private let tone: RampedParameter
    private let parameters: ParameterRamps
    /// The y of the frame before.
    private var repeats = SIMD2<Float>.zero

    init(_ made: Rendering) {
        time = made.single(.time)
        (feedback, tone, mix) = (made[.feedback], made[.tone], made[.mix])
        parameters = made.ramps
        line = DelayLine(longest: 2 * made.sampleRate, tap: Int(time.ramp.target))
    }

    @_noLocks private mutating func reset() {
        takeTime()
        line.reset()
        parameters.reset()
        repeats = .zero
    }

    @_noLocks private mutating func takeTime() {
        if let length = time.take() { line.aim(at: Int(time.ramp.target), over: length) }
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        takeTime()
        parameters.take()
        let (out, count) = unsafe (outputs[0], slice.count)
        if out.isAtRest, line.isSilent, repeats == .zero {
            line.skip(count)
        } else {
            unsafe process(out.stereo, count: count)
            out.isAtRest = false
        }
        parameters.advance(count)
    }

    @_noLocks private mutating func process(_ samples: StereoSamples, count: Int) {
        let (left, right) = unsafe (samples.left, samples.right)
        for i in 0..<count {
            let x = unsafe SIMD2(left[i], right[i])
            let wet = mix.value(at: i)
            let a = tone.value(at: i)
            repeats = audible(repeats * (1 - a) + line.read() * a)
            line.write(audible(x + repeats * feedback.value(at: i)))
            let heard = x * (1 - wet) + repeats * wet
            unsafe left[i] = heard.x
            unsafe right[i] = heard.y
        }
    }

    /// Silence in place of a frame whose sides are below −140 dBFS (their mean square is below
    /// 10⁻¹⁴), so that repeats end, and of one that is not finite or beyond 2²⁰, which would be
    /// repeated for ever.
    @inline(__always) @_noLocks private func audible(_ frame: SIMD2<Float>) -> SIMD2<Float> {
        let energy = (frame * frame).sum()
        // NaN is in no range.
        return energy >= 2e-14 && energy <= 0x1p40 ? frame : .zero
    }
}
