import Glibc

/// The bytes of a file, read on the calling thread, which waits while the disk does.
final class FileReader: ByteReader {
    let size: Int64?
    let isSeekable = true

    private let name: String
    private let descriptor: Int32

    /// Opens `path`. A pipe is refused: its bytes cannot be read in any order.
    init(_ path: FileName) throws(SongError) {
        let location = Location.file(path)
        name = location.description
        // A pipe would be waited for, until somebody writes into it.
        descriptor = unsafe open(path.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        var facts = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &facts) == 0 else {
            throw location.cannotOpen(code: errno)
        }
        let kind = facts.st_mode & S_IFMT
        guard kind == S_IFREG else {
            close(descriptor)
            if kind == S_IFDIR { throw .cannotOpen(song: name, .directory) }
            throw location.cannotOpen(code: ESPIPE)
        }
        size = SongSize.believable(Int64(facts.st_size))
    }

    deinit { close(descriptor) }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongError) -> Int {
        var count = 0
        while count < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = unsafe pread(
                descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(count))
            if got == 0 { break }
            if got > 0 {
                count += got
            } else if errno != EINTR {
                throw .brokeOff(song: name, .notRead(code: errno))
            }
        }
        return count
    }
}
