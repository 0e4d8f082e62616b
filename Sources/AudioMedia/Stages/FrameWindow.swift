/// A stretch of stereo frames, interleaved, that grows at its end and is forgotten from its
/// beginning; outside of it there is silence. Frames are written and read where they lie. For one
/// thread.
@safe struct FrameWindow {
    /// Memory. The frames lie in one piece, which moves to the front when it has come to the end.
    private var samples: [Float] = []
    /// Where in it the first frame is.
    private var start = 0
    /// How many frames are there.
    private(set) var count = 0
    /// The number of the first frame that is there.
    private(set) var first = 0

    /// The number after the last frame.
    var end: Int { first + count }

    /// Empties the window: the next frame is that of number `place`.
    mutating func reset(at place: Int) { (start, count, first) = (0, 0, place) }

    mutating func append(_ frames: [Float]) {
        unsafe frames.withUnsafeBufferPointer { frames in
            guard let base = frames.baseAddress else { return }
            unsafe append(base, count: frames.count / 2)
        }
    }

    mutating func append(_ frames: UnsafePointer<Float>, count: Int) {
        unsafe grow(by: count) { target in
            unsafe target.update(from: frames, count: 2 * count)
            return count
        }
    }

    /// Lets `fill` write up to `room` frames behind the last, and say how many it wrote.
    mutating func grow(by room: Int, _ fill: (UnsafeMutablePointer<Float>) -> Int) {
        makeRoom(for: room)
        let end = 2 * (start + count)
        let added = unsafe samples.withUnsafeMutableBufferPointer { samples in
            unsafe samples.baseAddress.map { unsafe fill($0 + end) } ?? 0
        }
        precondition(added <= room)
        count += added
    }

    private mutating func makeRoom(for room: Int) {
        guard 2 * (start + count + room) > samples.count else { return }
        // Memory for twice as many frames, so that they seldom move.
        if samples.count < 3 * (count + room) {
            let size = 4 * (count + room)
            samples.append(contentsOf: repeatElement(0, count: size - samples.count))
        }
        let (first, count) = (2 * start, 2 * count)
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            unsafe base.update(from: base + first, count: count)
        }
        start = 0
    }

    /// Hands the first `count` frames, which must be there, to `body`.
    mutating func withFirst(_ count: Int, _ body: (UnsafeMutablePointer<Float>) -> Void) {
        unsafe withFrames(from: 0, count, body)
    }

    /// Hands the last `count` frames, which must be there, to `body`.
    mutating func withLast(_ count: Int, _ body: (UnsafeMutablePointer<Float>) -> Void) {
        unsafe withFrames(from: self.count - count, count, body)
    }

    private mutating func withFrames(
        from place: Int, _ count: Int, _ body: (UnsafeMutablePointer<Float>) -> Void
    ) {
        precondition(place >= 0 && count >= 0 && place + count <= self.count)
        let place = 2 * (start + place)
        unsafe samples.withUnsafeMutableBufferPointer { samples in
            guard let base = samples.baseAddress else { return }
            unsafe body(base + place)
        }
    }

    /// Forgets the first `count` frames, or all.
    mutating func forget(_ count: Int) {
        let count = min(max(0, count), self.count)
        start += count
        first += count
        self.count -= count
    }

    /// Forgets the frames before `place`.
    mutating func forget(before place: Int) { forget(place - first) }

    /// The frames from `place` on.
    func frames(from place: Int, count: Int) -> [Float] {
        var frames = [Float](repeating: 0, count: 2 * count)
        let (lower, upper) = (max(place, first), min(place + count, end))
        guard lower < upper else { return frames }
        let from = 2 * (start + lower - first)
        frames[(2 * (lower - place))..<(2 * (upper - place))] =
            samples[from..<(from + 2 * (upper - lower))]
        return frames
    }
}
