import AudioMedia
import Glibc
import SystemSupport

/// Where a file to write leads, through all links, and how that can be written.
struct OutputPlace {
    enum Kind {
        /// A regular file, or nothing yet: another file is written, and renamed to it at the end.
        case file
        /// A device, or a file without a name that a descriptor leads to.
        case device
        /// A pipe, or a socket that is standard output: it takes bytes in their order only.
        case pipe
    }

    /// As users name it.
    let name: FileName
    /// Where the links end; of a file alone.
    let target: FileName
    let kind: Kind
    /// What is there; nil: nothing.
    let facts: stat?
    /// Whether this program's standard output leads there.
    let isStandardOutput: Bool

    /// Throws where nothing can be written there.
    init(_ name: FileName) throws(DuetError) {
        self.name = name
        target = Self.target(of: name)
        var (facts, own) = (stat(), stat())
        guard stat(name.cString, &facts) == 0 else {
            guard errno == ENOENT else { throw Self.refusal(of: name, errorText(errno)) }
            kind = .file
            self.facts = nil
            isStandardOutput = false
            return
        }
        self.facts = facts
        isStandardOutput = FilePlace(facts) == FilePlace(descriptor: STDOUT_FILENO)
        switch facts.st_mode & S_IFMT {
        case S_IFDIR:
            throw Self.refusal(of: name, "it is a folder", hint: "name a file in it")
        case S_IFSOCK where !isStandardOutput:
            throw Self.refusal(of: name, "it is a socket", hint: "name a file or a pipe")
        case S_IFIFO, S_IFSOCK: kind = .pipe
        case S_IFREG:
            let hasName = lstat(target.cString, &own) == 0 && FilePlace(own) == FilePlace(facts)
            kind = hasName ? .file : .device
            if hasName, access(target.cString, W_OK) != 0 {
                throw Self.refusal(of: name, errorText(errno))
            }
        default: kind = .device
        }
    }

    /// The format that is written there: what the name says, or the name that it leads to, and FLAC to
    /// devices and pipes, which have no such names. Nil: not known.
    static func container(for name: FileName) -> SoundContainer? {
        if let container = SoundContainer(named: name) ?? SoundContainer(named: target(of: name)) {
            return container
        }
        var facts = stat()
        guard stat(name.cString, &facts) == 0 else { return nil }
        return [S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) ? nil : .flac
    }

    static func refusal(
        of name: FileName, _ reason: String, hint: String = "check the folder and your rights there"
    ) -> DuetError {
        DuetError(
            status: .cannotCreate, attempt: "cannot create \(name)", result: reason, hint: hint)
    }

    /// Where the links end that a name is.
    private static func target(of name: FileName) -> FileName {
        var target = name
        // As many as the system follows (path_resolution(7)).
        for _ in 0..<40 {
            var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(target.cString, &bytes, bytes.count)
            guard count > 0 else { break }
            let link = FileName(bytes: bytes[..<count].map { UInt8(bitPattern: $0) })
            target = link.isAbsolute ? link : target.folder + link
        }
        return target
    }
}
