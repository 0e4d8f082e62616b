import TestSupport
import Testing

@testable import AudioMedia

/// ID3v2 tags, as taggers write them and as they should not.
@Suite struct ID3ReaderTests {
    typealias Frame = ID3Tag.Frame

    /// What the frames of `shown` say.
    private static let named: [Frame] = [
        ("TIT2", ID3Tag.text("Title"), 0), ("TPE1", ID3Tag.text("Singer"), 0),
        ("TXXX", ID3Tag.text("REPLAYGAIN_TRACK_GAIN\0-9.18 dB"), 0),
        ("TXXX", ID3Tag.text("replaygain_track_peak\00.75"), 0),
        ("USLT", ID3Tag.lyrics("one\ntwo"), 0),
    ]
    private static let shown = "Title|Singer|one\ntwo|-9.18|0.75"

    private static func picture(_ size: Int) -> Frame {
        // Every byte has its highest bit, so that no length of it is one with seven bits.
        ("APIC", [UInt8](repeating: 0xD8, count: size), 0)
    }

    private func shown(_ fields: TagFields) -> String {
        let tags = fields.tags()
        let gain = fields.replayGain
        let numbers = [gain?.decibels, gain?.peak].map { $0.map { "\($0)" } }
        return ([tags?.title, tags?.artist, tags?.lyrics] + numbers).map { $0 ?? "" }
            .joined(separator: "|")
    }

    /// However its bytes come, a tag says the same.
    private func expect(
        _ tag: [UInt8], _ wanted: String = shown, chunks: [Int] = [1, 3, 9, 10, 4096, .max],
        at place: SourceLocation = #_sourceLocation
    ) {
        for chunk in chunks {
            #expect(
                shown(ID3Tag.fields(tag, chunk: chunk)) == wanted, "by \(chunk)",
                sourceLocation: place)
        }
    }

    // MARK: Lyrics

    /// Whatever the field is called, and wherever it stands: words with times count before words without.
    @Test func wordsWithTimesWin() {
        let plain: Frame = ("USLT", ID3Tag.lyrics("one\ntwo"), 0)
        let timed: Frame = ("USLT", [3] + Array("XXX\0[00:01.20]one\n[00:01.80]two".utf8), 0)
        for frames in [[plain, timed], [timed, plain]] {
            let lines = ID3Tag.fields(ID3Tag.bytes(4, frames), chunk: 7).tags()?.lines
            #expect(lines?.lines.map(\.shown) == ["1.2 one", "1.8 two"])
        }
        for name in ["LYRICS", "SYNCEDLYRICS", "Unsynced lyrics", "lyrics-eng", "UnsyncedLyrics"] {
            let named: Frame = ("TXXX", ID3Tag.text("\(name)\0[00:02.00]three"), 0)
            for frames in [[plain, named], [named, plain], [named]] {
                let lines = ID3Tag.fields(ID3Tag.bytes(3, frames)).tags()?.lines
                #expect(lines?.lines.map(\.shown) == ["2.0 three"], "\(name)")
            }
        }
        // Of two without times the frame for lyrics counts.
        let other: Frame = ("TXXX", ID3Tag.text("LYRICS\0three"), 0)
        for frames in [[plain, other], [other, plain]] {
            #expect(ID3Tag.fields(ID3Tag.bytes(4, frames)).tags()?.lyrics == "one\ntwo")
        }
        // The same from two tags of one song.
        var fields = ID3Tag.fields(ID3Tag.bytes(4, [plain]))
        fields.fill(from: ID3Tag.fields(ID3Tag.bytes(4, [timed])))
        #expect(fields.tags()?.lines?.isTimed == true)
    }

    // MARK: Pictures

    @Test(arguments: [2, 3, 4] as [UInt8]) func framesBehindALongPictureAreRead(version: UInt8) {
        let frames = [Self.picture(1 << 20)] + Self.named
        guard version > 2 else {
            let names = ["APIC": "PIC", "TIT2": "TT2", "TPE1": "TP1", "TXXX": "TXX", "USLT": "ULT"]
            let old = frames.map { (names[$0.id] ?? "", $0.body, $0.format) as Frame }
            return expect(ID3Tag.bytes(2, old), chunks: [1000, .max])
        }
        expect(ID3Tag.bytes(version, frames), chunks: [1000, .max])
    }

    /// As MP3s are decoded, from whichever place of the tag their bytes are cut.
    @Test func aSongsTagMayBeginWithItsPicture() throws {
        let tag = ID3Tag.bytes(4, [Self.picture(300_000)] + Self.named)
        for chunk in [1000, 65_536] {
            let decoder = try MP3Decoder()
            _ = try decodeAll(tag + MusicFile.headerless.bytes, chunk: chunk, decoder: decoder)
            #expect(shown(decoder.fields) == Self.shown)
        }
    }

    /// A picture of 256 MiB, and lyrics that claim as much: what is kept is bounded, and what follows
    /// is read.
    @Test func whateverATagClaimsLittleIsKept() {
        let size = (1 << 28) - 1000
        let block = [UInt8](repeating: 0x55, count: 1 << 20)
        for id in ["APIC", "USLT", "TIT2", "SYLT"] {
            var reader = ID3Reader()
            func number(_ value: Int) -> [UInt8] {
                [21, 14, 7, 0].map { UInt8(value >> $0 & 0x7F) }
            }
            let rest = Array(ID3Tag.bytes(4, [Self.named[1]]).dropFirst(10))
            let head = [4, 0, 0] + number(size + 10 + rest.count)
            let start = Array("ID3".utf8) + head + Array(id.utf8) + number(size) + [0, 0]
            reader.take(start[...])
            var most = 0
            for count in stride(from: 0, to: size, by: block.count) {
                reader.take(block.prefix(size - count))
                let kept = Mirror(reflecting: reader).children.compactMap { $0.value as? [UInt8] }
                most = max(most, kept.map(\.count).reduce(0, +))
            }
            reader.take(rest[...])
            let limit = id == "APIC" ? 32 : TagFields.longestLyrics + 32
            #expect(most <= limit, "\(id)")
            #expect(reader.fields.tags()?.artist == "Singer", "\(id)")
        }
    }

    /// Tags of nothing but tiny frames cost little time: the first 16,384 of a song's frames count.
    @Test func manyFramesAreNotRead() {
        func tag(_ count: Int) -> [UInt8] {
            let tiny = [Frame](repeating: ("TXXX", [3], 0), count: count)
            return ID3Tag.bytes(3, tiny + [("TIT2", ID3Tag.text("A"), 0)])
        }
        expect(tag(16_000), "A||||", chunks: [4096])
        expect(tag(16_384), "||||", chunks: [4096])
        let first = ID3Tag.bytes(3, [Frame](repeating: ("TXXX", [3], 0), count: 10_000))
        expect(first + tag(6000), "A||||", chunks: [4096])
        expect(first + tag(7000), "||||", chunks: [4096])
    }

    // MARK: Lengths

    /// iTunes has written lengths with eight bits of each byte into tags of version 2.4.
    @Test(arguments: [0, 5, 10, 600]) func plainLengthsAreKnownByWhatFollows(padding: Int) {
        func tag(_ frames: [Frame]) -> [UInt8] {
            ID3Tag.bytes(4, frames, arePlain: true, padding: padding)
        }
        let small = ("GEOB", Array(repeating: 7, count: 300), 0) as Frame
        expect(tag([small] + Self.named))
        expect(tag([Self.picture(70_000)] + Self.named), chunks: [1000, .max])
        // Zeros where the frame would end by its other length.
        expect(tag([("GEOB", Array(repeating: 0, count: 1000), 0)] + Self.named))
        // The only long frame is the last one.
        let text = String(repeating: "la ", count: 100) + "end"
        expect(
            tag(Self.named.dropLast() + [("USLT", ID3Tag.lyrics(text), 0)]),
            "Title|Singer|\(text)|-9.18|0.75")
        expect(
            tag([("USLT", ID3Tag.lyrics(text), 0)] + Self.named.dropLast()),
            "Title|Singer|\(text)|-9.18|0.75")
    }

    /// The lengths of a right tag, where the other reading leads to a place in the tag, too.
    @Test func lengthsOfSevenBitsWin() {
        let text = String(repeating: "la ", count: 100) + "end"
        let lyrics: Frame = ("USLT", ID3Tag.lyrics(text), 0)
        let wanted = "Title|Singer|\(text)|-9.18|0.75"
        for padding in [0, 5, 10, 2000] {
            expect(ID3Tag.bytes(4, [lyrics] + Self.named.dropLast(), padding: padding), wanted)
            expect(ID3Tag.bytes(4, Self.named.dropLast() + [lyrics], padding: padding), wanted)
        }
        expect(
            ID3Tag.bytes(4, [lyrics, Self.picture(3000)] + Self.named.dropLast()), wanted)
    }

    // MARK: Flags

    private static func wire(_ body: [UInt8]) -> [UInt8] {
        body.flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
    }

    /// 0xFF 0x00 stands for 0xFF (id3v2.3.0 5, id3v2.4.0-structure 6.1).
    @Test func unsynchronisedFramesAreRead() {
        let title: [UInt8] = [1, 0xFF, 0xFE, 0x41, 0, 0xFF, 0]
        let picture = [UInt8](repeating: 0xFF, count: 500)
        let later = ID3Tag.text("Singer")
        // In version 2.3 all of the tag, and lengths count what is left.
        var body: [UInt8] = []
        for (id, content) in [("APIC", picture), ("TIT2", title), ("TPE1", later)] {
            body += Array(id.utf8) + [0, 0, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
            body += [0, 0] + content
        }
        let raw = Self.wire(body)
        let head: [UInt8] = [3, 0, 0x80] + [21, 14, 7, 0].map { UInt8(raw.count >> $0 & 0x7F) }
        expect(Array("ID3".utf8) + head + raw, "Aÿ|Singer|||")
        // In version 2.4 frame by frame, and lengths count what is there.
        let frames: [Frame] = [
            ("APIC", Self.wire(picture), 2), ("TIT2", Self.wire(title), 2), ("TPE1", later, 0),
        ]
        expect(ID3Tag.bytes(4, frames), "Aÿ|Singer|||")
        // Some set the flag of the tag alone.
        let plain = frames.map { ($0.id, $0.body, 0) as Frame }
        expect(ID3Tag.bytes(4, plain, flags: 0x80), "Aÿ|Singer|||")
    }

    @Test func headersFootersAndSeveralTags() {
        let three: [UInt8] = [0, 0, 0, 6, 0, 0, 0, 0, 0, 0]
        expect(ID3Tag.bytes(3, Self.named, flags: 0x40, extended: three))
        let long: [UInt8] = [0, 0, 0, 10, 0x80, 0, 0, 0, 0, 0, 1, 2, 3, 4]
        expect(ID3Tag.bytes(3, Self.named, flags: 0x40, extended: long))
        expect(ID3Tag.bytes(4, Self.named, flags: 0x40, extended: [0, 0, 0, 6, 1, 0]))
        let checked: [UInt8] = [0, 0, 0, 12, 1, 0x20, 5, 0, 0, 0, 0, 0]
        expect(ID3Tag.bytes(4, Self.named, flags: 0x40, extended: checked))
        // The flag is set, and there is no such header.
        expect(ID3Tag.bytes(3, Self.named, flags: 0x40))
        expect(ID3Tag.bytes(4, Self.named, flags: 0x10))
        // Of two tags the first that says something counts.
        let first = ID3Tag.bytes(4, [Self.named[0], Self.picture(200)], flags: 0x10, padding: 50)
        expect(first + ID3Tag.bytes(3, [("TIT2", ID3Tag.text("Other"), 0)] + Self.named))
        expect(ID3Tag.bytes(4, []) + ID3Tag.bytes(2, [("TT2", ID3Tag.text("A"), 0)]), "A||||")
    }

    @Test func whatCannotBeReadIsLeftOut() {
        let other = ID3Tag.text("Other")
        for format in [0x80, 0x40] as [UInt8] {
            expect(ID3Tag.bytes(3, [("TIT2", other, format)] + Self.named))
        }
        for format in [0x08, 0x04, 0x0C] as [UInt8] {
            expect(ID3Tag.bytes(4, [("TIT2", other, format)] + Self.named))
        }
        expect(ID3Tag.bytes(3, [("TIT2", [9] + other, 0x20)]), "Other||||")
        // An empty frame, one of spaces, one with an unknown encoding.
        for body in [[], [0], [3, 0x20, 0x20], [9, 0x41]] as [[UInt8]] {
            expect(ID3Tag.bytes(4, [("TIT2", body, 0)] + Self.named))
        }
        // A tag that is compressed, and one of a version to come.
        let old: [Frame] = [("TT2", other, 0)]
        expect(ID3Tag.bytes(2, old, flags: 0x40) + ID3Tag.bytes(4, Self.named))
        expect(ID3Tag.bytes(5, Self.named) + ID3Tag.bytes(4, Self.named))
        // A length beyond the tag.
        var long = ID3Tag.bytes(3, [Self.named[0], ("TPE1", other, 0)])
        long[long.count - other.count - 3] += 1
        expect(long, "Title||||")
        // iTunes has written names of version 2.2 into 2.3.
        expect(ID3Tag.bytes(3, [("TT2\0", other, 0), ("TP1 ", other, 0)]), "Other|Other|||")
    }

    // MARK: Texts

    /// Latin-1 is what the rules say of encoding 0; what people have is Windows-1252, or what their
    /// system had.
    @Test(arguments: [
        ("CP1252", "Don’t Stop", "Mötley"),
        (
            "CP1251", "Расцветали яблони и груши",
            "Поплыли туманы над рекой, выходила на берег Катюша"
        ),
        ("GBK", "月亮代表我的心", "你问我爱你有多深，我爱你有几分，我的情也真，我的爱也真"),
    ]) func oldTextsAreDecodedTogether(encoding: String, title: String, artist: String) throws {
        let bodies = try [title, artist].map { [0] + (try TextEncodingTests.bytes($0, encoding)) }
        let tag = ID3Tag.bytes(3, [("TIT2", bodies[0], 0), ("TPE1", bodies[1], 0)])
        expect(tag, "\(title)|\(artist)|||", chunks: [.max])
        // What is not shown tells it as well.
        let hidden = ID3Tag.bytes(3, [("TIT2", bodies[0], 0), ("TALB", bodies[1], 0)])
        expect(hidden, "\(title)||||", chunks: [.max])
        // UTF-8 that claims to be Latin-1.
        let utf8 = ID3Tag.bytes(3, [("TIT2", [0] + Array(title.utf8), 0)])
        expect(utf8, "\(title)||||", chunks: [.max])
    }

    /// UTF-16 without its mark.
    @Test func wideTextsMayLackTheirMark() {
        for wide in [[1, 0x41, 0, 0x42, 0], [1, 0, 0x41, 0, 0x42]] as [[UInt8]] {
            expect(ID3Tag.bytes(3, [("TIT2", wide, 0)]), "AB||||")
        }
    }

    @Test(
        arguments: [
            ("-9.18 dB", -9.18), ("-9,18 dB", -9.18), ("+1.5dB", 1.5), (" 2 ", 2),
            ("-6.5 DB", -6.5),
            ("9.5e-01", 0.95), ("dB", nil), ("", nil), ("nan", nil), ("inf dB", nil), ("-", nil),
        ] as [(String, Double?)]) func gainsAsTheyAreWritten(text: String, decibels: Double?)
    {
        #expect(ReplayGain.number(text) == decibels)
    }
}
