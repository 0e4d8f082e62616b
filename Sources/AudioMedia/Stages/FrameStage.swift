/// An effect on a song's thread: takes stereo frames at the graph's rate in their order, and gives as
/// many, the n-th of them made of the n-th.
///
/// It may hold frames back until it knows those that follow. Frames are interleaved. For one thread.
protocol FrameStage: AnyObject {
    /// Takes all frames of `input`, and appends those that are ready to `output`.
    func process(_ input: [Float], into output: inout [Float])

    /// No frame follows: appends all that it holds to `output`, and begins anew.
    func drain(into output: inout [Float])

    /// Forgets all that it holds: the frames that come next do not continue those before.
    func reset()
}
