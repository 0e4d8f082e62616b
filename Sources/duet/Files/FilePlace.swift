import AudioMedia
import Glibc

/// A file's device and number, which are the same under all its names and links.
struct FilePlace: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// Nil when there is no such file.
    init?(path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// The place of the file of an open descriptor; nil when the descriptor is not open.
    init?(descriptor: Int32) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    /// The place of a song as users name it; nil when the song is no file of this machine.
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
