import Glibc
import SystemSupport

/// What the tags of a song say, safe to show.
public struct SongTags: Sendable, Equatable {
    public let title: String?
    public let artist: String?
    public let album: String?
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
    init?(
        title: String?, artist: String?, album: String? = nil, lyrics: String?,
        synchronised: Lyrics? = nil
    ) {
        func line(_ text: String?) -> String? {
            var text = String(SafeText.clean(text ?? "").unicodeScalars.prefix(Self.longestLine))
            while text.last?.isWhitespace == true { text.removeLast() }
            return text.isEmpty ? nil : text
        }
        self.title = line(title)
        self.artist = line(artist)
        self.album = line(album)
        let isCut = lyrics.map { $0.unicodeScalars.dropFirst(Self.longestLyrics).first != nil }
        let lines = lyrics.map { String($0.unicodeScalars.prefix(Self.longestLyrics)) }?.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let words = lines?.map { SafeText.clean(String($0)) }.joined(separator: "\n") ?? ""
        self.lyrics = words.allSatisfy(\.isWhitespace) ? nil : words
        self.lines = synchronised ?? self.lyrics.map { Lyrics($0, isCut: isCut ?? false) }
        let texts = [self.title, self.artist, self.album]
        if texts.allSatisfy({ $0 == nil }), self.lines == nil { return nil }
    }

    /// A song's own tags, with what they lack from `other` ones.
    init(_ own: SongTags?, else other: SongTags) {
        title = own?.title ?? other.title
        artist = own?.artist ?? other.artist
        album = own?.album ?? other.album
        // Words with times count before words without.
        let takesOther =
            own?.lines == nil || own?.lines?.isTimed == false && other.lines?.isTimed == true
        lyrics = takesOther ? other.lyrics : own?.lyrics
        lines = takesOther ? other.lines : own?.lines
    }

    /// A song's own tags, with the title `listed` in a playlist where they have none; nil when no
    /// text is left in either.
    init?(_ own: SongTags?, listed: String?) {
        self.init(
            title: own?.title ?? listed, artist: own?.artist, album: own?.album,
            lyrics: own?.lyrics, synchronised: own?.lines)
    }
}

/// How far a song is from the loudness that all songs shall have (ReplayGain, 89 dB SPL), as the
/// song's own tags say.
struct ReplayGain: Sendable, Equatable {
    /// The change of level that the tags ask for, in dB.
    let decibels: Double
    /// The song's largest sample, linear; nil when its tags do not say.
    let peak: Double?

    /// The most that a song is turned up whose peak is not known, in dB: a limiter follows, and a tag may
    /// be wrong.
    private static let mostWithoutPeak = 12.0

    /// The linear factor to multiply the song by. Never so large that the song's peak would exceed 1.
    var gain: Double {
        let most = peak == nil ? Self.mostWithoutPeak : 60
        let wanted = pow(10, min(max(decibels, -60), most) / 20)
        return min(wanted, peak.map { 1 / max($0, 1e-3) } ?? .infinity)
    }

    /// A song's largest sample that may be true; nil where it is none.
    static func believable(peak: Double?) -> Double? {
        peak.flatMap { $0 > 0 && $0 < 16 ? $0 : nil }
    }

    /// The number in a tag's text, as `-6.50 dB`, `-6,50 dB` or `+1.2dB`; nil when it begins with none.
    static func number(_ text: String) -> Double? {
        let word = text.prefix(64).split(whereSeparator: \.isWhitespace).first ?? ""
        var digits = word.map { $0 == "," ? "." : $0 }
        if digits.suffix(2).map({ $0.lowercased() }) == ["d", "b"] { digits.removeLast(2) }
        return Double(String(digits)).flatMap { $0.isFinite ? $0 : nil }
    }
}
