import Glibc

/// A file that is replaced as a whole: whoever reads it finds either the old or the new text, also
/// after a crash.
enum WholeFile {
    /// Puts a file with `text`, which its user alone may read, in the place of `path`. Blocks for as
    /// long as the disk takes.
    ///
    /// - Parameter draft: where it is written first: a place in the same folder that no other process
    ///   uses. What is there is lost.
    /// - Returns: 0, or the errno of what failed: then the old file is there as it was.
    static func replace(_ path: String, with text: String, draft: String) -> Int32 {
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        var isWhole = true
        var bytes = Array(text.utf8)[...]
        while isWhole, !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { bytes = bytes.dropFirst(count) } else { isWhole = errno == EINTR }
        }
        isWhole = isWhole && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        errno = code
        guard isWhole, rename(draft, path) == 0 else {
            let code = errno
            unlink(draft)
            return code
        }
        // So that the folder's entry, too, outlives a loss of power.
        let folder = open(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]), O_RDONLY)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
        return 0
    }
}
