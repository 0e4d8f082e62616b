/// A file of parts (chunks) with names and sizes: WAV, RF64, AIFF, CAF. Its sizes are claims: a recorder
/// that crashed leaves zeros, or what it meant to write.
struct ChunkedFile {
    private enum Kind { case riff, rifx, rf64, aiff, caf }

    struct Chunk {
        /// Four characters.
        let name: String
        /// The bytes of the file that hold its size, and those that it says to be its contents.
        let sizeField: Range<Int64>
        let body: Range<Int64>
    }

    /// Most chunks that are looked at.
    private static let mostChunks = 1000

    private let kind: Kind
    /// Of all chunks those up to the first that is longer than the file.
    let chunks: [Chunk]
    private let end: Int64
    /// The 64-bit size of the sound in an RF64.
    private var longSize: Range<Int64>?

    /// Nil where the bytes are of no such file.
    ///
    /// - Parameters:
    ///   - end: how many bytes there are.
    ///   - looksBehind: whether chunks behind the sound are looked for.
    init?(_ bytes: inout TagBytes, end: Int64, looksBehind: Bool) {
        func text(_ offset: Int64) -> String {
            String(decoding: bytes.bytes(at: offset, 4), as: UTF8.self)
        }
        switch (text(0), text(8)) {
        case ("RIFF", "WAVE"): kind = .riff
        case ("RIFX", "WAVE"): kind = .rifx
        case ("RF64", "WAVE"), ("BW64", "WAVE"): kind = .rf64
        case ("FORM", "AIFF"), ("FORM", "AIFC"): kind = .aiff
        case ("caff", _): kind = .caf
        default: return nil
        }
        self.end = end
        var place: Int64 = kind == .caf ? 8 : 12
        var chunks: [Chunk] = []
        while chunks.count < Self.mostChunks, place + 8 <= end {
            let width: Int64 = kind == .caf ? 8 : 4
            let field = place + 4..<place + 4 + width
            guard let size = Self.number(&bytes, field, isLittle: kind == .riff || kind == .rf64)
            else { break }
            let name = text(place)
            let body = field.upperBound..<field.upperBound + min(max(0, size), .max / 4)
            chunks.append(Chunk(name: name, sizeField: field, body: body))
            if name == "ds64" { longSize = body.lowerBound + 8..<body.lowerBound + 16 }
            let isPadded = kind != .caf && size % 2 == 1
            place = body.upperBound + (isPadded ? 1 : 0)
            // Behind a long sound of RF64, and one without an end, nothing is looked for.
            let isLong = kind == .rf64 && size == 0xFFFF_FFFF
            if Self.isSound(name), !looksBehind || size <= 0 || isLong { break }
        }
        self.chunks = chunks
    }

    private static func isSound(_ name: String) -> Bool { name == "data" || name == "SSND" }

    private static func number(
        _ bytes: inout TagBytes, _ field: Range<Int64>, isLittle: Bool
    ) -> Int64? {
        let bytes = bytes.bytes(at: field.lowerBound, field.count)
        guard bytes.count == field.count else { return nil }
        let value = (isLittle ? Array(bytes.reversed()) : Array(bytes)).reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        return Int64(truncatingIfNeeded: value)
    }

    /// Bytes to read in place of those of the file, so that the sound goes as far as the file does, where
    /// its size says that there is none, or more than there is.
    func mended(_ bytes: inout TagBytes) -> [(place: Int64, bytes: [UInt8])] {
        guard let sound = chunks.first(where: { Self.isSound($0.name) }) else { return [] }
        // AIFF and CAF begin their sound with numbers of their own.
        let head: Int64 = kind == .aiff ? 8 : kind == .caf ? 4 : 0
        let rest = end - sound.body.lowerBound
        var (field, size) = (sound.sizeField, Int64(sound.body.count))
        let isLittle = kind != .rifx && kind != .aiff && kind != .caf
        if kind == .rf64, size == 0xFFFF_FFFF, let longSize {
            field = longSize
            size = max(0, Self.number(&bytes, field, isLittle: true) ?? 0)
        }
        guard rest > head,
            size <= head && !hasChunks(&bytes, from: sound.body.upperBound) || size > rest
        else { return [] }
        let told = field.count == 4 ? min(rest, 0xFFFF_FFFE) : rest
        let digits = (0..<field.count).map { UInt8(truncatingIfNeeded: told >> (8 * $0)) }
        return [(field.lowerBound, isLittle ? digits : digits.reversed())]
    }

    /// Whether nothing but whole chunks lies from `place` to the file's end: then a sound without bytes has
    /// none.
    private func hasChunks(_ bytes: inout TagBytes, from place: Int64) -> Bool {
        var place = place
        for _ in 0..<Self.mostChunks where place < end {
            let width: Int64 = kind == .caf ? 8 : 4
            let name = bytes.bytes(at: place, 4)
            guard name.count == 4, name.allSatisfy({ (0x20..<0x7F).contains($0) }),
                let size = Self.number(
                    &bytes, place + 4..<place + 4 + width, isLittle: kind == .riff || kind == .rf64),
                (0...end).contains(size)
            else { return false }
            place += 4 + width + size
            if kind != .caf, size % 2 == 1, place < end { place += 1 }
        }
        return place == end
    }
}

/// The head of an AU file, whose sound is all that follows.
private enum AUHead {
    /// As `ChunkedFile.mended`.
    static func mended(_ bytes: inout TagBytes, end: Int64) -> [(place: Int64, bytes: [UInt8])] {
        let head = Array(bytes.bytes(at: 0, 12))
        guard head.count == 12, head.starts(with: ".snd".utf8) else { return [] }
        let start = head[4..<8].reduce(0) { $0 << 8 | Int64($1) }
        let size = head[8..<12].reduce(0) { $0 << 8 | Int64($1) }
        // All ones say that it is not known.
        return size == 0 || size > end - start ? [(8, [0xFF, 0xFF, 0xFF, 0xFF])] : []
    }
}

/// The sound of a W64 (Sony Wave64), which has chunks with names of 16 bytes, the first four of them as in
/// WAV, and sizes of 64 bits that count the chunk's head of 24 bytes; each begins at a multiple of 8.
private enum W64Sound {
    /// The end of the sound, where bytes follow it: libsndfile takes all of them for sound. Nil where
    /// none do, or the bytes are of no such file.
    static func end(_ bytes: inout TagBytes, end: Int64) -> Int64? {
        func name(_ offset: Int64) -> String {
            String(decoding: bytes.bytes(at: offset, 4), as: UTF8.self)
        }
        guard name(0) == "riff", name(24) == "wave" else { return nil }
        var place: Int64 = 40
        for _ in 0..<100 where place + 24 <= end {
            let field = Array(bytes.bytes(at: place + 16, 8))
            let size = field.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard field.count == 8, size >= 24, size <= UInt64(end - place) else { return nil }
            let next = place + Int64(size)
            if name(place) == "data" { return next < end ? next : nil }
            place = (next + 7) / 8 * 8
        }
        return nil
    }
}

/// The first bytes of another reader.
private final class ShortReader: ByteReader {
    private let reader: any ByteReader
    private let limit: Int64

    init(_ reader: any ByteReader, size: Int64) { (self.reader, limit) = (reader, size) }

    var size: Int64? { min(limit, reader.size ?? limit) }
    var isSeekable: Bool { reader.isSeekable }
    var keepsAll: Bool { reader.keepsAll }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongError) -> Int {
        let count = Int(min(Int64(buffer.count), max(0, limit - offset)))
        guard count > 0 else { return 0 }
        return unsafe try reader.read(
            at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    }
}

extension TagBytes {
    /// The bytes that `reader` gives; where it fails, none.
    init(_ reader: any ByteReader) {
        self.init { offset, count in
            var bytes = [UInt8](repeating: 0, count: count)
            let got = try? unsafe bytes.withUnsafeMutableBytes { bytes in
                unsafe try reader.read(at: offset, into: bytes)
            }
            return Array(bytes.prefix(got ?? 0))
        }
    }
}

/// A sound file as libsndfile is to see it, and what the tags in its chunks say.
struct SoundFileHeads {
    /// Most bytes of a tag that are read.
    private static let longestTag: Int64 = 4 << 20

    let reader: any ByteReader
    /// Whether libsndfile must not open it: it would give Ogg to libvorbis, whose headers nobody has looked
    /// at then (`VorbisHeaders`), also where that begins behind a tag. Other decoders read both.
    private(set) var isForOthers = false
    /// ID3 in a chunk of its own, as WAV and AIFF have it; nil: there is none. Of a song from the web none
    /// is looked for: it is mostly at the end.
    private(set) var tags: FrontTags?
    /// The table of channels of AIFF and CAF; nil: there is none.
    private(set) var layout: ArraySlice<UInt8>?
    /// Most bytes of it that are read.
    private static let longestLayout: Int64 = 1024

    init(_ reader: any ByteReader) {
        guard let end = reader.size else {
            self.reader = reader
            return
        }
        var bytes = TagBytes(reader)
        isForOthers = ["OggS", "ID3"].contains {
            bytes.bytes(at: 0, $0.utf8.count).elementsEqual($0.utf8)
        }
        let file = ChunkedFile(&bytes, end: end, looksBehind: reader is FileReader)
        let places = file?.mended(&bytes) ?? AUHead.mended(&bytes, end: end)
        let whole = W64Sound.end(&bytes, end: end).map { ShortReader(reader, size: $0) } ?? reader
        self.reader = places.isEmpty ? whole : MendedReader(whole, places)
        if let chunk = file?.chunks.first(where: { ["CHAN", "chan"].contains($0.name) }) {
            let count = Int(min(Int64(chunk.body.count), Self.longestLayout))
            layout = Array(bytes.bytes(at: chunk.body.lowerBound, count))[...]
        }
        let names = ["id3 ", "ID3 "]
        if reader is FileReader, let chunk = file?.chunks.first(where: { names.contains($0.name) })
        {
            let start = chunk.body.lowerBound
            let count = min(Int64(chunk.body.count), Self.longestTag)
            tags = FrontTags(end: count) { Array(bytes.bytes(at: start + $0, $1)) }
        }
    }
}

/// The bytes of another reader, with some in place of others.
final class MendedReader: ByteReader {
    private let reader: any ByteReader
    private let places: [(place: Int64, bytes: [UInt8])]

    init(_ reader: any ByteReader, _ places: [(place: Int64, bytes: [UInt8])]) {
        (self.reader, self.places) = (reader, places)
    }

    var size: Int64? { reader.size }
    var isSeekable: Bool { reader.isSeekable }
    var keepsAll: Bool { reader.keepsAll }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongError) -> Int {
        let count = unsafe try reader.read(at: offset, into: buffer)
        for (place, bytes) in places {
            for (index, byte) in bytes.enumerated() {
                let at = place + Int64(index) - offset
                if (0..<Int64(count)).contains(at) { unsafe buffer[Int(at)] = byte }
            }
        }
        return count
    }
}
