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
