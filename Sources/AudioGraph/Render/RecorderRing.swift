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

    /// Takes the oldest frames, at most `most`, and never across a gap: the graph's frame of the
    /// first, and the samples of each channel of each bus. nil when there are none. The reader's
    /// thread: Control thread.
    func take(atMost most: Int) -> (frame: Int, buses: [[[Float]]])? {
        let number = read.load(ordering: .relaxed)
        let count = min(written.load(ordering: .acquiring) - number, most)
        guard count > 0 else { return nil }
        let frame = number + offset.load(ordering: .relaxed)
        let start = number % capacity
        let untilEnd = min(count, capacity - start)
        var place = unsafe samples
        var buses: [[[Float]]] = []
        for bus in 0..<busCount {
            var channels: [[Float]] = []
            for _ in unsafe 0..<channelCounts[bus] {
                channels.append(
                    unsafe Array(unsafeUninitializedCapacity: count) { target, filled in
                        unsafe copyChannel(place + start, to: target.baseAddress!, count: untilEnd)
                        unsafe copyChannel(
                            place, to: target.baseAddress! + untilEnd, count: count - untilEnd)
                        filled = count
                    })
                unsafe place += capacity
            }
            buses.append(channels)
        }
        read.store(number + count, ordering: .releasing)
        return (frame, buses)
    }
}
