/// Makes loud parts softer, so that soft ones can be heard beside them: one gain for both sides, and
/// no latency.
///
/// The level is the loudest sample of the last 12.5 ms, of either side. Above the threshold every
/// `ratio` dB of it become 1 dB; the gain follows with attack and release (Giannoulis, Massberg,
/// Reiss, "Digital Dynamic Range Compressor Design", 2012: feed-forward, in decibels, smooth branching
/// detector). Values outside a range are brought to its nearest end, what is no number to the default.
/// Control thread.
public final class CompressorNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "compressor",
        "Turns loud parts down, by the same gain on both sides and without latency.",
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        parameters: [
            ParameterDescription(.threshold, .decibels, -60...0, default: -20, ramp: 10),
            ParameterDescription(
                .ratio, .number, 1...20, default: 3, curve: .logarithmic, ramp: 10),
            ParameterDescription(.knee, .decibels, 0...24, default: 6, ramp: 10),
            ParameterDescription(
                .attack, .seconds, 0.0001...0.2, default: 0.005, curve: .logarithmic),
            ParameterDescription(
                .release, .seconds, 0.02...2, default: 0.1, curve: .logarithmic),
            ParameterDescription(.makeUp, .decibels, 0...18, default: 0, ramp: 10),
            .reduction, .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private let rate: Int
    private let reading = Shared(ReductionReading())
    private lazy var kernel = unsafe Shared(
        CompressorKernel(ramps, reading: reading.pointer, sampleRate: rate),
        keepingAll: numbers.all + [reading])

    /// - Parameters:
    ///   - sampleRate: the graph's rate in Hz, above 0.
    ///   - name: the node's name.
    public init(sampleRate: Int, name: String = "compressor") {
        precondition(sampleRate > 0)
        rate = sampleRate
        super.init(
            name: name, numbers: [.threshold, .ratio, .knee, .attack, .release, .makeUp])
    }

    /// Above which level the sound is made softer, −60…0 dBFS; −20 by default. A change takes 10 ms.
    public var threshold: Decibels {
        get { parameters[decibels: .threshold] }
        set { parameters[decibels: .threshold] = newValue }
    }

    /// How many dB above the threshold become 1 dB, 1…20; 3 by default. A change takes 10 ms.
    public var ratio: Double {
        get { parameters[.ratio] }
        set { parameters[.ratio] = newValue }
    }

    /// Over how many dB around the threshold the ratio sets in, 0…24; 6 by default. A change takes
    /// 10 ms.
    public var knee: Decibels {
        get { parameters[decibels: .knee] }
        set { parameters[decibels: .knee] = newValue }
    }

    /// How long it takes from a louder sound on to 63 % of the dB that the gain goes down,
    /// 0.0001…0.2 s; 0.005 by default.
    public var attack: Double {
        get { parameters[.attack] }
        set { parameters[.attack] = newValue }
    }

    /// How long it takes from a softer sound on to 63 % of the dB that the gain comes back, 0.02…2 s;
    /// 0.1 by default.
    public var release: Double {
        get { parameters[.release] }
        set { parameters[.release] = newValue }
    }

    /// By how much everything is made louder, 0…18 dB; 0 by default. A change takes 10 ms.
    public var makeUp: Decibels {
        get { parameters[decibels: .makeUp] }
        set { parameters[decibels: .makeUp] = newValue }
    }

    /// By how much the sound is made softer now, in dB, at most 0, without the make-up; 0 while the
    /// node is bypassed.
    public var gainReduction: Decibels {
        Decibels(isBypassed ? 0 : unsafe reading.pointer.pointee.decibels)
    }

    override var sampleRate: Int? { rate }

    override func reading(of address: ParameterAddress) -> Double { gainReduction.value }

    override func rendered(_ name: ParameterName, _ value: Double) -> Float {
        switch name {
        case .ratio: Float(1 - 1 / value)
        case .attack: BranchingSmoother.speed(seconds: value, sampleRate: rate)
        case .release:
            // The level falls when the last loud sample has left the window.
            BranchingSmoother.speed(
                seconds: value - PeakWindow.seconds, sampleRate: rate)
        default: Float(value / BinaryLogarithm.decibels)
        }
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        unsafe builder.add(.compressor(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
