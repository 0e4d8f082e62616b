import Synchronization

/// The frames that a song's thread hands to the render thread, and all values that these two and
/// the control thread share about them.
///
/// Indices count frames since the beginning and never wrap (2⁶³ frames are six million years).
@safe struct SongRing: ~Copyable {
    // Safety: which thread writes what (all threads may read the atomics).
    //   frames, marks beyond `written`, `marksWritten`     the song's thread
    //   written, marksWritten, isComplete, released, holds,
    //   flushesWanted                                       the song's thread
    //   read, marksRead, flushesDone, waits, phase,
    //   position, underruns                                 the render thread; the position also
    //                                                       the song's thread, while the ring is
    //                                                       empty and the render thread waits
    //   isPaused, offset                                    the control thread
    //   transportFrame                                      the render thread

    /// A place where the song's numbering jumps, or its speed changes: the frame at `index` is the
    /// song's `songFrame`, and each further frame is `step` frames of the song later.
    struct Mark: BitwiseCopyable {
        let index: Int
        let songFrame: Int64
        let step: Double

        @_noLocks init(index: Int, songFrame: Int64, step: Double) {
            self.index = index
            self.songFrame = songFrame
            self.step = step
        }

        /// The song's frame that the frame at `index` is, or lies behind.
        @_noLocks func songFrame(at index: Int) -> Int64 {
            let frames = index &- self.index
            return songFrame &+ (step == 1 ? Int64(frames) : Int64(Double(frames) * step))
        }
    }

    /// Values of `phase`: what the render thread does with the song. Plain numbers, since reading
    /// an enum's raw value is not `@_noLocks`.
    static var waiting: UInt8 { @_noLocks get { 0 } }
    static var playing: UInt8 { @_noLocks get { 1 } }
    static var paused: UInt8 { @_noLocks get { 2 } }
    static var ended: UInt8 { @_noLocks get { 3 } }

    /// Frames that are held back while more are expected: enough for a fade out.
    static var reserve: Int { @_noLocks get { 256 } }
    static var markCapacity: Int { @_noLocks get { 16 } }

    /// The most frames that the song's thread puts into the ring.
    let fill: Int
    private let mask: Int
    private let frames: UnsafeMutablePointer<SIMD2<Float>>
    private let marks: UnsafeMutablePointer<Mark>

    let written = Atomic<Int>(0)
    let read = Atomic<Int>(0)
    let marksWritten = Atomic<Int>(0)
    let marksRead = Atomic<Int>(0)
    /// Whether the last frame in the ring is the song's last.
    let isComplete = Atomic<Bool>(false)
    /// Seeks begun by the song's thread, and those carried out by the render thread.
    let flushesWanted = Atomic<Int>(0)
    let flushesDone = Atomic<Int>(0)
    /// How often the render thread began to wait for frames (at first, after an underrun, after a
    /// flush), and the number of the last wait that the song's thread has released.
    let waits = Atomic<Int>(1)
    let released = Atomic<Int>(0)
    let isPaused = Atomic<Bool>(false)
    /// By how many frames the song comes later than the one that it follows.
    let offset = Atomic<Int64>(0)
    let phase = Atomic<UInt8>(SongRing.waiting)
    /// The song's frame to be played next.
    let position = Atomic<Int64>(0)
    let underruns = Atomic<Int>(0)
    /// How often the song's thread took a release back (`SongFeed.hold`).
    let holds = Atomic<Int>(0)
    /// The song's frame that belongs to the next frame rendered, or a value of `TransportFrame`.
    let transportFrame = Atomic<Int64>(TransportFrame.free)
    /// By which a driver waits for the song's thread.
    let supply: Supply

    init(fill: Int, demand: Int32, arrival: Int32) {
        self.fill = fill
        supply = Supply(demand: demand, arrival: arrival)
        // A power of two, for `mask`; no more than `fill` of them are ever used at once.
        var slots = 1
        while slots < fill { slots *= 2 }
        mask = slots - 1
        unsafe frames = .allocate(capacity: slots)
        unsafe frames.initialize(repeating: .zero, count: slots)
        unsafe marks = .allocate(capacity: Self.markCapacity)
        unsafe marks.initialize(
            repeating: Mark(index: 0, songFrame: 0, step: 1), count: Self.markCapacity)
    }

    deinit {
        unsafe frames.deallocate()
        unsafe marks.deallocate()
    }

    /// The storage of frame `index`, and how many frames lie from there on in one piece.
    @_noLocks func run(from index: Int) -> (frames: UnsafeMutablePointer<SIMD2<Float>>, count: Int)
    {
        unsafe (frames + (index & mask), mask + 1 - (index & mask))
    }

    @_noLocks func mark(_ number: Int) -> UnsafeMutablePointer<Mark> {
        unsafe marks + (number & (Self.markCapacity - 1))
    }

    /// Whether a driver need not wait: `count` frames can be rendered without an underrun, or none
    /// are due (the song is paused, seeking, complete, or early under a transport).
    @_noLocks func canRender(_ count: Int) -> Bool {
        let wanted = transportFrame.load(ordering: .relaxed)
        if isPaused.load(ordering: .relaxed) || wanted == TransportFrame.stopped
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
        let available = written.load(ordering: .acquiring) - read.load(ordering: .relaxed)
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
            && written.load(ordering: .acquiring) == read.load(ordering: .relaxed)
    }
}
