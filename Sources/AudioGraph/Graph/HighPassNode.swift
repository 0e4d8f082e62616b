/// Takes away what lies below a frequency: steps, wind and rumble, which a microphone hears and
/// nobody sings. Adds no latency. Control thread.
public final class HighPassNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "high-pass",
        "Removes sound below a frequency, like footsteps and wind.",
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        parameters: [
            ParameterDescription(
                .frequency, .hertz, 20...2000, default: 80, curve: .logarithmic, ramp: 10),
            ParameterDescription(
                .slope, .choice(FilterSlope.allCases.map(\.rawValue)),
                0...Double(FilterSlope.allCases.count - 1), default: 0, ramp: 10),
            .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private static let frequency = ParameterAddress(.frequency)
    private static let slope = ParameterAddress(.slope)

    private let rate: Int
    /// One for each of two filters of 12 dB per octave.
    private let mailboxes = (0..<2).map { _ in
        Shared(Mailbox(count: FilterCoefficients.floatCount))
    }
    private lazy var kernel = unsafe Shared(
        EqualizerKernel(mailboxes: mailboxes.map { unsafe $0.pointer }),
        keepingAll: mailboxes)

    /// - Parameters:
    ///   - sampleRate: the graph's rate in Hz, above 0.
    ///   - name: the node's name.
    public init(sampleRate: Int, name: String = "high-pass") {
        precondition(sampleRate > 0)
        rate = sampleRate
        super.init(name: name)
        parameters.begin(Self.frequency, at: 80)
    }

    /// Where the sound has lost 3 dB, 20…2000 Hz; 80 by default. Values outside are brought to the
    /// nearest end, what is no number to 80. A change takes 10 ms. A filter above 0.45 of the sample
    /// rate is absent.
    public var frequency: Double {
        get { parameters[Self.frequency] }
        set { parameters.change(Self.frequency, toNearest: newValue) }
    }

    /// What is lost per octave below the frequency; gentle by default. A change takes 10 ms.
    public var slope: FilterSlope {
        get { FilterSlope.allCases[Int(parameters[Self.slope])] }
        set {
            let index = FilterSlope.allCases.firstIndex(of: newValue) ?? 0
            parameters.change(Self.slope, to: Double(index))
        }
    }

    override var sampleRate: Int? { rate }

    /// The Q of each filter, with which together they are flat as far down as can be: Butterworth's
    /// 1/(2·cos(angle of the poles)).
    private static func qs(_ slope: FilterSlope) -> [Double] {
        switch slope {
        case .gentle: [1 / 2.0.squareRoot()]
        case .steep: [0.541_196_100_146_197, 1.306_562_964_876_377]
        }
    }

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        guard address == Self.frequency || address == Self.slope else { return [] }
        let qs = Self.qs(FilterSlope.allCases[Int(value(Self.slope))])
        return mailboxes.enumerated().map { number, mailbox in
            let kind = number < qs.count ? FilterKind.highPass : .off
            let coefficients = FilterDesign.coefficients(
                kind, frequency: value(Self.frequency), gain: 0,
                q: number < qs.count ? qs[number] : 1, sampleRate: rate)
            return ParameterDelivery(mailbox, coefficients.floats)
        }
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        unsafe builder.add(.equalizer(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
