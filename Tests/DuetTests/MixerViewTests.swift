import AudioGraph
import Testing

@testable import DuetApp

/// The view for hosts, and the facts at the top of the screen.
@Suite struct MixerViewTests: ScreenSuite {
    /// Whatever is changed, reported or chosen, the mixer's rows stay where they are.
    @Test(arguments: [(60, 16), (80, 24), (120, 40), (200, 50)])
    func nothingMoves(columns: Int, rows: Int) {
        func places(_ lines: [String]) -> [Int?] {
            let marks = ["▸mic", "dB", "◂", "line that", "h help"]
            return marks.map { mark in lines.firstIndex { $0.contains(mark) } }
        }
        let plain = lines(columns, rows) {
            $0.changes = []
            ($0.strips[1].preset, $0.strips[1].compression) = (nil, nil)
            $0.status.note = nil
        }
        let busy = lines(columns, rows) {
            $0.changes = (0..<30).map { "key +\($0)" }
            $0.strips[1].preset = "a preset that has a long name"
            $0.status.note = "note"
            $0.status.recording = Status.Recording(seconds: 1)
            $0.newestLine = ScreenState.Line(text: "a warning", isWarning: true)
        }
        #expect(places(plain) == places(busy))
        let bar = { (lines: [String]) in lines[1].drop { $0 != "━" } }
        #expect(bar(plain) == bar(busy) && busy.contains { $0.hasSuffix("…") })
    }

    /// Song, four microphones and output, each with all that it says, have room on a small screen.
    @Test(arguments: [(60, 16), (80, 24), (120, 40)]) func fourSingersHaveRoom(
        columns: Int, rows: Int
    ) {
        let names = ["song", "mic", "mic2", "mic3", "mic4", "out"]
        let layout = layout(columns, rows) { state in
            let strips = state.strips
            state.strips = names.enumerated().map { number, name in
                var strip = strips[number == 5 ? 2 : 1]
                (strip.name, strip.volume, strip.isSolo) = (name, "-12.5 dB", false)
                strip.preset = number == 5 ? nil : "plate"
                strip.hasClipped = true
                return strip
            }
            state.strips[2].isUnconnected = true
            state.strips[3].isMuted = true
            state.strips[4].isHeld = true
            state.selected = 4
        }
        let text = (0..<rows).map { layout.cells.text(row: $0) }
        let strips = layout.targets.filter { if case .strip = $0.kind { true } else { false } }
        #expect(strips.count == 6)
        for (target, name) in zip(strips, names) {
            #expect(target.columns.upperBound <= columns && target.columns.count >= 9)
            let cells = text.map { line in
                String(
                    Array(line.padding(toLength: columns, withPad: " ", startingAt: 0))[
                        target.columns])
            }
            let head = cells.first { $0.contains("CLIP") } ?? ""
            #expect(
                head.dropFirst().hasPrefix(name) && head.hasSuffix("CLIP") || columns > 60,
                "\(head)")
            let volume = ["mic2": "no input", "mic3": "muted"][name] ?? "-12.5 dB"
            #expect(cells.contains { $0.contains(volume) }, "\(cells)")
            let level = name == "out" ? "lim -1.2" : columns > 60 ? "comp -3.4" : "c -3.4"
            #expect(cells.contains { $0.contains(level) }, "\(cells)")
            #expect(name == "out" || cells.contains { $0.contains("plate") }, "\(cells)")
            let place = name == "mic4" ? "held -20" : name == "out" ? "lim" : "◂"
            #expect(cells.contains { $0.contains(place) }, "\(cells)")
        }
        #expect(text.contains { $0.contains("▸mic4") })
        // Only the facts beside the strips are cut.
        #expect(columns > 80 || !text[4...].contains { $0.contains("…") })
        // On the smallest screen, too, each has its name, its meters and its volume.
        let least = self.lines(40, 10) { state in
            state.strips = names.map { .init(name: $0, volume: "-12.5 dB") }
        }
        #expect(names.allSatisfy { name in least.contains { $0.contains(name) } }, "\(least)")
        #expect(least.contains { $0.split(separator: " ") == Array(repeating: "-12.5", count: 6) })
    }

    /// Each step of a pan's key moves the slider; a place around the head stands in its stead.
    @Test func theSliderHasItsRealPlace() {
        let shown = (-10...10).map { step in
            lines(80, 24) { $0.strips[0].pan = Double(step) / 10 }[19].dropFirst(2).prefix(9)
        }
        #expect(Set(shown).count == 21 && shown[10] == "◂━━━┃━━━▸")
        let place = lines(80, 24) { $0.strips[0].place = "45° left" }
        #expect(place[19].hasPrefix("  45° left "))
        for (values, text) in [
            ((-45.0, 0.0, 1.0), "45° left"), ((0, 20, 2), "in front 20° up 2 m"),
            ((135, -10, 0.5), "135° right 10° down 0.5 m"),
        ] {
            #expect(
                HeadPlace.text(azimuth: values.0, elevation: values.1, distance: values.2) == text)
        }
    }

    /// While nothing is sung, the row of words has what comes; a line that is longer than the row goes on behind `…`.
    @Test func theRowOfWordsHasWhatComes() {
        for present in [nil, 0] {
            let shown = lines(80, 24) {
                $0.lyrics?.present = present
                $0.lyrics?.lines[0].text = present == nil ? "first" : ""
            }
            #expect(shown[3] == "   ▸  " + (present == nil ? "first" : "the line that is sung"))
        }
        let long = lines(80, 24) {
            $0.lyrics?.lines[1].text = Array(repeating: "words", count: 30).joined(separator: " ")
        }
        #expect(long[3].hasSuffix("…"))
    }

    /// ASCII names arrows: the characters that resemble them are keys, too.
    @Test func keysHaveNamesInASCII() {
        let ascii = TerminalLook(colours: .none, isASCII: true)
        #expect(ascii.namingArrows("←/→") == "left/right")
        #expect(ascii.namingArrows("shift-↓/↑") == "shift-down/up")
        #expect(TerminalLook(colours: .none).namingArrows("←/→") == "←/→")
        #expect("┃▌▐".unicodeScalars.allSatisfy { ascii.shown($0) == "|" })
    }

    /// The loop's ends stand on the bar, a station and the transport's role beside it.
    @Test func theRowOfTheSongSaysWhatItIs() {
        let loop = lines(80, 24) { $0.loop = (61.25, 122.5) }[1]
        let bar = Array(loop.drop { !"━╸─[]".contains($0) })
        #expect(bar.firstIndex(of: "[").map { abs($0 - 17) <= 1 } == true, "\(loop)")
        #expect(bar.firstIndex(of: "]").map { abs($0 - 34) <= 1 } == true, "\(loop)")
        let half = lines(80, 24) { $0.loop = (10, nil) }[1]
        #expect(half.contains("[") && !half.contains("]"))
        let live = lines(80, 24) {
            ($0.status.duration, $0.station) = (nil, "Radio One")
            $0.transport = "follows transport"
        }[1]
        #expect(live.hasPrefix(" ▶ 1:23  live · Radio One ") && live.hasSuffix("follows transport"))
    }

    /// A microphone that hears nothing is said at once, in both views, as what it is.
    @Test func aMicrophoneWithoutAConnectionIsSaid() {
        for view in [ScreenView.words, .mixer] {
            let layout = layout(80, 24) {
                $0.view = view
                $0.strips[1].isUnconnected = true
                $0.connections[1] = .init(text: "mic: not connected", isWarning: true)
            }
            let row = (0..<24).first {
                layout.cells.text(row: $0).contains("mic: not connected")
            }
            let hot = layout.cells.cells.indices.filter { layout.cells.cells[$0].style == .hot }
            #expect(row != nil && hot.contains { $0 / 80 == row }, "\(view)")
        }
    }

    /// A latency that disturbs singers is marked, alone of the facts.
    @Test func aLongLatencyIsMarked() {
        for (latency, isMarked) in [(19.9, false), (20, true), (85.3, true)] {
            let cells = layout(80, 24) { $0.status.latency = latency }.cells
            let marked = (0..<80).filter { cells.cells[$0].style == .loud }
            let text = Array(cells.text(row: 0))
            #expect(String(marked.map { text[$0] }) == (isMarked ? "ear \(latency) ms" : ""))
        }
    }

    /// Of a long name the artist is cut first, and the facts that singers need least leave.
    @Test func theTitleIsCutLast() {
        let artist = "The Very Long Named Philharmonic Orchestra"
        for columns in [60, 80] {
            let shown = lines(columns, 24) { $0.title = artist + " – Long is the road" }[0]
            #expect(
                shown.hasPrefix(" The Ver")
                    && shown.hasSuffix("… – Long is the road  ear 5.3 ms · xruns 0"), "\(shown)")
        }
        let words = lines(60, 24) {
            ($0.view, $0.title) = (.words, "\(artist) – \(artist)")
        }[0]
        #expect(words.contains("– \(artist)") || words.hasSuffix("…"), "\(words)")
    }

    /// From 120 columns on the list stands beside the strips, and can be pointed at.
    @Test func theListStandsBesideTheStrips() {
        for (columns, rows, isThere) in [(119, 40, false), (120, 24, true), (120, 40, true)] {
            let layout = layout(columns, rows) {
                $0.list = ScreenLayoutTests.list
                $0.strips.insert($0.strips[1], at: 1)
            }
            let lines = (0..<rows).map { layout.cells.text(row: $0) }
            #expect(lines.contains { $0.contains("song 199 of 400") } == isThere, "\(lines)")
            #expect(lines.contains { $0.contains("▸  201  Singer 201") } == isThere)
            #expect(layout.targets.contains { $0.kind == .song(201) } == isThere)
            #expect(lines.contains { $0.contains("right → system:playback_2") })
            // The facts stay where they are, however many songs there are.
            let few = self.lines(columns, rows) {
                $0.strips.insert($0.strips[1], at: 1)
                $0.list = .init(
                    count: 2, songs: [.init(title: "a"), .init(title: "b")], selected: 0)
            }
            let facts = { (lines: [String]) in lines.firstIndex { $0.contains("buffer 38 s") } }
            #expect(facts(lines) == facts(few) && facts(few) != nil)
        }
    }
}
