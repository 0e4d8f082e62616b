/// Where the files come from by which a song's voice is known.
public enum StemOrigin: String, Sendable, Equatable {
    /// From the user: named, beside the song or in its own file.
    case user
    /// Made from the song; see `StemFolder`.
    case separated
}

/// Where a queue looks for the stems of its songs.
public struct StemRequest: Sendable, Equatable {
    /// Those of one song; nil: as for the others, those that a text of UltraStar names, or those
    /// that lie beside the song.
    public var named: StemFiles?
    /// The number of that song, from 0, among those that the queue was given.
    public var song: Int
    /// Where those of songs are that were taken apart and have no others; nil: nowhere.
    public var separated: StemFolder?

    public init(named: StemFiles? = nil, song: Int = 0, separated: StemFolder? = nil) {
        (self.named, self.song, self.separated) = (named, song, separated)
    }
}

/// Where the stems of one song are.
enum StemPlace: Sendable, Equatable {
    /// They are not looked for.
    case nowhere
    /// Beside it, if there are any, or else among those that were made.
    case beside(or: StemFolder?)
    case named(StemFiles)
}
