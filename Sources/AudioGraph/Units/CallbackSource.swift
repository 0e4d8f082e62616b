/// Sound that a C function of yours renders.
public final class CallbackSource: AudioNode {
    private static let ownUnit = UnitDescription(
        .generator, "callback", "Plays what a C function renders.",
        outputs: [BusDescription("output", channels: 1...8)],
        properties: [PropertyDescription("errors", .count, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    private let channelCount: Int
    private let ownRate: Int?
    private let callback: CallbackUnit

    /// - Parameters:
    ///   - channelCount: 1…8; an input of fewer takes the first ones, or those that `Graph.connect`
    ///     names.
    ///   - sampleRate: the rate that the callback renders at, 1/8 to 8 times the graph's, in Hz; nil:
    ///     the graph's. Frames are counted at that rate, from 0, and the first is heard in the
    ///     first frame that the source renders.
    ///   - context: passed to every call; it must live as long as the graph does.
    ///   - name: the node's name.
    ///   - callback: the C function that fills the buffers, on the render thread.
    public init(
        channelCount: Int = 2, sampleRate: Int? = nil, context: UnsafeMutableRawPointer? = nil,
        name: String = "callback", _ callback: @escaping RenderCallback
    ) {
        require((1...8).contains(channelCount), "\(channelCount) channels: a source has 1 to 8")
        self.channelCount = channelCount
        ownRate = sampleRate
        self.callback = unsafe CallbackUnit(callback, context: context)
        super.init(name: name)
    }

    /// The errors that the callback has returned; silence was played instead.
    public var errors: CallbackErrors { callback.errors }

    public override func property(_ name: String) -> PropertyValue? {
        name == "errors" ? .number(Int64(errors.count)) : super.property(name)
    }

    public override var inputBusCount: Int { 0 }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { channelCount }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        guard let ownRate, ownRate != rendering.sampleRate else {
            rendering.keep(callback)
            return unsafe .callback(callback.kernel.pointer)
        }
        let converter = try Converter.core(
            from: ownRate, to: rendering.sampleRate, channelCount: channelCount, node: name)
        return unsafe .pulledCallback(
            rendering.own(
                PulledCallbackKernel(
                    callback.kernel.pointer, converter: rendering.own(converter)),
                keeping: callback))
    }

    override func emit(into compiler: Compiler) {
        let bus = compiler.bus(.audio, channelCount: channelCount)
        // Memory for frames of the callback's own rate.
        let isConverted = ownRate != nil && ownRate != rendering?.sampleRate
        let filled = isConverted ? [compiler.bus(.audio, channelCount: channelCount)] : []
        compiler.add(kernelOf: self, from: filled, to: [bus])
        compiler.set(bus, output: 0, of: self)
    }
}
