/// Counters of the process callback since activation.
public struct CallbackStatistics: Sendable, Hashable {
    /// Cycles rendered.
    public let cycles: Int
    /// Frames rendered.
    public let frames: Int
    /// Xruns that JACK reported.
    public let xruns: Int
    /// The longest cycle's processor time in nanoseconds, by CLOCK_THREAD_CPUTIME_ID; 0 when it is
    /// not measured.
    public let worstNanoseconds: UInt64
    /// The processor time of all cycles; 0 when it is not measured.
    public let totalNanoseconds: UInt64
}
