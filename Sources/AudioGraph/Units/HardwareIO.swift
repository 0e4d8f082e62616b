/// The driver's channels as a node: its input bus 0 goes to the driver's output channels, and its
/// output bus 1 gives the driver's input channels.
public final class HardwareIO: AudioNode {
    /// Channels that the driver captures, 0…256; 0: the input is not enabled.
    public let inputChannelCount: Int
    /// Buses that the driver plays beside bus 0, each by itself: input buses 1….
    public let directOutputCount: Int
    /// Channels that the driver plays: left and right of every bus.
    public var outputChannelCount: Int { 2 * (1 + directOutputCount) }
    /// The most channels that the driver captures.
    static let mostChannels = 256
    private let levelStore = Shared(LevelStore())
    /// One for each bus that the driver plays.
    private var kernels: [Shared<OutputKernel>] { rendering?.inUse() ?? [] }

    private static let ownUnit = UnitDescription(
        .output, "hardware", "Plays and captures through the driver's channels.",
        of: HardwareIO(),
        inputs: [
            BusDescription("output"), BusDescription("direct", first: 1, count: 0...256),
        ],
        outputs: [BusDescription("input", channels: 1...mostChannels, first: 1, count: 0...1)],
        properties: [
            PropertyDescription("input-channels", .count),
            PropertyDescription("output-channels", .count),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// - Parameters:
    ///   - inputChannels: 0…256; 1 by default, 0 leaves the input out.
    ///   - directOutputs: how many buses the driver plays beside bus 0, 0…256; 0 by default.
    ///   - name: the node's name.
    public init(inputChannels: Int = 1, directOutputs: Int = 0, name: String = "hardware") {
        require(
            (0...Self.mostChannels).contains(inputChannels),
            "\(inputChannels) channels cannot be captured: 0 to \(Self.mostChannels)")
        require(
            (0...256).contains(directOutputs), "\(directOutputs) direct outputs: there are 0 to 256"
        )
        inputChannelCount = inputChannels
        directOutputCount = directOutputs
        super.init(name: name)
    }

    @Reading(.peakLeft, scope: .input, .decibels, -120...120, default: -120)
    var peakLeft: Decibels
    @Reading(.peakRight, scope: .input, .decibels, -120...120, default: -120)
    var peakRight: Decibels
    @Reading(.rmsLeft, scope: .input, .decibels, -120...120, default: -120)
    var rmsLeft: Decibels
    @Reading(.rmsRight, scope: .input, .decibels, -120...120, default: -120)
    var rmsRight: Decibels

    /// Levels of the output, where the driver takes it.
    public var levels: Levels { unsafe Levels(levelStore.pointer.pointee) }

    override func reading(of address: ParameterAddress) -> Double { levels.value(address.name) }

    public override func property(_ name: String) -> PropertyValue? {
        switch name {
        case "input-channels": .number(Int64(inputChannelCount))
        case "output-channels": .number(Int64(outputChannelCount))
        default: super.property(name)
        }
    }

    public override var outputBuses: Range<Int> { inputChannelCount > 0 ? 1..<2 : 1..<1 }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { inputChannelCount }

    public override var inputBusCount: Int { 1 + directOutputCount }

    override func elementCount(in scope: Scope) -> Int { 1 }

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel? {
        // Nobody asks for the levels of the direct outputs.
        let unused = Shared(LevelStore())
        let kernels = (0...directOutputCount).map { bus in
            let levels = bus == 0 ? levelStore : unused
            return unsafe Shared(
                OutputKernel(
                    levels: levels.pointer, channels: 2 * bus..<2 * bus + 2,
                    sampleRate: rendering.sampleRate),
                keeping: levels)
        }
        rendering.use(kernels)
        return nil
    }

    override var givesBuffersAway: Bool { false }

    override func emit(into compiler: Compiler) {
        let bus = compiler.bus(.audio, channelCount: inputChannelCount)
        compiler.add(.hardwareInput, from: [], to: [bus])
        compiler.set(bus, output: 1, of: self)
    }

    /// Adds the last steps of every plan, and the steps of all nodes that feed them.
    func emitOutput(into compiler: Compiler) {
        compiler.addOnlookers(before: self)
        compiler.emitEnds()
        // All units render first: a driver's output may be the memory of an input.
        let sources = kernels.indices.map { compiler.ownInput(of: self, bus: $0) }
        for (source, kernel) in zip(sources, kernels) {
            unsafe compiler.add(.hardwareOutput(compiler.keep(kernel)), from: [source], to: [])
        }
        compiler.addOnlookers(after: self, output: sources[0])
    }
}

/// The beginning of the graph: a bus whose buffers are the driver's own, which nobody may change.
enum HardwareInput {
    @_noLocks static func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let out = outputs[0]
        for channel in 0..<out.channelCount {
            unsafe out.channels[channel] = unsafe slice.inputs[channel] + slice.offset
        }
        out.isAtRest = false
    }
}

/// An end of the graph: meters a bus and copies it to two of the driver's channels.
@safe struct OutputKernel {
    private let levels: UnsafePointer<LevelStore>
    private let channels: Range<Int>
    private var meter: Meter

    init(levels: UnsafePointer<LevelStore>, channels: Range<Int>, sampleRate: Int) {
        unsafe self.levels = levels
        self.channels = channels
        meter = Meter(sampleRate: sampleRate)
    }

    /// Writes left to the even channel, right to the odd one.
    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { meter.reset() }
        let (source, count) = unsafe (inputs[0].stereo, slice.count)
        unsafe meter.process(source, isSilent: inputs[0].isAtRest, count: count)
        unsafe levels.pointee.publish(meter)
        for channel in channels {
            unsafe copyChannel(
                channel & 1 == 0 ? source.left : source.right,
                to: slice.outputs[channel] + slice.offset, count: count)
        }
    }
}
