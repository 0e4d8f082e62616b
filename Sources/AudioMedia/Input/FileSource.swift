import Glibc
import SystemSupport

/// A song's bytes from a file, or from a pipe or standard input as they come.
///
/// Does not use libcurl, whose `file:` transfers ignore every pause and would load the whole file.
final class FileSource: ByteSource {
    private static let blockSize = 65_536

    let size: Int64?
    let isSeekable: Bool
    private(set) var isAtEnd: Bool
    let isFolder: Bool
    var allowance = 0
    var speed: Double? { nil }
    let response: ResponseFacts? = ResponseFacts()
    let file: FilePlace?

    private let name: String
    private let descriptor: Int32
    private let window: ByteWindow
    private var offset: Int64 = 0
    /// Bytes before this offset are read but not delivered: in a pipe they cannot be jumped over.
    private var wanted: Int64 = 0

    /// Opens `path`, or takes standard input for nil.
    ///
    /// - Parameter takesFolders: a folder is opened, too, and has no bytes; otherwise it is an error.
    init(
        path: FileName?, name: String, window: ByteWindow, takesFolders: Bool = false
    ) throws(SongError) {
        self.name = name
        self.window = window
        var info = stat()
        if let path {
            descriptor = unsafe open(path.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0, unsafe fstat(descriptor, &info) == 0 else {
                throw Location.file(path).cannotOpen(code: errno)
            }
        } else {
            descriptor = 0
            _ = unsafe fstat(descriptor, &info)
        }
        file = FilePlace(info)
        let kind = info.st_mode & S_IFMT
        isFolder = kind == S_IFDIR
        isAtEnd = isFolder
        isSeekable = kind == S_IFREG
        size = kind == S_IFREG ? SongSize.believable(Int64(info.st_size)) : nil
        // Whose properties are all set is closed by its deinit.
        guard !isFolder || takesFolders && path != nil else {
            throw .cannotOpen(song: name, .directory)
        }
    }

    deinit { if descriptor != 0 { close(descriptor) } }

    func look(at offset: Int64, count: Int) -> [UInt8]? {
        guard isSeekable else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let got = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
        }
        return Array(bytes.prefix(max(0, got)))
    }

    func start(at offset: Int64) {
        isAtEnd = isFolder
        wanted = offset
        if isSeekable { self.offset = offset }
    }

    func seek(to offset: Int64) -> Bool {
        window.restart(at: offset)
        start(at: offset)
        return true
    }

    func stop() { isAtEnd = true }

    func wait(milliseconds: Int, descriptors: [Int32]) {
        let mayRead = !isAtEnd && allowance > 0
        waitForInput(
            mayRead && !isSeekable ? descriptors + [descriptor] : descriptors,
            milliseconds: mayRead && isSeekable ? 0 : milliseconds)
    }

    func advance() throws(SongError) -> [SourceNews] {
        guard !isAtEnd, allowance > 0 else { return [] }
        let error = unsafe withUnsafeTemporaryAllocation(
            byteCount: Self.blockSize, alignment: 16
        ) { block in
            while allowance > 0 {
                let count =
                    isSeekable
                    ? unsafe pread(descriptor, block.baseAddress, block.count, off_t(offset))
                    : unsafe readWhenReady(block)
                if count < 0 { return errno }
                if count == 0 {
                    isAtEnd = true
                    return 0
                }
                let skipped = Int(min(max(wanted - offset, 0), Int64(count)))
                unsafe window.append(UnsafeRawBufferPointer(rebasing: block[skipped..<count]))
                offset += Int64(count)
                allowance -= count - skipped
                // A slow disk is not to keep the reader from what has come.
                if isSeekable { return 0 }
            }
            return 0
        }
        if error != 0 && error != EAGAIN && error != EINTR {
            throw .brokeOff(song: name, .notRead(code: error))
        }
        return []
    }

    /// Reads from a descriptor that may be blocking, as standard input is, without blocking.
    private func readWhenReady(_ block: UnsafeMutableRawBufferPointer) -> Int {
        guard waitForInput([descriptor], milliseconds: 0) else {
            errno = EAGAIN
            return -1
        }
        return unsafe read(descriptor, block.baseAddress, block.count)
    }
}

/// A file's device and number, which are the same under all its names and links.
package struct FilePlace: Hashable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// The place of the file of an open descriptor; nil when the descriptor is not open.
    package init?(descriptor: Int32) {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// The place of the file that a name leads to, through links; nil when there is none. Blocks for as
    /// long as the disk takes.
    package init?(of name: FileName) {
        var facts = stat()
        guard unsafe stat(name.cString, &facts) == 0 else { return nil }
        self.init(facts)
    }

    package init(_ facts: stat) {
        device = facts.st_dev
        number = facts.st_ino
    }
}
