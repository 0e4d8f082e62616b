/// A song's frames, decoded: stereo, interleaved, at the song's own rate. Mono is copied to both
/// sides, of more channels the first two are taken. Positions are in frames, 0 the first that is
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
