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

    /// Drops the last `count` frames, or all.
    mutating func dropLast(_ count: Int) { self.count -= min(max(0, count), self.count) }

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

/// Stereo frames that came out of the stages and wait for the ring, and where they belong.
///
/// The place of a frame is its number among all frames that were ever given to the stages. For one
/// thread.
struct StagedFrames {
    /// Frames in a row: the first is at `place`, each further one `step` later.
    struct Run {
        var count: Int
        var place: Double
        let step: Double
    }

    private var frames = FrameWindow()
    private var runs: [Run] = []

    /// The frames that can be taken next; nil when none wait.
    var next: Run? { runs.first }

    /// How many wait.
    var count: Int { frames.count }

    /// Adds interleaved frames.
    mutating func append(_ new: [Float], at place: Double, step: Double) {
        let count = new.count / 2
        guard count > 0 else { return }
        frames.append(new)
        if let last = runs.last, last.step == step,
            abs(last.place + Double(last.count) * step - place) < 1e-6
        {
            runs[runs.count - 1].count += count
        } else {
            runs.append(Run(count: count, place: place, step: step))
        }
    }

    /// Hands the first `count` frames of the next run to `take`, and forgets them.
    mutating func take(_ count: Int, _ take: (UnsafePointer<Float>) -> Void) {
        unsafe frames.withFirst(count) { unsafe take($0) }
        frames.forget(count)
        runs[0].count -= count
        runs[0].place += Double(count) * runs[0].step
        if runs[0].count == 0 { runs.removeFirst() }
    }

    mutating func removeAll() {
        frames.reset(at: 0)
        runs = []
    }
}

/// Which frames of the songs lie in the ring.
///
/// Two counts never go back: the frames of songs that were ever handed to the stages (a place), and
/// those that were ever put into the ring (an index). From one to the other leads a row of lines;
/// from places to the numbers of frames in their songs leads a row of jumps. For one thread.
struct FrameNumbers {
    /// From the ring's `index` on, which is at `place`, each frame is `step` places later.
    private struct Line {
        let index: Int
        let place: Double
        let step: Double

        func place(at index: Int) -> Double { place + Double(index - self.index) * step }
    }

    /// The frame at `place` is the song's `frame`.
    private struct Jump {
        let place: Int
        let frame: Int64
    }

    private var lines = [Line(index: 0, place: 0, step: 1)]
    private var jumps: [Jump] = []

    /// The ring's frames from `index` on begin at `place`, and go on by `step`.
    mutating func draw(from index: Int, at place: Double, step: Double) {
        if let last = lines.last, last.step == step, abs(last.place(at: index) - place) < 1e-6 {
            return
        }
        lines.removeAll { $0.index >= index }
        lines.append(Line(index: index, place: place, step: step))
    }

    /// The frames from `place` on are the song's from `frame` on.
    mutating func number(from place: Int, as frame: Int64) {
        if let last = jumps.last, last.frame + Int64(place - last.place) == frame { return }
        jumps.removeAll { $0.place >= place }
        jumps.append(Jump(place: place, frame: frame))
    }

    /// What lies before the ring's `index` is heard, and forgotten.
    mutating func forget(before index: Int) {
        while lines.count > 1, lines[1].index <= index { lines.removeFirst() }
        let place = place(at: index)
        while jumps.count > 1, jumps[1].place <= place { jumps.removeFirst() }
    }

    /// The place of the ring's frame `index`, or the last before it.
    func place(at index: Int) -> Int {
        let line = lines.last { $0.index <= index } ?? lines[0]
        return Int(line.place(at: index).rounded(.down))
    }

    /// The ring's first frame at `place` or behind it.
    func index(of place: Int) -> Int {
        let line = lines.last { $0.place <= Double(place) } ?? lines[0]
        return line.index + Int(nearest: ((Double(place) - line.place) / line.step).rounded(.up))
    }

    /// The number in its song of the frame at `place`, or of the last before it.
    func frame(at place: Double) -> Int64 {
        guard let jump = jumps.last(where: { Double($0.place) <= place }) ?? jumps.first else {
            return 0
        }
        return jump.frame + Int64((place - Double(jump.place)).rounded(.down))
    }

    /// The next place after `place` at which the numbers jump; nil where none does.
    func nextJump(after place: Double) -> Int? { jumps.first { Double($0.place) > place }?.place }
}
