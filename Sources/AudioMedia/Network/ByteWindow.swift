/// The part of a stream's bytes that is kept: one stretch that grows at its end and loses its
/// beginning when it becomes too long. For one thread.
final class ByteWindow {
    private static let blockSize = 65_536

    /// Bytes kept at most, rounded up to blocks of 64 KiB.
    let limit: Int
    /// The offset of the first byte kept.
    private(set) var start: Int64 = 0
    /// The offset after the last byte kept.
    private(set) var end: Int64 = 0
    private var blocks: [[UInt8]] = []

    init(limit: Int) { self.limit = limit }

    var count: Int { Int(end - start) }

    /// Forgets all bytes; the next byte appended is the one at `offset`.
    func restart(at offset: Int64) {
        blocks.removeAll()
        start = offset
        end = offset
    }

    /// Forgets whole blocks of bytes before `offset`.
    func forget(before offset: Int64) {
        while let count = blocks.first?.count, start + Int64(count) <= min(offset, end) {
            start += Int64(count)
            blocks.removeFirst()
        }
    }

    /// Whether reading can go on at `offset` without going back to the source.
    func reaches(_ offset: Int64) -> Bool { (start...end).contains(offset) }

    /// Adds bytes at the end.
    func append(_ bytes: UnsafeRawBufferPointer) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            if blocks.last.map({ $0.count == Self.blockSize }) ?? true {
                if blocks.count * Self.blockSize >= limit {
                    start += Int64(blocks.removeFirst().count)
                }
                blocks.append([])
                blocks[blocks.count - 1].reserveCapacity(Self.blockSize)
            }
            let room = Self.blockSize - blocks[blocks.count - 1].count
            let part = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(room))
            unsafe blocks[blocks.count - 1].append(contentsOf: part)
            end += Int64(part.count)
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
        }
    }

    /// The bytes from `offset` on that lie in one piece, at most `limit`; empty when there are
    /// none.
    func bytes(at offset: Int64, limit: Int) -> ArraySlice<UInt8> {
        guard offset >= start, offset < end else { return [] }
        let index = Int(offset - start)
        let block = blocks[index / Self.blockSize]
        let from = index % Self.blockSize
        return block[from..<min(from + limit, block.count)]
    }

    /// A copy of the bytes from `offset` on, at most `count`.
    func copy(from offset: Int64, count: Int) -> [UInt8] {
        var result: [UInt8] = []
        while result.count < count {
            let piece = bytes(at: offset + Int64(result.count), limit: count - result.count)
            if piece.isEmpty { break }
            result += piece
        }
        return result
    }
}
