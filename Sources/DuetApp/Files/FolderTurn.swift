import AudioMedia
import Glibc

/// Lets one thread or program after the other change the files of a folder.
enum FolderTurn {
    /// Runs `work` while nobody else runs any in turn in that folder: holds a lock on the folder,
    /// which the kernel releases when the process ends. On a disk without locks, and in a folder
    /// that is not there, `work` runs at once. Blocks for as long as others and the disk take.
    static func run<Value>(in folder: FileName, _ work: () -> Value) -> Value {
        let descriptor = open(folder.cString, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        while descriptor >= 0, flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return work()
    }
}
