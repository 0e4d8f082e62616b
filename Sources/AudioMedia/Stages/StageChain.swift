/// The effects that a song's frames pass between the conversion to the graph's rate and the ring.
///
/// Without effects every frame passes bit for bit. For one thread.
struct StageChain {
    /// The most frames that are handed to the stages at once, so that what waits behind them is no
    /// longer than that.
    static let block = 1024

    /// Frames that wait to be taken: the first is at `place` among all frames that were ever given,
    /// each further one `step` of them later.
    struct Run {
        let count: Int
        let place: Double
        let step: Double
    }

    private let stages: [any FrameStage]
    /// What the last stage has made, from the frame `start` on.
    private var output: [Float] = []
    private var start = 0
    /// The place of the next frame to be taken.
    private var place = 0

    init(_ stages: [any FrameStage] = []) { self.stages = stages }

    /// The frames that can be taken next; nil when none wait.
    var next: Run? {
        let count = output.count / 2 - start
        return count > 0 ? Run(count: count, place: Double(place), step: 1) : nil
    }

    /// Adds `count` frames.
    mutating func append(_ frames: UnsafePointer<Float>, count: Int) {
        compact()
        guard !stages.isEmpty else {
            return unsafe output.append(
                contentsOf: UnsafeBufferPointer(start: frames, count: 2 * count))
        }
        pass(unsafe [Float](UnsafeBufferPointer(start: frames, count: 2 * count)), from: 0)
    }

    /// No frame follows for now: what the stages hold is added to what waits.
    mutating func drain() {
        compact()
        for (number, stage) in stages.enumerated() {
            var rest: [Float] = []
            stage.drain(into: &rest)
            pass(rest, from: number + 1)
        }
    }

    /// Forgets all frames that wait or are held: those that come next do not continue them, and the
    /// first of them is at `place`.
    mutating func reset(at place: Int) {
        for stage in stages { stage.reset() }
        output.removeAll(keepingCapacity: true)
        (start, self.place) = (0, place)
    }

    /// Hands the first `count` frames of the next run to `take`, and forgets them.
    mutating func take(_ count: Int, _ take: (UnsafePointer<Float>) -> Void) {
        unsafe output.withUnsafeBufferPointer { all in
            guard let base = all.baseAddress else { return }
            unsafe take(base + 2 * start)
        }
        start += count
        place += count
    }

    /// Hands `frames` to the stage of that number, and what comes out to those behind it.
    private mutating func pass(_ frames: [Float], from number: Int) {
        var frames = frames
        for stage in stages[number...] {
            var next: [Float] = []
            stage.process(frames, into: &next)
            frames = next
        }
        output += frames
    }

    private mutating func compact() {
        output.removeFirst(2 * start)
        start = 0
    }
}
