import AudioMedia
import CZlib

// The index as a file: what it is made of again from nothing but the folders, if it is lost.
//
// A line that names the format, the CRC-32 of all that follows, and then, in numbers of little-endian
// order: the counts of folders, songs and bytes; of each folder its length and path; the rows; the
// bytes.
extension MusicIndex {
    /// The largest file that is read: 200,000 songs with long names.
    static let largestFile = 256 << 20
    /// The next version of the format, or of how words are searched, gets a number of its own.
    private static let header = Array("duet music index 1\n".utf8)
    private static let rowLength = 33

    /// The bytes of the file.
    var file: [UInt8] {
        var file = Self.header
        file.reserveCapacity(64 + bytes.count + rows.count * Self.rowLength)
        file.append(number: UInt32(0))
        file.append(number: UInt32(folders.count))
        file.append(number: UInt32(rows.count))
        file.append(number: UInt32(bytes.count))
        for folder in folders {
            file.append(number: UInt16(clamping: folder.bytes.count))
            file += folder.bytes.prefix(Int(UInt16.max))
        }
        for row in rows {
            for length in [
                row.nameLength, row.titleLength, row.artistLength, row.wordsLength, row.folder,
            ] { file.append(number: length) }
            file.append(row.isRead ? 1 : 0)
            file.append(number: row.duration.bitPattern)
            file.append(number: row.stamp.size)
            file.append(number: row.stamp.modified)
        }
        file += bytes
        let sum = Self.sum(of: file)
        withUnsafeBytes(of: sum.littleEndian) { sum in
            for (place, byte) in sum.enumerated() { file[Self.header.count + place] = byte }
        }
        return file
    }

    /// Reads the bytes of a file; nil where they are not whole, or of another version.
    init?(file: [UInt8]) {
        let read = file.withUnsafeBytes { file -> MusicIndex? in
            var rest = FileBytes(file)
            guard rest.take(Self.header.count)?.elementsEqual(Self.header) == true,
                let sum = rest.number(UInt32.self), sum == Self.sum(of: file),
                let folderCount = rest.number(UInt32.self), folderCount <= UInt16.max,
                let rowCount = rest.number(UInt32.self), rowCount <= Self.mostSongs,
                let byteCount = rest.number(UInt32.self)
            else { return nil }
            var folders: [FileName] = []
            for _ in 0..<folderCount {
                guard let length = rest.number(UInt16.self), let path = rest.take(Int(length))
                else { return nil }
                folders.append(FileName(bytes: path))
            }
            var rows: [Row] = []
            rows.reserveCapacity(Int(rowCount))
            var start = 0
            for _ in 0..<rowCount {
                guard let name = rest.number(UInt16.self), let title = rest.number(UInt16.self),
                    let artist = rest.number(UInt16.self), let words = rest.number(UInt16.self),
                    let folder = rest.number(UInt16.self), folder < folderCount,
                    let isRead = rest.number(UInt8.self),
                    let duration = rest.number(UInt32.self), let size = rest.number(Int64.self),
                    let modified = rest.number(Int64.self)
                else { return nil }
                let row = Row(
                    start: start, nameLength: name, titleLength: title, artistLength: artist,
                    wordsLength: words, folder: folder, isRead: isRead != 0,
                    duration: Float(bitPattern: duration),
                    stamp: Stamp(size: size, modified: modified))
                start = row.end
                rows.append(row)
            }
            guard start == byteCount, let bytes = rest.take(start), rest.isEmpty else { return nil }
            return MusicIndex(folders: folders, rows: rows, bytes: Array(bytes))
        }
        guard let read else { return nil }
        self = read
    }

    /// The CRC-32 of what follows the sum itself.
    private static func sum(of file: [UInt8]) -> UInt32 { file.withUnsafeBytes { sum(of: $0) } }

    private static func sum(of file: UnsafeRawBufferPointer) -> UInt32 {
        let start = header.count + 4
        guard file.count > start else { return 0 }
        let bytes = UnsafeRawBufferPointer(rebasing: file[start...]).bindMemory(to: UInt8.self)
        return UInt32(truncatingIfNeeded: crc32_z(0, bytes.baseAddress, bytes.count))
    }
}

/// The rest of a file that is read.
private struct FileBytes {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ file: UnsafeRawBufferPointer) { rest = file[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func take(_ count: Int) -> Slice<UnsafeRawBufferPointer>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        guard let bytes = take(MemoryLayout<Number>.size) else { return nil }
        return Number(
            littleEndian: UnsafeRawBufferPointer(rebasing: bytes).loadUnaligned(as: Number.self))
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
