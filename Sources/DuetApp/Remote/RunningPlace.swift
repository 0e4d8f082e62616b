import AudioMedia
import Glibc
import SystemSupport

/// Where a live run is reached by other programs of its user: a socket in a folder that only this user
/// may use, named by the client and the process.
struct RunningPlace: Equatable {
    private static let ending = ".sock"
    /// The most files of a folder that are looked at: runs that were killed leave theirs.
    private static let mostFiles = 1000

    let folder: FileName
    /// The JACK client's name, as far as there is room for it.
    let client: String
    let process: Int32

    var path: FileName { folder + FileName("/\(client)-\(process)\(Self.ending)") }

    /// - Parameter client: a JACK client's name; characters that have a meaning in paths are replaced.
    ///
    /// Nil where the path of `folder` is too long for a socket.
    init?(folder: FileName, client: String, process: Int32) {
        let room =
            UnixSocket.longestPath - folder.bytes.count
            - "/-\(process)\(Self.ending)".utf8.count
        guard room > 0 else { return nil }
        self.folder = folder
        self.client = Self.name(of: client, bytes: room)
        self.process = process
    }

    /// The place of the socket of that name; nil: it is no place of a run.
    private init?(folder: FileName, file: String) {
        guard file.hasSuffix(Self.ending), let dash = file.lastIndex(of: "-"),
            let process = Int32(file[file.index(after: dash)...].dropLast(Self.ending.count))
        else { return nil }
        self.folder = folder
        client = String(file[..<dash])
        self.process = process
    }

    /// Why a run has no place in `folder`.
    static func tooLong(_ folder: FileName) -> Refusal {
        Refusal(reason: "the name of \(folder) is too long for a socket")
    }

    private static func name(of client: String, bytes: Int) -> String {
        var name = ""
        for character in client {
            let safe: Character = "/\0".contains(character) ? "_" : character
            guard name.utf8.count + String(safe).utf8.count <= bytes else { break }
            name.append(safe)
        }
        return name
    }

    /// Whether the run is that of a client of this name.
    func isOf(client: String) -> Bool {
        RunningPlace(folder: folder, client: client, process: process)?.client == self.client
    }

    /// The places in `folder`, that of the run that began last first.
    static func all(in folder: FileName) -> [RunningPlace] {
        var found: [(place: RunningPlace, time: timespec)] = []
        for file in FolderNames.texts(in: folder, atMost: mostFiles) {
            var facts = stat()
            guard let place = RunningPlace(folder: folder, file: file),
                lstat(place.path.cString, &facts) == 0, facts.st_mode & S_IFMT == S_IFSOCK
            else { continue }
            found.append((place, facts.st_ctim))
        }
        return found.sorted {
            ($0.time.tv_sec, $0.time.tv_nsec) > ($1.time.tv_sec, $1.time.tv_nsec)
        }.map(\.place)
    }

    /// Makes the folder where it is not there; refuses one that cannot be used.
    static func prepare(_ folder: FileName) throws(Refusal) {
        if mkdir(folder.cString, 0o700) != 0, errno != EEXIST {
            throw Refusal(reason: errorText(errno))
        }
        var facts = stat()
        guard lstat(folder.cString, &facts) == 0 else { throw Refusal(reason: errorText(errno)) }
        guard facts.st_mode & S_IFMT == S_IFDIR else { throw Refusal(reason: "not a folder") }
        guard facts.st_uid == geteuid() else { throw Refusal(reason: "it is another user's") }
        guard facts.st_mode & 0o077 == 0 else { throw Refusal(reason: "other users may use it") }
    }
}
