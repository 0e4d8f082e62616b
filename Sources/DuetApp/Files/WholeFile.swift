import AudioMedia
import Glibc

/// A file that is replaced as a whole: whoever reads it finds either the old or the new text, also
/// after a crash.
enum WholeFile {
    /// Puts a file with `text` in the place of `path`. Blocks for as long as the disk takes.
    ///
    /// - Parameters:
    ///   - draft: where it is written first: a place in the same folder that no other process uses.
    ///     What is there is lost.
    ///   - mode: who may read and write it; by default its user alone.
    /// - Returns: 0, or the errno of what failed: then the old file is there as it was.
    static func replace(
        _ path: FileName, with text: String, draft: FileName, mode: mode_t = 0o600
    ) -> Int32 {
        replace(path, with: Array(text.utf8), draft: draft, mode: mode)
    }

    /// As `replace(_:with:draft:mode:)` of a text.
    static func replace(
        _ path: FileName, with bytes: [UInt8], draft: FileName, mode: mode_t = 0o600
    ) -> Int32 {
        unlink(draft.cString)
        let descriptor = open(draft.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        fchmod(descriptor, mode)
        var isWhole = true
        var bytes = bytes[...]
        while isWhole, !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { bytes = bytes.dropFirst(count) } else { isWhole = errno == EINTR }
        }
        isWhole = isWhole && fsync(descriptor) == 0
        var code = errno
        close(descriptor)
        if isWhole { code = put(draft, inPlaceOf: path) }
        if code != 0 { unlink(draft.cString) }
        return code
    }

    /// Why a file was not read.
    enum Unread: Error, Equatable {
        /// An errno.
        case code(Int32)
        /// A folder, a pipe or a device.
        case notRegular
        case tooLarge
    }

    /// The bytes of a regular file, `limit` at most. Blocks for as long as the disk takes.
    static func bytes(of path: FileName, atMost limit: Int) throws(Unread) -> [UInt8] {
        // Without waiting: a pipe that nobody writes to would never open.
        let descriptor = open(path.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .code(errno) }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw .code(errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .code(errno) }
            guard count > 0 else { return bytes }
            bytes += block[..<count]
        }
        throw .tooLarge
    }

    /// Gives a file that is on the disk the name of another one in the same folder, which is lost.
    /// Blocks for as long as the disk takes. Returns 0, or an errno: then both are there as they were.
    static func put(_ draft: FileName, inPlaceOf path: FileName) -> Int32 {
        guard rename(draft.cString, path.cString) == 0 else { return errno }
        // So that the folder's entry, too, outlives a loss of power.
        let name = path.folder.bytes.isEmpty ? "." : path.folder
        let folder = open(name.cString, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
        return 0
    }
}
