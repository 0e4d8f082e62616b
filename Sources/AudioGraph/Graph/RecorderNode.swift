/// Records what reaches its inputs, frame by frame together, for a thread of yours.
///
/// It is an end of its graph, beside the `HardwareIO`. What the graph plays is the same, bit for
/// bit, with a recorder and without, also while one is added, connected, disconnected and removed.
/// Connections to it do not fade: the first slice that it renders is recorded as it is, and what is
/// disconnected is missed at once. A bus without a connection records silence. While the graph is
/// stopped nothing is recorded, and no frame is missing afterwards.
///
/// A recorder has no thread: yours reads `tape`. Where it is too late, frames are dropped until it
/// has read all that waits; then the recording goes on, and the number of its next frame shows the
/// gap. A node that was removed and is added again makes such a gap, too.
///
/// ```swift
/// let recorder = RecorderNode(channelCounts: [2, 1], sampleRate: graph.sampleRate)
/// try graph.add(recorder)
/// try graph.connect(mixer, to: recorder, bus: 0)
/// try graph.connect(hardware, bus: 1, to: recorder, bus: 1, channels: [0])
/// try graph.update()
/// // On a thread of yours, a few times a second:
/// while let piece = recorder.tape.read() { write(piece.buses, at: piece.frame) }
/// ```
public final class RecorderNode: AudioNode {
    /// The most input buses.
    public static let maximumBuses = 16

    private static let ownUnit = UnitDescription(
        .output, "recorder", "Passes its inputs to another thread, aligned to the frame.",
        of: RecorderNode(channelCounts: [2], sampleRate: 48_000),
        inputs: [BusDescription("input", channels: 1...8, count: 1...maximumBuses)],
        properties: [
            PropertyDescription("waiting", .frames, changesByItself: true),
            PropertyDescription("dropped", .frames, changesByItself: true),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// What was recorded. Its reader may be any thread.
    public let tape: RecorderTape
    private let rate: Int

    /// - Parameters:
    ///   - channelCounts: an input bus for each, 1…16; how many channels of it are recorded, 1…8. An
    ///     input of fewer repeats its last one, of more the first are taken: of a stereo source a bus
    ///     of one channel records the left.
    ///   - sampleRate: the graph's rate, in Hz.
    ///   - seconds: how much waits for a reader that is late, more than 0, at most 600; 10 by
    ///     default. Each second takes 4 bytes for each frame of each channel. At least 1024 frames.
    ///   - name: the node's name.
    public init(
        channelCounts: [Int], sampleRate: Int, seconds: Double = 10, name: String = "recorder"
    ) {
        precondition((1...Self.maximumBuses).contains(channelCounts.count))
        precondition(channelCounts.allSatisfy { (1...8).contains($0) })
        precondition((1...1 << 24).contains(sampleRate) && seconds > 0 && seconds <= 600)
        rate = sampleRate
        let frames = Int((seconds * Double(sampleRate)).rounded(.up))
        tape = RecorderTape(channelCounts: channelCounts, capacity: max(frames, 1024))
        super.init(name: name)
    }

    public override func property(_ name: String) -> PropertyValue? {
        switch name {
        case "waiting": .number(Int64(tape.waitingFrames))
        case "dropped": .number(Int64(tape.droppedFrames))
        default: super.property(name)
        }
    }

    // MARK: In the graph

    public override var inputBusCount: Int { tape.channelCounts.count }

    public override var outputBuses: Range<Int> { 0..<0 }

    override var isEnd: Bool { true }

    override var fadesConnections: Bool { false }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        guard rate == rendering.sampleRate else {
            throw .otherRate(node: name, rate: rate, graph: rendering.sampleRate)
        }
        rendering.keep(tape.ring)
        return unsafe .record(tape.ring.pointer)
    }

    override func emit(into compiler: Compiler) {
        let inputs = tape.channelCounts.indices.map { compiler.input(of: self, bus: $0) }
        compiler.add(kernelOf: self, from: inputs, to: [])
    }
}
