import Synchronization
import SystemSupport

/// Gets a tap's frames in their order: the graph's frame of the first (`Graph.renderedFrames`,
/// counted at the tap's rate where it has one of its own), and an array of samples for each channel.
/// Called on the tap's thread, within some 10 ms.
public typealias TapCallback = @Sendable (_ frame: Int, _ channels: [[Float]]) -> Void

/// The stream of a node whose reader has a thread, and how many frames it and those before it have dropped.
struct ReaderStream {
    /// The last one: it lives until its thread has ended.
    private(set) weak var stream: TapStream?
    /// Of those that nothing renders any more.
    private var past = 0
    private var isRendered = false

    /// Frames that were not handed to the reader, which was late.
    var droppedFrames: Int { past + (isRendered ? stream?.tape.droppedFrames ?? 0 : 0) }

    /// `new` is rendered from now on.
    mutating func begin(_ new: TapStream?) {
        end()
        (stream, isRendered) = (new, true)
    }

    /// Nothing renders it any more.
    mutating func end() { (past, isRendered) = (droppedFrames, false) }
}

/// Gives a copy of what passes it to a thread of its own. `Examples/Record` writes it into a file.
public final class TapNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "tap", "Copies its input to another thread, and passes it on unchanged.",
        of: TapNode { _, _ in },
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)],
        properties: [PropertyDescription("dropped", .frames, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    private let slices: Int
    private let format: (channelCount: Int, sampleRate: Int?)
    private let body: TapCallback
    private var reader = ReaderStream()
    private var stream: TapStream? { reader.stream }
    private var isStopped = false

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
        self.slices = slices
        format = (channelCount, sampleRate)
        body = reader
        super.init(name: name)
    }

    /// Frames that were not handed to the reader, which was late.
    public var droppedFrames: Int { reader.droppedFrames }

    /// How many slices wait for the reader.
    var waitingSlices: Int { stream?.tape.waitingSlices ?? 0 }

    /// Ends the tap's thread, after it has read what is there; does not wait for it, so the reader
    /// may be called for some 10 ms more. A stopped tap passes its input on.
    public func stop() {
        isStopped = true
        stream?.stop()
    }

    public override func property(_ name: String) -> PropertyValue? {
        name == "dropped" ? .number(Int64(droppedFrames)) : super.property(name)
    }

    // MARK: In the graph

    override var changesInput: Bool { false }

    override var isEnd: Bool { true }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        let (body, rate) = (body, rendering.sampleRate)
        let stream = try TapStream(
            StreamFormat(sampleRate: format.sampleRate ?? rate, channelCount: format.channelCount),
            from: rate, slices: slices, name: name, after: stream
        ) { frame, buffer in
            body(frame, (0..<buffer.format.channelCount).map { buffer.samples(channel: $0) })
        }
        if isStopped { stream.stop() }
        return stream.kernel(in: rendering)
    }

    override func begin() { reader.begin(rendering?.inUse()) }

    override func end() {
        reader.end()
        super.end()
    }

    override func addSteps(to compiler: Compiler, changing bus: Bus) {
        compiler.add(kernelOf: self, from: [bus], to: [])
    }
}

/// Copies the inputs of a step into a ring, for another thread.
@safe struct TapKernel {
    private let ring: UnsafePointer<FrameRing>
    /// Whether every slice has a mark, and is missed by itself where there is no place for it. False:
    /// frames that follow each other need no mark, and after a gap the reader has to read all first.
    private let keepsSlices: Bool
    /// The graph's frame that continues what is in the ring.
    private var next = -1

    init(ring: UnsafePointer<FrameRing>, keepsSlices: Bool) {
        unsafe self.ring = ring
        self.keepsSlices = keepsSlices
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        let (frame, count) = unsafe (slice.frame, slice.count)
        let follows = frame == next
        guard unsafe keepsSlices || follows || ring.pointee.waiting() == 0 else {
            return unsafe ring.pointee.miss(count)
        }
        let isTaken = unsafe ring.pointee.push(
            inputs, frame: frame, count: count, values: SIMD8(),
            isMarked: keepsSlices || !follows)
        if isTaken { next = frame &+ count }
    }
}

/// A tape and the thread that reads it, in a format of its own: it looks a hundred times a second for
/// what the render thread, which can wake nobody, has put there.
///
/// The stream's frames are numbered at its own rate. Where slices were dropped, what is still in
/// the converter is handed over, and the stream goes on with the number that belongs to the next.
@safe final class TapStream: @unchecked Sendable {
    // Safety: the tape says which thread uses what of it.
    //   converter, body, expected, frame   the stream's thread alone, once it has started
    //   isStopped, isOver                  any thread

    let tape: RecorderTape
    private let converter: Converter
    private let body: (_ frame: Int, AudioBuffer) -> Void
    private let wakeFlag: EventFlag
    private let isStopped = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    /// The graph's frame that continues what was read.
    private var expected: Int?
    private var frame = 0

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - format: what `body` gets.
    ///   - rate: the graph's, in Hz.
    ///   - slices: the most that wait.
    ///   - name: the unit's name, for errors and the thread.
    ///   - previous: a stream of the same unit; this one waits until that has ended.
    ///   - body: called on the stream's thread.
    init(
        _ format: StreamFormat, from rate: Int, slices: Int, name: String,
        after previous: TapStream?,
        _ body: @escaping @Sendable (_ frame: Int, AudioBuffer) -> Void
    ) throws(GraphError) {
        guard let wakeFlag = EventFlag() else { throw .noDescriptors(node: name) }
        self.wakeFlag = wakeFlag
        self.body = body
        tape = RecorderTape(channelCounts: [format.channelCount], slices: slices)
        let input = StreamFormat(sampleRate: rate, channelCount: format.channelCount)
        do throws(ConverterError) {
            converter = try Converter(from: input, to: format, timing: .aligned)
        } catch {
            throw .noConverter(node: name, error)
        }
        let code = DetachedThread.start(name) { [self] in
            while let previous, !previous.hasEnded,
                !isStopped.load(ordering: .acquiring) || tape.waitingSlices > 0
            {
                wakeFlag.clear()
                _ = wakeFlag.wait(milliseconds: 5)
            }
            while !isStopped.load(ordering: .acquiring) {
                wakeFlag.clear()
                while !isStopped.load(ordering: .acquiring), tape.read(take) {}
                _ = wakeFlag.wait(milliseconds: 10)
            }
            // No more than is there now: a graph that plays on always brings some.
            for _ in 0..<tape.waitingSlices { _ = tape.read(take) }
            drain()
            isOver.store(true, ordering: .releasing)
        }
        guard code == 0 else { throw .noThread(node: name) }
    }

    /// The kernel that writes the tape, for `rendering`, with which the stream ends.
    func kernel(in rendering: Rendering) -> RenderStep.Kernel {
        rendering.keep(tape)
        rendering.use(self) { [self] in stop() }
        return unsafe .tap(tape.kernel.pointer)
    }

    /// Whether all was read after `stop`.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// Makes the thread look at once.
    func wake() { wakeFlag.set() }

    /// Ends the thread, after it has read what is there.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        wake()
    }

    private func take(_ piece: RecorderTape.Piece) {
        let (from, to) = (converter.input.sampleRate, converter.output.sampleRate)
        if piece.frame != expected {
            drain()
            // In two parts, so that no product is too large.
            frame = piece.frame / from * to + (2 * (piece.frame % from) * to + from) / (2 * from)
        }
        expected = piece.frame + piece.frameCount
        give(converter.convert(AudioBuffer(piece.buses[0], sampleRate: from)))
    }

    /// Hands over what is still in the converter.
    private func drain() {
        if expected != nil { give(converter.drain()) }
        expected = nil
    }

    private func give(_ buffer: AudioBuffer) {
        guard buffer.frameCount > 0 else { return }
        body(frame, buffer)
        frame += buffer.frameCount
    }
}
