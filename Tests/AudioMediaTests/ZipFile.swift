import CZlib

/// Makes ZIP archives, also ones that lie.
struct ZipFile {
    /// What a file says of itself that is not so; nil: what is so.
    struct Lies {
        var size: Int?
        var packedSize: Int?
        var checksum: UInt32?
        var method: Int?
        var flags = 0
        var offset: Int?
    }

    private var files: [UInt8] = []
    private var directory: [UInt8] = []
    private var count = 0
    /// Whether numbers stand where ZIP64 keeps them.
    var isLarge = false

    static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var size = compressBound(UInt(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        compress2(&packed, &size, bytes, UInt(bytes.count), 9)
        // Without zlib's own head and checksum.
        return Array(packed[2..<(Int(size) - 4)])
    }

    mutating func add(
        _ name: String, _ bytes: [UInt8], isDeflated: Bool = true, _ lies: Lies = Lies()
    ) {
        let packed = isDeflated ? Self.deflated(bytes) : bytes
        let name = Array(name.utf8)
        let sum = lies.checksum ?? UInt32(crc32(0, bytes, UInt32(bytes.count)))
        let numbers = [
            lies.size ?? bytes.count, lies.packedSize ?? packed.count, lies.offset ?? files.count,
        ]
        let little = Self.little
        let kind =
            little(lies.flags, 2) + little(lies.method ?? (isDeflated ? 8 : 0), 2) + little(0, 4)
            + little(Int(sum), 4)
        files += [0x50, 0x4B, 3, 4] + little(20, 2) + kind
        files += little(numbers[1], 4) + little(numbers[0], 4) + little(name.count, 2)
        // What the two heads have beside differs.
        files += little(3, 2) + name + [1, 2, 3] + packed
        let extra =
            isLarge
            ? little(0x5455, 2) + little(1, 2) + [7] + little(1, 2) + little(24, 2)
                + numbers.flatMap { little($0, 8) } : []
        let shown = isLarge ? [-1, -1, -1] : numbers
        directory += [0x50, 0x4B, 1, 2] + little(20, 2) + little(20, 2) + kind
        directory += little(shown[1], 4) + little(shown[0], 4) + little(name.count, 2)
        directory += little(extra.count, 2) + little(2, 2) + little(0, 8) + little(shown[2], 4)
        directory += name + extra + [8, 9]
        count += 1
    }

    /// The whole archive; its end record says `count` files, a directory of `size` bytes at `offset`,
    /// where these are not nil.
    func bytes(
        count: Int? = nil, size: Int? = nil, offset: Int? = nil, comment: String = ""
    ) -> [UInt8] {
        let little = Self.little
        let (count, size, offset) = (
            count ?? self.count, size ?? directory.count, offset ?? files.count
        )
        var end: [UInt8] = []
        if isLarge {
            end = [0x50, 0x4B, 6, 6] + little(44, 8) + little(45, 4) + little(0, 8)
            end += little(count, 8) + little(count, 8) + little(size, 8) + little(offset, 8)
            end += [0x50, 0x4B, 6, 7] + little(0, 4) + little(files.count + directory.count, 8)
            end += little(1, 4)
        }
        let shown = isLarge ? [-1, -1, -1] : [count, size, offset]
        end += [0x50, 0x4B, 5, 6] + little(0, 4) + little(shown[0], 2) + little(shown[0], 2)
        end += little(shown[1], 4) + little(shown[2], 4)
        return files + directory + end + little(comment.utf8.count, 2) + Array(comment.utf8)
    }
}
