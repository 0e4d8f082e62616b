import Synchronization
import SystemSupport

/// The half of a `SongSource` that the song's thread uses: the thread that supplies its frames.
///
/// One thread at a time uses the feed. It may outlive the source and the graph. Never on the
/// realtime thread: pushing takes no lock, but may write to an eventfd.
@safe public final class SongFeed: @unchecked Sendable {
    // Safety: all state is in the ring, whose table says which thread writes what; only the song's
    // thread uses `lastMark`.
    private let shared: Shared<SongRing>
    /// The newest mark in the ring; nil since a flush.
    private var lastMark: SongRing.Mark?
    private let (demandFlag, supplyFlag) = (EventFlag(), EventFlag())
    /// Frames a second that the graph renders, in Hz.
    public let sampleRate: Int

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        // A quarter of a second, and at least enough for JACK's longest period.
        let fill = max(sampleRate / 4, 12_000)
        shared = Shared(
            SongRing(
                fill: fill, demand: demandFlag?.descriptor ?? -1,
                arrival: supplyFlag?.descriptor ?? -1))
    }

    /// Whether the two eventfds exist by which a waiting driver and the song's thread wake each
    /// other; false when the system had no descriptor left.
    var hasEvents: Bool { demandFlag != nil && supplyFlag != nil }

    var ring: UnsafePointer<SongRing> { unsafe UnsafePointer(shared.pointer) }

    /// The most frames in the ring: 0.25 s, at least 12,000.
    public var capacity: Int { unsafe ring.pointee.fill }

    /// The last frames of the ring, held back for the fade while more are expected: 256.
    public static var reserve: Int { SongRing.reserve }

    /// Frames that may be pushed now; 0 until a flush has been carried out.
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

    /// Frames that were ever put into the ring.
    public var pushedFrames: Int { unsafe ring.pointee.written.load(ordering: .relaxed) }

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
        precondition(count <= space, "more frames than the ring has space for")
        guard count > 0 else { return }
        number(from: songFrame, step: step)
        let start = unsafe ring.pointee.written.load(ordering: .relaxed)
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

    /// Sets the number in the song of the next frame that is pushed, and how many frames of the song
    /// each frame from there on stands for, as `push` does. It holds even if no frame follows, so
    /// that the position of a song's end is known.
    public func number(from songFrame: Int64, step: Double = 1) {
        precondition(step > 0 && step <= 16, "a step of \(step) frames")
        let number = unsafe ring.pointee.marksWritten.load(ordering: .relaxed)
        let unread = unsafe number - ring.pointee.marksRead.load(ordering: .acquiring)
        let index = unsafe ring.pointee.written.load(ordering: .relaxed)
        if let lastMark, lastMark.step == step {
            // Between whole frames of the song the number is rounded once here, and once there.
            let tolerance: Int64 = step == 1 ? 0 : 1
            if abs(lastMark.songFrame(at: index) - songFrame) <= tolerance { return }
        }
        guard unread < SongRing.markCapacity else { return }
        let mark = SongRing.Mark(index: index, songFrame: songFrame, step: step)
        lastMark = mark
        unsafe ring.pointee.mark(number).pointee = mark
        unsafe ring.pointee.marksWritten.store(number + 1, ordering: .releasing)
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

    /// A descriptor that is readable (poll(2)) while a driver waits for frames, as offline and
    /// freewheel drivers do: push more at once. `clearDemand` makes it unreadable.
    public var demand: Int32 { unsafe ring.pointee.supply.demand }

    /// Makes `demand` unreadable. Returns whether it was readable.
    public func clearDemand() -> Bool { demandFlag?.clear() ?? false }

    /// Wakes a driver that waits for frames.
    private func supply() { unsafe ring.pointee.supply.signal() }
}

extension SongRing {
    /// Waits until `frames` frames can be rendered, or until `end`, a time of `monotonicSeconds`.
    /// False when `end` came first. For the driver's thread; blocks.
    func wait(frames: Int, until limit: Supply.Limit) -> Bool {
        supply.wait(until: limit) { canRender(frames) }
    }
}
