import AudioGraph
import AudioMedia
import Glibc
import Testing

@testable import DuetApp

/// How the lyrics stand on the screen and on their page.
@Suite struct LyricsLinesTests {
    private func cells(
        _ lyrics: ScreenState.Lyrics, columns: Int = 58, rows: Int = 24, page: Page? = nil,
        part: Int = 0, colours: TerminalLook.Colours = .sixteen
    ) -> Cells {
        var state = ScreenLayoutTests.state
        state.lyricsKey = "W"
        (state.lyrics, state.page, state.part) = (lyrics, page, part)
        return ScreenLayout(
            state, columns: columns, rows: rows, look: TerminalLook(colours: colours)
        ).cells
    }

    private func lyrics(
        _ lines: [String], present: Int? = 0, sung: Double = 0, passed: Double? = nil
    ) -> ScreenState.Lyrics {
        ScreenState.Lyrics(
            lines: lines.map { ScreenState.Lyrics.Line(text: $0) }, present: present, sung: sung,
            passed: passed ?? sung)
    }

    private func row(_ number: Int, of cells: Cells) -> ArraySlice<Cell> {
        cells.cells[(number * cells.columns)..<((number + 1) * cells.columns)]
    }

    /// The numbers of the rows between the transport and the strips, or the end of a page.
    private func texts(_ cells: Cells) -> [String] {
        let all = (0..<cells.rows).map { cells.text(row: $0) }
        guard let strips = all.firstIndex(where: { $0.contains("CLIP") }) else {
            return Array(all[2..<(cells.rows - 2)])
        }
        // The least screen has no row for what is changed of the song.
        return Array(all[(cells.rows > 10 ? 3 : 2)..<strips])
    }

    /// The places that are shown as sung.
    private func sungCount(_ cells: Cells) -> Int {
        cells.cells.count { [.sung, .sungSecond, .sungBoth, .sungBehind].contains($0.style) }
    }

    /// How much of the present line is sung is a style of its own, to the place; what is not sung yet
    /// is plain.
    @Test func onlyTheSungPartIsMarked() {
        let text = "the line that is sung"
        for page in [nil, Page.lyrics] {
            for (sung, count) in [(0, 0), (0.5, 11), (1, 21)] {
                let cells = cells(
                    lyrics(["before", text, "next"], present: 1, sung: sung), page: page)
                let number = (2..<22).first { cells.text(row: $0).hasSuffix(text) } ?? 0
                let styles = row(number, of: cells).map(\.style)
                let begin = page == nil ? 6 : 3
                #expect(styles[begin..<(begin + count)].allSatisfy { $0 == .sung })
                #expect(styles[(begin + count)...].allSatisfy { $0 == .plain })
                #expect(sungCount(cells) == count)
            }
        }
    }

    /// Where nothing is sung, nothing is marked as sung.
    @Test(arguments: [(40, 10), (80, 24), (120, 40)])
    func whatIsNotSungIsPlain(columns: Int, rows: Int) {
        var untimed = lyrics(["one", "two"], present: nil)
        untimed.isTimed = false
        for lyrics in [
            untimed, lyrics(["one", "two"], present: nil), lyrics(["", "two"], sung: 1),
        ] {
            for page in [nil, Page.lyrics] {
                let cells = cells(lyrics, columns: columns, rows: rows, page: page)
                #expect(sungCount(cells) == 0)
                #expect(lyrics.isTimed || !texts(cells).contains { $0.contains("▸") })
            }
        }
        let shown = texts(cells(untimed, columns: columns, rows: rows))
        #expect(
            shown.contains { $0.hasPrefix("      these lyrics have no times; W shows them") }
                == (rows > 10),
            "\(shown)")
    }

    /// A line that is too long goes on in the next row, between its words; what is sung is always
    /// seen.
    @Test(arguments: [(40, 10), (40, 14), (60, 16), (80, 24), (60, 40)])
    func aLongLineWraps(columns: Int, rows: Int) {
        let words = (0..<40).map { "word\($0)" }
        let line = words.joined(separator: " ")
        for number in words.indices {
            let before = words[..<number].joined(separator: " ").count + (number > 0 ? 3 : 0)
            let sung = Double(before) / Double(line.count)
            for page in [nil, Page.lyrics] {
                let cells = cells(
                    lyrics(["first", line, "last"], present: 1, sung: sung), columns: columns,
                    rows: rows, page: page)
                // A single row that is not the last of the line ends so.
                let shown = texts(cells).flatMap {
                    $0.replacing("…", with: "").split(separator: " ")
                }
                #expect(shown.contains { $0 == words[number] }, "\(words[number]): \(shown)")
                #expect(shown.allSatisfy { !$0.hasPrefix("word") || words.contains(String($0)) })
                let last = (0..<rows).last { row($0, of: cells).contains { $0.style == .sung } }
                #expect(
                    number == 0 || last.map { cells.text(row: $0).contains(words[number]) } == true)
            }
        }
    }

    /// Without times of words the whole line is sung from its beginning on; where it has no room, the
    /// time that has passed tells which part is seen.
    @Test func aLongLineWithoutWordsIsSeen() {
        let words = (0..<40).map { "word\($0)" }
        for (passed, number) in [(0.0, 0), (0.5, 20), (1, 39)] {
            let lyrics = lyrics([words.joined(separator: " ")], sung: 1, passed: passed)
            for (columns, rows) in [(40, 10), (40, 14), (80, 24)] {
                let cells = cells(lyrics, columns: columns, rows: rows)
                let shown = texts(cells).flatMap { $0.split(separator: " ") }
                #expect(shown.contains { $0 == words[number] }, "\(passed): \(shown)")
                #expect(sungCount(cells) > 10)
            }
        }
    }

    @Test(arguments: [
        ("one two  three", 7, ["one two  ", "three"], [0, 9]),
        ("supercalifragilistic is", 8, ["supercal", "ifragili", "stic is"], [0, 8, 16]),
        ("a supercali", 9, ["a ", "supercali"], [0, 2]), ("", 5, [""], [0]),
        ("さくらさくら", 7, ["さくら", "さくら"], [0, 6]), ("歌ab", 1, ["歌", "a", "b"], [0, 2, 3]),
        ("e\u{301}te\u{301} 12345 ", 5, ["e\u{301}te\u{301} ", "12345 "], [0, 4]),
        ("a bc歌", 5, ["a bc", "歌"], [0, 4]), ("世界 of song", 9, ["世界 of ", "song"], [0, 8]),
    ])
    func textIsWrapped(text: String, columns: Int, rows: [String], starts: [Int]) {
        let found = LyricsLines.wrapped(text, columns: columns)
        #expect(found.map(\.text) == rows)
        #expect(found.map(\.start) == starts)
    }

    /// A page of a text without times has all of it, part by part, and long lines whole.
    @Test(arguments: [(40, 10), (80, 24)]) func aPageWraps(columns: Int, rows: Int) {
        let words = (0..<9).map { line in (0..<26).map { "w\(line)o\($0)." } }
        var untimed = lyrics(words.map { $0.joined(separator: " ") }, present: nil)
        untimed.isTimed = false
        var (shown, before) = ([String](), [String]())
        for part in 0..<20 {
            let new = texts(cells(untimed, columns: columns, rows: rows, page: .lyrics, part: part))
            if new == before { break }
            before = new
            shown += new.filter { $0.hasPrefix("   ") }.flatMap { $0.split(separator: " ") }.map {
                String($0)
            }
        }
        #expect(shown == words.flatMap(\.self))
    }

    /// A tall screen shows more lines, the meters of its strips whole.
    @Test func aTallScreenShowsMore() {
        let lines = (0..<99).map { "line \($0)" }
        for (rows, count) in [(10, 1), (16, 3), (24, 3), (30, 3), (40, 9), (60, 29)] {
            let shown = texts(cells(lyrics(lines, present: 50), rows: rows)).filter {
                $0.contains("line ")
            }
            #expect(shown.count == count, "\(rows): \(shown)")
            #expect(shown[shown.count / 2] == "   ▸  line 50")
        }
        let strips = cells(lyrics(lines, present: 50), rows: 40)
        #expect((0..<40).contains { strips.text(row: $0).contains("-48") })
    }

    /// Who sings a line stands before it, with a colour of their own, and its translation below it.
    @Test func singersAndTranslations() throws {
        var lyrics = lyrics(["eins", "zwei", "drei", "vier", "fünf"], present: 1, sung: 1)
        let singers: [Lyrics.Singer?] = [.first, .second, .both, .background, nil]
        for (number, singer) in singers.enumerated() {
            lyrics.lines[number].singer = singer
            lyrics.lines[number].translation = "in English \(number)"
        }
        #expect(
            texts(cells(lyrics)) == [
                "      1   eins", "   ▸  2   zwei", "            in English 1", "      1+2 drei",
                "      bg  vier",
            ])
        let page = cells(lyrics, page: .lyrics)
        #expect(
            texts(page).prefix(9) == [
                "   1   eins", "         in English 0", " ▸ 2   zwei", "         in English 1",
                "   1+2 drei", "         in English 2", "   bg  vier", "         in English 3",
                "       fünf",
            ])
        for (number, style) in [CellStyle.sung, .sungSecond, .sungBoth, .sungBehind].enumerated() {
            lyrics.present = number
            let cells = cells(lyrics)
            let place = try #require((2..<22).first { cells.text(row: $0).hasPrefix("   ▸") })
            #expect(row(place, of: cells).dropFirst(10).prefix(4).allSatisfy { $0.style == style })
            #expect(
                row(place + 1, of: cells).dropFirst(12).prefix(10).allSatisfy { $0.style == .faint }
            )
        }
    }

    /// Where singers have names, these stand before their lines, cut where they are long.
    @Test func namesOfSingers() throws {
        var lyrics = lyrics(["eins", "zwei", "drei"], present: 1, sung: 1)
        for (number, singer) in [Lyrics.Singer.first, .second, .both].enumerated() {
            lyrics.lines[number].singer = singer
        }
        lyrics.singerNames = [.first: "Ann", .second: "Bob"]
        #expect(
            texts(cells(lyrics)) == [
                "", "      Ann  eins", "   ▸  Bob  zwei", "      both drei", "",
            ])
        lyrics.singerNames = [.second: "Bartholomew"]
        #expect(
            texts(cells(lyrics)) == [
                "", "      1          eins", "   ▸  Bartholom… zwei", "      both       drei", "",
            ])
        #expect(texts(cells(lyrics, page: .lyrics)).first == "   1          eins")
    }

    /// What is sung can be read on black and on white, and without colours.
    @Test func sungWordsAreReadable() throws {
        /// The relative luminance of a colour (WCAG 2).
        func luminance(_ colour: [Double]) -> Double {
            zip(colour, [0.2126, 0.7152, 0.0722]).reduce(0) { sum, part in
                let value = part.0 / 255
                return sum + part.1
                    * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4))
            }
        }
        let styles: [CellStyle] = [.sung, .sungSecond, .sungBoth, .sungBehind]
        for style in styles {
            for colours in TerminalLook.Colours.allCases {
                let bytes = TerminalLook(colours: colours).bytes(of: style)
                let numbers = String(decoding: bytes, as: UTF8.self).dropFirst(2).dropLast()
                    .split(separator: ";").compactMap { Int($0) }
                // Underlined everywhere, and bold where the colour is the terminal's own: elsewhere bold
                // may mean a light colour.
                #expect(numbers.contains(4))
                #expect(numbers.contains(1) == (colours == .none || style == .sung))
                guard let place = numbers.firstIndex(of: 38) else { continue }
                var colour = numbers[(place + 2)...].map { Double($0) }
                if colours == .many {
                    let number = numbers[place + 2] - 16
                    // Greys behind a cube of six steps a colour.
                    if number >= 216 {
                        colour = [Double](repeating: Double(8 + 10 * (number - 216)), count: 3)
                    } else {
                        colour = [number / 36, number / 6 % 6, number % 6].map {
                            $0 == 0 ? 0 : Double(55 + 40 * $0)
                        }
                    }
                }
                let light = luminance(colour)
                #expect(
                    min((light + 0.05) / 0.05, 1.05 / (light + 0.05))
                        >= (colours == .many ? 4 : 4.5), "\(style) \(colour)")
            }
        }
    }
}
