/// What the samples of a stream are: their rate, how many channels they have, and how they lie in
/// memory.
public struct StreamFormat: Sendable, Hashable, CustomStringConvertible {
    /// Frames a second, in Hz.
    public let sampleRate: Int
    /// Channels, 1…8: 1 is mono, 2 are stereo (left, right).
    public let channelCount: Int
    /// How the samples lie in memory.
    public let layout: SampleLayout

    /// A format of `channelCount` channels at `sampleRate` Hz.
    ///
    /// - Parameters:
    ///   - sampleRate: at least 1.
    ///   - channelCount: 1…8.
    ///   - layout: 32-bit floats, one buffer a channel, by default.
    public init(sampleRate: Int, channelCount: Int, layout: SampleLayout = .planar) {
        require(
            sampleRate > 0 && (1...8).contains(channelCount),
            "a format of \(sampleRate) Hz and \(channelCount) channels: it has a rate above 0 and 1 to 8 channels"
        )
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.layout = layout
    }

    /// Text like `48000 Hz stereo`, `48000 Hz, 5 channels` or `44100 Hz stereo, int16`.
    public var description: String {
        let channels =
            switch channelCount {
            case 1: " mono"
            case 2: " stereo"
            default: ", \(channelCount) channels"
            }
        return "\(sampleRate) Hz\(channels)" + (layout == .planar ? "" : ", \(layout.rawValue)")
    }
}

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
