import AudioMedia
import Glibc
import SystemSupport

/// Removes a folder with all that is in it, but nothing that links in it lead to.
enum FolderRemoval {
    /// So many folders may lie in one another.
    private static let deepest = 16

    /// Returns how many files were removed, and why not all of them were; nil: all were. Blocks for as long
    /// as the disk takes.
    static func run(_ folder: FileName) -> (count: Int, problem: String?) {
        var (count, code): (Int, Int32) = (0, 0)
        remove(folder, depth: 0, &count, &code)
        return (count, code == 0 ? nil : errorText(code))
    }

    private static func remove(
        _ folder: FileName, depth: Int, _ count: inout Int, _ code: inout Int32
    ) {
        guard depth < deepest else { return code = ELOOP }
        let names = folder.names(limit: 1_000_000) { ![".", ".."].contains($0) } ?? []
        for name in names {
            let path = folder + "/" + name
            if unlink(path.cString) == 0 {
                count += 1
            } else if [EISDIR, EPERM].contains(errno) {
                remove(path, depth: depth + 1, &count, &code)
            } else if errno != ENOENT {
                code = errno
            }
        }
        if rmdir(folder.cString) != 0, errno != ENOENT { code = errno }
    }
}
