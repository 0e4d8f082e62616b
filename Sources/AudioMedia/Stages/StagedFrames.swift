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

    private var samples: [Float] = []
    /// The first frame that waits.
    private var start = 0
    private var runs: [Run] = []

    /// The frames that can be taken next; nil when none wait.
    var next: Run? { runs.first }

    /// How many wait.
    var count: Int { samples.count / 2 - start }

    /// Adds interleaved frames.
    mutating func append(_ frames: some Collection<Float>, at place: Double, step: Double) {
        let count = frames.count / 2
        guard count > 0 else { return }
        samples.removeFirst(2 * start)
        start = 0
        samples.append(contentsOf: frames)
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
        unsafe samples.withUnsafeBufferPointer { all in
            guard let base = all.baseAddress else { return }
            unsafe take(base + 2 * start)
        }
        start += count
        runs[0].count -= count
        runs[0].place += Double(count) * runs[0].step
        if runs[0].count == 0 { runs.removeFirst() }
    }

    mutating func removeAll() {
        samples.removeAll(keepingCapacity: true)
        runs = []
        start = 0
    }
}
