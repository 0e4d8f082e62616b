import Testing

@testable import duet

@Suite struct KeyDecoderTests {
    static let sequences: [(String, [Key])] = [
        ("q", [.character("q")]), (" M", [.character(" "), .character("M")]),
        ("\u{1B}[C", [.right]), ("\u{1B}[D", [.left]), ("\u{1B}OC\u{1B}OD", [.right, .left]),
        ("\u{1B}[1;5D", [.left]), ("\u{1B}[A\u{1B}[B", []), ("\u{1B}[15~q", [.character("q")]),
        ("\u{1B}q", [.character("q")]), ("\u{1B}\u{1B}[C", [.right]),
        ("\u{1B}OPm", [.character("m")]), ("é♪n", [.character("n")]), ("\r\n\u{3}", []),
        ("\u{1B}[\u{1B}[D", [.left]), ("\u{1B}[<0;1;1Mq", [.character("q")]),
    ]

    @Test(arguments: sequences)
    func decodes(text: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.decode(Array(text.utf8)) == keys)
    }

    @Test(arguments: sequences)
    func decodesByteByByte(text: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(text.utf8.flatMap { decoder.decode([$0]) } == keys)
    }

    @Test(arguments: [
        (Key.character(" "), Action.togglePause), (.character("q"), .quit),
        (.left, .seek(by: -5)), (.right, .seek(by: 5)), (.character("n"), .nextSong),
        (.character("b"), .previousSong), (.character("m"), .toggleMute(.second)),
        (.character("M"), .toggleMute(.first)),
        (.character("9"), .changeVolume(.first, decibels: -1)),
        (.character("0"), .changeVolume(.first, decibels: 1)),
        (.character("-"), .changeVolume(.second, decibels: -1)),
        (.character("+"), .changeVolume(.second, decibels: 1)),
        (.character(","), .changePan(.first, by: -0.1)),
        (.character("."), .changePan(.first, by: 0.1)),
        (.character("["), .changePan(.second, by: -0.1)),
        (.character("]"), .changePan(.second, by: 0.1)), (.character("s"), .swapSides),
        (.character("h"), .help),
    ])
    func keysAct(key: Key, action: Action) {
        #expect(KeyMap.action(for: key) == action)
    }

    @Test func otherKeysDoNothing() {
        for code in UInt8(0x20)..<0x7F {
            let character = Character(Unicode.Scalar(code))
            let acts = KeyMap.action(for: .character(character)) != nil
            #expect(acts == " qnbmM90-+=,.[]sh?".contains(character))
        }
    }
}
