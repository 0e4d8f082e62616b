import AudioMedia
import SystemSupport

/// Words of a recording, as a server of LRCLIB's kind tells them.
struct WordsRecord: Sendable, Equatable {
    let title: String
    let artist: String
    let album: String
    /// In seconds; nil if the server does not say.
    let duration: Double?
    /// Whether nobody sings.
    let isInstrumental: Bool
    /// The best of its texts: with times of words, of lines, or without; nil: it has none.
    let text: Text?

    /// A text, and how it is kept.
    struct Text: Sendable, Equatable {
        let text: String
        let lyrics: Lyrics
        /// How its file's name ends.
        let ending: String
        /// What is known of times, the best last.
        let detail: Detail
    }

    enum Detail: Int, Sendable, Comparable {
        case plain, lines, words

        init(_ lyrics: Lyrics) {
            let hasWords = lyrics.lines.contains { $0.words.count > 1 }
            self = hasWords ? .words : lyrics.isTimed ? .lines : .plain
        }

        static func < (one: Detail, other: Detail) -> Bool { one.rawValue < other.rawValue }

        /// For scripts.
        var name: String {
            switch self {
            case .plain: "text"
            case .lines: "lines"
            case .words: "words"
            }
        }

        /// For people: `timed by word`.
        var summary: String {
            switch self {
            case .plain: "without times"
            case .lines: "timed by line"
            case .words: "timed by word"
            }
        }
    }

    /// Seconds that a text's last time may lie behind the end of its recording.
    static let tolerance = 2.0

    init(
        title: String, artist: String, album: String = "", duration: Double?,
        isInstrumental: Bool = false, text: Text?
    ) {
        (self.title, self.artist, self.album) = (title, artist, album)
        (self.duration, self.isInstrumental, self.text) = (duration, isInstrumental, text)
    }

    /// Reads what a server says of a recording; nil where it does not name one.
    init?(_ value: JSONValue) {
        func text(_ name: String) -> String? {
            guard case .text(let text)? = value[name], !text.isEmpty else { return nil }
            return text
        }
        guard let title = text("trackName") ?? text("name"), let artist = text("artistName") else {
            return nil
        }
        func name(_ text: String) -> String {
            SafeText.clean(String(text.unicodeScalars.prefix(SongQuestion.longest)))
        }
        (self.title, self.artist) = (name(title), name(artist))
        album = name(text("albumName") ?? "")
        let seconds = value["duration"]?.number
        duration = seconds.flatMap { $0.isFinite && $0 > 0 && $0 < 86_400 ? $0 : nil }
        let synced = text("syncedLyrics")
        if case .boolean(true)? = value["instrumental"] {
            isInstrumental = true
        } else {
            isInstrumental = synced?.lowercased().contains("[au: instrumental]") ?? false
        }
        let limit = duration ?? .infinity
        let texts = [
            Text(text("lyricsfile"), ending: ".lyricsfile.yaml", before: limit),
            Text(synced, ending: ".lrc", before: limit),
        ].compactMap { $0 }.filter { $0.detail > .plain }
        self.text =
            texts.max { $0.detail < $1.detail }
            ?? Text(text("plainLyrics"), ending: ".lrc", before: limit)
    }

    /// As scripts are told it.
    var json: JSONValue {
        .object([
            ("title", .text(title)), ("artist", .text(artist)), ("album", .text(album)),
            ("duration", .optional(duration)),
            ("detail", text.map { .text($0.detail.name) } ?? .null),
        ])
    }

    /// Whether the text may be that of a recording of so many seconds.
    func fits(duration: Double) -> Bool {
        (text?.lyrics.lastTime ?? 0) <= duration + Self.tolerance
    }
}

extension WordsRecord.Text {
    /// How files begin that are written by tapping.
    static let tapMark = "[re:duet "

    /// Whether it was timed by tapping.
    var isTapped: Bool { text.hasPrefix(Self.tapMark) }

    /// Nil for a text without words, and for one whose last time lies behind the end.
    fileprivate init?(_ text: String?, ending: String, before end: Double) {
        guard let text else { return nil }
        let lyrics = Lyrics(text)
        guard lyrics.lines.contains(where: { !$0.text.isEmpty }),
            (lyrics.lastTime ?? 0) <= end + WordsRecord.tolerance
        else { return nil }
        self.init(
            text: text, lyrics: lyrics, ending: ending, detail: WordsRecord.Detail(lyrics))
    }
}

extension Lyrics {
    /// When the last line begins, in seconds; nil without times.
    fileprivate var lastTime: Double? { lines.compactMap(\.start).max() }
}
