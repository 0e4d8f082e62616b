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
