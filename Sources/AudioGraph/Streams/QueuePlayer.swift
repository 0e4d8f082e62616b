/// Plays buffers one after the other, as an audio queue does: buffers that the node has filled by a
/// closure of yours, on a thread of its own; and buffers, files and parts of files that you schedule.
///
/// The buffers have a format of their own, and may have another rate than the graph (1/8 to 8 times
/// its rate). Buffers follow each other without a gap; where there is none, the player gives silence,
/// and goes on with the first frame of the next one. The node's thread converts the buffers to the
/// graph's rate, some 0.25 s ahead of what is heard; an offline driver waits for it. All calls are for
/// the control thread, and none of them waits but `prime`.
///
/// A player that is freed gives back all that is queued, as not played. One whose graph is gone keeps
/// what was not heard, and goes on in the next graph.
public final class QueuePlayerNode: AudioNode {
    /// Fills a buffer from its first frame on, and sets its `frameCount`; 0 says that there is
    /// nothing more, so that the player stops when all has been played. Called on the node's thread.
    public typealias Fill = @Sendable (AudioBuffer) -> Void

    /// When `stop` stops.
    public enum End: Sendable {
        /// At once, with a fade of 5 ms; what is queued is dropped.
        case now
        /// When what is queued has been played.
        case whenPlayed
    }

    private static let ownUnit = UnitDescription(
        .generator, "queue-player", "Plays buffers that you schedule or fill on request.",
        of: QueuePlayerNode(format: StreamFormat(sampleRate: 48_000, channelCount: 2)),
        outputs: [BusDescription("output", channels: 1...8)],
        properties: [
            PropertyDescription("format", .text),
            PropertyDescription("running", .switch, changesByItself: true),
            PropertyDescription("position", .frames, changesByItself: true),
            PropertyDescription("queued", .count, changesByItself: true),
            PropertyDescription("underruns", .count, changesByItself: true),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// The format of the buffers.
    public let format: StreamFormat
    private let feed: QueueFeed

    /// - Parameters:
    ///   - format: of the buffers.
    ///   - buffers: how many buffers are filled ahead, by `fill` or a source that is scheduled, 1…64;
    ///     3 by default. All but one together must be 5 ms longer than the driver's longest
    ///     period, so that a seek can fade out.
    ///   - frames: the capacity of each, 1…2²⁰; 4096 by default.
    ///   - name: the node's name.
    ///   - fill: fills the buffers when nothing scheduled waits; nil: you schedule all. It must not
    ///     hold the node.
    ///   - listener: told, on the node's thread, what becomes of the buffers, and when the player
    ///     begins and ends to run; within some 5 ms.
    public init(
        format: StreamFormat, buffers: Int = 3, frames: Int = 4096, name: String = "queue-player",
        fill: Fill? = nil, listener: (@Sendable (QueueEvent) -> Void)? = nil
    ) {
        require((1...64).contains(buffers), "\(buffers) buffers: a queue player has 1 to 64")
        require(
            (1...1 << 20).contains(frames), "buffers of \(frames) frames: they have 1 to 1,048,576")
        self.format = format
        feed = QueueFeed(
            format: format, count: buffers, frames: frames, fill: fill, listener: listener)
        fillsItself = fill != nil
        super.init(name: name)
    }

    /// Whether a closure of the player's own fills buffers.
    private let fillsItself: Bool

    deinit { feed.close() }

    // MARK: Buffers

    /// Queues a buffer behind all others. Nobody may change it until it is given back.
    ///
    /// - Parameters:
    ///   - buffer: in the player's format.
    ///   - trimmingFirst: how many frames at its beginning are left out; 0 by default.
    ///   - trimmingLast: how many at its end; 0 by default. Where nothing is left, nothing is played.
    ///   - completion: called on the node's thread when the player has taken the last frame, or has
    ///     dropped the buffer: says whether it was played. Completions come in the buffers' order. A
    ///     player that was never in a graph has no thread, and calls them as it is freed.
    ///
    /// Throws `wrongFormat`, or `queueIsFull` when 256 buffers and sources were not given back.
    public func schedule(
        _ buffer: AudioBuffer, trimmingFirst: Int = 0, trimmingLast: Int = 0,
        completion: (@Sendable (_ wasPlayed: Bool) -> Void)? = nil
    ) throws(QueueError) {
        guard buffer.format == format else {
            throw .wrongFormat(node: name, buffer: buffer.format, player: format)
        }
        let count = buffer.frameCount
        let first = min(max(0, trimmingFirst), count)
        let last = max(first, count - min(max(0, trimmingLast), count))
        guard feed.change({ $0.schedule(buffer, first..<last, completion) }) else {
            throw .queueIsFull(node: name, limit: QueueLine.limit)
        }
    }

    /// Queues the frames of a source, of any length, behind all others: a file, a part of one. What
    /// is scheduled after it waits for its end.
    ///
    /// - Parameters:
    ///   - fill: fills a buffer of the player's own with the next frames; 0 frames say that the
    ///     source has ended. Called on the node's thread, as soon as all before it is in the queue,
    ///     and then when a buffer has been played; not after it has said so, or was dropped.
    ///   - completion: called on the node's thread when the player has taken the last frame, or has
    ///     dropped the source: says whether it was played to its end.
    ///
    /// Throws `queueIsFull` when 256 buffers and sources were not given back.
    public func schedule(
        filledBy fill: @escaping Fill, completion: (@Sendable (_ wasPlayed: Bool) -> Void)? = nil
    ) throws(QueueError) {
        guard feed.change({ $0.schedule(filledBy: fill, completion) }) else {
            throw .queueIsFull(node: name, limit: QueueLine.limit)
        }
    }

    /// Has the buffers filled before the start, so that the first frame is there when its time
    /// comes. Needs the node in a graph.
    ///
    /// - Parameter milliseconds: how long to wait at most; 1000 by default.
    /// - Returns: how many buffers are queued then.
    @discardableResult
    public func prime(milliseconds: Int = 1000) -> Int { feed.prime(milliseconds: milliseconds) }

    /// Says that what is queued from now on does not continue what was queued before: at the joint
    /// the converter plays out what it still holds, up to 3 ms. Without effect at the graph's rate.
    public func flush() { feed.change { $0.flush() } }

    /// Drops what is queued, with a fade of 5 ms, and counts frames from 0 again; the player goes on
    /// running.
    public func reset() { feed.change { $0.reset() } }

    /// Drops what is queued, with fades of 5 ms, and goes on with buffers that are filled anew.
    ///
    /// - Parameters:
    ///   - frame: the number of the first frame that is filled then, at least 0; what `position`
    ///     counts on from.
    ///   - move: called on the node's thread, before the next buffer is filled: makes the closure
    ///     that fills go on from there.
    public func seek(to frame: Int, _ move: @escaping @Sendable () -> Void) {
        _ = feed.change { $0.seek(to: min(max(0, frame), 1 << 48), move) }
    }

    // MARK: Running

    /// Starts: the first frame of the queue is heard with the first frame rendered, or at exactly
    /// `frame` (counted as `Graph.renderedFrames`, from the node's graph), or with the first buffer
    /// if that comes later. A player that runs goes on.
    public func start(at frame: Int? = nil) {
        feed.change { $0.start(at: max(0, frame ?? 0)) }
    }

    /// Stops. What is queued after `.whenPlayed`, or is being filled then, waits for the next start.
    public func stop(_ end: End = .now) {
        switch end {
        case .now: feed.change { $0.stop() }
        case .whenPlayed: feed.change { $0.stopWhenPlayed() }
        }
    }

    /// Whether the player was started and has not ended since: by a stop, or because the closure
    /// had no more to fill. A paused player runs.
    public var isRunning: Bool { feed.isRunning }

    /// Whether the queue stands still. It fades out and in over 5 ms, and goes on with the very next
    /// frame.
    @Parameter(.pause, .switch, 0...1, default: 0, ramp: 5, as: { value, _ in 1 - value })
    public var isPaused: Bool

    /// The volume, 0…4 times; 1 by default. A change takes 10 ms; `schedule(_:to:at:ramp:)` makes it
    /// take any time.
    @Parameter(.volume, .gain, 0...4, default: 1, curve: .decibel, ramp: 10)
    public var volume: Volume

    /// The number of the frame that is heard next, counted at the buffers' rate from the first that
    /// was queued, or from the last seek's or reset's.
    public var position: Int { feed.position }

    /// `position` in seconds.
    public var currentTime: Double { Double(position) / Double(format.sampleRate) }

    /// Buffers and sources that are queued and were not given back; also each buffer that a closure
    /// has filled.
    public var queuedCount: Int { feed.queuedCount }

    /// How often there was no buffer although more were to be filled.
    public var underruns: Int { feed.underruns }

    public override func property(_ name: String) -> PropertyValue? {
        switch name {
        case "format": .text("\(format)")
        case "running": .switch(isRunning)
        case "position": .number(Int64(position))
        case "queued": .number(Int64(queuedCount))
        case "underruns": .number(Int64(underruns))
        default: super.property(name)
        }
    }

    // MARK: In the graph

    override var hasEnd: Bool { true }
    override func endWhenPlayed() {
        if !fillsItself, isRunning { stop(.whenPlayed) }
    }

    override var endFrame: Int? { isRunning ? nil : feed.endFrame }

    public override var inputBusCount: Int { 0 }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { format.channelCount }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        let rate = rendering.sampleRate
        let link = try feed.makeLink(at: rate, name: name)
        rendering.use(link) { [feed] in feed.end(link) }
        return unsafe .queue(
            rendering.own(
                QueueKernel(
                    ring: link.ring, volume: rendering.single(.volume),
                    pause: rendering.single(.pause), sampleRate: rate),
                keeping: link))
    }

    override func begin() {
        if let link = rendering?.inUse(as: QueueLink.self) { feed.begin(link) }
    }

    override func emit(into compiler: Compiler) {
        let bus = compiler.bus(.audio, channelCount: format.channelCount)
        compiler.add(kernelOf: self, from: [], to: [bus])
        compiler.set(bus, output: 0, of: self)
    }
}

/// What a queue player tells, on its own thread.
public enum QueueEvent: Sendable {
    /// A buffer was given back: its last frame was taken to be played, or it was dropped.
    case finished(AudioBuffer, wasPlayed: Bool)
    /// The player has begun to run, or has ended: stopped, or all of the queue was played.
    case running(Bool)
}

/// Why a queue player did not take a buffer.
public enum QueueError: Error, Hashable, CustomStringConvertible {
    /// The buffer has another format than the player.
    case wrongFormat(node: String, buffer: StreamFormat, player: StreamFormat)
    /// So many buffers are queued that no more fit.
    case queueIsFull(node: String, limit: Int)

    public var description: String {
        switch self {
        case .wrongFormat(let node, let buffer, let player):
            "\(node) plays \(player), and the buffer has \(buffer): convert it first"
        case .queueIsFull(let node, let limit):
            "\(limit) buffers wait in \(node): no more fit until one has been played"
        }
    }
}
