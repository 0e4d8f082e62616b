/// How the samples of one connection are laid out: 32-bit floats, one buffer a channel.
public struct StreamFormat: Sendable, Hashable, CustomStringConvertible {
    /// Frames a second, in Hz.
    public let sampleRate: Int
    /// Channels, 1…8: 1 is mono, 2 are stereo (left, right).
    public let channelCount: Int

    /// A format of `channelCount` channels at `sampleRate` Hz.
    public init(sampleRate: Int, channelCount: Int) {
        precondition(sampleRate > 0 && (1...8).contains(channelCount))
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// Text like `48000 Hz stereo` or `48000 Hz, 5 channels`.
    public var description: String {
        switch channelCount {
        case 1: "\(sampleRate) Hz mono"
        case 2: "\(sampleRate) Hz stereo"
        default: "\(sampleRate) Hz, \(channelCount) channels"
        }
    }
}
