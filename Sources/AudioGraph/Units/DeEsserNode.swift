import Glibc

/// A de-esser: turns down the s and sh of a voice, by the same gain on both channels. Adds no latency.
///
/// It lowers the part above a frequency while that part is large relative to the whole, at any level.
/// Attack 0.5 ms, release 40 ms, each to 63 % in dB. Values outside a range become its nearest end;
/// NaN becomes the default. Control thread.
public final class DeEsserNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "de-esser",
        "Turns down harsh s and sh sounds.",
        of: DeEsserNode(),
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")])

    public override class var unit: UnitDescription { ownUnit }

    private let reduction = Shared(ReductionReading())

    public override init(name: String = "de-esser") { super.init(name: name) }

    /// Lowest frequency of sibilants, 2000…12,000 Hz; default 4500. It is limited to 0.45 of the sample
    /// rate. A change takes 10 ms.
    @Parameter(
        .frequency, .hertz, 2000...12_000, default: 4500, curve: .logarithmic, ramp: 10,
        as: { value, rate in tan(Double.pi * min(value / Double(rate), FilterDesign.highest)) })
    public var frequency: Double

    /// Threshold of the part above the frequency, relative to the whole, −30…0 dB; default −12. What
    /// exceeds it is taken off.
    @Parameter(
        .threshold, .decibels, -30...0, default: -12,
        as: { value, _ in value / BinaryLogarithm.decibels })
    public var threshold: Decibels

    /// Largest gain reduction, −24…0 dB; default −12.
    @Parameter(
        .depth, .decibels, -24...0, default: -12,
        as: { value, _ in -value / BinaryLogarithm.decibels })
    public var depth: Decibels

    /// Present gain reduction above the frequency, −120…0 dB; 0 while the node is bypassed.
    @Reading(.gainReduction, .decibels, -120...0, default: 0) public var gainReduction: Decibels

    override func reading(of address: ParameterAddress) -> Double {
        isBypassed ? 0 : unsafe reduction.pointer.pointee.decibels
    }

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        unsafe .deEsser(
            rendering.own(
                DeEsserKernel(rendering, reduction: reduction.pointer), keeping: reduction))
    }
}

/// A de-esser in a plan. Input 0 and output 0 are the same buffers, mono or stereo.
@safe struct DeEsserKernel {
    private let reduction: UnsafePointer<ReductionReading>
    private var shelf: SibilantShelf
    /// The gain of the filter's integrators.
    private let frequency: RampedParameter
    /// In log₂ of the gain.
    private let threshold, depth: RampedParameter
    private let parameters: ParameterRamps

    init(_ made: Rendering, reduction: UnsafePointer<ReductionReading>) {
        unsafe self.reduction = reduction
        shelf = SibilantShelf(sampleRate: made.sampleRate)
        (frequency, threshold, depth) = (made[.frequency], made[.threshold], made[.depth])
        parameters = made.ramps
    }

    @_noLocks private mutating func reset() {
        parameters.reset()
        shelf.reset()
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        parameters.take()
        let (out, count) = unsafe (outputs[0], slice.count)
        if !(out.isAtRest && shelf.isSilent) {
            // While a parameter moves, every frame has its own.
            let part = parameters.areMoving ? 1 : count
            var i = 0
            while i < count {
                unsafe shelf.process(
                    StereoSamples(left: out.stereo.left + i, right: out.stereo.right + i),
                    g: frequency.value(at: i), threshold: threshold.value(at: i),
                    depth: depth.value(at: i), count: part)
                i += part
            }
            out.isAtRest = false
        }
        parameters.advance(count)
        unsafe reduction.pointee.publish(shelf.reduction)
    }
}

/// Finds sibilants, the s and sh of a voice, and lowers what lies above a frequency while they last.
///
/// A filter in its state-variable form (`FilterCoefficients`) parts each frame into what lies below,
/// around and above the frequency: x = low + k·band + high. Where the power above is large beside that
/// of the whole, the output is low + √g·k·band + g·high: a shelf of the gain g, whose magnitude is
/// √((1 + g²r⁴)/(1 + r⁴)) at r times the frequency. While g is 1 the output is the input.
struct SibilantShelf: BitwiseCopyable {
    /// What the two integrators hold, for the left and the right channel.
    private var first = SIMD2<Double>.zero
    private var second = SIMD2<Double>.zero
    /// The mean square of all, and of what lies above the frequency.
    private var whole = 0.0
    private var above = 0.0
    /// In log₂ of the gain.
    private var smoother = BranchingSmoother(at: 0)
    /// One-pole coefficients of the mean squares, and of the gain down and up.
    private let averaging: Double
    private let attack: Double
    private let release: Double

    init(sampleRate: Int) {
        // Called on the control thread, as the initialiser is.
        func speed(_ seconds: Double) -> Double {
            Double(BranchingSmoother.speed(seconds: seconds, sampleRate: sampleRate))
        }
        averaging = speed(0.0025)
        attack = speed(0.0005)
        release = speed(0.04)
    }

    /// Gain reduction of the shelf, in log₂ of the gain.
    var reduction: Double { @_noLocks get { smoother.value } }

    /// Whether silence in is silence out, and nothing moves.
    var isSilent: Bool {
        @_noLocks get { whole == 0 && smoother.value == 0 }
    }

    @_noLocks mutating func reset() {
        forget()
        smoother = BranchingSmoother(at: 0)
    }

    @_noLocks private mutating func forget() {
        first = .zero
        second = .zero
        whole = 0
        above = 0
    }

    /// Changes `count` frames in place.
    ///
    /// - Parameters:
    ///   - g: the gain of the integrators, tan(π·frequency/rate).
    ///   - threshold: largest level above the frequency, in log₂ of the whole, at most
    ///     0. Beyond it the shelf goes down by as much as the part is larger.
    ///   - depth: largest gain reduction, in log₂ of the gain, 0 or more.
    @_noLocks mutating func process(
        _ samples: StereoSamples, g: Float, threshold: Float, depth: Float, count: Int
    ) {
        let (left, right) = unsafe (samples.left, samples.right)
        let g = Double(g)
        // √2: without resonance.
        let k = 1.414_213_562_373_095_1
        let a1 = 1 / (1 + g * (g + k))
        let (a2, a3) = (g * a1, g * g * a1)
        var own = self
        for i in 0..<count {
            let x = unsafe SIMD2(audible(left[i]), audible(right[i]))
            let rest = x - own.second
            let band = own.first * a1 + rest * a2
            let low = own.second + own.first * a2 + rest * a3
            own.first = band * 2 - own.first
            own.second = low * 2 - own.second
            let high = x - band * k - low
            own.whole += own.averaging * ((x * x).sum() - own.whole)
            own.above += own.averaging * ((high * high).sum() - own.above)
            // Ends what is below −200 dBFS. What is below −72 dBFS has no sibilants.
            if own.whole < 1e-20 { own.forget() }
            let part = Float((own.above + 0x1p-60) / (own.whole + 0x1p-24))
            let excess = BinaryLogarithm.of(part) / 2 - threshold
            let wanted = excess > depth ? depth : excess > 0 ? excess : 0
            own.smoother.follow(Double(wanted), up: own.attack, down: own.release)
            let root = Double(BinaryLogarithm.power(Float(own.smoother.value) * -0.5))
            let taken = high * (1 - root * root) + band * (k * (1 - root))
            unsafe left[i] -= Float(taken.x)
            if unsafe !samples.isMono { unsafe right[i] -= Float(taken.y) }
        }
        self = own
    }

    /// Silence in place of a sample that is no number, or beyond 2²⁰.
    @inline(__always) @_noLocks private func audible(_ sample: Float) -> Double {
        abs(sample) < 0x1p20 ? Double(sample) : 0
    }
}
