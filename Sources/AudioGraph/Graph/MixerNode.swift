import Synchronization

/// Sums any number of mono and stereo buses to stereo, each with volume and pan.
///
/// Output bus 0 is the sum; further output buses are the inputs by themselves, after volume and
/// pan (`directBus`). Beside each input there is an input bus for gains (`gainBus`), by which
/// another unit turns that input down.
public final class MixerNode: AudioNode {
    /// The most input buses.
    public static let maximumInputs = 256

    /// The input buses. `addInput` and `removeLastInput` change their number.
    public private(set) var inputs: [MixerInput] = []
    /// How all buses are panned; constant power by default. A change takes 10 ms.
    public var panLaw: PanLaw {
        didSet { for input in inputs { input.law = panLaw } }
    }
    /// Volume of the sum, 0…4; 1 by default. A change takes 10 ms.
    public var outputVolume: Volume = .unity {
        didSet {
            unsafe outputGain.pointer.pointee.store(
                Float(outputVolume.gain), ordering: .relaxed)
        }
    }
    private let sampleRate: Int
    private let outputGain = Shared(Atomic<Float>(1))
    private var kernel: Shared<MixerKernel>?

    /// A mixer of `inputs` buses, 0…256, for a graph of `sampleRate` Hz.
    public init(
        inputs count: Int, sampleRate: Int, panLaw: PanLaw = .constantPower, name: String = "mixer"
    ) {
        self.panLaw = panLaw
        self.sampleRate = sampleRate
        super.init(name: name)
        for _ in 0..<count { addInput() }
    }

    /// The output bus of an input by itself, after its volume and pan.
    public static func directBus(of input: Int) -> Int { 1 + input }

    /// The input bus for the gains of an input, a control bus.
    public static func gainBus(of input: Int) -> Int { maximumInputs + input }

    /// Adds an input bus after the last, and returns it. There are at most 256.
    @discardableResult
    public func addInput() -> MixerInput {
        precondition(inputs.count < Self.maximumInputs, "a mixer has at most 256 inputs")
        let input = MixerInput(number: inputs.count, law: panLaw, sampleRate: sampleRate)
        inputs.append(input)
        return input
    }

    /// Removes the last input bus; its connections fade out in 10 ms.
    public func removeLastInput() {
        guard let last = inputs.last?.number else { return }
        graph?.disconnect(self, bus: last)
        graph?.disconnect(self, bus: Self.gainBus(of: last))
        graph?.disconnectOutput(Self.directBus(of: last), of: self)
        inputs.removeLast()
    }

    public override var inputBusCount: Int { inputs.count }

    public override var outputBuses: Range<Int> { 0..<1 + inputs.count }

    override var controlInputs: [Int] { inputs.map { Self.gainBus(of: $0.number) } }

    override func kind(ofInput bus: Int) -> BusKind? {
        inputs.indices.contains(bus - Self.maximumInputs)
            ? .control : super.kind(ofInput: bus)
    }

    /// The input that an input bus belongs to, be it for sound or for gains.
    func input(ofBus bus: Int) -> MixerInput { inputs[bus % Self.maximumInputs] }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { 2 }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(
            MixerKernel(outputGain: outputGain.pointer, sampleRate: graph.sampleRate))
    }

    override func emit(into builder: PlanBuilder) {
        guard let kernel else { return }
        var direct: [Bus] = []
        // Removed inputs that are still fading out come after the present ones.
        let removed = builder.inputs(connectedTo: self).filter { input in
            !inputs.contains { $0 === input }
        }
        for input in inputs + removed {
            guard let source = builder.connectedInput(of: self, through: input) else { continue }
            input.channelCount = source.channelCount
            let gains = builder.gains(of: self, for: input)
            let out = builder.bus(.audio, channelCount: 2)
            _ = unsafe builder.keep(input.controls)
            unsafe builder.add(
                .mixerInput(builder.keep(input.kernel)), from: [source, gains], to: [out])
            builder.set(out, output: Self.directBus(of: input.number), of: self)
            direct.append(out)
        }
        let sum = builder.bus(.audio, channelCount: 2)
        _ = unsafe builder.keep(outputGain)
        unsafe builder.add(.mixer(builder.keep(kernel)), from: direct, to: [sum])
        builder.set(sum, output: 0, of: self)
    }
}
