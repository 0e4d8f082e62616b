/// A text of a tag.
enum TagText: Equatable {
    case text(String)
    /// UTF-8, or an encoding that nothing tells.
    case bytes(ArraySlice<UInt8>)

    /// Whether there is nothing to show.
    var isBlank: Bool {
        switch self {
        case .text(let text): text.allSatisfy(\.isWhitespace)
        case .bytes(let bytes): bytes.allSatisfy { $0 <= 0x20 }
        }
    }

    /// Whether a line or a word in it has a time, as LRC writes them: `[1:23` or `<01:23`.
    var hasTimes: Bool {
        switch self {
        case .text(let text): Self.hasTimes(text.utf8)
        case .bytes(let bytes): Self.hasTimes(bytes)
        }
    }

    private static func hasTimes(_ text: some Sequence<UInt8>) -> Bool {
        /// How far a time has been read: its bracket, its digits, its colon; -1: nothing of it.
        var state = -1
        for byte in text {
            switch (byte, state) {
            case (0x5B, _), (0x3C, _): state = 0
            case (0x30...0x39, 0...5): state += 1
            case (0x30...0x39, 7): return true
            case (0x3A, 1...6): state = 7
            default: state = -1
            }
        }
        return false
    }

    /// The strings of one file's texts: what tells no encoding is guessed from all of them together.
    static func decode(_ texts: [TagText]) -> [String] {
        let foreign = texts.map { text -> ArraySlice<UInt8> in
            if case .bytes(let bytes) = text { bytes } else { [] }
        }
        return zip(texts, TextEncoding.decode(foreign)).map { text, decoded in
            if case .text(let text) = text { text } else { decoded }
        }
    }
}

/// Reads one text of a frame after the other, each ended by a zero.
struct ID3Text {
    /// 0: no encoding that is sure (Latin-1 by the rules), 1: UTF-16 with a mark, 2: UTF-16 with the high
    /// byte first, 3: UTF-8.
    private let encoding: UInt8
    var rest: ArraySlice<UInt8>
    /// Which byte of two is the high one; texts without a mark are as those before. Nil: that is not
    /// known.
    private var high: Int?

    /// Nil where there is no such encoding.
    init?(encoding: UInt8?, rest: ArraySlice<UInt8>) {
        guard let encoding, encoding <= 3 else { return nil }
        (self.encoding, self.rest) = (encoding, rest)
        high = encoding == 2 ? 0 : nil
    }

    private var isWide: Bool { encoding == 1 || encoding == 2 }

    /// The next text; nil where no zero ends it.
    mutating func next() -> TagText? {
        let width = isWide ? 2 : 1
        let ends = stride(from: rest.startIndex, to: rest.endIndex - width + 1, by: width)
        guard let end = ends.first(where: { rest[$0] == 0 && rest[$0 + width - 1] == 0 })
        else { return nil }
        defer { rest = rest[(end + width)...] }
        return text(rest[..<end])
    }

    /// The next text, ended by a zero or by the frame.
    mutating func last() -> TagText { next() ?? text(rest) }

    private mutating func text(_ bytes: ArraySlice<UInt8>) -> TagText {
        guard isWide else { return .bytes(bytes) }
        var bytes = bytes
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            high = bytes.first == 0xFE ? 0 : 1
            bytes = bytes.dropFirst(2)
        }
        // A letter of ASCII tells it where no mark does.
        return .text(TextEncoding.utf16(bytes, high: high ?? (bytes.first == 0 ? 0 : 1)))
    }
}
