import SystemSupport

/// What the tags of a song say, safe to show.
public struct SongTags: Sendable, Equatable {
    public let title: String?
    public let artist: String?
    /// Lines ended by line feeds.
    public let lyrics: String?
    /// The lyrics by lines: those with times of their own (SYLT), else `lyrics`, which may hold times
    /// as LRC does.
    public let lines: Lyrics?

    /// Most Unicode scalars that are kept of a title or a name, and of lyrics. Characters would be
    /// no bound: one may have any number of accents.
    private static let longestLine = 1024
    private static let longestLyrics = 65_536

    /// Nil when no text is left in any of them.
    ///
    /// - Parameter synchronised: lyrics that were read with their times; nil: there are none.
    init?(title: String?, artist: String?, lyrics: String?, synchronised: Lyrics? = nil) {
        func line(_ text: String?) -> String? {
            var text = String(SafeText.clean(text ?? "").unicodeScalars.prefix(Self.longestLine))
            while text.last?.isWhitespace == true { text.removeLast() }
            return text.isEmpty ? nil : text
        }
        self.title = line(title)
        self.artist = line(artist)
        let lines = lyrics.map { String($0.unicodeScalars.prefix(Self.longestLyrics)) }?.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let words = lines?.map { SafeText.clean(String($0)) }.joined(separator: "\n") ?? ""
        self.lyrics = words.allSatisfy(\.isWhitespace) ? nil : words
        self.lines = synchronised ?? self.lyrics.map { Lyrics($0) }
        if self.title == nil && self.artist == nil && self.lines == nil { return nil }
    }

    /// A song's own tags, with the title `listed` in a playlist where they have none; nil when no
    /// text is left in either.
    init?(_ own: SongTags?, listed: String?) {
        self.init(
            title: own?.title ?? listed, artist: own?.artist, lyrics: own?.lyrics,
            synchronised: own?.lines)
    }
}
