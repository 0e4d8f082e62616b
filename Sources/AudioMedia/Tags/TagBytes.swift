/// A file's bytes at any place, a block at a time, for tags that are read from field to field.
struct TagBytes {
    /// Bytes that are asked for at once, at least.
    private static let block = 4096

    /// Gives up to `count` bytes from `offset` on: those that can be had.
    private let fetch: (_ offset: Int64, _ count: Int) -> [UInt8]
    private var start: Int64 = 0
    private var held: [UInt8] = []

    init(_ fetch: @escaping (_ offset: Int64, _ count: Int) -> [UInt8]) { self.fetch = fetch }

    /// The `count` bytes from `offset` on; fewer where there are no more.
    mutating func bytes(at offset: Int64, _ count: Int) -> ArraySlice<UInt8> {
        let end = start + Int64(held.count)
        if offset < start || offset + Int64(count) > end {
            held = fetch(offset, max(count, Self.block))
            start = offset
        }
        return held.dropFirst(Int(offset - start)).prefix(count)
    }

    /// The number in the `count` bytes at `offset`, the lowest first; nil where they are not there.
    mutating func number(at offset: Int64, _ count: Int = 4) -> Int64? {
        let bytes = bytes(at: offset, count)
        return bytes.count == count ? bytes.reversed().reduce(0) { $0 << 8 | Int64($1) } : nil
    }
}

/// The comments of a FLAC file (RFC 9639 8.6), which libsndfile does not tell as they are.
enum FLACComments {
    /// Most blocks before the sound, and most comments, that are looked at.
    private static let mostBlocks = 128
    private static let mostComments = 1024

    /// Reads the comments of the file that begins with `bytes`. Pictures are jumped over.
    static func fields(_ bytes: inout TagBytes) -> TagFields {
        var fields = TagFields()
        guard bytes.bytes(at: 0, 4).elementsEqual("fLaC".utf8) else { return fields }
        var place: Int64 = 4
        for _ in 0..<mostBlocks {
            // A flag for the last one, the kind, and the length, the highest byte first.
            let head = Array(bytes.bytes(at: place, 4))
            guard head.count == 4 else { break }
            let size = head[1...].reduce(0) { $0 << 8 | Int64($1) }
            place += 4
            if head[0] & 0x7F == 4 {
                read(&bytes, place..<(place + size), into: &fields)
                break
            }
            if head[0] & 0x80 != 0 { break }
            place += size
        }
        return fields
    }

    private static func read(
        _ bytes: inout TagBytes, _ block: Range<Int64>, into fields: inout TagFields
    ) {
        // The encoder's name, and how many there are.
        guard let name = bytes.number(at: block.lowerBound) else { return }
        var place = block.lowerBound + 4 + name
        let count = bytes.number(at: place) ?? 0
        place += 4
        for _ in 0..<min(count, Int64(mostComments)) where place + 4 <= block.upperBound {
            guard let size = bytes.number(at: place) else { return }
            place += 4
            guard place + size <= block.upperBound else { return }
            let head = bytes.bytes(at: place, Int(min(size, Int64(TagFields.longestKey + 1))))
            if let sign = head.firstIndex(of: 0x3D) {
                let key = String(decoding: head[..<sign], as: UTF8.self)
                let start = Int64(head.distance(from: head.startIndex, to: sign) + 1)
                let room = min(Int64(TagFields.room(for: key)), size - start)
                if room > 0 {
                    let value = Array(bytes.bytes(at: place + start, Int(room)))
                    if value.count == room { fields.take(key, .bytes(value[...])) }
                }
            }
            place += size
        }
    }
}
