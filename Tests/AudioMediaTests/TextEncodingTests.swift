import CText
import Testing

@testable import AudioMedia

/// Text whose encoding nothing tells.
struct TextEncodingTests {
    /// `text` in the encoding `name`, by iconv.
    static func bytes(_ text: String, _ name: String) throws -> [UInt8] {
        let converter = unsafe iconv_open(name, "UTF-8")
        try #require(unsafe converter != iconv_t(bitPattern: -1))
        defer { unsafe iconv_close(converter) }
        var source = text.utf8.map { CChar(bitPattern: $0) }
        var target = [CChar](repeating: 0, count: 4 * source.count + 16)
        let left = unsafe source.withUnsafeMutableBufferPointer { source in
            unsafe target.withUnsafeMutableBufferPointer { target in
                var (next, count) = (source.baseAddress, source.count)
                var (place, free) = (target.baseAddress, target.count)
                unsafe iconv(converter, &next, &count, &place, &free)
                return free
            }
        }
        return target.dropLast(left).map { UInt8(bitPattern: $0) }
    }

    @Test(arguments: [
        ("GBK", "月亮代表我的心，你问我爱你有多深，我爱你有几分，我的情也真，我的爱也真，月亮代表我的心。"),
        ("SHIFT_JIS", "うさぎおいしかのやま、こぶなつりしかのかわ、ゆめはいまもめぐりて、わすれがたきふるさと。"),
        ("EUC-KR", "아리랑 아리랑 아라리요 아리랑 고개로 넘어간다 나를 버리고 가시는 님은 십리도 못 가서 발병난다"),
        ("BIG5", "月亮代表我的心，你問我愛你有多深，我愛你有幾分，我的情也真，我的愛也真，月亮代表我的心。"),
        ("CP1251", "Расцветали яблони и груши, поплыли туманы над рекой, выходила на берег Катюша"),
        ("KOI8-R", "Расцветали яблони и груши, поплыли туманы над рекой, выходила на берег Катюша"),
        (
            "ISO-8859-7",
            "Σε γνωρίζω από την κόψη του σπαθιού την τρομερή, σε γνωρίζω από την όψη που με βία"
        ),
    ])
    func longTextIsGuessed(encoding: String, text: String) throws {
        let bytes = try Self.bytes(text, encoding)
        #expect(TextEncoding.decode(bytes[...]) == text)
        // All texts of a file count together.
        let words = text.split(separator: encoding == "SHIFT_JIS" ? "、" : " ").map(String.init)
        let parts = try words.map { try Self.bytes($0, encoding)[...] }
        #expect(TextEncoding.decode(parts) == words)
    }

    /// Short texts are guessed wrong, and Western ones are read as each other.
    @Test(arguments: [
        "Niño", "Don’t Stop", "Für Elise – “Ausgabe”", "Où sont passées mes années d’été ?",
        String(repeating: "Père Noël à la fenêtre, œuvre d’été. ", count: 20),
        String(repeating: "Größe, Öl und Übermut; ", count: 20),
    ])
    func westernTextIsWindows1252(text: String) throws {
        #expect(TextEncoding.decode(try Self.bytes(text, "CP1252")[...]) == text)
    }

    @Test func shortForeignTextIsWindows1252() throws {
        let bytes = try Self.bytes("Катюша", "CP1251")
        #expect(TextEncoding.decode(bytes[...]) == "Êàòþøà")
    }

    @Test func marksAreKnown() {
        #expect(TextEncoding.decode([0xEF, 0xBB, 0xBF, 0x41]) == "A")
        #expect(TextEncoding.decode([0xFF, 0xFE, 0x41, 0, 0xAC, 0x20]) == "A€")
        #expect(TextEncoding.decode([0xFE, 0xFF, 0, 0x41, 0x20, 0xAC]) == "A€")
    }

    @Test func textsThatAreUTF8StaySo() throws {
        let texts = [Array("Ångström".utf8)[...], try Self.bytes("Niño", "CP1252")[...]]
        #expect(TextEncoding.decode(texts) == ["Ångström", "Niño"])
    }

    /// Bytes that an encoding does not have are shown as such, and end nothing.
    @Test func wrongBytesAreKept() throws {
        var bytes = try Self.bytes(String(repeating: "うさぎおいしかのやま", count: 8), "SHIFT_JIS")
        bytes.append(contentsOf: [0xFF, 0x41, 0x82])
        #expect(TextEncoding.decode(bytes[...]).hasSuffix("やま\u{FFFD}A\u{FFFD}"))
    }

    /// Encodings that put accents behind their letters hold the last letter back.
    @Test(arguments: [("CP1258", "Xin chào ta"), ("CP1255", "שלום ש")])
    func theLastLetterIsThere(encoding: String, text: String) throws {
        let bytes = try Self.bytes(text, encoding)
        #expect(TextEncoding.isKnown(encoding))
        #expect(TextEncoding.decode([bytes[...]], named: encoding) == [text])
    }

    @Test func namesAreThoseOfIconvThatExtendASCII() {
        for name in ["CP1251", "SHIFT_JIS", "Shift_JIS", "gbk", "EUC-KR", "UTF-8"] {
            #expect(TextEncoding.isKnown(name))
        }
        let odd = ["KLINGON", "", "UTF-16", "EBCDIC-US", String(repeating: "A", count: 100_000)]
        for name in odd { #expect(!TextEncoding.isKnown(name)) }
        #expect(!TextEncoding.assume("KLINGON"))
    }
}
