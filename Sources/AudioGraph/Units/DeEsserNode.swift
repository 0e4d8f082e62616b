import Glibc

/// Softens the s and sh of a voice, and leaves its vowels: one gain for both sides, and no latency.
///
/// While much of the sound lies above a frequency, whatever its level, that part is turned down. The
/// gain goes down in 0.5 ms and comes back in 40 ms (to 63 % of the dB). Values outside a range are
/// brought to its nearest end, what is no number to the default. Control thread.
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

    /// Above which frequency sibilants are looked for and turned down, 2000…12,000 Hz; 4500 by
    /// default. More than 0.45 of the sample rate counts as that. A change takes 10 ms.
    @Parameter(
        .frequency, .hertz, 2000...12_000, default: 4500, curve: .logarithmic, ramp: 10,
        as: { value, rate in tan(Double.pi * min(value / Double(rate), FilterDesign.highest)) })
    public var frequency: Double

    /// How loud the part above the frequency may be, relative to the whole, −30…0 dB; −12 by default.
    /// Beyond it that part is turned down by as many dB as it is too loud.
    @Parameter(
        .threshold, .decibels, -30...0, default: -12,
        as: { value, _ in value / BinaryLogarithm.decibels })
    public var threshold: Decibels

    /// The most by which it is turned down, −24…0 dB; −12 by default.
    @Parameter(
        .depth, .decibels, -24...0, default: -12,
        as: { value, _ in -value / BinaryLogarithm.decibels })
    public var depth: Decibels

    /// By how much the part above the frequency is turned down now, in dB, at most 0; 0 while the node
    /// is bypassed.
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
            // While the frequency moves, every frame has its own.
            let part = parameters.areMoving ? 1 : count
            var i = 0
            while i < count {
                unsafe shelf.process(
                    StereoSamples(left: out.stereo.left + i, right: out.stereo.right + i),
                    g: frequency.value(at: i), threshold: threshold.target,
                    depth: depth.target, count: part)
                i += part
            }
            out.isAtRest = false
        }
        parameters.advance(count)
        unsafe reduction.pointee.publish(shelf.reduction)
    }
}
