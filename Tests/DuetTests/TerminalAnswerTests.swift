import Testing

@testable import DuetApp

/// What a terminal answers is not a key, and a paste is not either, however late and in however many
/// pieces it comes. The test moves the clock.
@Suite struct TerminalAnswerTests {
    private var decoder = KeyDecoder()
    /// In seconds.
    private var now = 0.0

    /// The keys of a read that comes so much later; what is due before is ended in time.
    private mutating func read(_ bytes: [UInt8], after seconds: Double = 0) -> [Key] {
        let keys = wait(seconds)
        return keys + decoder.decode(bytes, at: now)
    }

    private mutating func read(_ text: String, after seconds: Double = 0) -> [Key] {
        read(Array(text.utf8), after: seconds)
    }

    /// The keys that are due within so many seconds in which nothing comes.
    private mutating func wait(_ seconds: Double) -> [Key] {
        let end = now + seconds
        var keys: [Key] = []
        while decoder.deadline < end {
            now = decoder.deadline
            keys += decoder.endPart(at: now)
        }
        now = end
        return keys
    }

    private static let st = "\u{1B}\\"
    /// As terminals send them: colours, XTGETTCAP, XTVERSION, DECRQSS, DA3, a title, a clipboard, APC
    /// of Kitty's graphics, PM, SOS; then CSI: where the cursor is, DA, modes, colours' scheme, focus,
    /// sizes, Kitty's keys, graphics.
    static let answers: [[UInt8]] =
        [
            "\u{1B}]11;rgb:1e1e/1e1e/2e2e\(st)", "\u{1B}]10;rgba:ff/ff/ff/ff\u{7}",
            "\u{1B}P1+r544e=787465726d\(st)", "\u{1B}P>|xterm(380)\(st)", "\u{1B}P0$r\(st)",
            "\u{1B}P!|00000000\(st)", "\u{1B}]lmq Üßé世 mq\(st)", "\u{1B}]LmPq\(st)",
            "\u{1B}]52;c;bXE=\(st)", "\u{1B}_Gi=31;OKmq\(st)", "\u{1B}^mq\(st)", "\u{1B}Xmq\u{7}",
            "\u{1B}]11;mq\u{9C}", "\u{9D}11;mq\u{9C}", "\u{90}1+rm\(st)", "\u{9B}?62;22c",
            "\u{1B}[24;80R", "\u{1B}[1;5R", "\u{1B}[?62;4;22c", "\u{1B}[>41;380;0c",
            "\u{1B}[?2026;2$y", "\u{1B}[?997;1n", "\u{1B}[0n", "\u{1B}[I", "\u{1B}[O",
            "\u{1B}[8;24;80t", "\u{1B}[4;600;800t", "\u{1B}[?0u", "\u{1B}[109u", "\u{1B}[113;5:1u",
            "\u{1B}[?1;0;256S", "\u{1B}[27;5;109~", "\u{1B}[<35;1;1M", "\u{1B}]11;rgb:ff\u{18}",
        ].map { Array($0.utf8) } + [
            [0x9D] + Array("4;1;rgb:mq".utf8) + [0x9C], [0x9B] + Array("?1;2c".utf8),
            [0x90] + Array("1$rm".utf8) + [0x9C], [0x9F] + Array("Gmq".utf8) + [0x07],
        ]

    /// Cut once, by less than 100 ms behind a lone ESC, and by less than a second elsewhere.
    @Test(arguments: answers) func aCutAnswerIsNoKey(answer: [UInt8]) {
        for cut in 1...answer.count {
            for pause in [0.0, 0.09, 0.9] {
                let isLone = cut == 1 && answer[0] == 0x1B
                guard !isLone || pause < 0.1 else { continue }
                var test = Self()
                var keys = test.read(Array(answer[..<cut]))
                keys += test.read(Array(answer[cut...]), after: pause)
                keys += test.read("m") + test.read("q")
                // What was told before the rest came is Escape, which is a key.
                #expect(
                    keys.filter { $0 != .escape } == ["m", "q"], "\(answer) cut at \(cut): \(keys)")
            }
        }
    }

    /// In single bytes over a slow connection.
    @Test(arguments: answers) func anAnswerInSingleBytesIsNoKey(answer: [UInt8]) {
        var test = Self()
        var keys: [Key] = []
        for byte in answer { keys += test.read([byte], after: 0.02) }
        #expect(keys == [])
        #expect(test.read("m") + test.read("q") == ["m", "q"])
    }

    /// The rest of it never comes.
    @Test(arguments: answers) func anAnswerWithoutAnEndEndsWithinASecond(answer: [UInt8]) {
        for cut in 1..<answer.count {
            var test = Self()
            var keys = test.read(Array(answer[..<cut]))
            keys += test.read("m", after: 1.001) + test.read("q")
            #expect(
                keys.filter { $0 != .escape } == ["m", "q"], "\(answer) cut at \(cut): \(keys)")
            // Nor does what is typed into it lengthen it.
            test = Self()
            keys = test.read(Array(answer[..<cut]))
            for _ in 0..<4 { keys += test.read("7", after: 0.25) }
            keys += test.read("m", after: 0.001) + test.read("q")
            #expect(keys.suffix(2) == ["m", "q"], "\(answer) cut at \(cut): \(keys)")
        }
    }

    /// Behind the longest string keys count again, also when all comes at once.
    @Test mutating func aStringIsBounded() {
        #expect(read("\u{1B}]1;" + String(repeating: "x", count: 65_000) + "\u{7}n") == ["n"])
        let keys = read("\u{1B}]1;" + String(repeating: "x", count: 70_000))
        #expect(!keys.isEmpty && keys.count < 5000 && keys.allSatisfy { $0 == "x" })
    }

    @Test mutating func anEscapeThatComesAlone() {
        #expect(read("\u{1B}") == [] && decoder.deadline == 0.03)
        #expect(wait(0.05) == [.escape] && decoder.deadline == .infinity)
        #expect(read("q") == ["q"])
    }

    /// An arrow over a slow connection, and its parts typed by hand.
    @Test(arguments: ["[A", "OA", "[1;2A", "[24~"]) func theRestOfAKeyComesLate(rest: String) {
        var decoder = KeyDecoder()
        let key = decoder.decode(Array("\u{1B}\(rest)".utf8), at: 0)
        #expect(key.count == 1)
        for pause in [0.09, 0.11, 4.9] {
            var test = Self()
            #expect(test.read("\u{1B}") == [])
            #expect(test.read(rest, after: pause) == [.escape] + key, "\(pause)")
            #expect(test.read("m") == ["m"])
        }
        var test = Self()
        #expect(test.read("\u{1B}") == [])
        #expect(test.read(rest, after: 5.1) == [.escape] + rest.map { .character($0) })
    }

    /// A whole answer later than 100 ms after its ESC is dropped.
    @Test mutating func theRestOfAnAnswerComesLate() {
        for answer in Self.answers where answer[0] == 0x1B {
            #expect(read([0x1B]) == [])
            #expect(read(Array(answer[1...]), after: 0.5) == [.escape], "\(answer)")
        }
    }

    @Test(arguments: Array("[O]PX^_")) func anIntroducerTypedByHandIsAKey(character: Character) {
        let key = Key.character(character)
        var test = Self()
        #expect(test.read("\(character)") == [key])
        // Long after Escape, and soon after it, where it waits for a rest.
        #expect(test.read("\u{1B}") + test.read("\(character)", after: 0.2) == [.escape, key])
        #expect(test.read("m") == ["m"])
        #expect(test.read("\u{1B}") + test.read("\(character)", after: 0.05) == [.escape])
        #expect(test.wait(0.2) == [key])
        #expect(test.read("m") + test.read("q") == ["m", "q"])
        // Two keys in a read are no sequence.
        #expect(
            test.read("\u{1B}") + test.read("\(character)9", after: 0.2) == [.escape, key, "9"])
    }

    /// Alt and a key is the key.
    @Test mutating func altAndABracket() {
        #expect(read("\u{1B}]m") == ["]", "m"])
        #expect(read("\u{1B}]\u{1B}[C") == ["]", .right])
    }

    static let start = "\u{1B}[200~", end = "\u{1B}[201~"

    /// After a second of silence it is over; what had come is what was pasted.
    @Test mutating func aPasteThatStalls() {
        #expect(read("\(Self.start)q m\u{1B}[20") == [])
        #expect(read("mm", after: 0.99) == [])
        #expect(wait(1.1) == [.pasted("q m\u{1B}[20mm")])
        // From now on only reads of one key count.
        #expect(read("qq") == [] && read("m") == ["m"] && read("\u{1B}[A") == [.up])
        #expect(read("é") == ["é"] && read("m\u{1B}[A") == [] && read("]1;m\u{7}") == [])
        #expect(read("\u{1B}") == [] && wait(0.1) == [.escape])
        #expect(read("mq", after: 4.8) == [])
        // The rest goes on to come.
        #expect(read("mq", after: 4.9) == [])
        #expect(read("mq", after: 5.1) == ["m", "q"])
    }

    /// Its end, cut anywhere, ends this; what follows counts.
    @Test mutating func theEndOfAStalledPasteComes() {
        for cut in 0..<Self.end.count {
            #expect(read("\(Self.start)qqé") + wait(1.1) == [.pasted("qqé")])
            var keys = read("qq\(Self.end.prefix(cut))") + read("\(Self.end.dropFirst(cut))mq")
            #expect(keys == ["m", "q"], "\(cut)")
            keys = read("mq")
            #expect(keys == ["m", "q"])
        }
    }

    @Test mutating func anotherPasteEndsAStalledOne() {
        #expect(read("\(Self.start)a") + wait(1.1) == [.pasted("a")])
        #expect(read("b\(Self.start)c\(Self.end)mq") == [.pasted("c"), "m", "q"])
    }

    /// A character that was cut is not pasted.
    @Test mutating func aPasteStallsWithinACharacter() {
        #expect(read(Array("\(Self.start)a".utf8) + [0xE4, 0xB8]) + wait(1.1) == [.pasted("a")])
    }
}
