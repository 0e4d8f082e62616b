/// How the samples of one connection are laid out: 32-bit floats, one buffer a channel.
public struct StreamFormat: Sendable, Hashable, CustomStringConvertible {
    /// Frames a second, in Hz.
    public let sampleRate: Int
    /// Channels: 1 (mono) or 2 (stereo: left, right).
    public let channelCount: Int

    /// A format of `channelCount` channels at `sampleRate` Hz.
    public init(sampleRate: Int, channelCount: Int) {
        precondition(sampleRate > 0 && (1...2).contains(channelCount))
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// Text like `48000 Hz stereo`.
    public var description: String {
        "\(sampleRate) Hz \(channelCount == 1 ? "mono" : "stereo")"
    }
}
