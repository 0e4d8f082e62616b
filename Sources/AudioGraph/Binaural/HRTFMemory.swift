#if Spatial
import Glibc
import SystemSupport

/// Keeps the file that was read last: reading one takes half a second, and a graph that is made
/// anew, or a panner beside another, asks for the same. For any thread.
enum HRTFMemory {
    /// A file as it was when it was read, and the rate that it was read for.
    private struct File: Equatable {
        let path: String
        let sampleRate: Int
        let device: UInt
        let number: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        /// Nil where there is none.
        init?(_ path: String, _ sampleRate: Int) {
            var facts = stat()
            guard unsafe stat(path, &facts) == 0 else { return nil }
            self.path = path
            self.sampleRate = sampleRate
            device = facts.st_dev
            number = facts.st_ino
            size = facts.st_size
            seconds = facts.st_mtim.tv_sec
            nanoseconds = facts.st_mtim.tv_nsec
        }
    }

    private static let newest = Guarded<(file: File, hrtf: HRTF)?>(nil)

    /// The file at `path`, for `sampleRate` Hz; read where it is not the one that was read last. Waits
    /// while another thread reads a file.
    ///
    /// Throws as `HRTF`.
    static func read(_ path: String, sampleRate: Int) throws(HRTFError) -> HRTF {
        let file = File(path, sampleRate)
        // Under the lock: the panners of a graph ask at the same moment, and one of them is to read.
        return try newest.withLock { kept throws(HRTFError) in
            if let kept, kept.file == file { return kept.hrtf }
            let hrtf = try HRTF(path: path, sampleRate: sampleRate)
            if let file { kept = (file, hrtf) }
            return hrtf
        }
    }
}
#endif
