import AudioMedia
import Glibc

/// Keeps the number of files in a folder within a bound.
enum OldestFiles {
    /// Removes the files that were changed longest ago, as far as there are more than `most`. Blocks for as
    /// long as the disk takes.
    ///
    /// - Parameter isOne: whether a file of that name counts.
    static func remove(in folder: FileName, keeping most: Int, where isOne: (String) -> Bool) {
        let names = FolderNames.texts(in: folder, atMost: 10 * most).filter(isOne)
        guard names.count > most else { return }
        let aged = names.map { name in
            var facts = stat()
            let path = folder + FileName("/\(name)")
            stat(path.cString, &facts)
            return (path: path, time: (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec))
        }
        for file in aged.sorted(by: { $0.time < $1.time }).prefix(names.count - most) {
            unlink(file.path.cString)
        }
    }
}
