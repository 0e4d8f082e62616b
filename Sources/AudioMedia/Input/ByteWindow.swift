import SystemSupport

/// The part of a stream's bytes that is kept: one stretch that grows at its end and loses its
/// beginning when it becomes too long. Any thread.
final class ByteWindow: Sendable {
    private static let blockSize = 65_536

    private struct State {
        var start: Int64 = 0
        var end: Int64 = 0
        var blocks: [[UInt8]] = []

        mutating func append(_ part: UnsafeRawBufferPointer) {
            unsafe blocks[blocks.count - 1].append(contentsOf: part)
            end += Int64(part.count)
        }

        func bytes(at offset: Int64, limit: Int) -> ArraySlice<UInt8> {
            guard offset >= start, offset < end else { return [] }
            let index = Int(offset - start)
            let block = blocks[index / blockSize]
            let from = index % blockSize
            return block[from..<min(from + limit, block.count)]
        }
    }

    /// Bytes kept at most, rounded up to blocks of 64 KiB.
    let limit: Int
    private let state = Guarded(State())

    init(limit: Int) { self.limit = limit }

    /// The offset of the first byte kept.
    var start: Int64 { state.withLock { $0.start } }
    /// The offset after the last byte kept.
    var end: Int64 { state.withLock { $0.end } }
    var count: Int { state.withLock { Int($0.end - $0.start) } }

    /// Forgets all bytes; the next byte appended is the one at `offset`.
    func restart(at offset: Int64) {
        state.withLock { $0 = State(start: offset, end: offset) }
    }

    /// Forgets whole blocks of bytes before `offset`.
    func forget(before offset: Int64) {
        state.withLock { state in
            while let count = state.blocks.first?.count,
                state.start + Int64(count) <= min(offset, state.end)
            {
                state.start += Int64(count)
                state.blocks.removeFirst()
            }
        }
    }

    /// Whether reading can go on at `offset` without going back to the source.
    func reaches(_ offset: Int64) -> Bool {
        state.withLock { ($0.start...$0.end).contains(offset) }
    }

    /// Adds bytes at the end.
    func append(_ bytes: UnsafeRawBufferPointer) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let part = state.withLock { state in
                if state.blocks.last.map({ $0.count == Self.blockSize }) ?? true {
                    if state.blocks.count * Self.blockSize >= limit {
                        state.start += Int64(state.blocks.removeFirst().count)
                    }
                    state.blocks.append([])
                    state.blocks[state.blocks.count - 1].reserveCapacity(Self.blockSize)
                }
                let room = Self.blockSize - state.blocks[state.blocks.count - 1].count
                let part = unsafe rest.prefix(room)
                unsafe state.append(UnsafeRawBufferPointer(rebasing: part))
                return unsafe part.count
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part))
        }
    }

    /// The bytes from `offset` on that lie in one piece, at most `limit`; empty when there are
    /// none.
    func bytes(at offset: Int64, limit: Int) -> ArraySlice<UInt8> {
        state.withLock { $0.bytes(at: offset, limit: limit) }
    }

    /// A copy of the bytes from `offset` on, at most `count`.
    func copy(from offset: Int64, count: Int) -> [UInt8] {
        state.withLock { state in
            var result: [UInt8] = []
            while result.count < count {
                let piece = state.bytes(
                    at: offset + Int64(result.count), limit: count - result.count)
                if piece.isEmpty { break }
                result += piece
            }
            return result
        }
    }
}
