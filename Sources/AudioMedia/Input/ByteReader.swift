import Glibc

/// A song's bytes, for a library that reads where it likes. For one thread, which waits in `read` until
/// the bytes have come.
protocol ByteReader: AnyObject {
    /// The whole stream's length in bytes; nil where that is not known.
    var size: Int64? { get }
    /// Whether `read` reaches any place without reading all before it.
    var isSeekable: Bool { get }
    /// Whether `read` reaches any place, maybe only when all bytes before it have come.
    var keepsAll: Bool { get }

    /// Reads from `offset` on until `buffer` is full or the stream ends, and returns the number of
    /// bytes; 0 where the stream has ended. Of a stream that is not seekable the bytes must be read in
    /// order, but for those that are kept, which may be read again.
    ///
    /// - Throws: why no bytes come; and where the song is not wanted any more.
    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongError) -> Int
}

extension ByteReader {
    var keepsAll: Bool { isSeekable }
}

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
