import TestSupport
import Testing

@testable import AudioMedia

/// Lyrics with times in the tags of an MP3.
@Suite struct SynchronisedTextTests {
    private static let pieces: [ID3Tag.Piece] = [
        ("Strang", 1000), ("ers ", 1250), ("in", 1500), ("\nExchäng", 3000), ("ing\r\n", 3500),
        ("glances", 5000), ("", 6000),
    ]
    private static let shown = [
        "1.0 Strangers in: Strang|0.0 ers |0.25 in|0.5", "3.0 Exchänging: Exchäng|0.0 ing|0.5",
        "5.0 glances: glances|0.0 -1.0",
    ]

    /// What is read of a song of 44.1 kHz, whose frames last 1152 samples, that begins with `tag`.
    private func shown(_ tag: [UInt8]) throws -> [String]? {
        let decoder = try MP3Decoder()
        _ = try decodeAll(tag + MusicFile.headerless.bytes, chunk: 4096, decoder: decoder)
        return decoder.tags?.lines?.lines.map(\.shown)
    }

    private func lyrics(_ tag: [UInt8]) -> Lyrics? {
        ID3Tag.fields(tag).tags(secondsPerFrame: 1)?.lines
    }

    @Test(arguments: [0, 1, 2, 3] as [UInt8])
    func everyEncodingAndVersionIsRead(encoding: UInt8) throws {
        let body = ID3Tag.synchronised(Self.pieces, encoding: encoding)
        for version in [2, 3, 4] as [UInt8] {
            let (title, text) = version == 2 ? ("TT2", "SLT") : ("TIT2", "SYLT")
            let tag = ID3Tag.bytes(version, [(title, [3, 0x41], 0), (text, body, 0)])
            let shown = try shown(tag)
            #expect(shown == Self.shown, "version \(version)")
        }
    }

    /// Pieces without line feeds are lines.
    @Test func piecesMayBeLines() throws {
        let pieces: [ID3Tag.Piece] = [("two", 0x1_0000), ("one\u{1B}", 500), ("", 1500)]
        let tag = ID3Tag.bytes(3, [("SYLT", ID3Tag.synchronised(pieces), 0)])
        #expect(try shown(tag) == ["0.5 one", "1.5 ", "65.536 two"])
    }

    @Test func timesMayCountFrames() throws {
        let body = ID3Tag.synchronised([("one", 0), ("two", 1225), ("far", .max)], format: 1)
        let lines = try shown(ID3Tag.bytes(4, [("SYLT", body, 0)]))
        #expect(lines == ["0.0 one", "32.0 two", "31536000.0 far"])
    }

    @Test func whatFlagsAnnounceIsTakenOut() throws {
        // A time of 255 ms is 0xFF behind zeros, and a zero follows it.
        let body = ID3Tag.synchronised([("one", 255), ("", 300)])
        let wire = body.flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
        let plain = try #require(try shown(ID3Tag.bytes(3, [("SYLT", body, 0)])))
        #expect(plain.first == "0.255 one")
        let tags = [
            ID3Tag.bytes(3, [("SYLT", wire, 0)], flags: 0x80),
            ID3Tag.bytes(4, [("SYLT", wire, 0x02)]),
            ID3Tag.bytes(4, [("SYLT", [9, 0, 0, 0, 9] + body, 0x41)]),
            ID3Tag.bytes(3, [("SYLT", [9] + body, 0x20)]),
            ID3Tag.bytes(
                3, [("SYLT", body, 0)], flags: 0x40, extended: [0, 0, 0, 6] + [0, 0, 0, 0, 0, 0]),
            ID3Tag.bytes(4, [("SYLT", body, 0)], flags: 0x40, extended: [0, 0, 0, 6, 1, 0]),
            ID3Tag.bytes(4, [("TIT2", [3, 0x41], 0)]) + ID3Tag.bytes(4, [("SYLT", body, 0)]),
        ]
        for (number, tag) in tags.enumerated() {
            #expect(
                lyrics(tag)?.lines.map(\.shown) == plain,
                "\(number)")
        }
    }

    @Test func whatIsNoLyricsIsLeftOut() throws {
        let body = ID3Tag.synchronised([("one", 1)])
        let bad: [ID3Tag.Frame] = [
            ("SYLT", ID3Tag.synchronised([("C", 1)], kind: 5), 0),
            ("SYLT", ID3Tag.synchronised([("x", 1)], format: 3), 0),
            ("SYLT", [7] + body.dropFirst(), 0), ("SYLT", [], 0),
            ("SYLT", Array(body.prefix(8)), 0),
            ("SYLT", ID3Tag.synchronised([]), 0),
        ]
        for (number, frame) in bad.enumerated() {
            #expect(
                lyrics(ID3Tag.bytes(4, [frame])) == nil, "\(number)")
        }
        for format in [0x80, 0x40] as [UInt8] {
            #expect(
                lyrics(ID3Tag.bytes(3, [("SYLT", body, format)])) == nil)
        }
        for format in [0x08, 0x04] as [UInt8] {
            #expect(
                lyrics(ID3Tag.bytes(4, [("SYLT", body, format)])) == nil)
        }
        // The next frame counts.
        let tag = ID3Tag.bytes(4, bad + [("SYLT", body, 0)])
        #expect(lyrics(tag)?.lines.map(\.text) == ["one"])
    }

    /// A tag that is cut off anywhere gives nothing of a frame that is cut.
    @Test func cutTagsGiveWhatIsThere() {
        let tag = ID3Tag.bytes(4, [("SYLT", ID3Tag.synchronised(Self.pieces), 0)])
        var counts: [Int] = []
        for count in 0...tag.count {
            let cut = Array(tag.prefix(count))
            counts.append(
                lyrics(cut)?.lines.count ?? 0)
        }
        #expect(counts.last == 3 && counts.dropLast().allSatisfy { $0 == 0 })
    }
}
