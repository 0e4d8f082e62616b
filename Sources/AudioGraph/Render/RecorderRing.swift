import Synchronization

/// Frames of several buses that the render thread hands to a recorder's reader, aligned.
@safe struct RecorderRing: ~Copyable {
    // Safety: which thread writes what (both read the atomics).
    //   samples beyond `written`, written, offset, dropped   the render thread
    //   read                                                 the reader's thread
    // The offset changes only while the ring is empty. The reader loads it before it stores `read`
    // (releasing), and the render thread changes it after it has loaded that (acquiring); the next
    // `written` publishes it. So the reader never sees the offset of other frames.

    /// The channels of each bus.
    private let channelCounts: UnsafeMutablePointer<Int>
    let busCount: Int
    /// How many frames fit.
    let capacity: Int
    /// One channel after the other, each `capacity` samples long.
    private let samples: Samples
    /// Frames put into the ring, and frames that the reader has given back.
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)
    /// The graph's frame of a frame in the ring, less its number there.
    private let offset = Atomic<Int>(0)
    /// Frames that found no place.
    let dropped = Atomic<Int>(0)

    /// A ring for `capacity` frames of buses with so many channels. Its memory is touched here, so
    /// that the render thread meets no page fault.
    init(channelCounts counts: [Int], capacity: Int) {
        busCount = counts.count
        self.capacity = capacity
        unsafe channelCounts = .allocate(capacity: counts.count)
        for (bus, count) in counts.enumerated() {
            unsafe (channelCounts + bus).initialize(to: count)
        }
        let total = counts.reduce(0, +) * capacity
        unsafe samples = .allocate(capacity: total)
        unsafe samples.initialize(repeating: 0, count: total)
    }

    deinit {
        unsafe channelCounts.deallocate()
        unsafe samples.deallocate()
    }

    /// Puts a slice of all buses into the ring, or counts its frames as dropped: when they do not
    /// fit, and after that, or after any other gap, until the ring is empty.
    ///
    /// Render thread. Realtime-safe.
    @inline(never) @_noLocks func push(_ sources: Buses, frame: Int, count: Int) {
        let number = written.load(ordering: .relaxed)
        let waiting = number - read.load(ordering: .acquiring)
        let follows = frame - number == offset.load(ordering: .relaxed)
        guard follows || waiting == 0, count <= capacity - waiting else {
            dropped.store(dropped.load(ordering: .relaxed) &+ count, ordering: .relaxed)
            return
        }
        if !follows { offset.store(frame - number, ordering: .relaxed) }
        let start = number % capacity
        let untilEnd = min(count, capacity - start)
        var place = unsafe samples
        for bus in 0..<busCount {
            let source = sources[bus]
            for channel in unsafe 0..<channelCounts[bus] {
                let from = unsafe source.channels[min(channel, source.channelCount - 1)]
                unsafe copyChannel(from, to: place + start, count: untilEnd)
                unsafe copyChannel(from + untilEnd, to: place, count: count - untilEnd)
                unsafe place += capacity
            }
        }
        written.store(number + count, ordering: .releasing)
    }

    /// How many frames wait. Control thread, or the reader's.
    var waiting: Int {
        let taken = read.load(ordering: .acquiring)
        return written.load(ordering: .acquiring) - taken
    }

    /// The graph's frame of the oldest frame, where frames wait; those that wait follow it. The
    /// reader's thread: Control thread.
    func firstFrame() -> Int {
        read.load(ordering: .relaxed) + offset.load(ordering: .relaxed)
    }

    /// Copies the oldest `count` frames of a channel, counted through all buses. The reader's
    /// thread: Control thread.
    func copy(channel: Int, count: Int, to target: Samples) {
        let place = unsafe samples + channel * capacity
        let start = read.load(ordering: .relaxed) % capacity
        let untilEnd = min(count, capacity - start)
        unsafe copyChannel(place + start, to: target, count: untilEnd)
        unsafe copyChannel(place, to: target + untilEnd, count: count - untilEnd)
    }

    /// Gives the places of the oldest `count` frames back. The reader's thread: Control thread.
    func pop(_ count: Int) {
        read.store(read.load(ordering: .relaxed) + count, ordering: .releasing)
    }
}
