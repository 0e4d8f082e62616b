@_spi(_Unicode) import Swift

/// Text as it is searched: in bytes of UTF-8, folded, so that what people type finds what others wrote.
///
/// Case, accents and width do not matter, nor does the difference between hiragana and katakana (é is e,
/// ß is ss, ø is o). Punctuation is left out. A mark stands before each beginning of a word: behind a
/// space, but also inside a name (`AC/DC`, `L'amour`, `DancingQueen`, `Track01`), and before each
/// character of a script that is written without spaces.
struct SearchText: Sendable, Equatable {
    /// Before a word that no search crosses the beginning of.
    static let gap: UInt8 = 0x20
    /// Before a word inside a name, which a search may run across.
    static let seam: UInt8 = 0x01
    /// The least byte of a word; those below it are marks.
    static let leastOfWord: UInt8 = 0x30

    /// Words, each with a mark before it.
    private(set) var bytes: [UInt8] = []
    /// What the last character was; nil: none is in the present name.
    private var last: Kind?
    /// Whether punctuation has come since the last character.
    private var isBroken = false

    /// What a character is a part of.
    private enum Kind {
        case lower, upper, digits, symbols
        /// A script without spaces.
        case unspaced
    }

    init(_ text: String = "") { add(text) }

    /// Adds a text behind a gap.
    mutating func add(_ text: String) {
        endWord()
        var text = text
        let isPlain = text.withUTF8 { utf8 -> Bool in
            guard utf8.allSatisfy({ $0 < 0x80 }) else { return false }
            bytes.reserveCapacity(bytes.count + utf8.count + 8)
            for byte in utf8 { add(ascii: byte) }
            return true
        }
        if !isPlain { for scalar in text._nfd { add(scalar) } }
        endWord()
    }

    private mutating func endWord() { (last, isBroken) = (nil, false) }

    private mutating func add(ascii byte: UInt8) {
        switch byte {
        case 0x61...0x7A: begin(.lower); bytes.append(byte)
        case 0x41...0x5A: begin(.upper); bytes.append(byte + 0x20)
        case 0x30...0x39: begin(.digits); bytes.append(byte)
        case 0x09...0x0D, 0x20: endWord()
        default: isBroken = true
        }
    }

    /// Adds a scalar of a decomposed text.
    private mutating func add(_ scalar: Unicode.Scalar) {
        let value = scalar.value
        switch value {
        case ..<0x80: return add(ascii: UInt8(value))
        // Full width.
        case 0xFF01...0xFF5E: return add(ascii: UInt8(value - 0xFEE0))
        default: break
        }
        let facts = scalar.properties
        // Accents, vowel points, and what is not seen.
        guard facts.canonicalCombiningClass == .notReordered, !facts.isDefaultIgnorableCodePoint
        else { return }
        if let letters = Self.letters[scalar] {
            begin(facts.isUppercase ? .upper : .lower)
            bytes += letters.utf8
            return
        }
        if facts.isWhitespace { return endWord() }
        if Self.isUnspaced(value) {
            begin(.unspaced)
            // Katakana as hiragana.
            let isKatakana = (0x30A1...0x30F6).contains(value)
            return append(isKatakana ? Unicode.Scalar(value - 0x60) ?? scalar : scalar)
        }
        switch facts.generalCategory {
        case .uppercaseLetter, .titlecaseLetter:
            begin(.upper)
            for lower in facts.lowercaseMapping._nfd
            where lower.properties.canonicalCombiningClass == .notReordered { append(lower) }
        case .decimalNumber, .otherNumber, .letterNumber:
            begin(.digits)
            append(scalar)
        case .mathSymbol, .otherSymbol, .currencySymbol:
            begin(.symbols)
            append(scalar)
        case .lowercaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark:
            begin(.lower)
            append(scalar)
        default: isBroken = true
        }
    }

    /// Puts the mark before a character, where a word begins with it.
    private mutating func begin(_ kind: Kind) {
        if last == nil {
            bytes.append(Self.gap)
        } else if isBroken || kind == .unspaced
            || kind != last && !(last == .upper && kind == .lower)
        {
            bytes.append(Self.seam)
        }
        (last, isBroken) = (kind, false)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        if let encoded = UTF8.encode(scalar) { bytes.append(contentsOf: encoded) }
    }

    /// Letters that Unicode does not take apart.
    private static let letters: [Unicode.Scalar: String] = [
        "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o",
        "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th",
        "ħ": "h", "Ħ": "h", "ŧ": "t", "Ŧ": "t", "ı": "i", "ŀ": "l", "Ŀ": "l", "ŋ": "n", "Ŋ": "n",
        "ς": "σ", "ﬁ": "fi", "ﬂ": "fl", "ﬀ": "ff", "ﬃ": "ffi", "ﬄ": "ffl",
    ]

    /// Whether a scalar belongs to a script that is written without spaces.
    private static func isUnspaced(_ value: UInt32) -> Bool {
        switch value {
        // Thai and Lao, Myanmar, Khmer, kana, Han.
        case 0x0E01...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3041...0x30FF, 0x3105...0x312F,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF:
            true
        default: false
        }
    }
}

/// The words that are searched: a text has them if each is the beginning of one of its words.
struct SearchWords: Sendable, Equatable {
    /// The longest first; empty: nothing is searched. A seam in a word stands for itself, for a gap or for nothing.
    let words: [[UInt8]]

    init(_ text: String) {
        words = SearchText(text).bytes.split(separator: SearchText.gap).map { Array($0) }
            .sorted { $0.count > $1.count }
    }

    /// Whether the text is found.
    func match(_ text: SearchText) -> Bool {
        text.bytes.withUnsafeBufferPointer { bytes in
            words.allSatisfy { word in
                bytes.indices.contains {
                    bytes[$0] < SearchText.leastOfWord
                        && Self.end(of: word, in: bytes, from: $0 + 1, to: bytes.count) != nil
                }
            }
        }
    }

    /// The place behind `word` where the word that begins at `start` begins with it; nil: it does not.
    @inline(__always)
    static func end(
        of word: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to limit: Int
    ) -> Int? {
        var place = start
        for byte in word {
            guard byte != SearchText.seam else {
                while place < limit,
                    bytes[place] == SearchText.seam || bytes[place] == SearchText.gap
                { place += 1 }
                continue
            }
            while place < limit, bytes[place] == SearchText.seam { place += 1 }
            guard place < limit, bytes[place] == byte else { return nil }
            place += 1
        }
        return place
    }
}
