import Glibc
import Testing

@testable import DuetApp

/// What singers see, on a terminal elsewhere.
@Suite struct StageTests {
    private static let terminals: [StageTerminal] = {
        var light = TerminalLook(colours: .all)
        light.ground = .light
        return [
            StageTerminal(
                columns: 80, rows: 24, look: TerminalLook(colours: .none, isASCII: true),
                letters: LetterWays(way: .cells), graphics: nil),
            StageTerminal(
                columns: 500, rows: 200, look: light,
                letters: LetterWays(way: .scaled, hasDoubleLines: true),
                graphics: .kitty(aspect: 2.125)),
            StageTerminal(
                columns: 1, rows: 1, look: TerminalLook(colours: .many),
                letters: LetterWays(way: .octants),
                graphics: .sixel(cell: PixelSize(width: 9, height: 20))),
        ]
    }()

    @Test(arguments: terminals) func aTerminalIsALine(terminal: StageTerminal) {
        #expect(StageTerminal(line: terminal.line) == terminal)
    }

    /// Whatever comes from elsewhere is no terminal, or one of a possible size.
    @Test(arguments: [
        "stage", "stage 80 24", "stage 0 24 3 0 0 blocks 0", "stage 501 24 3 0 0 blocks 0",
        "stage 80 -1 3 0 0 blocks 0", "stage 80 24 9 0 0 blocks 0", "stage 80 24 3 2 0 blocks 0",
        "stage 80 24 3 0 99 blocks 0", "stage 80 24 3 0 0 large 0", "stage 80 24 3 0 0 blocks",
        "stage 80 24 3 0 0 blocks 0 kitty", "stage 80 24 3 0 0 blocks 0 kitty nan",
        "stage 80 24 3 0 0 blocks 0 kitty 1e300", "stage 80 24 3 0 0 blocks 0 sixel 0x20",
        "stage 80 24 3 0 0 blocks 0 sixel 8x99999", "stage 80 24 3 0 0 blocks 0 tek 8x8",
        "stage 99999999999999999999 24 3 0 0 blocks 0", "sing 80 24 3 0 0 blocks 0",
    ]) func allElseIsNone(line: String) { #expect(StageTerminal(line: line) == nil) }

    /// What no terminal has is not told to the duet that draws: it would refuse it.
    @Test func oddTerminalsAreWithinBounds() {
        for graphics: TerminalGraphics in [
            .kitty(aspect: .nan), .kitty(aspect: 1000), .sixel(cell: .init(width: 5000, height: 1)),
        ] {
            let odd = StageTerminal(
                columns: 100_000, rows: -3, look: TerminalLook(colours: .all),
                letters: LetterWays(), graphics: graphics)
            #expect(StageTerminal(line: odd.line) == odd && odd.graphics == nil)
            #expect(odd.columns == 500 && odd.rows == 1)
        }
    }

    /// Who takes no answers is no stage, and whoever has left is none any more.
    @Test func aStageTakesAnswers() {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        var pipe = ControlClient(ends[0], isSocket: false, now: 0)
        pipe.show(on: Self.terminals[0])
        #expect(!pipe.isStage)
        for end in ends { close(end) }
        _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        var client = ControlClient(ends[0], isSocket: true, now: 0)
        client.show(on: Self.terminals[0])
        close(ends[1])
        client.show(screen("a line"))
        #expect(!client.isStage)
        close(ends[0])
    }

    private func screen(_ words: String?) -> ScreenState {
        var state = ScreenState()
        (state.title, state.next, state.page) = ("What plays", "What comes", .help)
        state.status.note = "a note of the host"
        state.status.typed = "/home/host/secret"
        state.newestLine = .init(text: "a warning", isWarning: true)
        state.strips = [ScreenState.Strip(name: "song", volume: "0.0 dB")]
        state.hints = [KeyHelp(keys: "h", help: "help")]
        state.lyrics = words.map { .init(lines: [.init(text: $0)], present: 0) }
        return state
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Words and what comes, and nothing that is the host's alone; without words what plays.
    @Test func singersSeeWordsAlone() {
        var stage = Stage(on: Self.terminals[0])
        let first = text(stage.draw(screen("sing this")))
        for shown in [
            "sing this", "What plays", "next: What comes", "ends this view alone", "song",
        ] {
            #expect(first.contains(shown), "\(shown): \(first)")
        }
        for hidden in ["host", "warning", "help"] { #expect(!first.contains(hidden)) }
        #expect(stage.draw(screen("sing this")).isEmpty)
        let next = text(stage.draw(screen("sing that")))
        #expect(!next.isEmpty && !next.contains("\u{1B}[2J"))
        let without = text(stage.draw(screen(nil)))
        #expect(without.contains("What plays"))
    }

    /// A terminal that takes nothing for a while misses pictures, and costs no memory; then it gets the newest.
    @Test func aSlowTerminalMissesPictures() {
        var ends: [Int32] = [-1, -1]
        _ = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        defer { for end in ends { close(end) } }
        var client = ControlClient(ends[0], isSocket: true, now: 0)
        client.show(on: Self.terminals[0])
        #expect(client.isStage && !client.isIdle(at: 1000))
        func receive() -> String {
            var all = ""
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while case let count = recv(ends[1], &bytes, bytes.count, Int32(MSG_DONTWAIT)),
                count > 0
            {
                all += text(Array(bytes[..<count]))
            }
            return all
        }
        #expect(receive() == "ok stage\n")
        for number in 0..<20_000 { client.show(screen("line \(number) of many")) }
        #expect(client.hasUnsent)
        var (all, last) = ("", "")
        repeat {
            last = receive()
            all += last
            client.send()
        } while !last.isEmpty
        #expect(!client.hasUnsent && !all.contains("19999"))
        client.show(screen("the end"))
        #expect(receive().contains("the end"))
        // Another size is drawn anew, without a further answer.
        client.show(on: Self.terminals[2])
        client.show(screen("the end"))
        #expect(receive().hasPrefix("\u{1B}[m\u{1B}[2J"))
    }
}
