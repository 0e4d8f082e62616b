import CText
import SystemSupport

/// How bytes become text where nothing tells their encoding: lyrics, playlists, old tags, titles of
/// stations.
///
/// UTF-8 and UTF-16 with its mark are known by themselves. What else it is, is guessed from 64 bytes on
/// that are not ASCII, and believed for encodings of several bytes, Cyrillic and Greek alone: short
/// texts are guessed wrong, and Western ones read as each other. All else is Windows-1252.
public enum TextEncoding {
    /// From how many bytes on that are not ASCII an encoding is guessed.
    private static let leastForGuess = 64
    /// Most bytes that are guessed from.
    private static let mostForGuess = 1 << 16
    /// What libuchardet may find, by the names that iconv knows, too.
    private static let believed: Set<String> = [
        "BIG5", "EUC-JP", "EUC-KR", "EUC-TW", "GB18030", "JOHAB", "SHIFT_JIS", "UHC",
        "IBM855", "IBM866", "ISO-8859-5", "KOI8-R", "MAC-CYRILLIC", "WINDOWS-1251",
        "ISO-8859-7", "WINDOWS-1253",
    ]

    private static let chosen = Guarded<String?>(nil)

    /// Takes all text that is neither UTF-8 nor marked as UTF-16, and names no encoding itself, for `name`
    /// from now on, in the whole process, as a locale does; nil: guesses. Any thread.
    ///
    /// - Parameter name: as iconv knows it, such as `CP1251` or `SHIFT_JIS`.
    /// - Returns: false, and nothing is changed, where iconv does not know it, or it is no extension of
    ///   ASCII.
    public static func assume(_ name: String?) -> Bool {
        guard name.map(isKnown) ?? true else { return false }
        chosen.withLock { $0 = name }
        return true
    }

    /// Whether `assume` takes `name`. Any thread.
    public static func isKnown(_ name: String) -> Bool {
        let ascii = Array(0x20..<0x7F as Range<UInt8>)
        return (1...64).contains(name.utf8.count)
            && convert(ascii[...], from: name)?.utf8.elementsEqual(ascii) == true
    }

    /// The text of `bytes`. Any thread.
    ///
    /// - Parameters:
    ///   - isCut: whether the end is missing, perhaps in the middle of a character; false.
    ///   - name: the encoding that the text itself names, as iconv knows it; nil. UTF-8 is known first.
    static func decode(
        _ bytes: ArraySlice<UInt8>, isCut: Bool = false, named name: String? = nil
    ) -> String {
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), high: 1) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), high: 0) }
        let rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
        return decode([isCut ? withoutPart(rest) : rest], named: name)[0]
    }

    /// The texts of one file, whose encoding is guessed from all together. Any thread.
    static func decode(_ texts: [ArraySlice<UInt8>], named name: String? = nil) -> [String] {
        let known = texts.map { String(validating: $0, as: UTF8.self) }
        guard known.contains(nil) else { return known.compactMap(\.self) }
        let foreign = zip(texts, known).filter { $0.1 == nil }.map(\.0)
        let name = name ?? chosen.withLock(\.self) ?? guess(foreign)
        return zip(texts, known).map { bytes, text in
            text ?? name.flatMap { convert(bytes, from: $0) } ?? windows1252(bytes)
        }
    }

    /// Reads UTF-16 without a mark.
    ///
    /// - Parameter high: which byte of two is the high one.
    static func utf16(_ bytes: ArraySlice<UInt8>, high: Int) -> String {
        let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + 1 - high])
        }
        return String(decoding: units, as: UTF16.self)
    }

    // MARK: Guessing

    /// The encoding of `texts`; nil where they are too short, or none that is believed.
    private static func guess(_ texts: [ArraySlice<UInt8>]) -> String? {
        let bytes = Array(texts.joined(separator: [0x0A]).prefix(mostForGuess))
        guard bytes.count(where: { $0 >= 0x80 }) >= leastForGuess,
            let detector = unsafe uchardet_new()
        else { return nil }
        defer { unsafe uchardet_delete(detector) }
        let code = unsafe bytes.withUnsafeBytes { bytes in
            unsafe uchardet_handle_data(
                detector, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
        }
        guard code == 0 else { return nil }
        unsafe uchardet_data_end(detector)
        guard let found = unsafe uchardet_get_charset(detector) else { return nil }
        let name = unsafe String(cString: found)
        return believed.contains(name) ? name : nil
    }

    // MARK: Converting

    /// The text of `bytes` in the encoding `name`, with U+FFFD for each byte that is wrong there; nil
    /// where iconv does not know it.
    private static func convert(_ bytes: ArraySlice<UInt8>, from name: String) -> String? {
        // As Windows has them: with all their letters, and a backslash that is one.
        let wider = ["SHIFT_JIS": "CP932", "SJIS": "CP932", "EUC-KR": "CP949", "UHC": "CP949"]
        let converter = unsafe iconv_open("UTF-8", wider[name.uppercased()] ?? name)
        guard unsafe converter != iconv_t(bitPattern: -1) else { return nil }
        defer { unsafe iconv_close(converter) }
        var source = bytes.map { CChar(bitPattern: $0) }
        var output: [UInt8] = []
        var room = [CChar](repeating: 0, count: 4096)
        unsafe source.withUnsafeMutableBufferPointer { source in
            var next = source.baseAddress
            var left = source.count
            while left > 0 {
                let before = left
                let count = unsafe room.withUnsafeMutableBufferPointer { room in
                    var place = room.baseAddress
                    var free = room.count
                    _ = unsafe iconv(converter, &next, &left, &place, &free)
                    let count = room.count - free
                    unsafe output += room[..<count].map { UInt8(bitPattern: $0) }
                    return count
                }
                guard left > 0, left == before, count == 0 else { continue }
                // A byte that is wrong here, or a character whose end is missing.
                output += Array("\u{FFFD}".utf8)
                unsafe next = next.map { unsafe $0 + 1 }
                left -= 1
            }
        }
        // A letter may be held back that an accent could follow.
        unsafe room.withUnsafeMutableBufferPointer { room in
            var place = room.baseAddress
            var free = room.count
            _ = unsafe iconv(converter, nil, nil, &place, &free)
            unsafe output += room[..<(room.count - free)].map { UInt8(bitPattern: $0) }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func windows1252(_ bytes: ArraySlice<UInt8>) -> String {
        String(String.UnicodeScalarView(bytes.map(scalar)))
    }

    /// What Windows-1252 has at 0x80…0x9F, where Latin-1 has control characters; five places are
    /// empty.
    private static let punctuation: [Unicode.Scalar] = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    private static func scalar(_ byte: UInt8) -> Unicode.Scalar {
        (0x80..<0xA0).contains(byte) ? punctuation[Int(byte) - 0x80] : Unicode.Scalar(byte)
    }

    /// `bytes` without a character of UTF-8 at the end whose last bytes are missing.
    private static func withoutPart(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let rest = bytes.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count
        guard let first = bytes.dropLast(rest).last, first >= 0xC0 else { return bytes }
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        return rest + 1 < count ? bytes.dropLast(rest + 1) : bytes
    }
}
