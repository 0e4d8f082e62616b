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
/// let recorder = RecorderNode(channelCounts: [2, 1])
/// try graph.add(recorder)
/// try graph.connect(mixer, to: recorder, bus: 0)
/// try graph.connect(hardware, bus: 1, to: recorder, bus: 1, channels: [0])
/// // On a thread of yours, a few times a second:
/// while let piece = recorder.tape.read() { write(piece.buses, at: piece.frame) }
/// ```
public final class RecorderNode: AudioNode {
    /// The most input buses.
    public static let maximumBuses = 16

    private static let ownUnit = UnitDescription(
        .output, "recorder", "Passes its inputs to another thread, aligned to the frame.",
        of: RecorderNode(channelCounts: [2]),
        inputs: [BusDescription("input", channels: 1...8, count: 1...maximumBuses)],
        properties: [
            PropertyDescription("waiting", .frames, changesByItself: true),
            PropertyDescription("dropped", .frames, changesByItself: true),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private let channelCounts: [Int]
    private let seconds: Double
    private var current: (tape: RecorderTape, rate: Int)?
    /// Frames that were dropped on the tapes before `current`.
    private var past = 0

    /// - Parameters:
    ///   - channelCounts: an input bus for each, 1…16; how many channels of it are recorded, 1…8. An
    ///     input of fewer repeats its last one, of more the first are taken: of a stereo source a bus
    ///     of one channel records the left.
    ///   - seconds: how much waits for a reader that is late, more than 0, at most 600; 10 by
    ///     default. Each second takes 4 bytes for each frame of each channel. At least 1024 frames.
    ///   - name: the node's name.
    public init(channelCounts: [Int], seconds: Double = 10, name: String = "recorder") {
        require(
            (1...Self.maximumBuses).contains(channelCounts.count),
            "\(channelCounts.count) buses: a recorder has 1 to \(Self.maximumBuses)")
        require(
            channelCounts.allSatisfy { (1...8).contains($0) },
            "buses of \(channelCounts) channels: each has 1 to 8")
        require(
            seconds > 0 && seconds <= 600, "\(seconds) s: a recorder keeps more than 0, at most 600"
        )
        (self.channelCounts, self.seconds) = (channelCounts, seconds)
        super.init(name: name)
    }

    /// What was recorded. Its reader may be any thread. There is none before the node is in a graph,
    /// and a new one in a graph of another rate.
    public var tape: RecorderTape {
        guard let current else { fatalError("\(name) has no tape: add it to a graph first") }
        return current.tape
    }

    public override func property(_ name: String) -> PropertyValue? {
        switch name {
        case "waiting": .number(Int64(current?.tape.waitingFrames ?? 0))
        case "dropped": .number(Int64(past + (current?.tape.droppedFrames ?? 0)))
        default: super.property(name)
        }
    }

    // MARK: In the graph

    public override var inputBusCount: Int { channelCounts.count }

    public override var outputBuses: Range<Int> { 0..<0 }

    override var isEnd: Bool { true }

    override var fadesConnections: Bool { false }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        let rate = rendering.sampleRate
        let frames = Int((seconds * Double(rate)).rounded(.up))
        let known = current.flatMap { $0.rate == rate ? $0.tape : nil }
        let tape =
            known ?? RecorderTape(channelCounts: channelCounts, capacity: max(frames, 1024))
        rendering.keep(tape)
        rendering.use(tape)
        return unsafe .tap(tape.kernel.pointer)
    }

    override func begin() {
        guard let rendering, let tape = rendering.inUse(as: RecorderTape.self) else { return }
        if let old = current?.tape, old !== tape { past += old.droppedFrames }
        current = (tape, rendering.sampleRate)
    }

    override func emit(into compiler: Compiler) {
        let inputs = channelCounts.indices.map { compiler.input(of: self, bus: $0) }
        compiler.add(kernelOf: self, from: inputs, to: [])
    }
}

/// The reading end of what the render thread hands out: frames of several buses, for one thread.
///
/// Any thread may be that reader, one at a time; none of its calls waits. The tape outlives its node,
/// so that what was recorded before the node's removal can still be read.
@safe public final class RecorderTape: @unchecked Sendable {
    // Safety: the ring says which thread uses what in it.
    //   mark, marks         the reader
    //   all others          do not change

    /// Frames that follow each other without a gap.
    public struct Piece: Sendable {
        /// The first frame, counted as `Graph.renderedFrames`.
        public let frame: Int
        /// The samples of each channel of each bus, equally many for all.
        public let buses: [[[Float]]]
        /// How many frames there are, at least 1.
        public var frameCount: Int { buses[0][0].count }
        /// What the render thread said of them.
        let values: SIMD8<Float>
    }

    /// The channels of each bus.
    public let channelCounts: [Int]
    /// The most frames that wait for the reader.
    public let capacity: Int
    let ring: Shared<FrameRing>
    /// Writes the tape.
    let kernel: Shared<TapKernel>
    /// The mark of the next frame, and how many marks were passed.
    private var mark = FrameRing.Mark(index: 0, frame: 0)
    private var marks = 0

    private init(channelCounts: [Int], capacity: Int, marks: Int, keepsSlices: Bool) {
        self.channelCounts = channelCounts
        self.capacity = capacity
        ring = Shared(FrameRing(channelCounts: channelCounts, capacity: capacity, marks: marks))
        kernel = unsafe Shared(
            TapKernel(ring: ring.pointer, keepsSlices: keepsSlices), keeping: ring)
    }

    /// A tape whose pieces end at gaps alone.
    convenience init(channelCounts: [Int], capacity: Int) {
        self.init(channelCounts: channelCounts, capacity: capacity, marks: 16, keepsSlices: false)
    }

    /// A tape on which each slice is a piece.
    convenience init(channelCounts: [Int], slices: Int) {
        self.init(
            channelCounts: channelCounts, capacity: slices * longestSlice, marks: slices,
            keepsSlices: true)
    }

    /// Takes the oldest frames; nil when there are none. A piece ends at a gap, and the next piece's
    /// `frame` shows how long it was.
    ///
    /// - Parameter frames: the most frames of the piece, at least 1.
    public func read(atMost frames: Int = .max) -> Piece? {
        var found: Piece?
        _ = read(atMost: frames) { found = $0 }
        return found
    }

    /// As the other; the place of the frames is given back when `body` returns. False when there are
    /// none.
    func read(atMost frames: Int = .max, _ body: (Piece) -> Void) -> Bool {
        require(frames > 0, "a piece of \(frames) frames: it has 1 or more")
        let ring = unsafe ring.pointer
        let waiting = unsafe ring.pointee.waiting()
        guard waiting > 0 else { return false }
        let index = unsafe ring.pointee.read.load(ordering: .relaxed)
        while let next = unsafe ring.pointee.mark(marks), next.index <= index {
            mark = next
            marks += 1
        }
        let untilMark = unsafe ring.pointee.mark(marks).map { $0.index - index } ?? .max
        let count = min(waiting, frames, untilMark)
        var channel = 0
        let buses = channelCounts.map { channelCount in
            (0..<channelCount).map { _ in
                defer { channel += 1 }
                return unsafe Array(unsafeUninitializedCapacity: count) { target, filled in
                    unsafe ring.pointee.copy(
                        channel: channel, from: index, count: count, to: target.baseAddress!)
                    filled = count
                }
            }
        }
        body(Piece(frame: mark.frame(at: index), buses: buses, values: mark.values))
        unsafe ring.pointee.marksRead.store(marks, ordering: .releasing)
        unsafe ring.pointee.read.store(index + count, ordering: .releasing)
        return true
    }

    /// Frames that wait for the reader. Any thread.
    public var waitingFrames: Int { unsafe ring.pointer.pointee.waiting() }

    /// Frames that were not recorded, because the reader was late. Any thread.
    public var droppedFrames: Int { unsafe ring.pointer.pointee.missed.load(ordering: .relaxed) }

    /// Where each slice is a piece: how many wait, and how many were taken. Any thread.
    var waitingSlices: Int { unsafe ring.pointer.pointee.waitingMarks }
    var takenSlices: Int { unsafe ring.pointer.pointee.marksRead.load(ordering: .acquiring) }
}
