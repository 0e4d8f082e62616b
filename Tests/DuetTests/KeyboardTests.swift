import Testing

@testable import DuetApp

/// Whether every key can be typed on usual keyboards.
@Suite struct KeyboardTests {
    /// A layout: what its keys type alone or with shift. From /usr/share/X11/xkb/symbols of Debian's xkb-data
    /// 2.35.1: us(basic), de(basic) and fr(basic), with latin(basic), latin(type4) and the key between
    /// shift and Z of pc(pc105). Dead keys type nothing by themselves, and letters with marks no key of duet.
    struct Layout: CustomTestStringConvertible, Sendable {
        let name: String
        let characters: Set<Character>
        var testDescription: String { name }

        init(_ name: String, _ marks: String) {
            self.name = name
            let letters = "abcdefghijklmnopqrstuvwxyz"
            characters = Set(letters + letters.uppercased() + "0123456789 " + marks)
        }

        func types(_ key: Key) -> Bool {
            if case .character(let character) = key { characters.contains(character) } else { true }
        }
    }

    static let layouts = [
        Layout("us", "`~!@#$%^&*()-_=+[{]}\\|;:'\",<.>/?"),
        Layout("de", "°!\"§$%&/()=ßüÜ?+*öÖäÄ#',;.:-_<>"),
        Layout("fr", "²~&é\"'(-è_çà)=°+$£ù%*µ,?;.:/!§<>"),
    ]

    /// What of a table no key of a layout asks for: neither for that, nor for the same of the selected channel.
    private func unreachable(_ rows: [KeyTable.Row], on layout: Layout) -> [String] {
        let reached = Set(rows.filter { layout.types($0.key) }.map(\.line))
        return rows.map(\.line).filter { line in
            let words = line.split(separator: " ", maxSplits: 1)
            let rest = words[1].split(separator: "/", maxSplits: 1)
            let isOfChannel = ["song", "mic", "mic2", "mic3", "mic4", "second"].contains(rest[0])
            let ofSelected = rest.count > 1 && isOfChannel ? "\(words[0]) /strip/\(rest[1])" : line
            return !reached.contains(line) && !reached.contains(ofSelected)
        }
    }

    /// Without AltGr, which a singer with a microphone in the hand does not find.
    @Test(arguments: layouts) func everyActionIsTyped(layout: Layout) {
        for second in [MixPlan.Second.nothing, .mic(channelCount: 1), .mics(2), .mics(4), .song] {
            let table = KeyTable(of: MixPlan(second: second), playsTake: true)
            for rows in [table.rows, KeyTable.list.rows] {
                #expect(unreachable(rows, on: layout) == [])
            }
        }
    }

    /// The characters are those that people miss there.
    @Test func bracketsNeedAltGr() {
        let rows = KeyTable(of: MixPlan(second: .mics(2))).rows
            .filter { $0.address != "/strip/pan" }
        let pans = ["mic", "mic2"].flatMap { strip in
            ["-0.1", "0.1"].map { "adjust /\(strip)/pan \($0)" }
        }
        for layout in Self.layouts {
            #expect(unreachable(rows, on: layout) == (layout.name == "us" ? [] : pans))
        }
    }
}
