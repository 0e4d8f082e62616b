import AudioMedia
import Glibc

/// Where a file lies, by which all its names and links are known as one.
struct FilePlace: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// Nil when there is no such file.
    init?(path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// The place of what a descriptor leads to; nil when it leads nowhere.
    init?(descriptor: Int32) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// The place of a song as users name it; nil when it comes from elsewhere.
    init?(ofSong name: String) {
        switch try? Location(name) {
        case .file(let path)?: self.init(path: path)
        case .standardInput?: self.init(descriptor: STDIN_FILENO)
        case .remote?, nil: return nil
        }
    }

    private init(_ facts: stat) {
        device = facts.st_dev
        number = facts.st_ino
    }
}
