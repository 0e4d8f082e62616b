/// What a ZIP archive holds, as its directory says (PKWARE, APPNOTE 6.3): karaoke songs are often kept so,
/// sound and picture together. No name in it is ever a file's name here.
///
/// Everything is bounded before it is read: 1,000 files, 1 MiB of directory, and what is unpacked by the
/// size that the directory says and by the caller's limit.
struct ZipArchive {
    /// A file in it.
    struct Entry {
        /// As it is written, with slashes between folders.
        var name: [UInt8]
        /// Whether a password is needed.
        var isEncrypted: Bool
        /// 0: stored, 8: deflated, 9: deflated by a window of 64 KiB.
        var method: Int
        /// The checksum of what is unpacked.
        var checksum: UInt32
        /// In bytes, packed and unpacked.
        var packedSize: Int
        var size: Int
        /// Where its own head begins.
        var offset: Int64
    }

    /// A song, and its picture.
    struct Song {
        var sound: Entry
        var picture: Entry?
    }

    static let mostFiles = 1000
    private static let mostDirectoryBytes = 1 << 20
    /// The end record's own size, and with the longest comment.
    private static let endSize = 22
    private static let longestEnd = endSize + 0xFFFF

    private let reader: any ByteReader
    let entries: [Entry]

    /// Whether a file's first bytes are those of an archive.
    static func begins(_ head: ArraySlice<UInt8>) -> Bool {
        [[0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6]].contains { head.starts(with: $0) }
    }

    /// Reads the directory.
    init(_ reader: any ByteReader) throws(ArchiveFault) {
        self.reader = reader
        let directory = try Self.directory(of: reader)
        guard directory.count <= Self.mostFiles,
            directory.size <= Self.mostDirectoryBytes
        else { throw .tooManyFiles(limit: Self.mostFiles) }
        let bytes = try Self.bytes(
            of: reader, at: directory.offset, count: Int(directory.size))
        entries = try Self.entries(directory.count, in: bytes)
    }

    /// The songs in it, by their names as people sort them, each with the picture of its name. A single song
    /// and a single picture belong together, whatever their names.
    var songs: [Song] {
        let sounds = entries.filter { Self.isSound($0.name) }
            .map { (entry: $0, key: FileName(bytes: $0.name).sortKey) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.entry)
        let pictures = entries.filter { Self.isPicture($0.name) }
        if sounds.count == 1, pictures.count == 1 {
            return [Song(sound: sounds[0], picture: pictures[0])]
        }
        let named = Dictionary(grouping: pictures) { Self.base($0).likeness }
        return sounds.map { sound in
            let own = Self.base(sound)
            let alike = named[own.likeness] ?? []
            return Song(
                sound: sound, picture: alike.first { Self.base($0) == own } ?? alike.first)
        }
    }

    /// The song that is called `name` in it, in capital letters or not; the first where that is nil.
    func song(_ name: FileName?) -> Song? {
        let songs = songs
        guard let name else { return songs.first }
        return songs.first { $0.sound.name == name.bytes }
            ?? songs.first { FileName(bytes: $0.sound.name).likeness == name.likeness }
    }

    /// What macOS adds to each file is no song: `__MACOSX/._Song.mp3`.
    private static func isSound(_ name: [UInt8]) -> Bool {
        let name = FileName(bytes: name)
        return AudioFileName.isOne(name.last) && !name.ends(in: AudioFileName.archive)
            && !name.last.bytes.starts(with: "._".utf8)
    }

    private static func isPicture(_ name: [UInt8]) -> Bool {
        let name = FileName(bytes: name)
        return name.ends(in: ".cdg") && !name.last.bytes.starts(with: "._".utf8)
    }

    /// Its name without what stands behind the last point.
    private static func base(_ entry: Entry) -> FileName {
        let dot = entry.name.lastIndex(of: UInt8(ascii: ".")) ?? entry.name.endIndex
        return FileName(bytes: entry.name[..<dot])
    }

    // MARK: The directory

    private struct Directory {
        var count: Int64
        var size: Int64
        var offset: Int64
    }

    private static func directory(of reader: any ByteReader) throws(ArchiveFault) -> Directory {
        guard let size = reader.size, size >= endSize else { throw .damaged }
        let start = max(0, size - Int64(longestEnd))
        let tail = try bytes(of: reader, at: start, count: Int(size - start))
        // The record is the last. A comment may follow it, up to the file's end, which may look like one.
        let places = (0...(tail.count - endSize)).filter {
            tail[$0...].starts(with: [0x50, 0x4B, 5, 6])
        }
        let fits = places.last {
            $0 + endSize + Int(ZipRecord(tail[$0...]).number(20, 2)) == tail.count
        }
        guard let place = fits ?? places.last else { throw .damaged }
        let record = ZipRecord(tail[place...])
        var directory = Directory(
            count: record.number(10, 2), size: record.number(12, 4), offset: record.number(16, 4))
        if directory.count == 0xFFFF || directory.size == 0xFFFF_FFFF
            || directory.offset == 0xFFFF_FFFF
        {
            directory = try large(
                reader, locatorAt: start + Int64(place) - 20)
        }
        guard directory.count >= 0, directory.size >= 0, directory.offset >= 0,
            directory.offset <= size, directory.size <= size - directory.offset
        else { throw .damaged }
        return directory
    }

    /// What the end record of ZIP64 says, to which a locator leads.
    private static func large(
        _ reader: any ByteReader, locatorAt place: Int64
    ) throws(ArchiveFault) -> Directory {
        let locator = ZipRecord(try bytes(of: reader, at: place, count: 20)[...])
        guard locator.begins(with: [0x50, 0x4B, 6, 7]) else { throw .damaged }
        let end = ZipRecord(try bytes(of: reader, at: locator.number(8, 8), count: 56)[...])
        guard end.begins(with: [0x50, 0x4B, 6, 6]) else { throw .damaged }
        return Directory(
            count: end.number(32, 8), size: end.number(40, 8), offset: end.number(48, 8))
    }

    private static func entries(
        _ count: Int64, in bytes: [UInt8]
    ) throws(ArchiveFault) -> [Entry] {
        var entries: [Entry] = []
        var rest = bytes[...]
        for _ in 0..<count {
            let head = ZipRecord(rest)
            guard head.count >= 46, head.begins(with: [0x50, 0x4B, 1, 2]) else { throw .damaged }
            let lengths = (
                name: Int(head.number(28, 2)), extra: Int(head.number(30, 2)),
                comment: Int(head.number(32, 2))
            )
            guard head.count >= 46 + lengths.name + lengths.extra + lengths.comment else {
                throw .damaged
            }
            let name = rest.dropFirst(46).prefix(lengths.name)
            let large = LargeNumbers(rest.dropFirst(46 + lengths.name).prefix(lengths.extra))
            var numbers = large.numbers[...]
            /// A number that ZIP64 keeps elsewhere where it has no room.
            func whole(_ offset: Int) throws(ArchiveFault) -> Int64 {
                let number = head.number(offset, 4)
                guard number == 0xFFFF_FFFF else { return number }
                guard let large = numbers.popFirst(), large >= 0 else { throw .damaged }
                return large
            }
            let size = try whole(24)
            let packedSize = try whole(20)
            let offset = try whole(42)
            entries.append(
                Entry(
                    name: Array(name), isEncrypted: head.number(8, 2) & 1 != 0,
                    method: Int(head.number(10, 2)), checksum: UInt32(head.number(16, 4)),
                    packedSize: Int(packedSize), size: Int(size), offset: offset))
            rest = rest.dropFirst(46 + lengths.name + lengths.extra + lengths.comment)
        }
        // There are more than it says.
        guard !rest.starts(with: [0x50, 0x4B, 1, 2]) else { throw .damaged }
        return entries
    }

    /// Unpacks a file of it, and hands its bytes to `take` in pieces.
    ///
    /// - Parameter limit: a file of more bytes is refused.
    /// - Throws: also what `take` throws; what it got until then is to be thrown away.
    func unpack(
        _ entry: Entry, atMost limit: Int,
        to take: (UnsafeRawBufferPointer) throws(ArchiveFault) -> Void
    ) throws(ArchiveFault) {
        let unpacker = try ZipUnpacker(entry, of: reader, atMost: limit)
        while unsafe try unpacker.step(to: take) {}
    }

    /// Exactly `count` bytes.
    static func bytes(
        of reader: any ByteReader, at offset: Int64, count: Int
    ) throws(ArchiveFault) -> [UInt8] {
        guard offset >= 0, let bytes = try? reader.bytes(at: offset, count: count),
            bytes.count == count
        else { throw .damaged }
        return bytes
    }
}

extension ByteReader {
    /// The bytes from `offset` on, fewer where the stream ends.
    func bytes(at offset: Int64, count: Int) throws(SongError) -> [UInt8] {
        var failure: SongError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            do throws(SongError) {
                unsafe done = try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                (failure, done) = (error, 0)
            }
        }
        if let failure { throw failure }
        return bytes
    }
}

/// Numbers at the places of a record, little-endian; 0 where it is too short.
struct ZipRecord {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    func begins(with mark: [UInt8]) -> Bool { bytes.starts(with: mark) }

    /// A number of up to eight bytes; negative where it has 64 bits.
    func number(_ offset: Int, _ count: Int) -> Int64 {
        let part = bytes.dropFirst(offset).prefix(count)
        guard part.count == count else { return 0 }
        return Int64(bitPattern: part.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
}

/// The numbers of ZIP64 in an entry's extra field: size, packed size and offset, each where it is needed.
private struct LargeNumbers {
    private(set) var numbers: [Int64] = []

    init(_ extra: ArraySlice<UInt8>) {
        var rest = extra
        while rest.count >= 4 {
            let head = ZipRecord(rest)
            let field = rest.dropFirst(4).prefix(Int(head.number(2, 2)))
            if head.number(0, 2) == 1 {
                let record = ZipRecord(field)
                numbers = (0..<min(3, field.count / 8)).map { record.number(8 * $0, 8) }
                return
            }
            rest = rest.dropFirst(4 + field.count)
        }
    }
}
