import Synchronization

/// Keeps its input at or below a ceiling, with one gain for both sides and without latency.
public final class LimiterNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "limiter",
        "Keeps peaks below a ceiling, by the same gain on both sides and without latency.",
        inputs: [BusDescription("input")],
        outputs: [
            BusDescription("output"), BusDescription("gain", kind: .control, first: gainBus),
        ],
        parameters: [
            ParameterDescription(.ceiling, .decibels, -60...0, default: -0.3, ramp: 10),
            .reduction, .onOff(.bypass),
        ],
        presets: [
            Preset("full", [ParameterAddress(.ceiling): -0.3]),
            Preset("streaming", [ParameterAddress(.ceiling): -1]),
            Preset("headroom", [ParameterAddress(.ceiling): -6]),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// The output bus with the limiter's gain of every frame, a control bus.
    public static let gainBus = 1

    private let controls = Shared(LimiterKernel.Controls())
    private let mailbox = Shared(Mailbox(count: 1))
    private var kernel: Shared<LimiterKernel>?

    public init(ceiling: Decibels = Decibels(-0.3), name: String = "limiter") {
        super.init(name: name)
        self.ceiling = ceiling
    }

    /// The largest magnitude of the output, −60…0 dBFS; −0.3 by default. Values outside are brought
    /// to the nearest end. A change takes 10 ms.
    public var ceiling: Decibels {
        get { Decibels(parameters[ParameterAddress(.ceiling)]) }
        set {
            let value = newValue.value.isNaN ? 0 : min(max(newValue.value, -60), 0)
            parameters.change(ParameterAddress(.ceiling), to: value)
        }
    }

    /// The limiter's present gain in dB, at most 0; 0 while it is bypassed.
    public var gainReduction: Decibels {
        isBypassed
            ? Decibels(0)
            : Decibels(
                gain: Double(unsafe controls.pointer.pointee.gain.load(ordering: .relaxed)))
    }

    override func reading(of address: ParameterAddress) -> Double { gainReduction.value }

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        guard address.name == .ceiling else { return [] }
        let gain = Self.gain(of: Decibels(value(address)))
        return [ParameterDelivery(mailbox, [gain])]
    }

    /// 10^(dB/20), rounded down, so that no sample exceeds the ceiling.
    private static func gain(of ceiling: Decibels) -> Float {
        let exact = ceiling.gain
        let nearest = Float(exact)
        return Double(nearest) > exact ? nearest.nextDown : nearest
    }

    public override var outputBuses: Range<Int> { 0..<2 }

    override func kind(ofOutput bus: Int) -> BusKind? {
        bus == Self.gainBus ? .control : super.kind(ofOutput: bus)
    }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        bus == Self.gainBus ? 1 : graph.inputChannelCount(of: self, bus: 0)
    }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(
            LimiterKernel(
                controls: controls.pointer, mailbox: mailbox.pointer,
                ceiling: Self.gain(of: ceiling),
                sampleRate: graph.sampleRate),
            keeping: controls, mailbox)
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        guard let kernel else { return }
        let gains = builder.bus(.control)
        unsafe builder.add(.limiter(builder.keep(kernel)), from: [bus], to: [bus, gains])
        builder.set(gains, output: Self.gainBus, of: self)
    }
}
