/// Takes away what lies below a frequency: steps, wind and rumble, which a microphone hears and
/// nobody sings. Adds no latency. Control thread.
public final class HighPassNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "high-pass",
        "Removes sound below a frequency, like footsteps and wind.",
        of: HighPassNode(),
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")])

    public override class var unit: UnitDescription { ownUnit }

    public override init(name: String = "high-pass") { super.init(name: name) }

    /// Where the sound has lost 3 dB, 20…2000 Hz; 80 by default. Values outside are brought to the
    /// nearest end, what is no number to 80. A change takes 10 ms. A filter above 0.45 of the sample
    /// rate is absent.
    @Parameter(.frequency, .hertz, 20...2000, default: 80, curve: .logarithmic, ramp: 10)
    public var frequency: Double

    /// What is lost per octave below the frequency; gentle by default. A change takes 10 ms.
    @Parameter(
        .slope, .choice(FilterSlope.allCases.map(\.rawValue)),
        0...Double(FilterSlope.allCases.count - 1), default: 0, ramp: 10)
    public var slope: FilterSlope

    /// The Q of each filter, with which together they are flat as far down as can be: Butterworth's
    /// 1/(2·cos(angle of the poles)).
    private static func qs(_ slope: FilterSlope) -> [Double] {
        switch slope {
        case .gentle: [1 / 2.0.squareRoot()]
        case .steep: [0.541_196_100_146_197, 1.306_562_964_876_377]
        }
    }

    /// The slot of each of two filters of 12 dB per octave.
    private static func slot(_ number: Int) -> ParameterAddress {
        ParameterAddress(.frequency, scope: .filter, element: number)
    }

    private static func coefficients(
        frequency: Double, slope: FilterSlope, sampleRate: Int
    ) -> [[Float]] {
        let qs = qs(slope)
        return (0..<2).map { number in
            FilterDesign.coefficients(
                number < qs.count ? .highPass : .off, frequency: frequency, gain: 0,
                q: number < qs.count ? qs[number] : 1, sampleRate: sampleRate
            ).floats
        }
    }

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [(slot: ParameterAddress, floats: [Float])] {
        guard let rendering, address.name != .bypass else { return [] }
        return Self.coefficients(
            frequency: value(ParameterAddress(.frequency)),
            slope: FilterSlope(value(ParameterAddress(.slope))), sampleRate: rendering.sampleRate
        ).enumerated().map { (Self.slot($0), $1) }
    }

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        let filters = Self.coefficients(
            frequency: frequency, slope: slope, sampleRate: rendering.sampleRate)
        return unsafe .equalizer(
            rendering.own(
                EqualizerKernel(
                    filters.enumerated().map { unsafe rendering.slot(Self.slot($0), $1) })))
    }
}
