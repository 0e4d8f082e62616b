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
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        parameters: [
            ParameterDescription(
                .frequency, .hertz, 2000...12_000, default: 4500, curve: .logarithmic, ramp: 10),
            ParameterDescription(.threshold, .decibels, -30...0, default: -12),
            ParameterDescription(.depth, .decibels, -24...0, default: -12),
            .reduction, .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private let rate: Int
    private let reading = Shared(ReductionReading())
    private lazy var kernel = unsafe Shared(
        DeEsserKernel(ramps, reading: reading.pointer, sampleRate: rate),
        keepingAll: numbers.all + [reading])

    /// - Parameters:
    ///   - sampleRate: the graph's rate in Hz, above 0.
    ///   - name: the node's name.
    public init(sampleRate: Int, name: String = "de-esser") {
        precondition(sampleRate > 0)
        rate = sampleRate
        super.init(
            name: name, numbers: [.frequency, .threshold, .depth])
    }

    /// Above which frequency sibilants are looked for and turned down, 2000…12,000 Hz; 4500 by
    /// default. More than 0.45 of the sample rate counts as that. A change takes 10 ms.
    public var frequency: Double {
        get { parameters[.frequency] }
        set { parameters[.frequency] = newValue }
    }

    /// How loud the part above the frequency may be, relative to the whole, −30…0 dB; −12 by default.
    /// Beyond it that part is turned down by as many dB as it is too loud.
    public var threshold: Decibels {
        get { parameters[decibels: .threshold] }
        set { parameters[decibels: .threshold] = newValue }
    }

    /// The most by which it is turned down, −24…0 dB; −12 by default.
    public var depth: Decibels {
        get { parameters[decibels: .depth] }
        set { parameters[decibels: .depth] = newValue }
    }

    /// By how much the part above the frequency is turned down now, in dB, at most 0; 0 while the node
    /// is bypassed.
    public var gainReduction: Decibels {
        Decibels(isBypassed ? 0 : unsafe reading.pointer.pointee.decibels)
    }

    override var sampleRate: Int? { rate }

    override func reading(of address: ParameterAddress) -> Double { gainReduction.value }

    override func rendered(_ name: ParameterName, _ value: Double) -> Float {
        switch name {
        case .frequency: Float(tan(Double.pi * min(value / Double(rate), FilterDesign.highest)))
        case .threshold: Float(value / BinaryLogarithm.decibels)
        default: Float(-value / BinaryLogarithm.decibels)
        }
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        unsafe builder.add(.deEsser(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
