/// Sums any number of mono and stereo buses to stereo, each with volume and pan.
///
/// Output bus 0 is the sum; further output buses are the inputs by themselves, after volume and
/// pan (`directBus`). Beside each input there is an input bus for gains (`gainBus`), by which
/// another unit turns that input down.
public final class MixerNode: AudioNode {
    private static let ownUnit = UnitDescription(
        .mixer, "mixer",
        "Mixes mono and stereo buses to stereo, each with volume, pan, mute and solo.",
        of: MixerNode(inputs: 1),
        inputs: [
            BusDescription("input", count: 0...maximumInputs),
            BusDescription("gain", kind: .control, first: maximumInputs, count: 0...maximumInputs),
        ],
        outputs: [
            BusDescription("sum", channels: 2...2),
            BusDescription("direct", channels: 2...2, first: 1, count: 0...maximumInputs),
        ],
        properties: [
            PropertyDescription("inputs", .count, isWritable: true),
            PropertyDescription("mono-pan", .switch, scope: .input, isWritable: true),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// The most input buses.
    public static let maximumInputs = 256

    /// The input buses. `addInput` and `removeLastInput` change their number.
    public private(set) var inputs: [MixerInput] = []

    /// How all buses are panned; constant power by default. A change takes 10 ms.
    @Parameter(
        .panLaw, .choice(PanLaw.allCases.map(\.rawValue)), 0...Double(PanLaw.allCases.count - 1),
        default: 0, ramp: 10) public var panLaw: PanLaw

    /// Volume of the sum, 0…4; 1 by default. A change takes 10 ms.
    @Parameter(.volume, scope: .output, .gain, 0...4, default: 1, curve: .decibel, ramp: 10)
    public var outputVolume: Volume

    /// A mixer of `inputs` buses, 0…256.
    public init(inputs count: Int, panLaw: PanLaw = .constantPower, name: String = "mixer") {
        require(
            (0...Self.maximumInputs).contains(count), "\(count) inputs: a mixer has 0 to 256")
        super.init(name: name)
        self.panLaw = panLaw
        for _ in 0..<count { addInput() }
    }

    /// The output bus of an input by itself, after its volume and pan.
    public static func directBus(of input: Int) -> Int { 1 + input }

    /// The input bus for the gains of an input, a control bus.
    public static func gainBus(of input: Int) -> Int { maximumInputs + input }

    /// Adds an input bus after the last, and returns it. There are at most 256.
    @discardableResult public func addInput() -> MixerInput {
        require(inputs.count < Self.maximumInputs, "a mixer has at most 256 inputs")
        let input = MixerInput(number: inputs.count, of: self)
        change {
            let slots = rendering?.slots
            inputs.append(input)
            _ = input.kernel(in: rendering)
            graph?.undo { [self] in
                inputs.removeLast()
                if let slots { rendering?.restore(slots) }
            }
        }
        return input
    }

    /// Removes the last input bus; its connections fade out in 10 ms.
    public func removeLastInput() {
        guard let last = inputs.last else { return }
        change {
            graph?.disconnect(self, bus: last.number)
            graph?.disconnect(self, bus: Self.gainBus(of: last.number))
            graph?.disconnectOutput(Self.directBus(of: last.number), of: self)
            let wasSolo = last.isSolo
            inputs.removeLast()
            parameters.forget(.input, element: last.number)
            if wasSolo, let graph {
                // The others are heard again.
                let ramp = RampClock.parameterLength(sampleRate: graph.sampleRate)
                graph.note(
                    ParameterNote(self, last.address(.solo), value: 0, ramp: ramp, origin: "")
                ) {}
            }
            graph?.undo { [self] in inputs.append(last) }
        }
    }

    private func change(_ body: () -> Void) {
        guard let graph else { return body() }
        graph.edit {
            body()
            graph.changePlan()
        }
    }

    // MARK: Parameters and properties

    public override func property(_ name: String) -> PropertyValue? {
        name == "inputs" ? .number(Int64(inputs.count)) : super.property(name)
    }

    override func property(_ name: String, scope: Scope, element: Int) -> PropertyValue? {
        name == "mono-pan" && scope == .input && inputs.indices.contains(element)
            ? .switch(inputs[element].hasMonoPan)
            : super.property(name, scope: scope, element: element)
    }

    override func setProperty(
        _ name: String, scope: Scope, element: Int, to value: PropertyValue
    ) -> Bool {
        switch (name, value) {
        case ("mono-pan", .switch(let isOn)): inputs[element].hasMonoPan = isOn
        case ("inputs", .number(let count)) where 0...Int64(Self.maximumInputs) ~= count:
            change {
                while inputs.count < count { addInput() }
                while inputs.count > count { removeLastInput() }
            }
        default: return false
        }
        return true
    }

    override var partsOfParameters: [any ParameterOwner] {
        [inputs.first ?? MixerInput(number: 0, of: self), self]
    }

    override func reading(of address: ParameterAddress) -> Double {
        inputs[address.element].levels.value(address.name)
    }

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [(slot: ParameterAddress, floats: [Float])] {
        switch address.name {
        case .volume where address.scope == .input, .pan:
            return [(address, value(address).halves)]
        case .mute, .solo:
            // Whether any bus is solo concerns all.
            let isAnySolo = inputs.contains { value($0.address(.solo)) != 0 }
            return inputs.map { input in
                let isHeard =
                    value(input.address(.mute)) == 0
                    && (!isAnySolo || value(input.address(.solo)) != 0)
                return (input.address(.mute), [isHeard ? 1 : 0])
            }
        case .panLaw:
            return inputs.map { ($0.address(.panLaw), [Float(value(address))]) }
        default: return super.deliveries(for: address, value)
        }
    }

    /// Whether an input is heard: neither muted, nor silent because others are solo.
    func isHeard(_ input: MixerInput) -> Bool {
        !input.isMuted && (input.isSolo || !inputs.contains { $0.isSolo })
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

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        unsafe .mixer(
            rendering.own(MixerKernel(volume: rendering.single(.volume, scope: .output))))
    }

    override func begin() { for input in inputs { _ = input.kernel(in: rendering) } }

    override func end() { for input in inputs { input.leave() } }

    override func emit(into compiler: Compiler) {
        var direct: [Bus] = []
        // Removed inputs that are still fading out come after the present ones.
        for input in inputs + compiler.removedInputs(of: self) {
            guard let source = compiler.connectedInput(through: input),
                let kernel = input.kernel(in: rendering)
            else { continue }
            input.setChannels(source.channelCount, in: compiler)
            let out = compiler.bus(.audio, channelCount: 2)
            unsafe compiler.add(
                .mixerInput(compiler.keep(kernel)), from: [source, compiler.gains(for: input)],
                to: [out])
            // The number of a removed input may be another's by now.
            if input.number >= inputs.count || has(input) {
                compiler.set(out, output: Self.directBus(of: input.number), of: self)
            }
            direct.append(out)
        }
        let sum = compiler.bus(.audio, channelCount: 2)
        compiler.add(kernelOf: self, from: direct, to: [sum])
        compiler.set(sum, output: 0, of: self)
    }
}

/// Sums stereo buses, in their order, and applies the output volume.
@safe struct MixerKernel {
    private var volume: ParameterRamp

    init(volume: ParameterRamp) { self.volume = volume }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { volume.reset() }
        let (out, count) = unsafe (outputs[0], slice.count)
        volume.take()
        let sum = unsafe out.stereo
        // Buses at rest are left out, which changes no bit: the sum begins with +0, and so is
        // never −0.
        var (added, waiting) = (0, -1)
        for i in 0..<inputs.count where !inputs[i].isAtRest {
            added += 1
            let source = unsafe inputs[i].stereo
            switch added {
            case 1: waiting = i
            case 2:
                // The first two in one pass over the sum.
                let first = unsafe inputs[waiting].stereo
                unsafe addChannels(first.left, source.left, to: sum.left, count: count)
                unsafe addChannels(first.right, source.right, to: sum.right, count: count)
            default:
                unsafe addChannel(source.left, to: sum.left, count: count)
                unsafe addChannel(source.right, to: sum.right, count: count)
            }
        }
        if added == 0 { out.clear(count: count) }
        if added == 1 {
            let first = unsafe inputs[waiting].stereo
            unsafe copyAddingZero(first.left, to: sum.left, count: count)
            unsafe copyAddingZero(first.right, to: sum.right, count: count)
        }
        out.isAtRest = added == 0
        guard added > 0 else { return volume.ramp.advance(count) }
        unsafe volume.ramp.apply(to: sum, count: count)
    }
}
