import AudioGraph
import AudioMedia
import Testing

@testable import DuetApp

/// The view for singers.
@Suite struct SingingViewTests {
    private static let lines = [
        "Long is the road and the night is cold", "Every star a story told", "",
        "A line that is so long that it never fits into two rows of letters, on eighty columns",
        "世界の歌", "Last",
    ]

    private func layout(
        _ columns: Int, _ rows: Int, _ change: (inout ScreenState) -> Void = { _ in }
    ) -> ScreenLayout {
        var state = ScreenState()
        state.view = .words
        state.title = "Long is the road"
        (state.status.state, state.status.position, state.status.duration) = (.playing, 4, 60)
        state.strips = ["song", "mic", "out"].map { ScreenState.Strip(name: $0, volume: "0.0 dB") }
        state.hints = [KeyHelp(keys: "h", help: "help")]
        state.lyrics = ScreenState.Lyrics(
            lines: Self.lines.map { ScreenState.Lyrics.Line(text: $0) }, present: 0, sung: 0.5)
        change(&state)
        return ScreenLayout(state, columns: columns, rows: rows, look: TerminalLook(colours: .all))
    }

    private func texts(_ layout: ScreenLayout) -> [String] {
        (0..<layout.cells.rows).map { layout.cells.text(row: $0) }
    }

    /// The rows in which letters stand.
    private func letterRows(_ layout: ScreenLayout) -> [Int] {
        let letters: Set<Character> = ["▛", "▜", "▙", "▟", "▌", "▐", "█"]
        return texts(layout).indices.filter { texts(layout)[$0].contains(where: letters.contains) }
    }

    @Test func wordsAreAsLargeAsTheyFit() {
        // Two rows of letters, each of five cells, and below them what comes.
        let small = layout(80, 24)
        #expect(letterRows(small).count >= 12 && letterRows(small).first! <= 4)
        let large = layout(120, 40)
        #expect(letterRows(large).count >= 20)
        // Half of the words are sung.
        let styles = small.cells.cells.map(\.style)
        #expect(styles.contains(.lit) && styles.contains(.ahead))
        #expect(texts(small).last == " h help" && texts(small)[0].contains("Long is the road"))
    }

    /// Whatever is changed or reported, all stays in its place.
    @Test func nothingMoves() {
        for (columns, rows) in [(60, 16), (80, 24), (120, 40), (200, 50)] {
            let plain = texts(layout(columns, rows))
            let busy = texts(
                layout(columns, rows) {
                    $0.changes = (0..<30).map { "key +\($0)" }
                    $0.next = ""
                    $0.strips[1].preset = "plate"
                    $0.status.note = "note"
                    $0.newestLine = ScreenState.Line(
                        text: String(repeating: "warning ", count: 60), isWarning: true)
                    $0.status.latency = 25
                })
            #expect(plain.prefix(rows - 5) == busy.prefix(rows - 5))
            #expect(busy[rows - 2].hasPrefix(" warning") || busy[rows - 2].hasPrefix(" note"))
            #expect(plain.last == busy.last)
        }
    }

    /// Bars of all channels are as long, and there are some with four channels at 60 columns, too.
    @Test(arguments: [(60, 16), (80, 24), (120, 40)]) func eachChannelHasABar(
        columns: Int, rows: Int
    ) {
        for names in [["song", "mic", "out"], ["song", "mic", "mic2", "out"]] {
            let row = texts(
                layout(columns, rows) {
                    $0.strips = names.map { ScreenState.Strip(name: $0, volume: "-12.0 dB") }
                    $0.status.latency = 5
                })[rows - 4]
            let bars = row.split { $0 != "░" }.map(\.count)
            #expect(bars.count == names.count && bars.min()! >= 3, "\(row)")
            #expect(bars.allSatisfy { $0 == bars[0] } && row.hasSuffix("ear 5.0 ms"), "\(row)")
        }
    }

    /// Where a small screen has no room for all, the singers keep their bars.
    @Test(arguments: [(60, 16, 3), (60, 16, 4), (80, 24, 3), (80, 24, 4), (120, 40, 4)])
    func eachSingerHasABar(columns: Int, rows: Int, count: Int) {
        let singers = ["mic", "mic2", "mic3", "mic4"].prefix(count)
        func row(_ change: (inout ScreenState) -> Void = { _ in }) -> String {
            texts(
                layout(columns, rows) {
                    $0.strips = (["song"] + singers + ["out"]).map {
                        ScreenState.Strip(name: $0, volume: "-12.0 dB")
                    }
                    $0.status.latency = 5
                    change(&$0)
                })[rows - 4]
        }
        let bars = row().split { $0 != "░" }.map(\.count)
        #expect(bars.count >= count && bars.min()! >= 4, "\(row())")
        #expect(singers.allSatisfy { row().contains(" \($0) ") }, "\(row())")
        #expect(row().contains(" out ") == (columns > 60), "\(row())")
        #expect(row { $0.strips[count].isMuted = true }.contains("mute"))
        let open = row { $0.strips[count].isUnconnected = true }
        #expect(open.contains("no mic\(count)") || open.contains("mic\(count): no"), "\(open)")
    }

    /// Bars stay where they are, whatever the latency is, and the next song where xruns are told.
    @Test func barsAndNextStayInTheirPlace() {
        func shown(_ latency: Double?, xruns: Int = 0) -> [String] {
            texts(
                layout(80, 24) {
                    ($0.status.latency, $0.status.xruns, $0.next) = (latency, xruns, "Next")
                })
        }
        let starts = [nil, 5.0, 12.5, 85.3].map { latency in
            shown(latency)[20].indices.filter { "░▇".contains(shown(latency)[20][$0]) }.count
        }
        #expect(Set(starts).count == 1)
        #expect(shown(5, xruns: 12)[0].hasSuffix("xruns 12 · next: Next"))
    }

    /// What is changed stands in one place, and a long name of the next song leaves half of the line.
    @Test func theHeadIsForSingers() {
        let shown = texts(
            layout(80, 24) {
                $0.changes = ["key +2"]
                $0.next = String(repeating: "Next ", count: 30)
                $0.status.recording = Status.Recording(seconds: 12)
            })
        #expect(shown.count { $0.contains("key +2") } == 1 && shown[21] == " key +2")
        #expect(shown[0].hasPrefix(" Long is the road") && shown[0].contains("● rec 0:12"))
        #expect(shown[0].contains("next: Next Next") && shown[0].hasSuffix("…"))
        // Pages and small screens have the mixer's head.
        for page in [true, false] {
            let other = texts(
                layout(80, page ? 24 : 15) {
                    if page { $0.page = .help }
                    $0.cycle = .init(rate: 48_000, period: 256)
                })
            #expect(other[0].contains("48 kHz"))
        }
    }

    /// A line without a time is not counted in.
    @Test func aLineWithoutATimeIsNotSung() {
        let shown = texts(
            layout(80, 24) {
                $0.lyrics?.lines[0].isTimed = false
                $0.lyrics?.lines[0].text = "HEADING"
                $0.lyrics?.present = nil
                $0.lyrics?.pause = 4
            })
        // Letters of the second line fill the middle.
        #expect(shown.contains { $0.contains("█▐▌█▟▌█▘ █▐▌") }, "\(shown)")
    }

    /// A line that needs more than two rows, or has letters that the font lacks, is shown in bold cells.
    @Test func aLineGoesDownASize() {
        for (number, words) in [(3, "A line that is so long"), (4, "世界の歌")] {
            let shown = layout(80, 24) {
                $0.lyrics?.present = number
                $0.lyrics?.sung = 1
            }
            #expect(texts(shown).contains { $0.contains(words) }, "\(texts(shown))")
            #expect(shown.cells.cells.contains { $0.style == .sung })
        }
    }

    /// Two who sing at once have a line each, of which each is lit as far as it is sung.
    @Test func eachSingerHasALine() {
        let shown = layout(120, 40) {
            $0.lyrics?.lines = [
                ScreenState.Lyrics.Line(text: "one sings", singer: .first),
                ScreenState.Lyrics.Line(text: "two sings", singer: .second),
            ]
            $0.lyrics?.present = 1
            $0.lyrics?.sung = 0.5
            $0.lyrics?.others = [.init(number: 0, sung: 0.5)]
        }
        func rows(_ style: CellStyle) -> Set<Int> {
            let full = shown.cells.cells.indices.filter { index in
                let cell = shown.cells.cells[index]
                return cell.style == style && cell.scalar == 0x2588
            }
            return Set(full.map { $0 / 120 })
        }
        let (first, second) = (rows(.lit), rows(.litSecond))
        #expect(!first.isEmpty && !second.isEmpty && first.isDisjoint(with: second))
    }

    /// Who sings together with others somewhere has the same place for all of the song; names stand before the
    /// letters, never in them.
    @Test func singersKeepTheirPlaces() {
        func rows(_ present: Int, others: [Int]) -> (first: [Int], second: [Int], text: [String]) {
            let shown = layout(80, 24) {
                $0.lyrics?.lines = [
                    .init(text: "one", singer: .first), .init(text: "two", singer: .second),
                    .init(text: "one more", singer: .first),
                ]
                $0.lyrics?.singerNames = [.first: "Angelika", .second: "Bo"]
                $0.lyrics?.together = [.first, .second]
                $0.lyrics?.present = present
                $0.lyrics?.sung = 1
                $0.lyrics?.others = others.map { .init(number: $0, sung: 1) }
            }
            func rows(_ style: CellStyle) -> [Int] {
                let places = shown.cells.cells.indices.filter {
                    shown.cells.cells[$0].style == style
                }
                return Set(places.map { $0 / 80 }).filter { $0 < 12 }.sorted()
            }
            return (rows(.lit), rows(.litSecond), texts(shown))
        }
        let alone = rows(0, others: [])
        let both = rows(1, others: [0])
        let later = rows(2, others: [1])
        #expect(!alone.first.isEmpty && alone.first == both.first && later.first == both.first)
        #expect(!both.second.isEmpty && both.second == later.second)
        #expect(both.first.last! < both.second[0])
        for name in [" Angelika ", " Bo "] {
            let row = both.text.first { $0.hasPrefix(name) } ?? ""
            #expect(row.dropFirst(name.count).prefix(9 - name.count + 1).allSatisfy { $0 == " " })
            #expect(!row.isEmpty)
        }
    }

    /// However small letters are, each who sings has rows for a line.
    @Test func smallLettersHaveRoomForAll() {
        for together: [Lyrics.Singer] in [[.first, .second], [.first, .second, .background]] {
            let shown = texts(
                layout(80, 24) {
                    $0.letters = LetterWays(way: .cells)
                    $0.lyrics?.lines = together.map { .init(text: "sung by \($0)", singer: $0) }
                    $0.lyrics?.together = together
                    $0.lyrics?.present = together.count - 1
                    $0.lyrics?.others = (0..<(together.count - 1)).map {
                        .init(number: $0, sung: 1)
                    }
                })
            for singer in together {
                #expect(shown.contains { $0.contains("sung by \(singer)") }, "\(shown)")
            }
        }
    }

    /// Lyrics without times are no words for this view: it shows what plays.
    @Test func wordsWithoutTimesAreNotLarge() {
        let shown = layout(80, 24) { $0.lyrics?.isTimed = false }
        #expect(letterRows(shown).count >= 4)
    }

    /// No line that comes is larger than the one that is sung, or than the one before it.
    @Test func whatComesIsNoLarger() {
        let shown = texts(layout(80, 24) { $0.lyrics?.present = 3 })
        for text in ["A line that is so long", "世界の歌", "Last"] {
            #expect(shown.contains { $0.contains(text) }, "\(text): \(shown)")
        }
        // What comes behind a small line is small, and the line that is sung is large.
        let ahead = texts(layout(80, 24) { $0.lyrics?.present = 1 })
        #expect(ahead.contains { $0.contains("A line that is so long") })
        #expect(letterRows(layout(80, 24) { $0.lyrics?.present = 1 }).count >= 4)
        #expect(ahead.contains { $0.contains("Last") } || ahead.contains { $0.contains("世界") })
    }

    /// A tall screen has the line before, too.
    @Test func aTallScreenHasTheLineBefore() {
        let shown = texts(layout(120, 40) { $0.lyrics?.present = 1 })
        #expect(shown[2].contains("Long is the road and the night is cold"))
        let small = texts(layout(80, 24) { $0.lyrics?.present = 1 })
        #expect(!small.contains { $0.contains("Long is the road and") })
    }

    /// Before a line, where nobody sings, it is counted in.
    @Test(arguments: [(8.2, "in 9 s"), (4, "in 4 s"), (2.5, "● ● ●"), (0.5, "●")])
    func aLineIsCountedIn(pause: Double, text: String) {
        let shown = texts(
            layout(80, 24) {
                $0.lyrics?.present = 2
                $0.lyrics?.pause = pause
            })
        // In a row of its own, behind those of the line, however many that has.
        #expect(shown[12].drop { $0 == " " } == text, "\(shown)")
        // Where all rows are the line's, at the end of the row of changes.
        let small = texts(
            layout(60, 16) {
                $0.lyrics?.present = nil
                $0.lyrics?.pause = pause
                $0.changes = [String(repeating: "key +2 ", count: 20)]
            })
        #expect(small[13].hasSuffix("…  \(text)"), "\(small)")
    }

    /// On a small screen, and without words, the mixer stands.
    @Test func theMixerStandsWhereWordsHaveNoRoom() {
        for (columns, rows) in [(59, 30), (80, 15), (40, 10)] {
            #expect(letterRows(layout(columns, rows)).count < 8)
        }
    }

    /// At no size, and with no words, anything reaches over the edge or stops the program.
    @Test func anySizeAndAnyWords() {
        for columns in stride(from: 40, through: 220, by: 9) {
            for rows in stride(from: 10, through: 60, by: 3) {
                for present in [nil, 0, 3, 4, 5] {
                    let shown = layout(columns, rows) {
                        $0.lyrics?.present = present
                        $0.lyrics?.sung = .nan
                        $0.lyrics?.lines[5].text = String(repeating: "W", count: 5000)
                        $0.lyrics?.pause = present == nil ? .infinity : nil
                        $0.title = String(repeating: "世", count: 300)
                    }
                    #expect(shown.cells.columns == columns && shown.cells.rows == rows)
                }
            }
        }
    }
}
