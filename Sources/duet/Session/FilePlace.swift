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

    /// The place of a song as users name it; nil when it comes from elsewhere.
    init?(ofSong name: String) {
        switch try? Location(name) {
        case .file(let path)?: self.init(path: path)
        case .standardInput?:
            var facts = stat()
            guard fstat(STDIN_FILENO, &facts) == 0 else { return nil }
            self.init(facts)
        case .remote?, nil: return nil
        }
    }

    private init(_ facts: stat) {
        device = facts.st_dev
        number = facts.st_ino
    }
}
