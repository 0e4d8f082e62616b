import Synchronization

/// Frames on their way from one thread to another, of which one is the render thread: some buses,
/// aligned, one channel after the other.
///
/// Marks beside the frames say which frame is which, and what else belongs to them. Frames and
/// marks are counted from the beginning; the counts never wrap (2⁶³ frames are six million years).
@safe struct FrameRing: ~Copyable {
    // Safety: which thread writes what (both may read the atomics).
    //   samples beyond `written`, marks beyond `marksWritten`,
    //   written, marksWritten                                    the writer
    //   read, marksRead                                          the reader
    //   missed                                                   the render thread

    /// How many frames a thread puts into a ring ahead of the render thread: a quarter of a second, and
    /// at least enough for JACK's longest period. Control thread.
    static func ahead(sampleRate: Int) -> Int { max(sampleRate / 4, 12_000) }

    /// What the frame at `index` of the ring is, and those behind it up to the next mark.
    struct Mark: BitwiseCopyable {
        let index: Int
        /// The frame's number where it comes from: in a song, or in the graph.
        let frame: Int
        /// How many frames of that numbering each further frame of the ring stands for.
        let step: Double
        /// What else is said of the frames.
        let values: SIMD8<Float>

        @_noLocks init(index: Int, frame: Int, step: Double = 1, values: SIMD8<Float> = SIMD8()) {
            self.index = index
            self.frame = frame
            self.step = step
            self.values = values
        }

        /// The number of the frame that the one at `index` is, or lies behind.
        @_noLocks func frame(at index: Int) -> Int {
            let frames = index &- self.index
            return frame &+ (step == 1 ? frames : Int(Double(frames) * step))
        }
    }

    /// How many frames fit.
    let capacity: Int
    let markCapacity: Int
    /// Of all buses together.
    let channelCount: Int
    let busCount: Int
    /// The channels of each bus.
    private let widths: UnsafeMutablePointer<Int>
    private let samples: Samples
    private let channels: UnsafeMutablePointer<Samples>
    private let marks: UnsafeMutablePointer<Mark>
    let written = Atomic<Int>(0)
    let read = Atomic<Int>(0)
    let marksWritten = Atomic<Int>(0)
    let marksRead = Atomic<Int>(0)
    /// Frames that the render thread could not write, or would have read too early.
    let missed = Atomic<Int>(0)

    /// An empty ring. Its memory is touched here, so that the render thread meets no page fault.
    ///
    /// - Parameters:
    ///   - channelCounts: the channels of each bus.
    ///   - capacity: the most frames in the ring.
    ///   - marks: the most marks.
    init(channelCounts: [Int], capacity: Int, marks markCapacity: Int = 16) {
        self.capacity = capacity
        self.markCapacity = markCapacity
        busCount = channelCounts.count
        channelCount = channelCounts.reduce(0, +)
        unsafe widths = .allocate(capacity: busCount)
        for (bus, count) in channelCounts.enumerated() {
            unsafe (widths + bus).initialize(to: count)
        }
        unsafe samples = .allocate(capacity: channelCount * capacity)
        unsafe samples.initialize(repeating: 0, count: channelCount * capacity)
        unsafe channels = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            unsafe (channels + channel).initialize(to: samples + channel * capacity)
        }
        unsafe marks = .allocate(capacity: markCapacity)
        unsafe marks.initialize(repeating: Mark(index: 0, frame: 0), count: markCapacity)
    }

    deinit {
        unsafe widths.deallocate()
        unsafe samples.deallocate()
        unsafe channels.deallocate()
        unsafe marks.deallocate()
    }

    /// The place of frame `index`, and how many frames lie from there on in one piece.
    @_noLocks func piece(from index: Int) -> (place: Int, count: Int) {
        let place = index % capacity
        return (place, capacity &- place)
    }

    /// All frames, at their places.
    var memory: FrameMemory {
        @_noLocks get {
            unsafe FrameMemory(channels: UnsafePointer(channels), count: channelCount)
        }
    }

    // MARK: The writer

    /// How many more frames fit.
    @_noLocks func space() -> Int {
        capacity &- (written.load(ordering: .relaxed) &- read.load(ordering: .acquiring))
    }

    /// Adds a mark, which the reader sees at once; false when there is no place for it. Marks come in
    /// the order of their frames, and before these.
    @discardableResult @_noLocks func add(_ mark: Mark) -> Bool {
        let number = marksWritten.load(ordering: .relaxed)
        guard number &- marksRead.load(ordering: .acquiring) < markCapacity else { return false }
        unsafe marks[number % markCapacity] = mark
        marksWritten.store(number &+ 1, ordering: .releasing)
        return true
    }

    /// Writes `count` samples of a channel, every `stride`-th of `source`, to frame `index` and those
    /// behind it. The reader sees them when `written` is greater.
    @_noLocks func write(
        channel: Int, at index: Int, count: Int, from source: UnsafePointer<Float>,
        stride: Int = 1
    ) {
        let (place, inOnePiece) = piece(from: index)
        let target = unsafe channels[channel]
        let first = min(count, inOnePiece)
        if stride == 1 {
            unsafe copyChannel(source, to: target + place, count: first)
            unsafe copyChannel(source + first, to: target, count: count &- first)
            return
        }
        for i in 0..<first { unsafe target[place &+ i] = source[i &* stride] }
        for i in first..<count { unsafe target[i &- first] = source[i &* stride] }
    }

    /// Puts a slice of all buses into the ring, behind a mark where one is given by `isMarked`; counts
    /// its frames as missed and returns false when there is no place. A bus of fewer channels than
    /// the ring's repeats its last one.
    ///
    /// Render thread. Realtime-safe.
    @_noLocks func push(
        _ sources: Buses, frame: Int, count: Int, values: SIMD8<Float>, isMarked: Bool
    ) -> Bool {
        let index = written.load(ordering: .relaxed)
        guard count <= space(),
            !isMarked || add(Mark(index: index, frame: frame, values: values))
        else {
            miss(count)
            return false
        }
        var channel = 0
        for bus in 0..<busCount {
            let source = sources[bus]
            for own in unsafe 0..<widths[bus] {
                let from = unsafe source.channels[min(own, source.channelCount &- 1)]
                unsafe write(channel: channel, at: index, count: count, from: from)
                channel &+= 1
            }
        }
        written.store(index &+ count, ordering: .releasing)
        return true
    }

    /// Counts frames as missed. Render thread. Realtime-safe.
    @_noLocks func miss(_ count: Int) {
        missed.store(missed.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    // MARK: The reader

    /// How many frames wait. Any thread.
    @_noLocks func waiting() -> Int {
        // First what only grows up to the other.
        let taken = read.load(ordering: .acquiring)
        return written.load(ordering: .acquiring) &- taken
    }

    /// How many marks were added and not given back. Any thread.
    var waitingMarks: Int {
        let taken = marksRead.load(ordering: .acquiring)
        return marksWritten.load(ordering: .acquiring) - taken
    }

    /// The mark of that number; nil when it was not added yet. It stays until `marksRead` is greater.
    @_noLocks func mark(_ number: Int) -> Mark? {
        guard number < marksWritten.load(ordering: .acquiring) else { return nil }
        return unsafe marks[number % markCapacity]
    }

    /// Copies `count` samples of a channel, from frame `index` on.
    @_noLocks func copy(channel: Int, from index: Int, count: Int, to target: Samples) {
        let (place, inOnePiece) = piece(from: index)
        let source = unsafe channels[channel]
        let first = min(count, inOnePiece)
        unsafe copyChannel(source + place, to: target, count: first)
        unsafe copyChannel(source, to: target + first, count: count &- first)
    }
}
