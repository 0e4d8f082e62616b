import Foundation
import Testing

@testable import AudioMedia

/// What each format of lyrics can say, as lines.
@Suite struct LyricsFormatTests {
    private func shown(_ text: String) -> [String] { Lyrics(text).lines.map(\.shown) }

    // MARK: LRC

    /// Three numbers are hours, minutes and seconds where a fraction follows; else the third is one.
    @Test(arguments: [
        ("[1:02:03.45]a", "3723.45 a"), ("[01:02:03.4]a", "3723.4 a"), ("[01:02:03]a", "62.03 a"),
        ("[1:02:3]a", "62.3 a"), ("[00:02:500]a", "2.5 a"), ("[0:00:59.999]a", "59.999 a"),
        ("[0:00:60.00]a", "- [0:00:60.00]a"), ("[0:00:100.5]a", "- [0:00:100.5]a"),
        ("[1:02:03.]a", "- [1:02:03.]a"), ("[1:2:3:4]a", "- [1:2:3:4]a"),
        ("[999999:59:59.9]a", "- [999999:59:59.9]a"),
    ])
    func hoursAreTimes(text: String, line: String) { #expect(shown(text) == [line]) }

    @Test(arguments: [
        ("[00:12.00]Oh [00:12.50]say[00:13.00]", "12.0 Oh say: Oh |0.0 say|0.5 -1.0"),
        ("[00:12.00] [00:40.00]Oh", "12.0 Oh"),
        (
            "[00:12.00]Ca[00:12.25]na[00:12.50]da, <00:13.00>oh",
            "12.0 Canada, oh: Ca|0.0 na|0.25 da, |0.5 oh|1.0"
        ),
        (
            "[00:12.00] <00:12.10> When <00:12.20> the",
            "12.0 When the: When |0.09999999999999964 the|0.1999999999999993"
        ),
        // A time in a text that has none at its beginning is none of a word.
        ("meet me [12:30] at noon", "- meet me [12:30] at noon"),
        ("[00:12.00]see [page 3] and [00:xx]", "12.0 see [page 3] and [00:xx]"),
    ])
    func wordsHaveTimesInAnyBrackets(text: String, line: String) {
        #expect(shown(text).first == line)
    }

    @Test func marksNameSingers() {
        let text = """
            [00:01.00]before
            [00:02.00]v1: <00:02.00>I <00:02.50>sing
            [bg: <00:03.00>ooh <00:03.50>ah]
            [00:04.00]<00:04.00>v2:you <00:04.50>too
            [00:05.00]v1000: all
            [00:06.00]F: she
            [00:07.00]still she
            [00:08.00] M:he
            [00:09.00]v1: first
            [00:10.00]D: both
            [00:10.50]
            [00:11.00][bg:la]
            [00:12.00]Bob: hello
            [00:13.00]vita: dolce
            v2: no time
            """
        #expect(
            shown(text) == [
                "1.0 before", "2.0 (first) I sing: I |0.0 sing|0.5",
                "3.0 (background) ooh ah: ooh |0.0 ah|0.5",
                "4.0 (second) you too: you |0.0 too|0.5", "5.0 (both) all", "6.0 (first) she",
                "7.0 (first) still she", "8.0 (second) he", "9.0 (first) first",
                "10.0 (both) both", "10.5 ", "11.0 (background) la", "12.0 (both) Bob: hello",
                "13.0 (both) vita: dolce", "- (both) v2: no time",
            ])
        #expect(shown("F: she\nv1: he") == ["- F: she", "- v1: he"])
    }

    /// Each mark holds until the next one, and one of another singer names nobody.
    @Test(arguments: [
        ("V1:", "(first) "), ("v2:", "(second) "), ("v1000:", "(both) "), ("F:", "(first) "),
        ("M:", "(second) "), ("D:", "(both) "), ("v3:", ""), ("V12:", ""),
    ])
    func aMarkHoldsUntilTheNext(mark: String, singer: String) {
        for before in ["D:", "v1000:", "v1:", "v3:"] {
            let text = "[00:01]\(before) a\n[00:02]\(mark) b\n[00:03]c\n[00:04][bg: d]\n[00:05]e"
            #expect(
                shown(text).dropFirst() == [
                    "2.0 \(singer)b", "3.0 \(singer)c", "4.0 (background) d", "5.0 \(singer)e",
                ])
        }
    }

    /// Lines without a mark translate those with one, wherever they stand; another singer's do not.
    @Test func marksAndTranslations() {
        #expect(
            shown("[00:01]v1: eins\n[00:02]v2: zwei\n[00:01]one\n[00:02]two") == [
                "1.0 (first) eins = one", "2.0 (second) zwei = two",
            ])
        #expect(shown("[00:01]v1: a\n[00:01]v3: b") == ["1.0 (first) a", "1.0 b"])
        #expect(shown("[00:01]v3: a\n[00:01]v4: b") == ["1.0 a", "1.0 b"])
        #expect(shown("[00:01]v3: a\n[00:01]b") == ["1.0 a = b"])
    }

    @Test func aCopyIsNoTranslation() {
        #expect(shown("[00:01]one\n[00:01]one") == ["1.0 one"])
        #expect(shown("[00:01][00:01]one") == ["1.0 one"])
        #expect(shown("[00:01]v1: a\n[00:01]v1: a\n[00:01]b\n[00:01]b") == ["1.0 (first) a = b"])
        #expect(shown("[00:01]v1: a\n[00:01]v2: a") == ["1.0 (first) a", "1.0 (second) a"])
        #expect(shown("[00:01]a\n[00:02]a") == ["1.0 a", "2.0 a"])
    }

    /// The first of two or three lines with one time is sung, wherever the others stand.
    @Test func linesWithOneTimeAreTranslations() {
        #expect(
            shown(
                "[00:01.00]eins\n[00:02.00]zwei\n[00:01.00]one\n[00:02.00]<00:02.00>t<00:02.10>wo")
                == ["1.0 eins = one", "2.0 zwei = two"])
        #expect(
            shown("[00:01.00]歌\n[00:01.00]uta\n[00:01.00]song\n[00:01.50]") == [
                "1.0 歌 = uta / song", "1.5 ",
            ])
        // An empty line takes nothing away.
        #expect(
            shown("[00:01.00]\n[00:01.00]one\n[00:02.00]two\n[00:02.00]") == ["1.0 one", "2.0 two"])
        #expect(shown("[00:01]v1: eins\n[00:01]one") == ["1.0 (first) eins = one"])
        // Singers who sing at once, and many lines with one time.
        #expect(shown("[00:01]v1: a\n[00:01]v2: b\n[bg: <00:01.00>c]").count == 3)
        #expect(shown("[00:00]a\n[00:00]b\n[00:00]c\n[00:00]d").count == 4)
        // An offset that brings lines together makes no translations of them.
        #expect(shown("[offset:5000]\n[00:01]a\n[00:02]b") == ["0.0 a", "0.0 b"])
        let view = LyricsView(Lyrics("[00:01]v2: eins\n[00:01]v2: one"), at: 1)
        #expect(
            view?.present == "eins" && view?.translation == "one" && view?.singer == .second)
    }

    // MARK: ASS

    private static let head = """
        [Script Info]
        ; written by hand
        Title: [Events]

        [V4+ Styles]
        Format: Name, Fontname
        Style: Default,Arial

        [Events]
        Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

        """

    @Test(arguments: [
        // All tags of karaoke; the line begins with its first syllable.
        (
            #"0:00:01.00,0:00:05.00,Default,,0,0,0,,{\k50}{\kf25}Hel{\K25\b1}lo,{\ko100} wor{\c&HFF00&}ld"#,
            "1.5 Hello, world: Hel|0.0 lo, |0.25 world|0.5 -1.5"
        ),
        (
            #"1:02:03.45,1:02:05.00,Default,Anna, 0, 0, 0,,A line\Nof {\i1}text, with\hcommas{\i0},{\pos(1,2)} too"#,
            "3723.45 A line of text, with commas, too"
        ),
        (
            #"0:00:01.00,0:00:05.00,Default,,0,0,0,,{\kt200}{\k10}two{\k10} {\k10}three"#,
            "3.0 two three: two |0.0 three|0.20000000000000018 -0.30000000000000027"
        ),
        (
            #"0:00:01.00,0:00:05.00,Default,,0,0,0,,be{\k20}gin{\k\kx\k-5} {unclosed"#,
            "1.0 begin {unclosed: begin {unclosed|0.0 -0.19999999999999996"
        ),
        (
            #"0:00:01.00,0:00:05.00,Default,,0,0,0,,{\p1}m 0 0 l 1 1{\p0}drawn{\pbo2} {\p4}m 1 1"#,
            "1.0 drawn"
        ),
        (#"0:00:01.00,0:00:05.00,Default,,0,0,0,,{\b1}{\p1}m 0 0"#, nil),
        (#"0:00:01,00,0:00:05.00,Default,,0,0,0,,x"#, "1.0 ,x"),
        (#"0:01.00,0:00:05.00,Default,,0,0,0,,x"#, nil),
        (#"-1:00:01.00,0:00:05.00,,,0,0,0,,x"#, nil),
        (#"99999999:00:01.00,0:00:05.00,,,0,0,0,,x"#, nil), ("0:00:01.00", nil),
    ])
    func eventsOfASS(event: String, line: String?) {
        let found = shown(
            Self.head + "Dialogue: 0," + event + "\r\nComment: 0,0:00:01.00,,,,,,,,no")
        #expect(found == (line.map { [$0] } ?? []))
    }

    /// The fields have the order that the file names, as in SSA.
    @Test func fieldsHaveAnOrder() {
        #expect(
            shown(
                "[Events]\nFormat: Marked, End, Start, Text\nDialogue: Marked=0,0:00:03.00,0:00:02.00,a,b\n"
                    + "[Fonts]\nDialogue: Marked=0,0:00:03.00,0:00:04.00,c") == ["2.0 a,b"])
    }

    /// What appears with a line that is sung is its translation; copies and effects count once.
    @Test func linesOfASSBelongTogether() {
        let lines = [
            (start: 1, style: "English", effect: "", text: "the moon"),
            (start: 1, style: "Romaji", effect: "", text: #"{\k40}tsu{\k20}ki"#),
            (start: 1, style: "Shadow", effect: "", text: #"{\k40}tsu{\k20}ki"#),
            (start: 3, style: "English", effect: "", text: "alone"),
        ].map {
            "Dialogue: 0,0:00:0\($0.start).00,0:00:09.00,\($0.style),,0,0,0,\($0.effect),\($0.text)\n"
        }.joined()
        let moon = "1.0 tsuki: tsu|0.0 ki|0.3999999999999999 -0.6000000000000001 = the moon"
        #expect(shown(Self.head + lines) == [moon, "3.0 alone"])
        let made = #"""
            Comment: 0,0:00:05.00,0:00:09.00,K,,0,0,0,karaoke,{\k40}so{\k20}ra
            Comment: 0,0:00:05.00,0:00:09.00,K,,0,0,0,template syl,{\pos(1,1)}
            Dialogue: 0,0:00:04.50,0:00:05.00,K,,0,0,0,fx,{\pos(1,1)}so
            Dialogue: 0,0:00:04.90,0:00:05.00,K,,0,0,0,fx,{\pos(1,1)}ra

            """#
        #expect(
            shown(Self.head + made + lines).suffix(1) == [
                "5.0 sora: so|0.0 ra|0.40000000000000036 -0.5999999999999996"
            ])
        // Comments that nothing was made of are none.
        #expect(
            shown(Self.head + made.prefix { $0 != "\n" } + "\n" + lines) == [moon, "3.0 alone"])
    }

    @Test func muchASSIsBounded() {
        let line = "Dialogue: 0,0:00:01.00,0:00:02.00,,,0,0,0,,"
        let many = Lyrics(
            Self.head + (0..<10_001).map { "\(line)\($0)\n" }.joined())
        #expect(many.isCut && many.lines.count == 10_000)
        let long = Lyrics(Self.head + line + String(repeating: "{\\k1}a", count: 2000))
        #expect(long.isCut && long.lines.first?.text.count == 1000)
        let open = Lyrics(Self.head + line + String(repeating: "{", count: 100_000))
        #expect(open.lines.first?.text.first == "{")
    }

    // MARK: Lyricsfile

    /// As both writers of LRCGET have it: sequences indented or not, keys in another order, and lines
    /// of more than 80 characters folded.
    @Test(arguments: [
        #"""
        version: '1.0'
        metadata:
          title: 'lines: and'
          artist: x
          offset_ms: 500
          instrumental: false
        lines:
        - text: It's a "line"
          start_ms: 1000
          end_ms: 3000
          words:
          - text: 'It''s '
            start_ms: 1000
            end_ms: 1500
          - text: 'a '
            start_ms: 1500
          - text: '"line"'
            start_ms: 2000
            end_ms: 2500
        - text: ''
          start_ms: 4000
        - text: two
          start_ms: 5000
        plain: |
          Plain
        """#,
        #"""
        # a comment
        version: "1.0" # and one more
        metadata:
            title: x
            offset_ms: 500
            vocalists:
              - text: nobody
                start_ms: 1
        lines:

          - text: >-
              It's a
              "line"
            words:
              - text: "It\u0027s "
                start_ms: 1000
              - text: "a\
                  \ "
                start_ms: 1500
                end_ms: 2000
              - start_ms: 2000
                text: "\"line\""
                end_ms: 2500
            start_ms: 1000
            end_ms: 3000
          - text: ""
            words: []
            start_ms: 4000
          - notes:
              - text: deeper
            text: two # none
            start_ms: 5000
        plain: Plain
        """#,
    ])
    func linesOfALyricsfile(text: String) {
        let lines = ["1.5 It's a \"line\": It's |0.0 a |0.5 \"line\"|1.0 -1.5", "4.5 ", "5.5 two"]
        #expect(shown(text) == lines)
        #expect(shown(text.replacingOccurrences(of: "\n", with: "\r\n")) == lines)
    }

    @Test func aLyricsfileWithoutTimes() {
        let head = "---\nversion: '1.0'\nmetadata:\n  instrumental: false\nlines: []\n"
        #expect(
            shown(head + "plain: |\n  [Verse 1]\n\n    deep: x\n  last\n\n") == [
                "- [Verse 1]", "- ", "- deep: x", "- last",
            ])
        #expect(shown(head) == [] && shown(head + "plain: ''") == [])
        #expect(
            shown(
                "version: '1.0'\nlines:\n  - text: one\n    words: []\n  - text: two\n    start_ms: -5\n"
            ) == [
                "- one", "0.0 two",
            ])
    }

    /// Spaces that another writer left out between words, and text on several rows.
    @Test func wordsOfALyricsfileAreParted() {
        let words = ["So", "we", "go"].enumerated().map {
            "      - text: \($0.element)\n        start_ms: \(1000 + 500 * $0.offset)\n"
        }.joined()
        #expect(
            shown(
                "version: 1.0\nlines:\n  - text: So we\n      go\n    start_ms: 1000\n    words:\n"
                    + words) == [
                    "1.0 So we go: So |0.0 we |0.5 go|1.0"
                ])
    }

    @Test func muchOfALyricsfileIsBounded() {
        let head = "version: '1.0'\nlines:\n"
        let many = Lyrics(head + String(repeating: "- text: a\n", count: 10_001))
        #expect(many.isCut && many.lines.count == 10_000)
        let words = Lyrics(
            head + "- text: a\n  words:\n"
                + String(repeating: "  - text: ab\n    start_ms: 9e99\n", count: 1001))
        #expect(words.isCut && words.lines.first?.text.count == 1000)
        #expect(Lyrics(head + "- text: \"open" + String(repeating: "\n x\\", count: 9000)).isCut)
        #expect(
            shown(head + String(repeating: "- ", count: 3000) + "text: a\n  start_ms: 1e400\n")
                .count <= 1)
    }
}
