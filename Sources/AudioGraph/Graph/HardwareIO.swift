import Synchronization

/// The driver's channels as a node: its input bus 0 goes to the driver's output channels, and its
/// output bus 1 gives the driver's input channels.
public final class HardwareIO: AudioNode {
    /// Channels that the driver captures: 0 (input not enabled), 1 or 2.
    public let inputChannelCount: Int
    /// Channels that the driver plays: left and right.
    public let outputChannelCount = 2
    private let levelStore = Shared(LevelStore())
    private var kernel: Shared<OutputKernel>?

    /// - Parameter inputChannels: 0…2; 1 by default, 0 leaves the input out.
    public init(inputChannels: Int = 1, name: String = "hardware") {
        precondition((0...2).contains(inputChannels))
        inputChannelCount = inputChannels
        super.init(name: name)
    }

    /// Levels of the output, where the driver takes it.
    public var levels: Levels { unsafe Levels(levelStore.pointer.pointee) }

    public override var outputBuses: Range<Int> { inputChannelCount > 0 ? 1..<2 : 1..<1 }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { inputChannelCount }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(
            OutputKernel(
                levels: levelStore.pointer, channelCount: outputChannelCount,
                sampleRate: graph.sampleRate))
    }

    override func emit(into builder: PlanBuilder) {
        let bus = builder.bus(.audio, channelCount: inputChannelCount)
        builder.add(.hardwareInput, from: [], to: [bus])
        builder.set(bus, output: 1, of: self)
    }

    /// Adds the last step of every plan, and the steps of all nodes that feed it.
    func emitOutput(into builder: PlanBuilder) {
        guard let kernel else { return }
        let source = builder.input(of: self, bus: 0)
        _ = unsafe builder.keep(levelStore)
        unsafe builder.add(.hardwareOutput(builder.keep(kernel)), from: [source], to: [])
    }
}
