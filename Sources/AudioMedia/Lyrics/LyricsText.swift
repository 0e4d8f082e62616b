/// The text of a file of lyrics, whose encoding nothing tells.
enum LyricsText {
    /// Reads `bytes` as UTF-16 where they begin with its mark, as UTF-8 where they are valid UTF-8,
    /// with its mark or without, and else as Windows-1252, which Latin-1 is a part of.
    ///
    /// - Parameter isCut: whether the end is missing, perhaps in the middle of a character; false.
    static func decode(_ bytes: [UInt8], isCut: Bool = false) -> String {
        if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), high: 1) }
        if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), high: 0) }
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let whole = isCut ? withoutPart(bytes) : bytes
        if let text = String(validating: whole, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map(scalar)))
    }

    /// `bytes` without a character of UTF-8 at the end whose last bytes are missing.
    private static func withoutPart(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let rest = bytes.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count
        guard let first = bytes.dropLast(rest).last, first >= 0xC0 else { return bytes }
        let count = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        return rest + 1 < count ? bytes.dropLast(rest + 1) : bytes
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

    /// What Windows-1252 has at 0x80…0x9F, where Latin-1 has control characters; five places are
    /// empty.
    private static let punctuation: [Unicode.Scalar] = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

    private static func scalar(_ byte: UInt8) -> Unicode.Scalar {
        (0x80..<0xA0).contains(byte) ? punctuation[Int(byte) - 0x80] : Unicode.Scalar(byte)
    }
}
