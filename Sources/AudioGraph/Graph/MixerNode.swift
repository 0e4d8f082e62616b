import Synchronization

/// Sums any number of mono and stereo buses to stereo, each with volume and pan.
public final class MixerNode: AudioNode {
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

    /// A mixer of `inputs` buses for a graph of `sampleRate` Hz.
    public init(
        inputs count: Int, sampleRate: Int, panLaw: PanLaw = .constantPower, name: String = "mixer"
    ) {
        self.panLaw = panLaw
        self.sampleRate = sampleRate
        super.init(name: name)
        for _ in 0..<count { addInput() }
    }

    /// Adds an input bus after the last, and returns it.
    @discardableResult
    public func addInput() -> MixerInput {
        inputs.append(MixerInput(law: panLaw, sampleRate: sampleRate))
        return inputs[inputs.count - 1]
    }

    /// Removes the last input bus; its connection fades out in 10 ms.
    public func removeLastInput() {
        guard !inputs.isEmpty else { return }
        graph?.disconnect(self, bus: inputs.count - 1)
        inputs.removeLast()
    }

    public override var inputBusCount: Int { inputs.count }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { 2 }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(
            MixerKernel(outputGain: outputGain.pointer, sampleRate: graph.sampleRate))
    }

    override func emit(into builder: PlanBuilder) -> Bus {
        let out = builder.bus(channelCount: 2)
        guard let kernel else { return out }
        var list: [MixerKernel.Input] = unsafe []
        var places: [Int: Int] = [:]
        // Removed buses that are still fading out come after the present ones.
        let removed = builder.mixerInputs(connectedTo: self).filter { input in
            !inputs.contains { $0 === input }
        }
        for (number, input) in (inputs + removed).enumerated() {
            guard let source = builder.connectedInput(of: self, through: input) else { continue }
            input.channelCount = source.channelCount
            places[number] = unsafe list.count
            _ = unsafe builder.keep(input.controls)
            unsafe list.append(
                MixerKernel.Input(kernel: builder.keep(input.kernel), source: source.samples))
        }
        _ = unsafe builder.keep(outputGain)
        let scratch = builder.bus(channelCount: 2)
        unsafe builder.add(
            .mixer(
                builder.keep(kernel), builder.setInputs(list, places: places, of: self),
                scratch: scratch.samples, to: out.samples))
        return out
    }
}
