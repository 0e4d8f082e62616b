import AudioGraph
import Testing

@testable import DuetApp

/// What stands where on the screen, as text.
@Suite struct ScreenLayoutTests: ScreenSuite {
    static let state: ScreenState = {
        var state = ScreenState()
        state.status.state = .playing
        state.status.position = 83
        state.status.duration = 245
        state.status.buffered = 38
        state.status.hasMicrophone = true
        state.status.latency = 5.33
        state.status.note = "mic volume 0.0 dB"
        state.title = "Artist – Title"
        state.changes = ["key +2", "tempo 90 %"]
        func level(_ peak: Double, _ rms: Double, _ hold: Double) -> ScreenState.Level {
            ScreenState.Level(peak: Decibels(peak), hold: Decibels(hold), rms: Decibels(rms))
        }
        state.strips = [
            ScreenState.Strip(
                name: "song", left: level(-6, -18, -3), right: level(-9, -20, -5),
                volume: "-3.0 dB", pan: 1),
            ScreenState.Strip(
                name: "mic", left: level(-20, -30, -12), right: level(-20, -30, -12),
                hasClipped: true, volume: "0.0 dB", pan: -1, isSolo: true, preset: "plate",
                compression: Decibels(-3.4)),
            ScreenState.Strip(
                name: "out", left: level(-0.3, -12, -0.3), right: level(-1, -12, -0.3),
                volume: "0.0 dB", reduction: Decibels(-1.2)),
        ]
        state.selected = 1
        state.lyrics = ScreenState.Lyrics(
            lines: ["the line before", "the line that is sung", "the next one"].map {
                ScreenState.Lyrics.Line(text: $0)
            }, present: 1, sung: 0.5)
        state.cycle = ScreenState.Cycle(rate: 44_100, period: 128)
        state.connections = [
            "song ← https://stream.example.org/x", "mic ← system:capture_1",
            "left → system:playback_1", "right → system:playback_2",
        ].map { ScreenState.Line(text: $0) }
        state.keys = [
            KeyHelp(keys: "h", help: "help"), KeyHelp(keys: "space", help: "pause"),
            KeyHelp(keys: "q", help: "quit"), KeyHelp(keys: "↑/↓", help: "volume of the strip"),
            KeyHelp(keys: "←/→", help: "seek 5 s"),
            KeyHelp(keys: "tab/shift-tab", help: "select a strip"),
        ]
        state.hints = state.keys
        return state
    }()

    private static let sizes = [(40, 10), (60, 16), (80, 24), (120, 40), (200, 60)]

    /// A hold takes the place of the pan; where there is none, that of the volume.
    @Test(arguments: [
        (40, 10, 1, false, "held -20 dB"), (40, 10, 1, true, "muted, held"),
        (40, 10, 2, false, " held -20 "), (40, 10, 2, true, " held "),
        (60, 16, 1, false, "held -20 dB"), (120, 40, 2, true, "held -20 dB"),
    ]) func aHoldIsSaid(columns: Int, rows: Int, microphones: Int, isMuted: Bool, text: String) {
        let lines = lines(columns, rows) { state in
            if microphones == 2 { state.strips.insert(state.strips[1], at: 1) }
            state.strips[1].isHeld = true
            state.strips[1].isMuted = isMuted
        }
        #expect(lines.contains { $0.contains(text) })
        #expect(!isMuted || rows == 10 || lines.contains { $0.contains("muted") })
    }

    /// 40 columns, 10 rows.
    static let least = """
         Artist – Title    ear 5.3 ms · xruns 0
         ▶ 1:23 ━━━━━━━━━───────────────── 4:05
           ▸  the line that is sung
          song       ▸mic CLIP    out
          ▄▄ ▃▃       ── ──       ▇▇ ▆▆
          ▒▒ ▒▒       ▆▆ ▆▆       ██ ██
          ██ ██       ██ ██       ██ ██
          -3.0 dB     0.0 dB S    0.0 dB
         mic volume 0.0 dB
         h help  space pause  q quit
        """

    /// 60 columns, 16 rows.
    static let small = """
         Artist – Title                  128 · ear 5.3 ms · xruns 0
         ▶ 1:23 ━━━━━━━━━━━━━━━╸────────────────────────────── 4:05
         key +2 · tempo 90 %
           ▸  the line that is sung
          song       ▸mic CLIP    out
          ▂▂ ──                   ▆▆ ▅▅      0
          ▒▒ ▒▒       ── ──       ▒▒ ▒▒      -12
          ██ ██       ▒▒ ▒▒       ██ ██      -24
          ██ ██       ██ ██       ██ ██      -36
          ██ ██       ██ ██       ██ ██      -48
          -3.0 dB     0.0 dB S    0.0 dB
          ◂━━━━━━▐▸   ◂▌━━━━━━▸   lim -1.2
                      plate
                      comp -3.4
         mic volume 0.0 dB
         h help  space pause  q quit  ↑/↓ volume of the strip
        """

    /// 80 columns, 24 rows.
    static let usual = """
         Artist – Title                           44.1 kHz · 128 · ear 5.3 ms · xruns 0
         ▶ 1:23 ━━━━━━━━━━━━━━━━━━━━━━╸─────────────────────────────────────────── 4:05
         key +2 · tempo 90 %
           ▸  the line that is sung
          song       ▸mic CLIP    out              song ← https://stream.example.org/x
                                  ▂▂ ▁▁      0     mic ← system:capture_1
          ── ──                   ▒▒ ▒▒      -6    left → system:playback_1
          ▒▒ ▂▂                   ▒▒ ▒▒            right → system:playback_2
          ▒▒ ▒▒       ── ──       ▒▒ ▒▒      -12   buffer 38 s
          ▒▒ ▒▒                   ██ ██      -18
          ██ ▒▒       ▆▆ ▆▆       ██ ██
          ██ ██       ▒▒ ▒▒       ██ ██      -24
          ██ ██       ▒▒ ▒▒       ██ ██
          ██ ██       ██ ██       ██ ██      -36
          ██ ██       ██ ██       ██ ██
          ██ ██       ██ ██       ██ ██
          ██ ██       ██ ██       ██ ██      -48
          ██ ██       ██ ██       ██ ██
          -3.0 dB     0.0 dB S    0.0 dB
          ◂━━━━━━▐▸   ◂▌━━━━━━▸   lim -1.2
                      plate
                      comp -3.4
         mic volume 0.0 dB
         h help  space pause  q quit  ↑/↓ volume of the strip  ←/→ seek 5 s
        """

    @Test(arguments: [(40, 10, least), (60, 16, small), (80, 24, usual)])
    func whatMattersLeastLeavesFirst(columns: Int, rows: Int, text: String) {
        #expect(lines(columns, rows).joined(separator: "\n") == text)
    }

    @Test(arguments: [(120, 40), (200, 60)]) func aLargeScreenHasEverything(columns: Int, rows: Int)
    {
        let lines = lines(columns, rows)
        #expect(lines[0].hasPrefix(" Artist – Title   "))
        #expect(lines[0].hasSuffix("duet · 44.1 kHz · 128 · ear 5.3 ms · xruns 0"))
        #expect(lines[1].hasPrefix(" ▶ 1:23 ━━━") && lines[2] == " key +2 · tempo 90 %")
        let present = lines.firstIndex { $0.hasPrefix("   ▸") } ?? 4
        #expect(
            lines[(present - 1)...(present + 1)] == [
                "      the line before", "   ▸  the line that is sung", "      the next one",
            ])
        #expect(lines.contains { $0.hasPrefix("  song         ▸mic CLIP      out") })
        for text in Self.state.connections.map(\.text) + [
            "buffer 38 s", "◂▌━━━━━━▸", "lim -1.2", "plate", "comp -3.4",
        ] {
            #expect(lines.contains { $0.contains(text) }, "\(text)")
        }
        for key in Self.state.keys { #expect(lines.last!.contains("\(key.keys) \(key.help)")) }
    }

    /// Whatever is said, and at whatever size, all stays in its place.
    @Test func nothingReachesOverTheEdge() {
        for columns in stride(from: 40, through: 130, by: 9) {
            for rows in 10...30 {
                for page: Page? in [nil] + Page.allCases {
                    let layout = layout(columns, rows) {
                        $0.page = page
                        $0.list = Self.list
                        $0.title = String(repeating: "世", count: 100)
                        $0.status.position = 1e9
                        $0.status.duration = .greatestFiniteMagnitude
                        $0.strips += [$0.strips[1]]
                        $0.log = [ScreenState.Line(text: String(repeating: "x", count: 300))]
                    }
                    #expect(layout.cells.cells.count == columns * rows)
                    for target in layout.targets {
                        #expect(target.rows.upperBound <= rows - 2 && !target.rows.isEmpty)
                        #expect(target.columns.upperBound <= columns && !target.columns.isEmpty)
                    }
                }
            }
        }
    }

    /// What is no number is drawn as nothing.
    @Test(arguments: sizes) func numbersMayBeNone(columns: Int, rows: Int) {
        for bad in [Double.nan, .infinity, -.infinity] {
            let lines = lines(columns, rows) { state in
                state.status.position = bad
                state.lyrics = ScreenState.Lyrics(
                    lines: [.init(text: "line")], present: 0, sung: bad, passed: bad)
                for index in state.strips.indices {
                    let level = Decibels(bad)
                    state.strips[index].left = ScreenState.Level(
                        peak: level, hold: level, rms: level)
                    state.strips[index].pan = bad
                }
            }
            #expect(lines.count == rows)
        }
    }

    @Test(arguments: sizes) func statesHaveWords(columns: Int, rows: Int) {
        for (state, word) in [
            (Status.State.paused, "‖ paused 1:23"), (.buffering, "buffering 1:23"),
            (.serverLost, "no server 1:23"), (.ended, "ended 1:23"),
        ] {
            let lines = lines(columns, rows) { $0.status.state = state }
            #expect(lines[1].hasPrefix(" \(word) "))
        }
        // A live stream has no length, and so no bar.
        let live = layout(columns, rows) { $0.status.duration = nil }
        #expect(!live.cells.text(row: 1).contains("─"))
        #expect(!live.targets.contains { $0.rows == 1..<2 })
    }

    @Test(arguments: sizes) func whatIsPointedAtIsThere(columns: Int, rows: Int) {
        let layout = layout(columns, rows)
        let text = Array(layout.cells.text(row: 1))
        for column in 0..<columns {
            let isBar = column < text.count && "━╸─".contains(text[column])
            let target = layout.targets.first { $0.contains(row: 1, column: column) }
            #expect((target?.kind == .bar(duration: 245)) == isBar)
        }
        for (number, name) in ["song", "mic", "out"].enumerated() {
            let target = layout.targets.first { $0.kind == .strip(name) }!
            let head = Array(layout.cells.text(row: target.rows.lowerBound))
            let shown = String(
                head[target.columns.lowerBound..<min(target.columns.upperBound, head.count)])
            #expect(shown.contains(name), "\(number) \(shown)")
        }
    }

    @Test func theNewestLineStandsWhereNoNoteIs() {
        func line(_ change: (inout ScreenState) -> Void) -> String { lines(80, 24, change)[22] }
        let log = [ScreenState.Line(text: "old"), ScreenState.Line(text: "new", isWarning: true)]
        #expect(line { $0.log = log } == " mic volume 0.0 dB")
        #expect(line { ($0.log, $0.status.note) = (log, nil) } == "")
        #expect(line { ($0.log, $0.status.note, $0.newestLine) = (log, nil, log[0]) } == " old")
    }

    /// A warning ends with what to do: it gets up to three rows, and what users do a row below it.
    @Test(arguments: sizes) func aWarningIsReadToItsEnd(columns: Int, rows: Int) {
        let text =
            "warning: no port of the microphone matches; candidates for --mic: system:capture_1, "
            + "system:capture_2"
        let shown = lines(columns, rows) {
            ($0.status.note, $0.newestLine) = (nil, ScreenState.Line(text: text, isWarning: true))
        }
        let foot = shown.dropLast().suffix(3).map { $0.drop { $0 == " " } }
        if columns * min(3, rows - 8) > text.count + 20 {
            #expect(foot.joined(separator: " ").hasSuffix(text), "\(shown)")
        } else {
            #expect(foot.last?.hasSuffix("…") == true)
        }
        let typed = lines(columns, rows) {
            ($0.status.note, $0.newestLine) = (
                "muted", ScreenState.Line(text: text, isWarning: true)
            )
        }
        #expect(typed[rows - 2] == " muted" && typed[rows - 3].contains { $0.isLetter })
        // The strips keep their rows.
        #expect(
            typed.contains { $0.contains("▸") }
                == lines(columns, rows).contains { $0.contains("▸") })
    }

    @Test func pagesHaveTheirText() {
        let help = lines(80, 24) { $0.page = .help }
        #expect(help[2] == " h              help")
        #expect(help[5] == " ↑/↓            volume of the strip")
        #expect(help[7] == " tab/shift-tab  select a strip")
        let details = lines(80, 24) {
            ($0.page, $0.details) = (.details, ["client duet"])
            $0.log = (0..<100).map { ScreenState.Line(text: "line \($0)") }
        }
        #expect(
            details[2...7] == [
                " client duet", " song ← https://stream.example.org/x", " mic ← system:capture_1",
                " left → system:playback_1", " right → system:playback_2", "",
            ])
        #expect(details[21] == " line 99" && details[8] == " line 86")
        // Long lines are whole there.
        let long = lines(40, 10) {
            $0.page = .details
            ($0.connections, $0.log) = (
                [],
                [ScreenState.Line(text: "something that has more words than a line has room for")]
            )
        }
        #expect(long[2...3] == [" something that has more words than a", " line has room for"])
        let words = (0..<60).map { ScreenState.Lyrics.Line(text: "words \($0)") }
        let sung = lines(80, 24) {
            $0.page = .lyrics
            $0.lyrics = ScreenState.Lyrics(lines: words, present: 30)
        }
        #expect(sung[12] == " ▸ words 30" && sung[2] == "   words 20")
        let untimed = lines(80, 24) {
            $0.page = .lyrics
            $0.lyrics = ScreenState.Lyrics(lines: words, isTimed: false)
        }
        #expect(untimed[2] == "   words 0" && untimed[20] == "   words 18")
        #expect(untimed[21] == " more: the same key again")
        #expect(
            lines(80, 24) { ($0.page, $0.lyrics) = (.lyrics, nil) }[2] == " this song has no lyrics"
        )
    }

    /// All keys and all words come by, part by part, at any size.
    @Test(arguments: [(40, 10), (60, 16), (80, 24)]) func pagesHaveParts(columns: Int, rows: Int) {
        let keys = KeyTable(of: MixPlan(second: .mics(2))).groups
        let words = (0..<60).map { "words \($0)." }
        for (page, texts) in [(Page.help, keys.map(\.help)), (.lyrics, words)] {
            var (part, shown, hasMore) = (0, "", true)
            while hasMore, part < 100 {
                let layout = layout(columns, rows) {
                    ($0.page, $0.part, $0.keys) = (page, part, keys)
                    $0.lyrics = ScreenState.Lyrics(
                        lines: words.map { ScreenState.Lyrics.Line(text: $0) }, isTimed: false)
                }
                let lines = (2..<(rows - 2)).map { layout.cells.text(row: $0) }
                #expect(lines.last?.hasPrefix(" more: the same key again") == layout.hasMore)
                shown += lines.joined(separator: "\n") + "\n"
                (part, hasMore) = (part + 1, layout.hasMore)
            }
            #expect(texts.allSatisfy(shown.contains), "\(page): \(shown)")
            #expect((part > 1) == (page == .lyrics || rows < 24))
        }
    }

    /// What is told by colours is told by text, too: without colours nothing is missing.
    @Test func coloursAddNothing() {
        for colours in TerminalLook.Colours.allCases {
            let cells = ScreenLayout(
                Self.state, columns: 80, rows: 24, look: TerminalLook(colours: colours)
            ).cells
            #expect((0..<24).map { cells.text(row: $0) }.joined(separator: "\n") == Self.usual)
        }
    }

    @Test func metersShowPeakHoldAndRMS() {
        func column(_ level: ScreenState.Level) -> String {
            var cells = Cells(columns: 2, rows: 19, look: TerminalLook(colours: .none))
            LevelMeter(rows: 0..<19, columns: 1).draw(level, into: &cells, column: 0)
            return (0..<19).reversed().map { cells.text(row: $0) }.map { $0.isEmpty ? " " : $0 }
                .joined()
        }
        func level(_ peak: Double, _ rms: Double, _ hold: Double) -> ScreenState.Level {
            ScreenState.Level(peak: Decibels(peak), hold: Decibels(hold), rms: Decibels(rms))
        }
        // Three dB a row, from -54 dBFS on.
        #expect(column(level(-120, -120, -120)) == String(repeating: " ", count: 19))
        #expect(column(level(-24, -39, -12)) == "█████▒▒▒▒▒   ─     ")
        #expect(column(level(-22.5, -39, -22.5)) == "█████▒▒▒▒▒▄        ")
        #expect(column(level(20, 20, 20)) == String(repeating: "█", count: 19))
        #expect(column(level(-53.6, -120, -53.6)) == "▁                  ")
    }

    @Test func aPeakIsHeldForTwoSeconds() {
        var hold = PeakHold()
        #expect(hold.take(Decibels(-6), now: 10) == Decibels(-6))
        #expect(hold.take(Decibels(-20), now: 11.9) == Decibels(-6))
        #expect(hold.take(Decibels(-3), now: 11.95) == Decibels(-3))
        #expect(hold.take(Decibels(-20), now: 13.9) == Decibels(-3))
        #expect(hold.take(Decibels(-20), now: 14) == Decibels(-20))
    }

    // MARK: The list

    static let list = ScreenState.List(
        count: 400, first: 100, songs: (101...300).map { .init(title: "Singer \($0) – 世界の歌") },
        playing: 198, selected: 200)

    /// The selected song in the middle, each row to be pointed at.
    @Test(arguments: sizes) func theListStandsAroundTheSelectedSong(columns: Int, rows: Int) throws
    {
        let layout = layout(columns, rows) {
            $0.page = .list
            $0.list = Self.list
        }
        let lines = (0..<rows).map { layout.cells.text(row: $0) }
        #expect(lines[2] == " song 199 of 400 · selected: 201")
        let row = try #require(lines.firstIndex { $0.hasPrefix(" ▸  201  ") })
        #expect(row == 3 + (rows - 5) / 2)
        #expect(lines[row - 2] == "  ▶ 199  Singer 199 – 世界の歌")
        #expect(lines[row + 1] == "    202  Singer 202 – 世界の歌")
        #expect(lines[3].hasPrefix(rows > 10 ? "    " : "  ▶ "))
        for (place, text) in lines.enumerated() where (3..<(rows - 2)).contains(place) {
            #expect(text.contains("\(201 + place - row)  Singer \(201 + place - row)"))
            let target = layout.targets.first { $0.contains(row: place, column: columns - 1) }
            #expect(target?.kind == .song(201 + place - row))
        }
        #expect(layout.targets.count == rows - 5 + 1)
    }

    /// At both ends of a list, and in one that is shorter than the page.
    @Test(arguments: sizes) func theEndsOfTheList(columns: Int, rows: Int) {
        func shown(_ list: ScreenState.List) -> [String] {
            Array(
                lines(columns, rows) {
                    $0.page = .list
                    $0.list = list
                    $0.addKey = "a"
                }[2..<(rows - 2)])
        }
        let songs = (1...9).map { ScreenState.List.Song(title: "\($0).mp3") }
        var list = ScreenState.List(count: 9, songs: songs, playing: 0, selected: 0)
        #expect(shown(list)[1] == " ▸▶ 1  1.mp3" && shown(list)[2] == "    2  2.mp3")
        list.songs[1].trouble = "no such host; retrying in 3 s"
        #expect(shown(list)[2].hasPrefix("    2  2.mp3 (no such host; retrying i"))
        list.selected = 8
        let last = shown(list).last { !$0.isEmpty }
        #expect(last == " ▸  9  9.mp3")
        list.playing = nil
        #expect(!shown(list).contains { $0.contains("▶") })
        #expect(shown(ScreenState.List())[0] == " Empty list; press a to add a song.")
    }

    /// Who sings what, how long it is and in which key: each in a column, where any song has it.
    @Test func theListHasColumns() {
        func shown(_ columns: Int, _ change: (inout ScreenState.List) -> Void) -> [String] {
            var list = ScreenState.List(
                count: 3,
                songs: [
                    .init(title: "Yesterday", artist: "Beatles", singer: "Anna", length: "2:05"),
                    .init(
                        title: "Long is the road and the night", artist: "The Evening Band",
                        singer: "Bob", length: "12:01", key: "-2"),
                    .init(title: "new.mp3"),
                ], playing: 0, selected: 1, secondsLeft: 6180, wait: 61)
            change(&list)
            return Array(
                lines(columns, 24) {
                    $0.page = .list
                    $0.list = list
                }[2..<6])
        }
        #expect(
            shown(80) { _ in } == [
                " song 1 of 3 · selected: 2 in about 1 min · 1 h 43 min to the end",
                "  ▶ 1  Anna  Yesterday                        Beatles                   2:05",
                " ▸  2  Bob   Long is the road and the night   The Evening Band         12:01  -2",
                "    3        new.mp3",
            ])
        #expect(
            shown(48) { _ in }[1...] == [
                "  ▶ 1  Anna  Beatles – Yesterday        2:05",
                " ▸  2  Bob   The Evening Band – Long…  12:01  -2", "    3        new.mp3",
            ])
        // What no song has takes no room.
        let plain = shown(80) { list in
            for place in list.songs.indices {
                list.songs[place].singer = ""
                list.songs[place].key = ""
            }
            (list.secondsLeft, list.wait, list.selected) = (nil, nil, 0)
        }
        #expect(plain[0] == " song 1 of 3")
        #expect(plain[1].hasPrefix(" ▸▶ 1  Yesterday  ") && plain[1].hasSuffix("   2:05"))
    }

    /// What is typed stands in place of the note, its end where it is long.
    @Test(arguments: sizes) func whatIsTypedIsSeen(columns: Int, rows: Int) {
        for (typed, shown) in [
            ("add a song: x_", " add a song: x_"),
            (
                String(repeating: "世", count: 200) + "_",
                " " + String(repeating: "世", count: (columns - 3) / 2) + "_"
            ),
        ] {
            let lines = lines(columns, rows) { $0.status.typed = typed }
            #expect(lines[rows - 2] == shown)
            #expect(
                lines[rows - 1] == " enter add  esc cancel  tab complete"
                    + (columns > 40 ? "  ↓ singer" : ""))
            let noted = self.lines(columns, rows) {
                ($0.status.typed, $0.status.typedNote) = (typed, "2 names: a, b")
            }
            #expect(noted[rows - 2] == shown && noted[rows - 1] == " 2 names: a, b")
        }
    }
}

/// A suite that looks at the screen of `ScreenLayoutTests.state`, with changes.
protocol ScreenSuite {}

extension ScreenSuite {
    func layout(
        _ columns: Int, _ rows: Int, _ change: (inout ScreenState) -> Void = { _ in }
    ) -> ScreenLayout {
        var state = ScreenLayoutTests.state
        change(&state)
        return ScreenLayout(
            state, columns: columns, rows: rows, look: TerminalLook(colours: .sixteen))
    }

    func lines(
        _ columns: Int, _ rows: Int, _ change: (inout ScreenState) -> Void = { _ in }
    ) -> [String] {
        let layout = layout(columns, rows, change)
        return (0..<rows).map { layout.cells.text(row: $0) }
    }
}
