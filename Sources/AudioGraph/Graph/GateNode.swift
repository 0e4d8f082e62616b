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
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        parameters: [
            ParameterDescription(.threshold, .decibels, -80...0, default: -45),
            ParameterDescription(.hysteresis, .decibels, 0...20, default: 6),
            ParameterDescription(
                .attack, .seconds, 0.0001...0.1, default: 0.001, curve: .logarithmic),
            ParameterDescription(.hold, .seconds, 0.02...2, default: 0.1, curve: .logarithmic),
            ParameterDescription(
                .release, .seconds, 0.005...2, default: 0.1, curve: .logarithmic),
            ParameterDescription(.depth, .decibels, -80...0, default: -60),
            .reduction, .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private let rate: Int
    private let reading = Shared(ReductionReading())
    private lazy var kernel = unsafe Shared(
        GateKernel(ramps, reading: reading.pointer, sampleRate: rate),
        keepingAll: numbers.all + [reading])

    /// - Parameters:
    ///   - sampleRate: the graph's rate in Hz, above 0.
    ///   - name: the node's name.
    public init(sampleRate: Int, name: String = "gate") {
        precondition(sampleRate > 0)
        rate = sampleRate
        super.init(
            name: name, numbers: [.threshold, .hysteresis, .attack, .hold, .release, .depth])
    }

    /// Above which level the gate opens, −80…0 dBFS; −45 by default.
    public var threshold: Decibels {
        get { parameters[decibels: .threshold] }
        set { parameters[decibels: .threshold] = newValue }
    }

    /// By how much the level must be below the threshold before the gate closes, 0…20 dB; 6 by
    /// default.
    public var hysteresis: Decibels {
        get { parameters[decibels: .hysteresis] }
        set { parameters[decibels: .hysteresis] = newValue }
    }

    /// How long it takes to 63 % of the dB that the gain goes up when the gate opens, 0.0001…0.1 s;
    /// 0.001 by default.
    public var attack: Double {
        get { parameters[.attack] }
        set { parameters[.attack] = newValue }
    }

    /// How long the gate stays open after the last sample that is loud enough, 0.02…2 s; 0.1 by
    /// default.
    public var hold: Double {
        get { parameters[.hold] }
        set { parameters[.hold] = newValue }
    }

    /// How long it takes to 63 % of the dB that the gain goes down when the gate closes, 0.005…2 s;
    /// 0.1 by default.
    public var release: Double {
        get { parameters[.release] }
        set { parameters[.release] = newValue }
    }

    /// How loud the sound is while the gate is closed, −80…0 dB; −60 by default.
    public var depth: Decibels {
        get { parameters[decibels: .depth] }
        set { parameters[decibels: .depth] = newValue }
    }

    /// By how much the sound is turned down now, in dB, at most 0; 0 while the node is bypassed.
    public var gainReduction: Decibels {
        Decibels(isBypassed ? 0 : unsafe reading.pointer.pointee.decibels)
    }

    override var sampleRate: Int? { rate }

    override func reading(of address: ParameterAddress) -> Double { gainReduction.value }

    override func rendered(_ name: ParameterName, _ value: Double) -> Float {
        switch name {
        case .threshold: Float(Decibels(value).gain)
        case .hysteresis: Float(Decibels(-value).gain)
        case .hold: PeakWindow.frames(afterTheLast: value, sampleRate: rate)
        case .depth: Float(-value / BinaryLogarithm.decibels)
        default: BranchingSmoother.speed(seconds: value, sampleRate: rate)
        }
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        unsafe builder.add(.gate(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
