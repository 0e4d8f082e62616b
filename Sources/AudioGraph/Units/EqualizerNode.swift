/// An equalizer: ten bands an octave apart with a fader each, and eight free filters behind them.
///
/// At every band's centre the sound changes by what the fader says, whatever its neighbours say
/// (`GraphicDesign`). A preset that makes music louder also turns `gain` down by as much. Bands and filters above 0.45 of the sample rate are absent. Control thread.
public final class EqualizerNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "equalizer",
        "Boosts or cuts frequencies, with ten bands and eight free filters.",
        of: EqualizerNode(),
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        properties: [
            PropertyDescription("bands", .count), PropertyDescription("filters", .count),
        ],
        presets: EqualizerPresets.all)

    public override class var unit: UnitDescription { ownUnit }

    /// How many bands there are.
    public static let bandCount = GraphicDesign.count
    /// How many free filters there are.
    public static let filterCount = 8

    /// An equalizer with all faders at 0 dB and all filters off, which changes no sample.
    public override init(name: String = "equalizer") { super.init(name: name) }

    /// The bands, from 31.25 Hz to 16 kHz.
    public private(set) lazy var bands = (0..<Self.bandCount).map {
        EqualizerBand(number: $0, of: self)
    }

    /// The free filters.
    public private(set) lazy var filters = (0..<Self.filterCount).map {
        EqualizerFilter(number: $0, of: self)
    }

    /// How much softer everything becomes, −24…0 dB; 0 by default. Presets set it.
    @Parameter(.gain, .decibels, -24...0, default: 0, ramp: 10) public var gain: Decibels

    override var partsOfParameters: [any ParameterOwner] { [bands[0], filters[0], self] }

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

    /// The coefficients of all bands. A fader moves all of them, since the gain of each is solved for
    /// all faders. The gain is a part of the lowest band, which every rate has.
    private func bandCoefficients(
        sampleRate: Int, _ value: (ParameterAddress) -> Double
    ) -> [FilterCoefficients] {
        var filters = GraphicDesign.coefficients(
            faders: (0..<Self.bandCount).map { value(Self.band($0)) }, sampleRate: sampleRate)
        filters[0] = filters[0].amplified(by: Decibels(value(ParameterAddress(.gain))).gain)
        return filters
    }

    private func filterCoefficients(
        _ number: Int, sampleRate: Int, _ value: (ParameterAddress) -> Double
    ) -> FilterCoefficients {
        func at(_ name: ParameterName) -> Double { value(Self.filter(name, number)) }
        return FilterDesign.coefficients(
            FilterKind(at(.kind)), frequency: at(.frequency), gain: at(.gain), q: at(.q),
            sampleRate: sampleRate)
    }

    private static func band(_ number: Int) -> ParameterAddress {
        ParameterAddress(.gain, scope: .band, element: number)
    }

    private static func filter(_ name: ParameterName, _ number: Int) -> ParameterAddress {
        ParameterAddress(name, scope: .filter, element: number)
    }

    /// Each band and each free filter has a slot for its coefficients.
    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [(slot: ParameterAddress, floats: [Float])] {
        guard let rate = rendering?.sampleRate, address.name != .bypass else { return [] }
        if address.scope == .filter {
            let coefficients = filterCoefficients(address.element, sampleRate: rate, value)
            return [(Self.filter(.kind, address.element), coefficients.floats)]
        }
        let bands = bandCoefficients(sampleRate: rate, value)
        return bands.indices.prefix(address.scope == .band ? bands.count : 1).map {
            (Self.band($0), bands[$0].floats)
        }
    }

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        let rate = rendering.sampleRate
        let bands = bandCoefficients(sampleRate: rate) { parameters[$0] }
        let filters = (0..<Self.filterCount).map { number in
            filterCoefficients(number, sampleRate: rate) { parameters[$0] }
        }
        return unsafe .equalizer(
            rendering.own(
                EqualizerKernel(
                    bands.enumerated().map { unsafe rendering.slot(Self.band($0), $1.floats) }
                        + filters.enumerated().map {
                            unsafe rendering.slot(Self.filter(.kind, $0), $1.floats)
                        })))
    }
}

/// A band of an equalizer. Control thread.
public final class EqualizerBand: ParameterOwner {
    /// The band's number, from 0.
    public let number: Int
    private weak var equalizer: EqualizerNode?

    init(number: Int, of equalizer: EqualizerNode) {
        self.number = number
        self.equalizer = equalizer
    }

    /// The band's centre in Hz: 31.25·2^number.
    @Reading(.frequency, .hertz, 31.25...16_000, default: 31.25) public var frequency: Double

    /// By how much the sound at the centre is changed, −12…12 dB; 0 by default. Values outside are
    /// brought to the nearest end, what is no number to 0. A change takes 10 ms.
    @Parameter(.gain, .decibels, -12...12, default: 0, ramp: 10) public var gain: Decibels

    public var unitOfParameters: AudioNode? { equalizer }
    public var parameterScope: Scope { .band }
    public var parameterElement: Int { number }
}

/// A free filter of an equalizer. Every change takes 10 ms. Values outside a range are brought to
/// its nearest end, what is no number to the default. Control thread.
public final class EqualizerFilter: ParameterOwner {
    /// The filter's number, from 0.
    public let number: Int
    private weak var equalizer: EqualizerNode?

    init(number: Int, of equalizer: EqualizerNode) {
        self.number = number
        self.equalizer = equalizer
    }

    /// What the filter does; off by default.
    @Parameter(
        .kind, .choice(FilterKind.allCases.map(\.rawValue)),
        0...Double(FilterKind.allCases.count - 1), default: 0, ramp: 10)
    public var kind: FilterKind

    /// The middle of a peak, the corner of a pass, or where a shelf has half of its dB, in Hz:
    /// 20…20,000; 1000 by default. A filter above 0.45 of the sample rate is absent.
    @Parameter(
        .frequency, .hertz, 20...20_000, default: 1000, curve: .logarithmic, ramp: 10)
    public var frequency: Double

    /// By how much a peak or a shelf changes the sound, −12…12 dB; 0 by default. A cut is the
    /// inverse of the boost. Passes do not use it.
    @Parameter(.gain, .decibels, -12...12, default: 0, ramp: 10) public var gain: Decibels

    /// How narrow a peak is: its frequency through the distance of the two at which it has half of
    /// its dB; of shelves and passes how much they resonate (0.71: not at all). 0.3…10; 1 by
    /// default. More than √2 counts as √2 for shelves, more than 2 as 2 for passes.
    @Parameter(.q, .number, 0.3...10, default: 1, curve: .logarithmic, ramp: 10)
    public var q: Double

    public var unitOfParameters: AudioNode? { equalizer }
    public var parameterScope: Scope { .filter }
    public var parameterElement: Int { number }
}
