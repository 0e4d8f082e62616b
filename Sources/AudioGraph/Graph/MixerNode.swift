/// Sums any number of mono and stereo buses to stereo, each with volume and pan.
///
/// Output bus 0 is the sum; further output buses are the inputs by themselves, after volume and
/// pan (`directBus`). Beside each input there is an input bus for gains (`gainBus`), by which
/// another unit turns that input down.
public final class MixerNode: AudioNode {
    private static let ownUnit = UnitDescription(
        .mixer, "mixer",
        "Mixes mono and stereo buses to stereo, each with volume, pan, mute and solo.",
        inputs: [
            BusDescription("input", count: 0...maximumInputs),
            BusDescription(
                "gain", kind: .control, first: maximumInputs, count: 0...maximumInputs),
        ],
        outputs: [
            BusDescription("sum", channels: 2...2),
            BusDescription("direct", channels: 2...2, first: 1, count: 0...maximumInputs),
        ],
        parameters: [
            .volume(scope: .input),
            ParameterDescription(.pan, scope: .input, .pan, -1...1, default: 0, ramp: 10),
            .onOff(.mute, scope: .input), .onOff(.solo, scope: .input),
            ParameterDescription(
                .panLaw, .choice(PanLaw.allCases.map(\.rawValue)),
                0...Double(PanLaw.allCases.count - 1), default: 0, ramp: 10),
            .volume(scope: .output),
        ] + ParameterDescription.meter(scope: .input))

    public override class var unit: UnitDescription { ownUnit }

    /// The most input buses.
    public static let maximumInputs = 256
    private static let law = ParameterAddress(.panLaw)
    private static let output = ParameterAddress(.volume, scope: .output)

    /// The input buses. `addInput` and `removeLastInput` change their number.
    public private(set) var inputs: [MixerInput] = []
    private let rate: Int
    private let mailbox = Shared(Mailbox(count: 1))
    private var kernel: Shared<MixerKernel>?

    /// A mixer of `inputs` buses, 0…256, for a graph of `sampleRate` Hz.
    public init(
        inputs count: Int, sampleRate: Int, panLaw: PanLaw = .constantPower, name: String = "mixer"
    ) {
        rate = sampleRate
        super.init(name: name)
        parameters.begin(Self.law, at: Double(PanLaw.allCases.firstIndex(of: panLaw) ?? 0))
        for _ in 0..<count { addInput() }
    }

    /// How all buses are panned; constant power by default. A change takes 10 ms.
    public var panLaw: PanLaw {
        get { Self.panLaw { parameters[$0] } }
        set {
            let index = PanLaw.allCases.firstIndex(of: newValue) ?? 0
            parameters.change(Self.law, to: Double(index))
        }
    }
    /// Volume of the sum, 0…4; 1 by default. A change takes 10 ms.
    public var outputVolume: Volume {
        get { Volume(gain: parameters[Self.output]) }
        set { parameters.change(Self.output, to: newValue.gain) }
    }

    /// The output bus of an input by itself, after its volume and pan.
    public static func directBus(of input: Int) -> Int { 1 + input }

    /// The input bus for the gains of an input, a control bus.
    public static func gainBus(of input: Int) -> Int { maximumInputs + input }

    /// Adds an input bus after the last, and returns it. There are at most 256.
    @discardableResult
    public func addInput() -> MixerInput {
        precondition(inputs.count < Self.maximumInputs, "a mixer has at most 256 inputs")
        let input = MixerInput(number: inputs.count, of: self, law: panLaw, sampleRate: rate)
        inputs.append(input)
        // Silent, where another bus is solo.
        parameters.deliver(input.address(.volume))
        return input
    }

    /// Removes the last input bus; its connections fade out in 10 ms.
    public func removeLastInput() {
        guard let last = inputs.last else { return }
        graph?.disconnect(self, bus: last.number)
        graph?.disconnect(self, bus: Self.gainBus(of: last.number))
        graph?.disconnectOutput(Self.directBus(of: last.number), of: self)
        if last.isSolo { last.isSolo = false }
        inputs.removeLast()
        parameters.forget(.input, element: last.number)
    }

    // MARK: Parameters

    override var sampleRate: Int? { rate }

    override func reading(of address: ParameterAddress) -> Double {
        inputs[address.element].levels.value(address.name)
    }

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        if address == Self.output {
            return [ParameterDelivery(mailbox, [Float(value(address))])]
        }
        // The law, and whether any bus is solo, concern all.
        let concerned =
            address.name == .panLaw || address.name == .solo ? inputs : [inputs[address.element]]
        let law = Self.panLaw(value)
        let isAnySolo = inputs.contains { value($0.address(.solo)) != 0 }
        return concerned.map { input in
            let lanes = input.matrix(law: law, isAnySolo: isAnySolo, value).lanes
            return ParameterDelivery(input.mailbox, lanes.indices.map { lanes[$0] })
        }
    }

    private static func panLaw(_ value: (ParameterAddress) -> Double) -> PanLaw {
        PanLaw.allCases[Int(value(law))]
    }

    // MARK: Buses

    public override var inputBusCount: Int { inputs.count }

    public override var outputBuses: Range<Int> { 0..<1 + inputs.count }

    override var controlInputs: [Int] { inputs.map { Self.gainBus(of: $0.number) } }

    override func kind(ofInput bus: Int) -> BusKind? {
        inputs.indices.contains(bus - Self.maximumInputs)
            ? .control : super.kind(ofInput: bus)
    }

    /// The input that an input bus belongs to, be it for sound or for gains.
    func input(ofBus bus: Int) -> MixerInput { inputs[bus % Self.maximumInputs] }

    override func passes(input: Int, to output: Int) -> Bool {
        output == 0 || output == Self.directBus(of: input)
    }

    /// Whether an input was not removed: its number may be another's now.
    func has(_ input: MixerInput) -> Bool {
        inputs.indices.contains(input.number) && inputs[input.number] === input
    }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { 2 }

    // MARK: Rendering

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(MixerKernel(mailbox: mailbox.pointer), keeping: mailbox)
    }

    override func emit(into builder: PlanBuilder) {
        guard let kernel else { return }
        var direct: [Bus] = []
        // Removed inputs that are still fading out come after the present ones.
        for input in inputs + builder.removedInputs(of: self) {
            guard let source = builder.connectedInput(through: input) else { continue }
            input.channelCount = source.channelCount
            let gains = builder.gains(for: input)
            let out = builder.bus(.audio, channelCount: 2)
            unsafe builder.add(
                .mixerInput(builder.keep(input.kernel)), from: [source, gains], to: [out])
            // The number of a removed input may be another's by now.
            if input.number >= inputs.count || has(input) {
                builder.set(out, output: Self.directBus(of: input.number), of: self)
            }
            direct.append(out)
        }
        let sum = builder.bus(.audio, channelCount: 2)
        unsafe builder.add(.mixer(builder.keep(kernel)), from: direct, to: [sum])
        builder.set(sum, output: 0, of: self)
    }
}
