import Glibc
import SystemSupport

/// A song's bytes from a ZIP archive. They are unpacked as they are wanted, so that the song begins as soon
/// as a file does, into a file without a name in the folder for such files (`TMPDIR`, else `/var/tmp`, which is no
/// memory): nothing stays behind, however the program ends.
final class ZipSource: ByteSource {
    /// What a song may have at most when it is unpacked: an MP3 of 320 kbit/s for 1 h 50 min.
    static let mostBytes = 256 << 20
    private static let blockSize = 65_536

    let size: Int64?
    let file: FilePlace?
    let response: ResponseFacts? = ResponseFacts()
    var isSeekable: Bool { true }
    private(set) var isAtEnd = false
    var allowance = 0
    var speed: Double? { nil }

    private let name: String
    private let descriptor: Int32
    private let window: ByteWindow
    /// Nil: all is unpacked.
    private var unpacker: ZipUnpacker?
    /// How many bytes are unpacked.
    private(set) var unpackedCount: Int64 = 0
    private var offset: Int64 = 0

    /// Opens an archive for a song in it.
    init(_ place: ArchivePlace, name: String, window: ByteWindow) throws(SongError) {
        (self.name, self.window) = (name, window)
        file = FilePlace(of: place.archive)
        let reader = try FileReader(place.archive)
        do throws(ArchiveFault) {
            guard let song = try ZipArchive(reader).song(place.entry) else {
                throw place.entry == nil ? .withoutSong : .withoutThatSong
            }
            size = Int64(song.sound.size)
            unpacker = try ZipUnpacker(song.sound, of: reader, atMost: Self.mostBytes)
            descriptor = try Self.makeFile()
        } catch {
            throw .cannotPlay(song: name, .archive(error))
        }
    }

    deinit { close(descriptor) }

    private static func makeFile() throws(ArchiveFault) -> Int32 {
        let folder = unsafe getenv("TMPDIR").map { unsafe FileName(cString: $0) } ?? "/var/tmp"
        let path = (folder + "/duet-\(UInt64.random(in: .min ... .max))").cString
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .noRoom(code: errno) }
        unsafe unlink(path)
        return descriptor
    }

    func start(at offset: Int64) { (self.offset, isAtEnd) = (offset, false) }

    func seek(to offset: Int64) -> Bool {
        window.restart(at: offset)
        start(at: offset)
        return true
    }

    func stop() { isAtEnd = true }

    func wait(milliseconds: Int, descriptors: [Int32]) {
        let mayRead = !isAtEnd && allowance > 0
        waitForInput(descriptors, milliseconds: mayRead ? 0 : milliseconds)
    }

    func advance() throws(SongError) -> [SourceNews] {
        guard !isAtEnd, allowance > 0 else { return [] }
        do throws(ArchiveFault) {
            // A place far on takes several turns, between which others may want something.
            for _ in 0..<16 where unpackedCount <= offset { guard try unpack() else { break } }
        } catch {
            isAtEnd = true
            throw .brokeOff(song: name, .archive(error))
        }
        guard unpackedCount > offset || unpacker == nil else { return [] }
        let limit = Int(min(max(0, unpackedCount - offset), Int64(Self.blockSize)))
        let count = unsafe withUnsafeTemporaryAllocation(
            byteCount: Self.blockSize, alignment: 16
        ) { block in
            let count = unsafe pread(descriptor, block.baseAddress, limit, off_t(offset))
            if count > 0 { unsafe window.append(UnsafeRawBufferPointer(rebasing: block[..<count])) }
            return count
        }
        guard count >= 0 else {
            if errno == EINTR { return [] }
            throw .brokeOff(song: name, .notRead(code: errno))
        }
        isAtEnd = count == 0
        offset += Int64(count)
        allowance -= count
        return []
    }

    /// Unpacks a piece; false: there is none.
    private func unpack() throws(ArchiveFault) -> Bool {
        guard let unpacker else { return false }
        let goesOn = unsafe try unpacker.step { (part) throws(ArchiveFault) in
            unsafe try write(part)
        }
        if !goesOn { self.unpacker = nil }
        return true
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveFault) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe pwrite(
                descriptor, rest.baseAddress, rest.count, off_t(unpackedCount))
            if count > 0 {
                done += count
                unpackedCount += Int64(count)
            } else if errno != EINTR {
                throw .noRoom(code: errno)
            }
        }
    }
}
