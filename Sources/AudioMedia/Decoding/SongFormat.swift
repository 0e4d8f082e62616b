/// What a song is encoded as.
public struct SongFormat: Sendable, Hashable, CustomStringConvertible {
    /// How the bit rate behaves.
    public enum Rating: String, Sendable { case constant, variable, average }

    /// As `MPEG 1 layer III`, `FLAC` or `Ogg Vorbis`.
    public let codec: String
    /// Frames a second before any resampling, in Hz.
    public let sampleRate: Int
    /// Channels in the stream, 1 or 2; decoded frames always have 2.
    public let channelCount: Int
    /// In kbit/s: the rate of an MPEG frame, or the mean of a variable rate where known.
    public let bitrate: Int
    public let rating: Rating

    /// As `MPEG 1 layer III, 44100 Hz stereo, 192 kbit/s`.
    public var description: String {
        "\(codec), \(sampleRate) Hz \(channelCount == 1 ? "mono" : "stereo"), \(bitrate) kbit/s"
            + (rating == .constant ? "" : " \(rating.rawValue)")
    }
}
