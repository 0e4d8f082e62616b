import AudioGraph

/// Reads lyrics with times from ID3v2 tags: the frames SYLT, and SLT of version 2.2, which libmpg123
/// leaves out.
///
/// id3v2.3.0 4.10, id3v2.4.0-frames 4.9: pieces of text, each with its time. A line feed begins a
/// new line; where there is none, each piece is a line.
enum SynchronisedText {
    /// The pieces that count, at most.
    private static let mostPieces = 20_000

    private typealias Bytes = ArraySlice<UInt8>

    /// The lyrics in `tags`, the bytes of ID3v2 tags, whole or cut off; nil when there are none.
    ///
    /// - Parameter secondsPerFrame: how long a frame of the song's MPEG audio lasts: some times are
    ///   counts of frames.
    static func lyrics(in tags: [UInt8], secondsPerFrame: Double) -> Lyrics? {
        for frame in frames(in: tags[...]) {
            if let lyrics = lyrics(of: frame, secondsPerFrame) { return lyrics }
        }
        return nil
    }

    // MARK: Frames

    /// The bodies of all frames of synchronised text.
    private static func frames(in tags: Bytes) -> [Bytes] {
        var found: [Bytes] = []
        var rest = tags
        // id3v2.4.0-structure 3.1.
        while rest.count > 10, rest.starts(with: Array("ID3".utf8)) {
            let header = Array(rest.prefix(10))
            let size = number(header[6...], bits: 7)
            found += frames(
                of: rest.dropFirst(10).prefix(size), version: header[3], flags: header[5])
            rest = rest.dropFirst(10 + size + (header[5] & 0x10 != 0 ? 10 : 0))
        }
        return found
    }

    private static func frames(of content: Bytes, version: UInt8, flags: UInt8) -> [Bytes] {
        guard (2...4).contains(version) else { return [] }
        var rest = flags & 0x80 != 0 && version < 4 ? synchronised(content) : content
        let sizeBits = version == 4 ? 7 : 8
        if flags & 0x40 != 0, version > 2 {
            // The extended header: only in version 2.4 its size counts itself.
            let size = number(rest.prefix(4), bits: sizeBits)
            rest = rest.dropFirst(version == 4 ? size : size + 4)
        }
        let (nameSize, headerSize) = version == 2 ? (3, 6) : (4, 10)
        let name = Array((version == 2 ? "SLT" : "SYLT").utf8)
        var found: [Bytes] = []
        while rest.count > headerSize, rest.first != 0 {
            let header = Array(rest.prefix(headerSize))
            let size = number(header[nameSize..<(2 * nameSize)], bits: sizeBits)
            rest = rest.dropFirst(headerSize)
            if header.starts(with: name) {
                let format = version == 2 ? 0 : header[9]
                if let text = body(rest.prefix(size), version: version, format: format) {
                    found.append(text)
                }
            }
            rest = rest.dropFirst(size)
        }
        return found
    }

    /// A frame's body without what its format flags announce; nil where it is compressed or
    /// encrypted (id3v2.3.0 3.3.1, id3v2.4.0-structure 4.1.2).
    private static func body(_ body: Bytes, version: UInt8, format: UInt8) -> Bytes? {
        if version < 4 {
            guard format & 0xC0 == 0 else { return nil }
            return body.dropFirst(format & 0x20 != 0 ? 1 : 0)
        }
        guard format & 0x0C == 0 else { return nil }
        let added = (format & 0x40 != 0 ? 1 : 0) + (format & 0x01 != 0 ? 4 : 0)
        let rest = body.dropFirst(added)
        return format & 0x02 != 0 ? synchronised(rest) : rest
    }

    /// Takes out the zeros that were put behind 0xFF (id3v2.3.0 5).
    private static func synchronised(_ bytes: Bytes) -> Bytes {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var isBehindFF = false
        for byte in bytes {
            if byte != 0 || !isBehindFF { result.append(byte) }
            isBehindFF = byte == 0xFF
        }
        return result[...]
    }

    /// A number of four bytes or fewer, the highest first.
    private static func number(_ bytes: Bytes, bits: Int) -> Int {
        bytes.reduce(0) { $0 << bits | Int($1) & (1 << bits - 1) }
    }

    // MARK: Text

    private static func lyrics(of frame: Bytes, _ secondsPerFrame: Double) -> Lyrics? {
        let header = Array(frame.prefix(6))
        // Encoding, language, format of times, and what it is: other, lyrics or a transcription.
        guard header.count == 6, header[0] <= 3, (1...2).contains(header[4]), header[5] <= 2
        else { return nil }
        var reader = TextReader(encoding: header[0], rest: frame.dropFirst(6))
        // What the text is called.
        guard reader.next() != nil else { return nil }
        var pieces: [(text: String, time: Double)] = []
        while pieces.count < mostPieces, let text = reader.next(), reader.rest.count >= 4 {
            let count = Double(number(reader.rest.prefix(4), bits: 8))
            let time = header[4] == 1 ? count * secondsPerFrame : count / 1000
            reader.rest = reader.rest.dropFirst(4)
            pieces.append((text, min(time, SongTime.longest)))
        }
        guard !pieces.isEmpty else { return nil }
        let lines = lines(of: pieces)
        let limit = LRCParser.maximumLines
        return Lyrics(lines: Array(lines.prefix(limit)), isCut: lines.count > limit)
    }

    private static func lines(of pieces: [(text: String, time: Double)]) -> [Lyrics.Line] {
        let breaksLines = pieces.contains { $0.text.unicodeScalars.contains("\n") }
        var builders: [LineBuilder] = []
        for (number, piece) in pieces.enumerated() {
            let parts = piece.text.unicodeScalars.split(
                separator: "\n", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                if index > 0 || number == 0 || !breaksLines {
                    builders.append(LineBuilder())
                }
                // A line feed alone begins a line, and no word.
                if part.isEmpty, parts.count > 1 { continue }
                builders[builders.count - 1].begin(at: piece.time)
                builders[builders.count - 1].append(part)
            }
        }
        return builders.map(\.line).filter { $0.start != nil }
    }
}

/// Reads one text after the other, each ended by a zero.
private struct TextReader {
    /// 0: Latin-1, 1: UTF-16 with a mark, 2: UTF-16 with the high byte first, 3: UTF-8.
    let encoding: UInt8
    var rest: ArraySlice<UInt8>
    /// Which byte of two is the high one; texts without a mark are as those before.
    private var high: Int

    init(encoding: UInt8, rest: ArraySlice<UInt8>) {
        self.encoding = encoding
        self.rest = rest
        high = encoding == 2 ? 0 : 1
    }

    /// The next text; nil where no zero ends it.
    mutating func next() -> String? {
        guard encoding == 1 || encoding == 2 else {
            guard let end = rest.firstIndex(of: 0) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return encoding == 3
                ? String(decoding: rest[..<end], as: UTF8.self)
                : String(String.UnicodeScalarView(rest[..<end].map { Unicode.Scalar($0) }))
        }
        let ends = stride(from: rest.startIndex, to: rest.endIndex - 1, by: 2)
        guard let end = ends.first(where: { rest[$0] == 0 && rest[$0 + 1] == 0 }) else {
            return nil
        }
        var text = rest[..<end]
        rest = rest[(end + 2)...]
        if text.starts(with: [0xFE, 0xFF]) || text.starts(with: [0xFF, 0xFE]) {
            high = text.first == 0xFE ? 0 : 1
            text = text.dropFirst(2)
        }
        return TextEncoding.utf16(text, high: high)
    }
}
