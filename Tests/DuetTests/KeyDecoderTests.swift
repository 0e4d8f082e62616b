import Testing

@testable import DuetApp

@Suite struct KeyDecoderTests {
    static let sequences: [(String, [Key])] = [
        ("q", [.character("q")]), (" M", [.character(" "), .character("M")]),
        ("\u{1B}[C", [.right]), ("\u{1B}[D", [.left]), ("\u{1B}OC\u{1B}OD", [.right, .left]),
        ("\u{1B}[1;5D", [.left]), ("\u{1B}[A\u{1B}[B", [.up, .down]),
        ("\u{1B}[15~q", [.function(5), "q"]), ("\u{1B}[1;2A\u{1B}[1;2B", [.shiftUp, .shiftDown]),
        ("\u{1B}[1;2C\u{1B}[1;2D\u{1B}[1;6C", [.shiftRight, .shiftLeft, .right]),
        ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
        ("\t\u{7F}\u{8}", [.tab, .backspace, .backspace]),
        ("\u{1B}[H\u{1B}OH\u{1B}[1~\u{1B}[F", [.home, .home, .home, .end]),
        ("\u{1B}[24~\u{1B}[11~\u{1B}O~x", [.function(12), .function(1), "x"]),
        ("\u{1B}[200~q\u{1B}[Cq\u{1B}\u{1B}[201~n", [.pasted("q\u{1B}[Cq\u{1B}"), "n"]),
        ("\u{1B}[200~é\r\n♪\u{1B}[201~n", [.pasted("é\r\n♪"), "n"]),
        ("\u{1B}[200~\u{1B}[201~n", [.pasted(""), "n"]),
        ("\u{1B}[99999999999999999999~n", ["n"]),
        ("\u{1B}[3~\u{1B}[Zn", [.delete, .shiftTab, "n"]),
        ("\u{1B}q", [.character("q")]), ("\u{1B}\u{1B}[C", [.right]),
        ("\u{1B}OPm", [.function(1), "m"]), ("é♪n", ["é", "♪", "n"]),
        ("\r\n\u{3}", [.enter, .enter]),
        ("\u{1B}[\u{1B}[D", [.left]), ("\u{1B}[<1;1;1Mq", [.character("q")]),
        ("\u{1B}[<0;3;2M\u{1B}[<0;3;2m", [mouse(.press, 1, 2)]),
        ("\u{1B}[<64;1;1M\u{1B}[<65;9999;9M", [mouse(.wheelUp, 0, 0), mouse(.wheelDown, 8, 9998)]),
        // With shift, Alt and Ctrl; moved; on no place; of no terminal.
        ("\u{1B}[<28;3;2M", [mouse(.press, 1, 2)]), ("\u{1B}[<32;3;2Mq", ["q"]),
        ("\u{1B}[<0;0;1M\u{1B}[<0;1;10000Mq", ["q"]), ("\u{1B}[<0;1M\u{1B}[<;;M\u{1B}[<Mq", ["q"]),
        // F1 and F5 of Linux's console; a key that was let go.
        ("\u{1B}[[A\u{1B}[[En", [.function(1), .function(5), "n"]), ("\u{1B}[1;1:3An", ["n"]),
        ("\u{1B}O2Pn", [.function(1), "n"]),
        // A report in the old form: its bytes are no keys.
        ("\u{1B}[M q!n", ["n"]), ("\u{1B}[1;1Mq", ["q"]),
        ("\u{1B}[<0;1;1;1Mq", ["q"]), ("\u{1B}[<99999999999999999999;1;1Mq", ["q"]),
    ]

    private static func mouse(_ action: Mouse.Gesture, _ row: Int, _ column: Int) -> Key {
        let button =
            switch action {
            case .press: 0
            case .wheelUp: 64
            case .wheelDown: 65
            }
        return .mouse(Mouse(button: button, column: column + 1, row: row + 1, isDown: true)!)
    }

    @Test func controlsAreKeys() {
        var decoder = KeyDecoder()
        #expect(decoder.decode([0x0C, 0x15, 0x17], at: 0) == [.redraw, .deleteLine, .deleteWord])
    }

    @Test(arguments: sequences)
    func decodes(text: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array(text.utf8), at: 0) == keys)
    }

    @Test(arguments: sequences)
    func decodesByteByByte(text: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(text.utf8.flatMap { decoder.decode([$0], at: 0) } == keys)
    }

    /// Bytes that are no UTF-8.
    @Test(arguments: [[0xC3, 0x6E], [0xFF, 0x6E], [0xE2, 0x82, 0x6E], [0x80, 0x6E]])
    func whatIsNoCharacter(bytes: [UInt8]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(bytes, at: 0) == ["n"])
    }

    /// Of a paste 64 KiB are kept; bytes that are no text are no paste.
    @Test func aPasteIsBounded() {
        var decoder = KeyDecoder()
        let text = String(repeating: "x", count: 1 << 20)
        let keys = decoder.decode(Array("\u{1B}[200~\(text)\u{1B}[201~n".utf8), at: 0)
        #expect(keys == [.pasted(String(text.prefix(65_536))), "n"])
        // Cut within a character, and with a part of the end behind what is kept.
        for count in 65_530...65_540 {
            let text = String(repeating: "x", count: count) + "世"
            let kept = count <= 65_533 ? text : String(text.prefix(min(count, 65_536)))
            decoder = KeyDecoder()
            let keys = decoder.decode(Array("\u{1B}[200~\(text)\u{1B}[201~n".utf8), at: 0)
            #expect(keys == [.pasted(kept), "n"], "\(count)")
        }
        let head = Array("\u{1B}[200~".utf8), end = Array("\u{1B}[201~n".utf8)
        #expect(decoder.decode(head + [0xFF, 0x6E] + end, at: 0) == ["n"])
    }

    /// Every key asks for one thing, which every run can do; those of further microphones are refused
    /// without these, and have no help.
    @Test(arguments: [
        MixPlan.Second.nothing, .mic(channelCount: 2), .mics(2), .mics(3), .mics(4), .song,
    ])
    func everyKeyAsksForOneThing(second: MixPlan.Second) throws {
        let table = KeyTable(of: MixPlan(second: second), playsTake: true)
        #expect(Set(table.rows.map(\.key)).count == table.rows.count)
        let refused = table.rows.filter { (try? $0.action.get()) == nil }
        let keys = [["2", "{", "}", "y", "Y"], ["3"], ["4"]]
        let count = second.microphones.count
        let missing = count == 0 ? [] : keys.dropFirst(count - 1)
        #expect(refused.map { "\($0.key)" } == Array(missing.joined()))
        for row in refused {
            #expect(row.help.isEmpty)
            let refusal = #expect(throws: Refusal.self) { try row.action.get() }
            #expect(refusal?.reason.contains(" microphone; start with --") == true)
        }
        for row in table.rows + KeyTable.list.rows {
            if case .success(let action) = row.action { #expect(action.line == row.line) }
        }
        #expect(KeyTable.list.rows.allSatisfy { (try? $0.action.get()) != nil })
    }

    @Test func aSecondMicrophoneHasKeysOfItsOwn() {
        let rows = KeyTable(of: MixPlan(second: .mics(2))).rows
        let one = KeyTable(of: MixPlan(second: .mic(channelCount: 1))).rows
            .filter { !$0.address.hasPrefix("/mic2/") }.map(\.key)
        let own = rows.filter { !one.contains($0.key) }.map { "\($0.key) \($0.address)" }
        #expect(
            own == [
                "2 /mic2/mute", "{ /mic2/pan", "} /mic2/pan", "y /mic2/preset", "Y /mic2/preset",
            ])
    }

    /// The other microphones can be muted, and have the keys of the channel for all else.
    @Test func aThirdAndAFourthMicrophoneAreMuted() {
        for count in 1...4 {
            let table = KeyTable(
                of: MixPlan(second: count == 1 ? .mic(channelCount: 1) : .mics(count)))
            let help = table.help.first { $0.hasPrefix("Other microphones: ") }
            let more = " · {/} mic2 left, right · y/Y mic2 preset · j/J channel preset"
            #expect(
                help
                    == [
                        3: "Other microphones: 2/3 mute mic 2, 3" + more,
                        4: "Other microphones: 2/3/4 mute mic 2, 3, 4" + more,
                    ][count])
            #expect(table.help.contains { $0.hasPrefix("Second microphone: ") } == (count == 2))
            #expect(table.row(for: "3")?.line == "toggle /mic3/mute")
            #expect(table.row(for: "J")?.line == "adjust /strip/preset -1")
        }
        #expect(KeyTable(of: MixPlan()).row(for: "3") == nil)
    }

    /// Keys of mpv do what they do there.
    @Test func keysOfMpv() {
        let table = KeyTable(of: MixPlan())
        for (key, twin) in [("p", " "), ("<", "b"), (">", "n")] as [(Key, Key)] {
            let row = table.row(for: key)
            #expect(row?.line == table.row(for: twin)?.line && row?.help == "")
        }
    }

    @Test func tenKeysComeFirst() throws {
        let table = KeyTable(of: MixPlan(second: .mic(channelCount: 1)))
        #expect(
            table.summary == "h help · space pause · q quit · m mute mic · v vocals · k/K key"
                + " · -/+ mic · 9/0 song · x/X preset · ←/→ seek")
        #expect(
            KeyTable(of: MixPlan(second: .song)).summary
                == "h help · space pause · q quit · m mute second · v vocals · k/K key"
                + " · -/+ second · 9/0 song · ←/→ seek · r record")
        // Another key for the same, and another use of a key.
        let lines = ["m none", "f toggle /mic/mute", "l set /song/volume 0.5"]
        let changed = table.changed(
            by: try lines.map { try KeyBinding(line: $0) },
            in: MixPlan(second: .mic(channelCount: 1)).vocabulary)
        #expect(changed.summary.contains(" · f mute mic · "))
        #expect(changed.summary.contains(" · 9/0 song · "))
    }

    /// Each key that does something has its place in the help, beside those that change the same.
    @Test func theHelpNamesEveryKeyOnce() {
        for table in [KeyTable(of: MixPlan()), KeyTable(of: MixPlan(second: .mics(4)))] {
            let named = table.groups.flatMap { entry in
                // The slash is a key of its own, too.
                let names =
                    entry.keys.split(separator: "/").map(String.init)
                    + (entry.keys.hasSuffix("//") ? ["/"] : [])
                let isShifted = names[0].hasPrefix("shift-")
                return [names[0]] + names.dropFirst().map { isShifted ? "shift-\($0)" : $0 }
            }
            #expect(named == table.rows.filter { !$0.help.isEmpty }.map { "\($0.key)" })
            #expect(Set(named).count == named.count)
            let help = table.help.joined(separator: "\n")
            #expect(table.groups.allSatisfy { help.contains("\($0.keys) \($0.help)") })
        }
        let help = KeyTable(of: MixPlan()).help
        #expect(
            help[0] == "Playing: space pause · q quit · ←/→ 5 s back, on · pgdn/pgup 30 s back, on"
                + " · home/A restart, again · l loop · b/n previous, next")
        #expect(
            help[2] == "Channel: tab/shift-tab next, back · ↓/↑ softer, louder"
                + " · shift-↓/↑ fine down, up · shift-←/→ left, right · c/backspace centre, 0 dB")
    }
}
