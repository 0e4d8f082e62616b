import Synchronization

/// Frames that the render thread hands to a tap's reader, slice by slice.
@safe struct TapRing: ~Copyable {
    // Safety: which thread writes what (both read the atomics).
    //   records and samples beyond `written`, written, dropped   the render thread
    //   read                                                     the reader's thread

    /// One slice in the ring.
    struct Record: BitwiseCopyable {
        /// The graph's frame of the first sample.
        let frame: Int
        let count: Int
        /// What else the render thread says of the slice.
        let values: SIMD8<Float>
    }

    /// The longest slice.
    static var sliceFrames: Int { @_noLocks get { 256 } }

    let channelCount: Int
    /// How many slices fit.
    private let capacity: Int
    private let records: UnsafeMutablePointer<Record>
    private let samples: UnsafeMutablePointer<Float>
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)
    /// Frames that found no place.
    let dropped = Atomic<Int>(0)

    /// A ring for `slices` slices of 1…256 frames.
    init(channelCount: Int, slices: Int) {
        self.channelCount = channelCount
        capacity = slices
        unsafe records = .allocate(capacity: slices)
        unsafe records.initialize(
            repeating: Record(frame: 0, count: 0, values: SIMD8()), count: slices)
        let count = slices * channelCount * Self.sliceFrames
        unsafe samples = .allocate(capacity: count)
        unsafe samples.initialize(repeating: 0, count: count)
    }

    deinit {
        unsafe records.deallocate()
        unsafe samples.deallocate()
    }

    /// Puts a slice into the ring, or counts its frames as dropped and returns false. The buses
    /// share the ring's channels equally; one of fewer channels repeats its last one.
    ///
    /// Render thread. Realtime-safe.
    @discardableResult @_noLocks func push(
        _ sources: Buses, frame: Int, count: Int, values: SIMD8<Float>
    ) -> Bool {
        let number = written.load(ordering: .relaxed)
        guard number - read.load(ordering: .acquiring) < capacity else {
            dropped.store(dropped.load(ordering: .relaxed) &+ count, ordering: .relaxed)
            return false
        }
        let share = channelCount / sources.count
        for channel in 0..<channelCount {
            let source = sources[channel / share]
            let from = min(channel % share, source.channelCount - 1)
            unsafe copyChannel(
                source.channels[from], to: place(number, channel: channel), count: count)
        }
        unsafe records[number % capacity] = Record(frame: frame, count: count, values: values)
        written.store(number + 1, ordering: .releasing)
        return true
    }

    /// Whether the reader has given back all that was put into the ring.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks func isEmpty() -> Bool {
        read.load(ordering: .acquiring) == written.load(ordering: .relaxed)
    }

    /// How many slices wait. Control thread.
    var count: Int { written.load(ordering: .relaxed) - read.load(ordering: .acquiring) }

    /// How many slices the reader has given back. Control thread.
    var taken: Int { read.load(ordering: .acquiring) }

    /// The oldest slice, which stays until `pop`; nil when there is none. The reader's thread:
    /// Control thread.
    func first() -> Record? {
        let number = read.load(ordering: .relaxed)
        guard number < written.load(ordering: .acquiring) else { return nil }
        return unsafe records[number % capacity]
    }

    /// The samples of a channel of the oldest slice. The reader's thread: Control thread.
    func samples(channel: Int) -> UnsafePointer<Float> {
        unsafe UnsafePointer(place(read.load(ordering: .relaxed), channel: channel))
    }

    /// Gives the place of the oldest slice back. The reader's thread: Control thread.
    func pop() { read.store(read.load(ordering: .relaxed) + 1, ordering: .releasing) }

    @_noLocks private func place(_ number: Int, channel: Int) -> Samples {
        unsafe samples + (number % capacity * channelCount + channel) * Self.sliceFrames
    }
}
