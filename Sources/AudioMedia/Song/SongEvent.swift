/// What happens to a song. Times in seconds.
public enum SongEvent: Sendable, Equatable {
    /// Its first frames have come: this is what it is.
    case opened(SongDescription)
    case playing
    case paused
    /// Bytes came too slowly; it is silent until enough is there again.
    case buffering
    /// It goes on after so many seconds of silence.
    case recovered(seconds: Double)
    /// The connection broke; after `delay` seconds it is tried again.
    case reconnecting(attempt: Int, reason: String, delay: Double)
    /// A seek has arrived.
    case seeked(seconds: Double, isExact: Bool)
    /// A seek cannot be done; the song goes on as it was.
    case cannotSeek(reason: String)
    /// Once a second while it plays, and after every change.
    case position(SongPosition)
    /// The last frame was played; `frames` counts the song's, at the graph's rate.
    case ended(frames: Int64)
    /// `stop` has been carried out.
    case stopped
    /// It is lost; what is buffered still plays, then it ends.
    case failed(SongError)
}

/// Where a song stands. Times in seconds.
public struct SongPosition: Sendable, Equatable {
    public var seconds = 0.0
    /// Nil while unknown.
    public var duration: Double?
    /// What can be played without any more bytes: ring and kept bytes together.
    public var buffered = 0.0
    /// False after a seek that had to guess.
    public var isExact = true
}

/// What a song is.
public struct SongDescription: Sendable, Equatable {
    /// The address as it may be shown.
    public let location: String
    public let format: MP3Format
    /// In seconds; nil while unknown.
    public let duration: Double?
    /// Whether any place in it can be reached without reading all before it.
    public let isSeekable: Bool
}
