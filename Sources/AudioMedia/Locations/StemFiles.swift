/// The files that a song was taken apart into. Where there are both, the vocals are used only if the
/// instrumental cannot be.
public struct StemFiles: Sendable, Equatable {
    /// The song without its voice; nil: there is none.
    public var instrumental: Location?
    /// The voice without the rest; nil: there is none.
    public var vocals: Location?

    /// At least one of them is to be given.
    public init(instrumental: Location? = nil, vocals: Location? = nil) {
        (self.instrumental, self.vocals) = (instrumental, vocals)
    }
}

/// Which files a song's voice is known by.
public enum KnownVoice: String, Sendable, Equatable {
    /// The song without its voice: the voice is what the song has besides.
    case instrumental
    /// The voice: the rest is what the song has besides.
    case vocals
}
