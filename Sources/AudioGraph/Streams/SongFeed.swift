import Synchronization

/// A song in the graph: plays, always in stereo, the frames that another thread puts into `feed`.
///
/// The song begins when the feed is released, fades out when its frames run out, and goes on with
/// the very next frame when the feed is released again. A source that is removed from its graph
/// stands still once it has faded out (`Graph.collect`); added again, it goes on with the very
/// next frame.
public final class SongSource: AudioNode {
    /// What the render thread does with the song.
    public enum State: String, Sendable {
        /// Waits for frames: at first, in an underrun, while seeking.
        case waiting
        case playing
        case paused
        /// The last frame was played.
        case ended
    }

    /// The other half of the source, for the thread that supplies the frames.
    public let feed: SongFeed
    /// Counts the frames it has read from the feed's ring, so the ring must live as long.
    private let kernel: Shared<SongKernel>
    /// By which songs keep together; nil: this one is by itself.
    private let lead: Shared<SongLead>?
    /// The song that this one follows.
    private let leader: SongSource?

    private static let ownUnit = UnitDescription(
        .generator, "song", "Plays frames that another thread supplies.",
        of: SongSource(sampleRate: 48_000),
        outputs: [BusDescription("output", channels: 2...2)],
        properties: [
            PropertyDescription("state", .text, changesByItself: true),
            PropertyDescription("position", .frames, changesByItself: true),
            PropertyDescription("underruns", .count, changesByItself: true),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// A source for a graph of `sampleRate` Hz. It needs two file descriptors; where none is left,
    /// `Graph.add` refuses it (`noDescriptors`).
    public convenience init(sampleRate: Int, name: String = "song") {
        self.init(at: sampleRate, lead: nil, leader: nil, name: name)
    }

    /// A source for a driver that waits for it: with a ring of `capacity` frames, where that is more than
    /// others have, the song's thread and the driver's wake each other less often.
    package convenience init(sampleRate: Int, capacity: Int, name: String = "song") {
        self.init(at: sampleRate, capacity: capacity, lead: nil, leader: nil, name: name)
    }

    /// A song that others can follow, with frames of the same numbers: it begins, here or anywhere
    /// else, when all of them are at its place, or after 2 s.
    package convenience init(leadingAt sampleRate: Int, name: String) {
        let lead = Shared(SongLead(sampleRate: sampleRate))
        self.init(at: sampleRate, lead: lead, leader: nil, name: name)
    }

    /// A song of which each frame sounds with the same frame of `leader` (`offset`): it pauses and waits
    /// with that song, is to be sought where that is sought, and plays on when that is over.
    package convenience init(following leader: SongSource, name: String) {
        guard let lead = leader.lead else {
            fatalError("\(leader.name) leads no song: it is made by init(leadingAt:)")
        }
        self.init(at: leader.feed.sampleRate, lead: lead, leader: leader, name: name)
    }

    private init(
        at rate: Int, capacity: Int = 0, lead: Shared<SongLead>?, leader: SongSource?, name: String
    ) {
        feed = SongFeed(sampleRate: rate, capacity: capacity)
        (self.lead, self.leader) = (lead, leader)
        kernel = unsafe Shared(
            SongKernel(
                ring: feed.ring, sampleRate: rate, lead: lead?.pointer,
                leads: lead != nil && leader == nil),
            keepingAll: [feed] + (lead.map { [$0] } ?? []))
        super.init(name: name)
    }

    /// By how many frames the song comes later than the one that it follows; earlier when negative. It
    /// fades out and in where this changes, and plays the frame whose turn it is.
    package var offset: Int {
        get { Int(unsafe feed.ring.pointee.offset.load(ordering: .relaxed)) }
        set { unsafe feed.ring.pointee.offset.store(Int64(newValue), ordering: .relaxed) }
    }

    /// Whether the song is paused. It fades out and in over 5 ms, and goes on with the very next
    /// frame.
    @Parameter(.pause, .switch, 0...1, default: 0, ramp: 5) public var isPaused: Bool

    override func apply(_ address: ParameterAddress) {
        // In a graph an edit brings it to the render thread, at its frame.
        if rendering == nil { showPause() }
    }

    private func showPause() {
        unsafe feed.pause.pointer.pointee.isOn.store(isPaused, ordering: .relaxed)
    }

    override func begin() { showPause() }

    override func takesRamp(_ name: ParameterName) -> Bool { name != .pause }

    public override func property(_ name: String) -> PropertyValue? {
        switch name {
        case "state": .text(state.rawValue)
        case "position": .number(position)
        case "underruns": .number(Int64(underruns))
        default: super.property(name)
        }
    }

    public var state: State {
        switch unsafe feed.ring.pointee.phase.load(ordering: .relaxed) {
        case SongRing.playing: .playing
        case SongRing.paused: .paused
        case SongRing.ended: .ended
        default: .waiting
        }
    }

    /// The song's frame to be played next, counted at the graph's rate.
    public var position: Int64 { unsafe feed.ring.pointee.position.load(ordering: .relaxed) }

    /// How often the frames ran out before the song's end, `SongFeed.hold` included.
    public var underruns: Int {
        unsafe feed.ring.pointee.underruns.load(ordering: .relaxed)
            + feed.ring.pointee.holds.load(ordering: .relaxed)
    }

    override var hasEnd: Bool { true }
    override var endFrame: Int? {
        state == .ended ? unsafe feed.ring.pointee.endFrame.load(ordering: .relaxed) : nil
    }

    public override var inputBusCount: Int { 0 }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { 2 }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        guard feed.sampleRate == rendering.sampleRate else {
            throw .otherRate(node: name, rate: feed.sampleRate, graph: rendering.sampleRate)
        }
        guard feed.hasEvents else { throw .noDescriptors(node: name) }
        // The kernel knows how far the ring is read: it goes with the feed.
        rendering.keep(kernel)
        rendering.slot(.pause, seenIn: feed.pause)
        return unsafe .song(kernel.pointer)
    }

    override func emit(into compiler: Compiler) {
        if let leader { compiler.emitFirst(leader) }
        let bus = compiler.bus(.audio, channelCount: 2)
        compiler.add(kernelOf: self, from: [], to: [bus])
        compiler.set(bus, output: 0, of: self)
    }
}

/// The half of a `SongSource` that the song's thread uses: the thread that supplies its frames.
///
/// One thread at a time uses the feed. It may outlive the source and the graph. Never on the
/// realtime thread: pushing takes no lock, but may write to an eventfd.
@safe public final class SongFeed: @unchecked Sendable {
    // Safety: all state is in the ring, whose table says which thread writes what; only the song's
    // thread uses `lastMark`.
    private let shared: Shared<SongRing>
    let pause = Shared(SharedFlag())
    /// The newest mark in the ring; nil since a flush.
    private var lastMark: FrameRing.Mark?
    /// Frames a second that the graph renders, in Hz.
    public let sampleRate: Int

    init(sampleRate: Int, capacity: Int = 0) {
        self.sampleRate = sampleRate
        let fill = max(capacity, FrameRing.ahead(sampleRate: sampleRate))
        shared = unsafe Shared(SongRing(fill: fill, pause: pause.pointer), keeping: pause)
    }

    /// Whether the two eventfds exist by which a waiting driver and the song's thread wake each
    /// other; false when the system had no descriptor left.
    var hasEvents: Bool { unsafe ring.pointee.supply.hasEvents }

    var ring: UnsafePointer<SongRing> { unsafe UnsafePointer(shared.pointer) }

    /// The most frames in the ring: 0.25 s, at least 12,000, or as many as the source was made for.
    public var capacity: Int { unsafe ring.pointee.fill }

    /// The last frames of the ring, held back for the fade while more are expected: 256.
    public static var reserve: Int { SongRing.reserve }

    /// Frames that may be pushed now; 0 until a flush has been carried out.
    public var space: Int {
        guard isFlushed else { return 0 }
        guard unsafe ring.pointee.frames.waitingMarks < ring.pointee.frames.markCapacity else {
            return 0
        }
        return max(capacity - bufferedFrames, 0)
    }

    /// Frames in the ring.
    public var bufferedFrames: Int { unsafe ring.pointee.frames.waiting() }

    /// Frames that were ever put into the ring.
    public var pushedFrames: Int { unsafe ring.pointee.frames.written.load(ordering: .relaxed) }

    /// The frame of the graph in which the `index`th frame that was pushed is heard, from 0, while the
    /// song plays on.
    package func graphFrame(of index: Int) -> Int {
        unsafe ring.pointee.distance.load(ordering: .relaxed) + index
    }

    /// The last `count` frames that were pushed, at most `capacity`, interleaved. A frame that was heard
    /// stays until another takes its place.
    package func newest(_ count: Int) -> [Float] {
        require(
            count <= min(capacity, pushedFrames), "of \(count) frames not all are in the ring")
        let memory = unsafe ring.pointee.frames.memory
        let (place, inOnePiece) = unsafe ring.pointee.frames.piece(from: pushedFrames - count)
        let first = min(count, inOnePiece)
        return unsafe [Float](unsafeUninitializedCapacity: 2 * count) { frames, initialized in
            initialized = 2 * count
            guard let left = frames.baseAddress else { return }
            for channel in 0..<2 {
                let target = unsafe left + channel
                unsafe memory.read(
                    channel: channel, from: place, count: first, to: target, stride: 2)
                unsafe memory.read(
                    channel: channel, from: 0, count: count - first, to: target + 2 * first,
                    stride: 2)
            }
        }
    }

    /// Puts frames into the ring.
    ///
    /// - Parameters:
    ///   - interleaved: `count` frames: left, right, left, right, ….
    ///   - count: at most `space`.
    ///   - songFrame: number of the first frame in the song, counted at `sampleRate`.
    ///   - step: how many frames of the song each of these frames stands for: 1, but for a song
    ///     that is played faster (more) or slower (less); more than 0, at most 16.
    public func push(
        _ interleaved: UnsafePointer<Float>, count: Int, at songFrame: Int64, step: Double = 1
    ) {
        require(count <= space, "\(count) frames were pushed, and there is space for \(space)")
        guard count > 0 else { return }
        number(from: songFrame, step: step)
        let start = unsafe ring.pointee.frames.written.load(ordering: .relaxed)
        for channel in 0..<2 {
            unsafe ring.pointee.frames.write(
                channel: channel, at: start, count: count, from: interleaved + channel, stride: 2)
        }
        unsafe ring.pointee.frames.written.store(start + count, ordering: .releasing)
        supply()
    }

    /// Sets the number in the song of the next frame that is pushed, and how many frames of the song
    /// each frame from there on stands for, as `push` does. It holds even if no frame follows, so
    /// that the position of a song's end is known.
    public func number(from songFrame: Int64, step: Double = 1) {
        require(step > 0 && step <= 16, "a step of \(step) frames: it is more than 0, at most 16")
        let index = unsafe ring.pointee.frames.written.load(ordering: .relaxed)
        if let lastMark, lastMark.step == step {
            // Between whole frames of the song the number is rounded once here, and once there.
            let tolerance: Int64 = step == 1 ? 0 : 1
            if abs(Int64(lastMark.frame(at: index)) - songFrame) <= tolerance { return }
        }
        let mark = FrameRing.Mark(index: index, frame: Int(songFrame), step: step)
        guard unsafe ring.pointee.frames.add(mark) else { return }
        lastMark = mark
        // Stored here too, since a driver that does not run yet cannot store it.
        if isWaiting, bufferedFrames == 0 {
            unsafe ring.pointee.position.store(songFrame, ordering: .relaxed)
        }
    }

    /// Says that all frames are pushed: the song ends with the ring's last frame.
    public func finish() {
        unsafe ring.pointee.isComplete.store(true, ordering: .releasing)
        supply()
    }

    /// Begins a seek: the render thread fades out, drops all frames in the ring, and waits.
    public func flush() {
        lastMark = nil
        unsafe ring.pointee.flushesWanted.add(1, ordering: .acquiringAndReleasing)
        // Only after the flush is announced: a render thread that saw the song incomplete again but
        // no flush would count an underrun.
        unsafe ring.pointee.isComplete.store(false, ordering: .releasing)
        supply()
    }

    /// Whether the last flush has been carried out.
    public var isFlushed: Bool {
        unsafe ring.pointee.flushesDone.load(ordering: .acquiring)
            == ring.pointee.flushesWanted.load(ordering: .relaxed)
    }

    /// Whether the render thread is silent until `release()`: at first, after an underrun, after a
    /// flush, after `hold()`.
    public var isWaiting: Bool {
        unsafe ring.pointee.waits.load(ordering: .acquiring)
            > ring.pointee.released.load(ordering: .relaxed)
    }

    /// Whether the render thread plays the song now.
    public var isPlaying: Bool {
        unsafe ring.pointee.phase.load(ordering: .relaxed) == SongRing.playing
    }

    /// Whether the transport is already past the next frame: late frames are dropped as fast as
    /// they come.
    public var isBehind: Bool {
        let wanted = unsafe ring.pointee.transportFrame.load(ordering: .relaxed)
        let position = unsafe ring.pointee.position.load(ordering: .relaxed)
        return wanted != TransportFrame.stopped && position < wanted
    }

    /// Takes the last release back: the render thread waits until the next one. Counts as an
    /// underrun. For a song whose frames were all dropped as late by a transport, when no more
    /// come. Only while the ring is empty.
    public func hold() {
        let waits = unsafe ring.pointee.waits.load(ordering: .acquiring)
        unsafe ring.pointee.released.store(waits - 1, ordering: .releasing)
        unsafe ring.pointee.holds.add(1, ordering: .relaxed)
    }

    /// Says that enough frames are in the ring: the render thread goes on with the very next one,
    /// and fades in unless that is the song's first frame.
    public func release() {
        let waits = unsafe ring.pointee.waits.load(ordering: .acquiring)
        unsafe ring.pointee.released.store(waits, ordering: .releasing)
        supply()
    }

    /// A descriptor that is readable (poll(2)) when a driver waits for frames, as offline and
    /// freewheel drivers do, or will do so soon: push more at once. `clearDemand` makes it unreadable.
    public var demand: Int32 { unsafe ring.pointee.supply.demand?.descriptor ?? -1 }

    /// Makes `demand` unreadable. Returns whether it was readable.
    public func clearDemand() -> Bool { unsafe ring.pointee.supply.demand?.clear() ?? false }

    /// Wakes a driver that waits for frames.
    private func supply() { unsafe ring.pointee.supply.signal() }
}

/// The frames that a song's thread hands to the render thread, and all values that these two and
/// the control thread share about them. Its marks say where the song's numbering jumps, or its speed
/// changes.
@safe struct SongRing: ~Copyable {
    // Safety: which thread writes what (all threads may read the atomics).
    //   what FrameRing's writer writes, isComplete,
    //   released, holds, flushesWanted                      the song's thread
    //   what FrameRing's reader writes, flushesDone, waits,
    //   phase, position, endFrame, distance, underruns      the render thread; the position also
    //                                                       the song's thread, while the ring is
    //                                                       empty and the render thread waits
    //   offset                                              the control thread
    //   pause                                               who makes an edit: the render thread,
    //                                                       or the control thread where none renders
    //   isAsked                                             the driver's thread
    //   transportFrame                                      the render thread

    /// Values of `phase`: what the render thread does with the song. Plain numbers, since reading
    /// an enum's raw value is not `@_noLocks`.
    static var waiting: UInt8 { @_noLocks get { 0 } }
    static var playing: UInt8 { @_noLocks get { 1 } }
    static var paused: UInt8 { @_noLocks get { 2 } }
    static var ended: UInt8 { @_noLocks get { 3 } }

    /// Frames that are held back while more are expected: enough for a fade out.
    static var reserve: Int { @_noLocks get { 256 } }

    let frames: FrameRing
    /// Whether the last frame in the ring is the song's last.
    let isComplete = Atomic<Bool>(false)
    /// Seeks begun by the song's thread, and those carried out by the render thread.
    let flushesWanted = Atomic<Int>(0)
    let flushesDone = Atomic<Int>(0)
    /// How often the render thread began to wait for frames (at first, after an underrun, after a
    /// flush), and the number of the last wait that the song's thread has released.
    let waits = Atomic<Int>(1)
    let released = Atomic<Int>(0)
    /// Whether the song is paused.
    let pause: UnsafePointer<SharedFlag>
    /// By how many frames the song comes later than the one that it follows.
    let offset = Atomic<Int64>(0)
    let phase = Atomic<UInt8>(SongRing.waiting)
    /// The song's frame to be played next.
    let position = Atomic<Int64>(0)
    /// The graph's frame after the last one that sounded, at the song's end.
    let endFrame = Atomic<Int>(0)
    /// By how much the graph's number of a frame is more than the ring's, while the song plays on.
    let distance = Atomic<Int>(0)
    let underruns = Atomic<Int>(0)
    /// How often the song's thread took a release back (`SongFeed.hold`).
    let holds = Atomic<Int>(0)
    /// The song's frame that belongs to the next frame rendered, or a value of `TransportFrame`.
    let transportFrame = Atomic<Int64>(TransportFrame.free)
    /// By which a driver waits for the song's thread.
    let supply = Supply()
    /// Whether a driver that need not wait yet has asked for more frames.
    private let isAsked = Atomic<Bool>(false)

    init(fill: Int, pause: UnsafePointer<SharedFlag>) {
        frames = FrameRing(channelCounts: [2], capacity: fill)
        unsafe self.pause = pause
    }

    /// The most frames in the ring.
    var fill: Int { @_noLocks get { frames.capacity } }

    /// Whether a driver need not wait: `count` frames can be rendered without an underrun, or none
    /// are due (the song is paused, seeking, complete, or early under a transport).
    @_noLocks func canRender(_ count: Int) -> Bool {
        let wanted = transportFrame.load(ordering: .relaxed)
        if unsafe pause.pointee.isOn.load(ordering: .relaxed) || wanted == TransportFrame.stopped
            || flushesWanted.load(ordering: .acquiring) != flushesDone.load(ordering: .relaxed)
        {
            return true
        }
        guard released.load(ordering: .acquiring) >= waits.load(ordering: .relaxed) else {
            return false
        }
        if isComplete.load(ordering: .acquiring) { return true }
        // Frames that the transport has already passed are dropped first, so they are needed too.
        let late = wanted == TransportFrame.free ? 0 : wanted - position.load(ordering: .relaxed)
        if late <= -Int64(count) { return true }
        let needed = count + Int(max(0, min(late, Int64(fill))))
        let available =
            frames.written.load(ordering: .acquiring) - frames.read.load(ordering: .relaxed)
        return available - Self.reserve >= min(needed, fill - Self.reserve)
    }

    /// Whether the next frame is the song's `frame`, or the song ends before it.
    @_noLocks func isReady(at frame: Int64) -> Bool {
        guard flushesWanted.load(ordering: .acquiring) == flushesDone.load(ordering: .relaxed),
            released.load(ordering: .acquiring) >= waits.load(ordering: .relaxed)
        else { return false }
        let position = position.load(ordering: .relaxed)
        if position == frame { return true }
        return position < frame && isComplete.load(ordering: .acquiring)
            && frames.written.load(ordering: .acquiring) == frames.read.load(ordering: .relaxed)
    }

    /// Waits until `frames` frames can be rendered, or until `end`, a time of `monotonicSeconds`.
    /// False when `end` came first. For the driver's thread; blocks.
    func wait(frames: Int, until limit: Supply.Limit) -> Bool {
        let isReady = supply.wait(until: limit) { canRender(frames) }
        // From half a ring on, the song's thread fills it while the driver renders.
        if self.frames.waiting() >= fill / 2 {
            isAsked.store(false, ordering: .relaxed)
        } else if !isAsked.exchange(true, ordering: .relaxed) {
            supply.demand?.set()
        }
        return isReady
    }
}
