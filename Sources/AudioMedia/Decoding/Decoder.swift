/// A song's frames, decoded: stereo, interleaved, at the song's own rate. Mono is copied to both
/// sides, of more channels the first two are taken. Positions are in frames, 0 the first that is
/// heard. For one thread.
protocol Decoder: AnyObject {
    /// What the song is encoded as; nil before the first `newFormat`, and maybe between a seek and
    /// a frame.
    var format: SongFormat? { get }
    /// Of the frames that `read` returns, in Hz; 0 before the first `newFormat`.
    var sampleRate: Int { get }
    /// The frames of the whole song; nil while unknown.
    var length: Int64? { get }
    /// Whether positions count every frame from the beginning: false after an estimated seek.
    var isExact: Bool { get }
    /// What its tags say. Known with the first `newFormat`.
    var tags: SongTags? { get }
    /// The gain that the song asks for. Known with the first `newFormat`, and never applied here.
    var replayGain: ReplayGain? { get }

    /// Decodes up to `capacity` frames into `output`.
    func read(
        into output: UnsafeMutablePointer<Float>, capacity: Int
    ) throws(DecoderError) -> Decoded
}

/// What a decoder came back with.
enum Decoded: Equatable {
    /// So many frames were written, at least one.
    case frames(Int)
    /// The frames from here on have another rate or are the first.
    case newFormat
    /// It must be fed more bytes.
    case needsInput
    /// All has been read.
    case ended
}
