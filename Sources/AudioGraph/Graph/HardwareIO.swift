import Synchronization

/// The driver's channels as a node: its input bus 0 goes to the driver's output channels, and its
/// output bus 1 gives the driver's input channels.
public final class HardwareIO: AudioNode {
    /// Channels that the driver captures: 0 (input not enabled), 1 or 2.
    public let inputChannelCount: Int
    /// Buses that the driver plays beside bus 0, each by itself: input buses 1….
    public let directOutputCount: Int
    /// Channels that the driver plays: left and right of every bus.
    public var outputChannelCount: Int { 2 * (1 + directOutputCount) }
    private let levelStore = Shared(LevelStore())
    private var kernels: [Shared<OutputKernel>] = []
    /// Of the direct outputs, whose levels nobody asks for.
    private let unusedLevels = Shared(LevelStore())

    private static let ownUnit = UnitDescription(
        .output, "hardware", "Plays and captures through the driver's channels.",
        inputs: [
            BusDescription("output"), BusDescription("direct", first: 1, count: 0...256),
        ],
        outputs: [BusDescription("input", channels: 1...2, first: 1, count: 0...1)],
        parameters: ParameterDescription.meter(scope: .input),
        properties: [
            PropertyDescription("input-channels", .count),
            PropertyDescription("output-channels", .count),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// - Parameters:
    ///   - inputChannels: 0…2; 1 by default, 0 leaves the input out.
    ///   - directOutputs: how many buses the driver plays beside bus 0, 0…256; 0 by default.
    ///   - name: the node's name.
    public init(inputChannels: Int = 1, directOutputs: Int = 0, name: String = "hardware") {
        precondition((0...2).contains(inputChannels) && (0...256).contains(directOutputs))
        inputChannelCount = inputChannels
        directOutputCount = directOutputs
        super.init(name: name)
    }

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

    override func attach(to graph: Graph) {
        kernels = (0...directOutputCount).map { bus in
            let levels = bus == 0 ? levelStore : unusedLevels
            return unsafe Shared(
                OutputKernel(
                    levels: levels.pointer, channels: 2 * bus..<2 * bus + 2,
                    sampleRate: graph.sampleRate),
                keeping: levels)
        }
    }

    override var givesBuffersAway: Bool { false }

    override func emit(into builder: PlanBuilder) {
        let bus = builder.bus(.audio, channelCount: inputChannelCount)
        builder.add(.hardwareInput, from: [], to: [bus])
        builder.set(bus, output: 1, of: self)
    }

    /// Adds the last steps of every plan, and the steps of all nodes that feed them.
    func emitOutput(into builder: PlanBuilder) {
        builder.addOnlookers(before: self)
        builder.emitEnds()
        // All units render first: a driver's output may be the memory of an input.
        let sources = kernels.indices.map { builder.ownInput(of: self, bus: $0) }
        for (source, kernel) in zip(sources, kernels) {
            unsafe builder.add(.hardwareOutput(builder.keep(kernel)), from: [source], to: [])
        }
        builder.addOnlookers(after: self, output: sources[0])
    }
}
