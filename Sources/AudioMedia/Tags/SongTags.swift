import SystemSupport

/// What the tags of a song say, safe to show.
public struct SongTags: Sendable, Equatable {
    public let title: String?
    public let artist: String?
    /// Lines ended by line feeds.
    public let lyrics: String?

    /// Most Unicode scalars that are kept of a title or a name, and of lyrics. Characters would be
    /// no bound: one may have any number of accents.
    private static let longestLine = 1024
    private static let longestLyrics = 65_536

    /// Nil when no text is left in any of them.
    init?(title: String?, artist: String?, lyrics: String?) {
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
        if self.title == nil && self.artist == nil && self.lyrics == nil { return nil }
    }

    /// A song's own tags, with the title `listed` in a playlist where they have none; nil when no
    /// text is left in either.
    init?(_ own: SongTags?, listed: String?) {
        self.init(title: own?.title ?? listed, artist: own?.artist, lyrics: own?.lyrics)
    }
}
