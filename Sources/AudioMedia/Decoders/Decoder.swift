import SystemSupport

/// A song's frames, decoded: stereo, interleaved, at the song's own rate. Mono is copied to both
/// sides, more channels are mixed (`ChannelMix`). Positions are in frames, 0 the first that is
/// heard. For one thread.
protocol Decoder: AnyObject {
    /// What the song is encoded as; nil before the first `newFormat`, and maybe between a seek and
    /// a frame.
    var format: SongFormat? { get }
    /// The rate of the frames that `read` returns, in Hz; 0 before the first `newFormat`.
    var sampleRate: Int { get }
    /// The length of the whole song in frames; nil while unknown.
    var length: Int64? { get }
    /// Whether `length` was found by reading all of the song, or is in its header for sure: then there
    /// is nothing behind it.
    var isEndKnown: Bool { get }
    /// Whether positions count every frame from the beginning: false after an estimated seek.
    var isExact: Bool { get }
    /// The song's tags; nil while unknown, or when they say nothing.
    var tags: SongTags? { get }
    /// The gain that the song asks for. Known with the first `newFormat`, and never applied here.
    var replayGain: ReplayGain? { get }
    /// Whether any place in it can be reached without reading all before it.
    var isSeekable: Bool { get }
    /// What is there and was not read, in seconds.
    var secondsAhead: Double { get }

    /// Decodes up to `capacity` frames into `output`.
    func read(
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) throws(DecoderError) -> Decoded

    /// Moves to `frame`; where `estimating`, maybe near it, and `isExact` is false from then on. False
    /// where its bytes are asked for first: until they come everything stays where it is.
    @discardableResult
    func seek(to frame: Int64, estimating: Bool) throws(DecoderError) -> Bool
}

/// The result of `Decoder.read`.
enum Decoded: Equatable {
    /// This many frames were written, at least one.
    case frames(Int)
    /// The frames that follow are the first, or have another rate than those before.
    case newFormat
    /// The decoder goes on when more bytes have come.
    case needsBytes
    /// A live stream broke off here; what follows is another stretch of it.
    case spliced
    /// The song's last frame has been read.
    case ended
}

/// What a song is encoded as.
public struct SongFormat: Sendable, Hashable, CustomStringConvertible {
    /// How the bit rate behaves.
    public enum Rating: String, Sendable { case constant, variable, average }

    /// As `MPEG 1 layer III`, `FLAC` or `Ogg Vorbis`.
    public let codec: String
    /// Frames a second before any resampling, in Hz.
    public let sampleRate: Int
    /// Channels in the stream; decoded frames always have 2.
    public let channelCount: Int
    /// In kbit/s: the rate of an MPEG frame, or the mean of a variable rate where known.
    public let bitrate: Int
    public let rating: Rating

    /// As `MPEG 1 layer III, 44100 Hz stereo, 192 kbit/s`.
    public var description: String {
        let channels =
            switch channelCount {
            case 1: "mono"
            case 2: "stereo"
            default: "\(channelCount) channels"
            }
        return "\(codec), \(sampleRate) Hz \(channels), \(bitrate) kbit/s"
            + (rating == .constant ? "" : " \(rating.rawValue)")
    }
}

/// Why a decoder produces no frames from a song's bytes.
enum DecoderError: Error, Equatable {
    /// No three frames of MPEG audio in a row near the beginning.
    case notMPEG
    /// The library does not read the file; its own words.
    case notSoundFile(reason: String)
    /// The file holds MPEG audio, which libsndfile reads neither without gaps nor exactly.
    case holdsMPEG
    /// The file's header names a sample rate, in Hz, beyond `range`.
    case rateOutOfRange(Int, range: ClosedRange<Int>)
    /// It has so many channels, and nothing says which of them are left and right.
    case unknownLayout(Int)
    /// The library gave up; its own words.
    case library(String)
    /// The song's bytes do not come.
    case input(SongError)

    /// What came back, safe to show.
    var text: String {
        switch self {
        case .notMPEG: "there is no MPEG audio in it"
        case .holdsMPEG: "it holds MPEG audio"
        case .rateOutOfRange(let rate, _): "it has \(rate) Hz"
        case .unknownLayout(let count): "it has \(count) channels"
        case .input(let error): error.fault.description
        case .notSoundFile(let text), .library(let text): SafeText.clean(text)
        }
    }
}
