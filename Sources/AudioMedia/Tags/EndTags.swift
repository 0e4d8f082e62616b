/// The tags at a file's end: APE, and behind it ID3v1.
enum EndTags {
    /// Bytes at the end that are asked for first: most tags have no more.
    private static let tailSize: Int64 = 8192

    /// Reads the tags of the file whose last byte is before `end`.
    static func fields(_ bytes: inout TagBytes, end: Int64) -> TagFields {
        // All of it at once.
        let start = max(0, end - tailSize)
        _ = bytes.bytes(at: start, Int(end - start))
        let size = Int64(ID3v1.size)
        let old = end >= size ? ID3v1.fields(Array(bytes.bytes(at: end - size, Int(size)))) : nil
        var fields = APETag.fields(&bytes, end: old == nil ? end : end - size) ?? TagFields()
        if let old { fields.fill(from: old) }
        return fields
    }
}

/// APE tags (wiki.hydrogenaud.io: APEv2 specification), which mp3gain writes behind a song's frames.
enum APETag {
    private static let mark = Array("APETAGEX".utf8)
    /// The size of its footer, and of a header that is the same.
    static let footerSize: Int64 = 32
    /// Most items that are looked at.
    private static let mostItems = 1024

    /// The tag whose last byte is before `end`; nil where there is none.
    static func fields(_ bytes: inout TagBytes, end: Int64) -> TagFields? {
        let place = end - footerSize
        guard let (size, count) = head(&bytes, at: place), size <= end else { return nil }
        return items(&bytes, (end - size)..<place, count)
    }

    /// The tag that begins at `start`; nil where there is none.
    static func fields(_ bytes: inout TagBytes, start: Int64) -> TagFields? {
        guard let (size, count) = head(&bytes, at: start) else { return nil }
        return items(&bytes, (start + footerSize)..<(start + size), count)
    }

    /// The bytes of its items and its footer, and how many items there are.
    private static func head(
        _ bytes: inout TagBytes, at place: Int64
    ) -> (size: Int64, count: Int64)? {
        guard place >= 0, bytes.bytes(at: place, mark.count).elementsEqual(mark),
            let version = bytes.number(at: place + 8), (1000...2000).contains(version),
            let size = bytes.number(at: place + 12), size >= footerSize,
            let count = bytes.number(at: place + 16)
        else { return nil }
        return (size, count)
    }

    private static func items(
        _ bytes: inout TagBytes, _ range: Range<Int64>, _ count: Int64
    ) -> TagFields {
        var fields = TagFields()
        var place = range.lowerBound
        for _ in 0..<min(count, Int64(mostItems)) {
            // The value's size, flags, the key with a zero, and the value.
            guard place + 8 < range.upperBound, let size = bytes.number(at: place),
                let flags = bytes.number(at: place + 4)
            else { break }
            let head = bytes.bytes(at: place + 8, Int(min(256, range.upperBound - place - 8)))
            guard let zero = head.firstIndex(of: 0) else { break }
            let key = String(decoding: head[..<zero], as: UTF8.self)
            place += 8 + Int64(head.distance(from: head.startIndex, to: zero)) + 1
            guard place + size <= range.upperBound else { break }
            let room = min(Int64(TagFields.room(for: key)), size)
            // Of several texts the first counts. What is binary, or kept elsewhere, is no text.
            if room > 0, flags >> 1 & 3 == 0 {
                let value = bytes.bytes(at: place, Int(room))
                guard value.count == room else { break }
                fields.take(key, .bytes(Array(value.prefix { $0 != 0 })[...]))
            }
            place += size
        }
        return fields
    }
}

/// The tag in the last bytes of a file (id3.org/ID3v1).
enum ID3v1 {
    /// The length of the tag in bytes.
    static let size = 128

    /// Title, artist and album in `bytes`, filled up with zeros or spaces. Nil when `bytes` are no such tag.
    static func fields(_ bytes: [UInt8]) -> TagFields? {
        guard bytes.count == size, bytes.starts(with: Array("TAG".utf8)) else { return nil }
        func text(_ range: Range<Int>) -> TagText { .bytes(bytes[range].prefix { $0 != 0 }) }
        var fields = TagFields()
        fields.set(title: text(3..<33))
        fields.set(artist: text(33..<63))
        fields.set(albumTitle: text(63..<93))
        fields.add(witness: text(97..<125))
        return fields
    }
}
