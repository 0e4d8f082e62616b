import Glibc

/// An echo: repeats its input after a time, each repeat softer and duller than the one before.
///
/// Adds no latency: the input itself passes at once. Control thread.
public final class DelayNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "delay",
        "Repeats its input as an echo, each repeat softer and duller.",
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        parameters: [
            ParameterDescription(
                .time, .seconds, 0.001...2, default: 0.3, curve: .logarithmic, ramp: 20),
            ParameterDescription(.feedback, .percent, 0...95, default: 30, ramp: 10),
            ParameterDescription(
                .tone, .hertz, 200...20_000, default: 5000, curve: .logarithmic, ramp: 10),
            ParameterDescription(.mix, .percent, 0...100, default: 25, ramp: 10),
            .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// The rates that it takes: every number of frames is at least 1, and exact in Float.
    static let rates = 1000...4_000_000

    private let rate: Int
    private lazy var kernel = Shared(DelayKernel(ramps, longest: 2 * rate), keepingAll: numbers.all)

    /// - Parameters:
    ///   - sampleRate: the graph's rate in Hz, 1000…4,000,000.
    ///   - name: the node's name.
    public init(sampleRate: Int, name: String = "delay") {
        precondition(Self.rates.contains(sampleRate))
        rate = sampleRate
        super.init(name: name, numbers: [.time, .feedback, .tone, .mix])
    }

    /// When the first repeat comes, 0.001…2 s, rounded to whole frames; 0.3 by default. What is no
    /// number counts as 0.3; values outside a range are brought to its nearest end, here and below.
    /// A change is a crossfade of 20 ms, with no change of pitch.
    public var time: Double {
        get { parameters[.time] }
        set { parameters[.time] = newValue }
    }

    /// How loud each repeat is, relative to the one before, 0…95 %; 30 by default. A change takes
    /// 10 ms.
    public var feedback: Double {
        get { parameters[.feedback] }
        set { parameters[.feedback] = newValue }
    }

    /// Above which frequency each repeat loses 6 dB per octave, once more than the one before,
    /// 200…20,000 Hz; 5000 by default. At 20,000 repeats lose nothing. A change takes 10 ms.
    public var tone: Double {
        get { parameters[.tone] }
        set { parameters[.tone] = newValue }
    }

    /// The part of the repeats in the output, 0…100 %; 25 by default. The input has the rest. A
    /// change takes 10 ms.
    public var mix: Double {
        get { parameters[.mix] }
        set { parameters[.mix] = newValue }
    }

    override var sampleRate: Int? { rate }

    override func rendered(_ name: ParameterName, _ value: Double) -> Float {
        switch name {
        case .time: Float((value * Double(rate)).rounded())
        case .tone: Float(smoothing(value))
        default: Float(value / 100)
        }
    }

    /// The a of y = y·(1 − a) + x·a that has its −3 dB at `frequency`: with c = 1 − cos ω,
    /// a = √(c² + 2c) − c, from |a/(1 − (1 − a)·z⁻¹)|² = ½. Exactly 1, no filter, at 20 kHz.
    private func smoothing(_ frequency: Double) -> Double {
        guard frequency < 20_000 else { return 1 }
        let w = min(2 * Double.pi * frequency / Double(rate), Double.pi)
        let c = 1 - cos(w)
        return (c * c + 2 * c).squareRoot() - c
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        unsafe builder.add(.delay(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
