import CRealtime
import Synchronization
import SystemSupport

/// The song thread's half of a `SongSource`: frames go in here, and the render thread plays them.
///
/// One thread at a time uses it. It may outlive the source and the graph. Never on the realtime
/// thread: pushing is free of locks, but may write to an eventfd.
@safe public final class SongFeed: @unchecked Sendable {
    // Safety: all state is in the ring, whose table says who touches what; `nextStreamFrame`
    // belongs to the song's thread.
    private let shared: Shared<SongRing>
    private var nextStreamFrame: Int64?
    private let (demandFlag, supplyFlag) = (EventFlag(), EventFlag())
    /// Frames a second that the graph renders, in Hz.
    public let sampleRate: Int

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        // A quarter of a second, but enough for the longest period that JACK uses.
        let fill = max(sampleRate / 4, 12_000)
        shared = Shared(
            SongRing(
                fill: fill, demand: demandFlag?.descriptor ?? -1,
                supply: supplyFlag?.descriptor ?? -1))
    }

    /// Whether drivers that wait can be told of frames, and this side of drivers that wait: false
    /// when the system had no descriptor left.
    var hasEvents: Bool { demandFlag != nil && supplyFlag != nil }

    var ring: UnsafePointer<SongRing> { unsafe UnsafePointer(shared.pointer) }

    /// Frames that the ring is filled to, 0.25 s and at least 12,000.
    public var capacity: Int { unsafe ring.pointee.fill }

    /// Frames of it that are not played while more is expected.
    public static var reserve: Int { SongRing.reserve }

    /// Frames that may be pushed now; 0 while a flush is on its way.
    public var space: Int {
        guard isFlushed else { return 0 }
        let marks =
            unsafe ring.pointee.marksWritten.load(ordering: .relaxed)
            - ring.pointee.marksRead.load(ordering: .acquiring)
        guard marks < SongRing.markCapacity else { return 0 }
        return max(capacity - bufferedFrames, 0)
    }

    /// Frames in the ring.
    public var bufferedFrames: Int {
        unsafe ring.pointee.written.load(ordering: .relaxed)
            - ring.pointee.read.load(ordering: .acquiring)
    }

    /// Puts frames into the ring.
    ///
    /// - Parameters:
    ///   - interleaved: `count` frames of left and right.
    ///   - count: at most `space`.
    ///   - streamFrame: which frame of the song the first one is, counted at `sampleRate`.
    public func push(_ interleaved: UnsafePointer<Float>, count: Int, at streamFrame: Int64) {
        precondition(count <= space, "more frames than the ring has space for")
        guard count > 0 else { return }
        number(from: streamFrame)
        let start = unsafe ring.pointee.written.load(ordering: .relaxed)
        nextStreamFrame = streamFrame + Int64(count)
        var done = 0
        while done < count {
            let (frames, inOnePiece) = unsafe ring.pointee.run(from: start + done)
            let n = min(count - done, inOnePiece)
            for i in 0..<n {
                let (left, right) = unsafe (
                    interleaved[2 * (done + i)], interleaved[2 * (done + i) + 1]
                )
                unsafe frames[i] = SIMD2(left, right)
            }
            done += n
        }
        unsafe ring.pointee.written.store(start + count, ordering: .releasing)
        supply()
    }

    /// Says which frame of the song comes next, though none may come: so the song's end has a
    /// place.
    public func number(from streamFrame: Int64) {
        let number = unsafe ring.pointee.marksWritten.load(ordering: .relaxed)
        let unread = unsafe number - ring.pointee.marksRead.load(ordering: .acquiring)
        guard streamFrame != nextStreamFrame, unread < SongRing.markCapacity else { return }
        nextStreamFrame = streamFrame
        let index = unsafe ring.pointee.written.load(ordering: .relaxed)
        unsafe ring.pointee.mark(number).pointee =
            SongRing.Mark(index: index, streamFrame: streamFrame)
        unsafe ring.pointee.marksWritten.store(number + 1, ordering: .releasing)
        // Said at once: a driver that does not run yet would say it late.
        if isWaiting, bufferedFrames == 0 {
            unsafe ring.pointee.position.store(streamFrame, ordering: .relaxed)
        }
    }

    /// All is pushed: the song ends with the ring's last frame.
    public func finish() {
        unsafe ring.pointee.isComplete.store(true, ordering: .releasing)
        supply()
    }

    /// Begins a seek: the render side fades out, drops all that is in the ring, and waits.
    public func flush() {
        nextStreamFrame = nil
        unsafe ring.pointee.flushesWanted.add(1, ordering: .acquiringAndReleasing)
        // Afterwards, or the render side could take the end for an underrun before it sees why.
        unsafe ring.pointee.isComplete.store(false, ordering: .releasing)
        supply()
    }

    /// Whether the last flush has been carried out.
    public var isFlushed: Bool {
        unsafe ring.pointee.flushesDone.load(ordering: .acquiring)
            == ring.pointee.flushesWanted.load(ordering: .relaxed)
    }

    /// Whether the render side is silent until `release()`: at first, after an underrun, after a
    /// flush, after `hold()`.
    public var isWaiting: Bool {
        unsafe ring.pointee.waits.load(ordering: .acquiring)
            > ring.pointee.released.load(ordering: .relaxed)
    }

    /// Whether the render side plays now.
    public var isPlaying: Bool {
        unsafe ring.pointee.phase.load(ordering: .relaxed) == SongRing.playing
    }

    /// Whether a transport has passed what is in the ring: it is dropped as fast as it comes.
    public var isBehind: Bool {
        let wanted = unsafe ring.pointee.transportFrame.load(ordering: .relaxed)
        let position = unsafe ring.pointee.position.load(ordering: .relaxed)
        return wanted != SongRing.stopped && position < wanted
    }

    /// Takes the last release back: the render side waits until the next one, as after an underrun,
    /// and this counts as one. For a song whose frames a transport has passed, when no more come.
    /// Only while the ring is empty.
    public func hold() {
        let waits = unsafe ring.pointee.waits.load(ordering: .acquiring)
        unsafe ring.pointee.released.store(waits - 1, ordering: .releasing)
        unsafe ring.pointee.holds.add(1, ordering: .relaxed)
    }

    /// Enough is there: the render side goes on with the very next frame, faded in unless it is
    /// the song's first.
    public func release() {
        let waits = unsafe ring.pointee.waits.load(ordering: .acquiring)
        unsafe ring.pointee.released.store(waits, ordering: .releasing)
        supply()
    }

    /// Readable (poll(2)) when a driver that can wait (offline, freewheel) does so: more frames are
    /// wanted at once. `takeDemand` clears it.
    public var demand: Int32 { unsafe ring.pointee.demand }

    /// Whether `demand` was readable, which it is no more.
    public func takeDemand() -> Bool { demandFlag?.clear() ?? false }

    /// Tells a waiting driver that something has changed.
    private func supply() {
        if unsafe ring.pointee.isDemanded.exchange(false, ordering: .acquiringAndReleasing) {
            unsafe crealtime_event_signal(ring.pointee.supply)
        }
    }
}

extension SongRing {
    /// Driver: waits until `frames` frames can be rendered, or until `end` of `monotonicSeconds`.
    /// False when they cannot. Blocks.
    func wait(frames: Int, until end: Double) -> Bool {
        while true {
            isDemanded.store(true, ordering: .sequentiallyConsistent)
            if canRender(frames) {
                isDemanded.store(false, ordering: .relaxed)
                return true
            }
            crealtime_event_signal(demand)
            let left = end - monotonicSeconds()
            guard left > 0 else { return false }
            // Looks again whatever ends the wait.
            waitForInput([supply], milliseconds: Int((min(left, 60) * 1000).rounded(.up)))
            crealtime_event_clear(supply)
        }
    }
}
