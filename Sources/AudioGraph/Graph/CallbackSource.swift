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
    /// Converts from the callback's own rate; nil where that is the graph's.
    private var converting: Shared<PulledCallbackKernel>?

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
        precondition((1...8).contains(channelCount))
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

    override func attach(to graph: Graph) throws(GraphError) {
        guard let ownRate, ownRate != graph.sampleRate else { return }
        let converter = Shared(
            try Converter.core(
                from: ownRate, to: graph.sampleRate, channelCount: channelCount, node: name))
        converting = unsafe Shared(
            PulledCallbackKernel(callback.kernel.pointer, converter: converter.pointer),
            keeping: callback.kernel, converter)
    }

    override func emit(into builder: PlanBuilder) {
        let bus = builder.bus(.audio, channelCount: channelCount)
        if let converting {
            let filled = builder.bus(.audio, channelCount: channelCount)
            unsafe builder.add(
                .pulledCallback(builder.keep(converting)), from: [filled], to: [bus])
        } else {
            unsafe builder.add(.callback(builder.keep(callback.kernel)), from: [], to: [bus])
        }
        builder.set(bus, output: 0, of: self)
    }
}
