/// How the samples of a stream lie in memory.
public enum SampleLayout: String, Sendable, CaseIterable, BitwiseCopyable {
    /// 32-bit floats, one buffer a channel: as in a graph.
    case planar
    /// 32-bit floats, one buffer: the channels of the first frame, those of the second, ….
    case interleaved
    /// As `interleaved`, of 16-bit integers: −32,768 is −1. What lies outside of −1…1 is clipped
    /// when it is written, and what is no number becomes 0; rounded to the nearest, without dither.
    case int16
}
