@testable import AudioMedia

/// A file of lyrics that is odd in one way, and what is shown of it.
struct OddLyrics: CustomStringConvertible {
    let description: String
    let bytes: [UInt8]
    /// Each line as `Lyrics.Line.shown` has it; the first lines where there are many.
    let shown: [String]
    var count: Int?
    var isCut = false

    private init(_ name: String, _ text: String, _ shown: [String]) {
        self.init(name, Array(text.utf8), shown)
    }

    private init(
        _ name: String, _ bytes: [UInt8], _ shown: [String], count: Int? = nil, isCut: Bool = false
    ) {
        description = name
        self.bytes = bytes
        self.shown = shown
        self.count = count
        self.isCut = isCut
    }

    static let all = [
        OddLyrics(
            "offsets", "[00:01.00]early\n[offset:+500]\n[00:00.2]first\n[99:59.99]late",
            ["0.0 first", "0.5 early", "5999.49 late"]),
        OddLyrics(
            "tags of players",
            "[kana:1あ2い]\n[language:eyJjb250ZW50IjpbXX0=]\n[hash: 0a1b]\nA title\n[qq:123]\n[00:01.00]one\n"
                + "[Chorus: Anna]\n[00:02.00]two",
            ["- A title", "1.0 one", "- [Chorus: Anna]", "2.0 two"]),
        OddLyrics(
            "text that looks like tags", "[Chorus:]\n[Verse: Anna]\none",
            ["- [Chorus:]", "- [Verse: Anna]", "- one"]),
        OddLyrics(
            "a negative offset", "[offset: -250]\n[00:01]one\n[offset:loud]\n[00:02.5]two",
            ["1.25 one", "2.75 two"]),
        OddLyrics(
            "word times",
            "[00:10.00] <00:10.00> Hel<00:10.50>lo, <00:11.25> world! <00:12.00>\n"
                + "[00:12.00]And <00:12.50>you\n<00:14.00>With<00:14.50>out\n[00:15.00]<00:15.00>all",
            [
                "10.0 Hello, world!: Hel|0.0 lo, |0.5 world!|1.25 -2.0",
                "12.0 And you: And |0.0 you|0.5", "14.0 Without: With|0.0 out|0.5", "15.0 all",
            ]),
        OddLyrics(
            "repeated times",
            "[00:30.00] [00:10.00]<00:10.00>Cho<00:10.50>rus\n[00:20.00]Verse\n[00:20.00]Strophe",
            [
                "10.0 Chorus: Cho|0.0 rus|0.5", "20.0 Verse = Strophe",
                "30.0 Chorus: Cho|0.0 rus|0.5",
            ]),
        OddLyrics(
            "UTF-16, low byte first",
            [0xFF, 0xFE]
                + utf16("[00:01.00]Grün 🎵\r\n[00:02.00]日本") { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
            ["1.0 Grün 🎵", "2.0 日本"]),
        OddLyrics(
            "UTF-16, high byte first, and half a character",
            [0xFE, 0xFF] + utf16("[00:01.00]Grün") { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [0xD8],
            ["1.0 Grün"]),
        OddLyrics(
            "Windows-1252",
            Array("[00:01.00]".utf8) + [
                0x47, 0x72, 0xFC, 0x6E, 0x20, 0x93, 0x80, 0x94, 0x81, 0x85,
            ],
            ["1.0 Grün “€”…"]),
        OddLyrics(
            "no times", "\n\nFirst verse\n\n[Chorus: all]\n12:30 at noon\n\n",
            ["- First verse", "- ", "- [Chorus: all]", "- 12:30 at noon"]),
        OddLyrics(
            "times that go back",
            "Title\n[00:20.00]two\n[00:10.00]one\n  of two\n[00:15.00]<00:15.00>a <00:14.00>b <00:16.00>c",
            [
                "- Title", "10.0 one", "- of two", "15.0 a b c: a |0.0 b |0.0 c|1.0", "20.0 two",
            ]),
        OddLyrics(
            "10 MB",
            Array((0..<560_000).map { "[00:07.00]la \($0)\n" }.joined().utf8),
            ["7.0 la 0", "7.0 la 1"], count: Lyrics.maximumLines, isCut: true),
        OddLyrics(
            "10 MB in one line",
            Array("[00:07.00]".utf8) + [UInt8](repeating: 0x61, count: 10 << 20),
            ["7.0 " + String(repeating: "a", count: LineBuilder.longestLine - 10)], isCut: true),
        OddLyrics(
            "control characters",
            "\u{FEFF}[00:01.00]\u{1B}[31mred\u{0}\u{7}\t\u{9B}2Jtab\u{202E}\u{2028}x\r\n\u{C}[00:02.00]two",
            ["1.0 [31mred 2Jtabx", "2.0 two"]),
        OddLyrics(
            "combining and wide characters",
            "[00:01.00]e\u{301}<00:01.50>\u{301}\u{300}o 歌<00:02.00>う👩‍🎤\n[\u{301}00:03.00]accent",
            [
                "1.0 e\u{301}\u{301}\u{300}o 歌う👩‍🎤: e\u{301}|0.0 \u{301}\u{300}o 歌|0.5 う👩‍🎤|1.0",
                "- [\u{301}00:03.00]accent",
            ]),
        OddLyrics(
            "bad times",
            "[00:60.00]sixty\n[1:2.3]short\n[00:01.0000000001]long\n[00:-1.00]minus\n[99999999:00]far\n"
                + "[999999:59]year\n[00:05.00]fi<00:xx>ve<0\n[00:06.00\n[]\n[00:٣٤]three\n[00:02:50]colon",
            [
                "- [00:60.00]sixty", "2.5 colon", "5.0 fi<00:xx>ve<0", "- [00:06.00", "- []",
                "- [00:٣٤]three", "62.3 short", "- [00:01.0000000001]long", "- [00:-1.00]minus",
                "- [99999999:00]far", "- [999999:59]year",
            ]),
        OddLyrics(
            "tags, and old ends of lines",
            "[ti:Song]\r[AR: Singer]\r[00:01.00]one\r\r[00:02.00]\r[length: 03:00]\r[by:me]more",
            ["1.0 one", "2.0 ", "- [by:me]more"]),
    ]

    private static func utf16(_ text: String, _ bytes: (UInt16) -> [UInt8]) -> [UInt8] {
        text.utf16.flatMap(bytes)
    }
}

extension Lyrics.Line {
    /// The line as `start (singer) text: word|time …-length = translation`.
    var shown: String {
        let words = words.map { "\($0.text)|\($0.delay)" }.joined(separator: " ")
        return (start.map { "\($0) " } ?? "- ") + (singer.map { "(\($0)) " } ?? "") + text
            + (words.isEmpty ? "" : ": " + words) + (length.map { " -\($0)" } ?? "")
            + (translation.map { " = " + $0 } ?? "")
    }
}
