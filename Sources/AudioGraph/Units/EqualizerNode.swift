/// An equalizer: ten bands an octave apart with a fader each, and eight free filters behind them.
///
/// At every band's centre the sound changes by what the fader says, whatever its neighbours say
/// (`GraphicDesign`). A preset that makes music louder also turns `gain` down by as much. Bands and
/// filters above 0.45 of the sample rate are absent. Control thread.
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
    @Parameter(.frequency, .hertz, 20...20_000, default: 1000, curve: .logarithmic, ramp: 10)
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

/// An equalizer or a high-pass in a plan: a chain of filters, each with a slot for its
/// coefficients. Input 0 and output 0 are the same buffers, mono or stereo.
@safe struct EqualizerKernel: ~Copyable {
    /// After so many frames the filters look whether what sounds on is over. Counted from the first
    /// frame, so that it is the same for any split into slices.
    private static var pace: Int { @_noLocks get { 64 } }

    private let slots: UnsafeMutablePointer<UnsafeMutablePointer<ParameterSlot>>
    private let sections: UnsafeMutablePointer<FilterSection>
    private let count: Int
    /// At most `pace` frames on their way through the filters.
    private let frames: UnsafeMutablePointer<SIMD2<Double>>
    private var untilSettled = Self.pace

    /// - Parameter slots: one for each filter, for its coefficients.
    init(_ slots: [UnsafeMutablePointer<ParameterSlot>]) {
        unsafe count = slots.count
        unsafe self.slots = .allocate(capacity: count)
        unsafe sections = .allocate(capacity: count)
        unsafe frames = .allocate(capacity: Self.pace)
        for i in 0..<count {
            unsafe (self.slots + i).initialize(to: slots[i])
        }
        unsafe sections.initialize(repeating: FilterSection(), count: count)
        unsafe frames.initialize(repeating: .zero, count: Self.pace)
    }

    deinit {
        unsafe slots.deallocate()
        unsafe sections.deallocate()
        unsafe frames.deallocate()
    }

    @_noLocks private mutating func reset() {
        take()
        for i in 0..<count { unsafe sections[i].reset() }
        untilSettled = Self.pace
    }

    @_noLocks private mutating func take() {
        for i in 0..<count {
            guard let new = unsafe slots[i].pointee.take() else { continue }
            var lanes = SIMD8<Double>.zero
            for lane in 0..<FilterCoefficients.floatCount {
                lanes[lane] = unsafe Double(new.floats[lane])
            }
            unsafe sections[i].aim(at: FilterCoefficients(lanes: lanes), over: new.ramp)
        }
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        take()
        let (out, total) = unsafe (outputs[0], slice.count)
        var (isFlat, isSilent) = (true, true)
        for i in 0..<count {
            isFlat = unsafe isFlat && sections[i].isFlat
            isSilent = unsafe isSilent && sections[i].isSilent
        }
        let isIdle = isFlat || (isSilent && out.isAtRest)
        if !isIdle { out.isAtRest = false }
        var done = 0
        while done < total {
            let part = min(total - done, untilSettled)
            if isIdle {
                for i in 0..<count { unsafe sections[i].skip(part) }
            } else {
                unsafe filter(out.stereo, from: done, count: part)
            }
            done += part
            untilSettled -= part
            if untilSettled == 0 {
                for i in 0..<count { unsafe sections[i].settle() }
                untilSettled = Self.pace
            }
        }
    }

    /// Takes at most `pace` frames through all filters that are not flat.
    @_noLocks private func filter(_ samples: StereoSamples, from start: Int, count part: Int) {
        let (left, right) = unsafe (samples.left + start, samples.right + start)
        for i in 0..<part {
            unsafe frames[i] = SIMD2(Double(left[i]), Double(right[i]))
        }
        // Two at once.
        var waiting = -1
        for i in 0..<count where unsafe !sections[i].isFlat {
            if waiting < 0 {
                waiting = i
            } else {
                unsafe sections[waiting].process(frames, count: part, then: &sections[i])
                waiting = -1
            }
        }
        if waiting >= 0 { unsafe sections[waiting].process(frames, count: part) }
        for i in 0..<part {
            unsafe left[i] = Float(frames[i].x)
            unsafe right[i] = Float(frames[i].y)
        }
    }
}

/// The factory presets of the equalizer: the gain in dB, which takes back what the faders make pink
/// noise louder by ITU-R BS.1770-4, and what the ten faders are at, in dB, from 31.25 Hz to 16 kHz.
/// To compute the gains took a quarter of the program's start, so EqualizerLoudnessTests does it.
enum EqualizerPresets {
    static let all: [Preset] = settings.map { name, gain, faders in
        var values = [ParameterAddress(.gain): gain]
        for (band, fader) in faders.enumerated() {
            values[ParameterAddress(.gain, scope: .band, element: band)] = fader
        }
        return Preset(name, values)
    }

    private static let settings: [(name: String, gain: Double, faders: [Double])] = [
        ("acoustic", -3.12, [5, 4.9, 3.95, 1.05, 2.15, 1.75, 3.5, 4.1, 3.55, 2.15]),
        ("bass-booster", -0.93, [5.5, 4.25, 3.5, 2.5, 1.25, 0, 0, 0, 0, 0]),
        ("bass-reducer", 0, [-5.5, -4.25, -3.5, -2.5, -1.25, 0, 0, 0, 0, 0]),
        ("classical", -2.18, [4.75, 3.75, 3, 2.5, -1.5, -1.5, 0, 2.25, 3.25, 3.75]),
        ("dance", -3.55, [3.57, 6.55, 4.99, 0, 1.92, 3.65, 5.15, 4.54, 3.59, 0]),
        ("deep", -0.14, [4.95, 3.55, 1.75, 1, 2.85, 2.5, 1.45, -2.15, -3.55, -4.6]),
        ("electronic", -2.44, [4.25, 3.8, 1.2, 0, -2.15, 2.25, 0.85, 1.25, 3.95, 4.8]),
        ("flat", 0, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("hip-hop", -1.53, [5, 4.25, 1.5, 3, -1, -1, 1.5, -0.5, 2, 3]),
        ("jazz", -1.83, [4, 3, 1.5, 2.25, -1.5, -1.5, 0, 1.5, 3, 3.75]),
        ("latin", -1.48, [4.5, 3, 0, 0, -1.5, -1.5, -1.5, 0, 3, 4.5]),
        ("loudness", -1, [6, 4, 0, 0, -2, 0, -1, -5, 5, 1]),
        ("lounge", -0.99, [-3, -1.5, -0.5, 1.5, 4, 2.5, 0, -1.5, 2, 1]),
        ("piano", -3.07, [3, 2, 0, 2.5, 3, 1.5, 3.5, 4.5, 3, 3.5]),
        ("pop", -1, [-1.5, -1, 0, 2, 4, 4, 2, 0, -1, -1.5]),
        ("r&b", -2.76, [2.62, 6.93, 5.65, 1.33, -2.19, -1.5, 2.32, 2.65, 3, 3.75]),
        ("rock", -2.49, [5, 4, 3, 1.5, -0.5, -1, 0.5, 2.5, 3.5, 4.5]),
        ("small-speakers", 0, [5.5, 4.25, 3.5, 2.5, 1.25, 0, -1.25, -2.5, -3.5, -4.25]),
        ("spoken-word", -2.91, [-3.46, -0.47, 0, 0.69, 3.46, 4.61, 4.84, 4.28, 2.54, 0]),
        ("treble-booster", -3.03, [0, 0, 0, 0, 0, 1.25, 2.5, 3.5, 4.25, 5.5]),
        ("treble-reducer", 0, [0, 0, 0, 0, 0, -1.25, -2.5, -3.5, -4.25, -5.5]),
        ("vocal-booster", -1.3, [-1.5, -3, -3, 1.5, 3.75, 3.75, 3, 1.5, 0, -1.5]),
    ]
}
