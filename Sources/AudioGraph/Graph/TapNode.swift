/// Gives a copy of what passes it to a thread of its own. `Examples/Record` writes it into a file.
public final class TapNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "tap", "Copies its input to another thread, and passes it on unchanged.",
        of: TapNode { _, _ in },
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)],
        properties: [PropertyDescription("dropped", .frames, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    private let ring: Shared<TapRing>
    private let reader: TapReader
    private let body: TapCallback
    private let format: (channelCount: Int, sampleRate: Int?)
    private var isStarted = false

    /// - Parameters:
    ///   - channelCount: how many channels the reader gets, 1…8; 2 by default. An input of fewer
    ///     repeats its last one.
    ///   - sampleRate: the rate that the reader gets, 1/8 to 8 times the graph's, in Hz; nil: the
    ///     graph's.
    ///   - slices: how many slices, of 256 frames or fewer, wait for a reader that is late; 1024 by
    ///     default, 5 s at 48 kHz, or less with short periods. What comes when no more fit is
    ///     dropped.
    ///   - name: the node's name.
    ///   - reader: gets what passes, slice after slice, on a thread of its own.
    public init(
        channelCount: Int = 2, sampleRate: Int? = nil, slices: Int = 1024, name: String = "tap",
        _ reader: @escaping TapCallback
    ) {
        require((1...8).contains(channelCount), "\(channelCount) channels: a tap has 1 to 8")
        require((1...1 << 16).contains(slices), "\(slices) slices: a tap keeps 1 to 65,536")
        ring = Shared(TapRing(channelCount: channelCount, slices: slices))
        self.reader = TapReader(ring)
        body = reader
        format = (channelCount, sampleRate)
        super.init(name: name)
    }

    deinit { reader.stop() }

    /// Frames that were not handed to the reader, which was late.
    public var droppedFrames: Int {
        unsafe ring.pointer.pointee.dropped.load(ordering: .relaxed)
    }

    /// Ends the tap's thread, after it has read what is there; does not wait for it, so the reader
    /// may be called for some 10 ms more. A stopped tap passes its input on.
    public func stop() { reader.stop() }

    public override func property(_ name: String) -> PropertyValue? {
        name == "dropped" ? .number(Int64(droppedFrames)) : super.property(name)
    }

    override var changesInput: Bool { false }

    override var isEnd: Bool { true }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        if !isStarted { try startThread(sampleRate: rendering.sampleRate) }
        return unsafe .tap(rendering.own(TapKernel(ring: ring.pointer), keeping: ring))
    }

    private func startThread(sampleRate: Int) throws(GraphError) {
        guard reader.hasEvents else { throw .noDescriptors(node: name) }
        let body = body
        let isStarting: Bool
        if let rate = format.sampleRate, rate != sampleRate {
            let own = StreamFormat(sampleRate: rate, channelCount: format.channelCount)
            let stream = try TapStream(to: own, from: sampleRate, node: name) { frame, buffer in
                body(frame, (0..<own.channelCount).map { buffer.samples(channel: $0) })
            }
            isStarting = reader.start(name, end: stream.finish, stream.read)
        } else {
            isStarting = reader.start(name, body)
        }
        guard isStarting else { throw .noThread(node: name) }
        isStarted = true
    }

    override func addSteps(to compiler: Compiler, changing bus: Bus) {
        compiler.add(kernelOf: self, from: [bus], to: [])
    }
}
