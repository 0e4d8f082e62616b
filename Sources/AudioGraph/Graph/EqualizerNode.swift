/// An equalizer: ten bands an octave apart with a fader each, and eight free filters behind them.
///
/// At every band's centre the sound changes by what the fader says, whatever its neighbours say
/// (`GraphicDesign`). A preset that makes music louder also turns `gain` down by as much. Bands and filters above 0.45 of the sample rate are absent. Control thread.
public final class EqualizerNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "equalizer",
        "Boosts or cuts frequencies, with ten bands and eight free filters.",
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        parameters: [
            ParameterDescription(
                .frequency, scope: .band, .hertz, 31.25...16_000, default: 31.25,
                curve: .logarithmic, isReadOnly: true),
            ParameterDescription(.gain, scope: .band, .decibels, -12...12, default: 0, ramp: 10),
            ParameterDescription(
                .kind, scope: .filter, .choice(FilterKind.allCases.map(\.rawValue)),
                0...Double(FilterKind.allCases.count - 1), default: 0, ramp: 10),
            ParameterDescription(
                .frequency, scope: .filter, .hertz, 20...20_000, default: 1000,
                curve: .logarithmic, ramp: 10),
            ParameterDescription(.gain, scope: .filter, .decibels, -12...12, default: 0, ramp: 10),
            ParameterDescription(
                .q, scope: .filter, .number, 0.3...10, default: 1, curve: .logarithmic, ramp: 10),
            ParameterDescription(.gain, scope: .global, .decibels, -24...0, default: 0, ramp: 10),
            .onOff(.bypass),
        ],
        properties: [
            PropertyDescription("bands", .count), PropertyDescription("filters", .count),
        ],
        presets: EqualizerPresets.all)

    public override class var unit: UnitDescription { ownUnit }

    /// How many bands there are.
    public static let bandCount = GraphicDesign.count
    /// How many free filters there are.
    public static let filterCount = 8

    private let rate: Int
    /// One for each band, then one for each free filter.
    private let mailboxes = (0..<bandCount + filterCount).map { _ in
        Shared(Mailbox(count: FilterCoefficients.floatCount))
    }
    private lazy var kernel = unsafe Shared(
        EqualizerKernel(mailboxes: mailboxes.map { unsafe $0.pointer }),
        keepingAll: mailboxes)

    /// An equalizer with all faders at 0 dB and all filters off, which changes no sample.
    ///
    /// - Parameters:
    ///   - sampleRate: the graph's rate in Hz, above 0.
    ///   - name: the node's name.
    public init(sampleRate: Int, name: String = "equalizer") {
        precondition(sampleRate > 0)
        rate = sampleRate
        super.init(name: name)
    }

    /// The bands, from 31.25 Hz to 16 kHz.
    public var bands: [EqualizerBand] {
        (0..<Self.bandCount).map { EqualizerBand(number: $0, of: self) }
    }

    /// The free filters.
    public var filters: [EqualizerFilter] {
        (0..<Self.filterCount).map { EqualizerFilter(number: $0, of: self) }
    }

    /// How much softer everything becomes, −24…0 dB; 0 by default. Presets set it.
    public var gain: Decibels {
        get { parameters[decibels: .gain] }
        set { parameters[decibels: .gain] = newValue }
    }

    override var sampleRate: Int? { rate }

    override func elementCount(in scope: Scope) -> Int {
        switch scope {
        case .band: Self.bandCount
        case .filter: Self.filterCount
        default: super.elementCount(in: scope)
        }
    }

    override func reading(of address: ParameterAddress) -> Double {
        GraphicDesign.frequency(of: address.element)
    }

    public override func property(_ name: String) -> PropertyValue? {
        switch name {
        case "bands": .number(Int64(Self.bandCount))
        case "filters": .number(Int64(Self.filterCount))
        default: super.property(name)
        }
    }

    /// A fader moves all bands, since the gain of each is solved for all faders; a free filter
    /// stands by itself. The gain is a part of the lowest band, which every rate has.
    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        switch address.scope {
        case .band:
            let faders = bands.map { value($0.address) }
            var filters = GraphicDesign.coefficients(faders: faders, sampleRate: rate)
            filters[0] = filters[0].amplified(by: Decibels(value(ParameterAddress(.gain))).gain)
            return zip(mailboxes, filters).map { ParameterDelivery($0, $1.floats) }
        case .filter:
            let filter = EqualizerFilter(number: address.element, of: self)
            let coefficients = FilterDesign.coefficients(
                EqualizerFilter.kind(of: value(filter.address(.kind))),
                frequency: value(filter.address(.frequency)), gain: value(filter.address(.gain)),
                q: value(filter.address(.q)), sampleRate: rate)
            let mailbox = mailboxes[Self.bandCount + address.element]
            return [ParameterDelivery(mailbox, coefficients.floats)]
        case .global where address.name == .gain:
            let lowest = ParameterAddress(.gain, scope: .band, element: 0)
            return Array(deliveries(for: lowest, value).prefix(1))
        default: return []
        }
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        unsafe builder.add(.equalizer(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
