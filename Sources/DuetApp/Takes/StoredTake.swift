import AudioMedia
import Glibc
import SystemSupport

/// A take on the disk. Reading it writes nothing. All functions block for as long as the disk takes.
struct StoredTake: Sendable {
    /// Without a slash at its end.
    let folder: FileName
    let take: Take

    /// Whether `song` names a take: a folder with `take.json` in it, this file itself, or `last`.
    static func isOne(_ song: String) -> Bool {
        guard case .file(let name)? = try? Location(song) else { return false }
        return isLast(name) || isRegular(folder(of: name) + "/" + FileName(Take.fileName))
    }

    /// Refuses takes where songs alone are meant. Waits 2 s at most for a disk, and takes what it does not
    /// tell of for songs.
    static func refuse(
        among songs: [String], _ attempt: String, hint: @escaping @Sendable (String) -> String
    ) throws(DuetError) {
        let found = BoundedCall.answer(milliseconds: 2000, unless: { Signals.isStopping }) {
            songs.first(where: isOne)
        }
        guard let found else { return }
        throw DuetError(
            status: .usage, attempt: "cannot \(attempt) \(Location.shown(found))",
            result: "that is a take", hint: hint(ShellWords.pasted(Location.shown(found))))
    }

    /// Whether `name` means the newest take: `last` or `FOLDER/last`, if there is no file of that name.
    private static func isLast(_ name: FileName) -> Bool { name.last == "last" && !name.isThere }

    /// The newest take in the folder of `name`, or in the standard folder if it has none.
    private static func newest(_ name: FileName) throws(DuetError) -> FileName {
        let isGiven = !name.folder.bytes.isEmpty
        let folder =
            isGiven ? Self.folder(of: name.folder) : try TakesFolder.required("find the last take")
        let takes = try ListedTake.folders(in: folder, isGiven: isGiven)
        let number = { (take: FileName) in TakesFolder.number(of: take.last) }
        let numbered = takes.filter { number($0) != nil }.sorted {
            number($0) ?? 0 > number($1) ?? 0
        }
        let highest = numbered.first { !isEmpty($0) }
        // Numbers grow with time. A take without one was renamed; a damaged take is passed over if so,
        // as nothing tells how old it is.
        if let highest, (try? StoredTake(at: highest)) == nil { return highest }
        let starts = takes.filter { $0 == highest || number($0) == nil && !isEmpty($0) }
            .compactMap { take in
                (try? StoredTake(at: take)).map { (start: $0.take.started, folder: take) }
            }
        if let last = starts.max(by: { $0.start < $1.start }) { return last.folder }
        throw DuetError(
            status: .noInput, attempt: "cannot find the last take",
            result: "no takes in \(folder)", hint: "record one: duet --record SONG")
    }

    /// Whether a folder holds what is left of a take that broke off before it had any sound.
    private static func isEmpty(_ folder: FileName) -> Bool {
        let take = (try? StoredTake(at: folder))?.take
        if take?.isComplete == true { return false }
        let song = try? SoundFileHead(of: folder + "/song.wav")
        return song.map { $0.frameCount <= Int64(take?.lead ?? 0) } ?? true
    }

    private static func isRegular(_ name: FileName) -> Bool {
        var facts = stat()
        return stat(name.cString, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    /// The folder that `name` or its `take.json` names: by the name that users know it by, where theirs is
    /// `.` or `..`.
    static func folder(of name: FileName) -> FileName {
        let isFile = name.last == FileName(Take.fileName)
        var bytes = isFile ? name.folder.bytes : name.bytes
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let folder = bytes.isEmpty ? "." : FileName(bytes: bytes)
        guard [".", ".."].contains(folder.last), let real = realpath(folder.cString, nil) else {
            return folder
        }
        defer { free(real) }
        return FileName(cString: real)
    }

    /// Reads the take that a SONG names.
    init(_ song: String) throws(DuetError) {
        let location: Location
        do { location = try Location(song) } catch { throw DuetError(error) }
        guard case .file(let name) = location else {
            throw DuetError(
                status: .noInput, attempt: "cannot read \(location) as a take",
                result: "it is not on this machine", hint: "give the folder of a take")
        }
        try self.init(at: Self.isLast(name) ? Self.newest(name) : name)
    }

    /// Reads `take.json` in the folder `name`; of the sound files nothing yet.
    init(at name: FileName) throws(DuetError) {
        folder = Self.folder(of: name)
        take = try Self.read(folder + "/" + FileName(Take.fileName)).take
    }

    private static func read(
        _ path: FileName
    ) throws(DuetError) -> (bytes: [UInt8], take: Take) {
        let attempt = "cannot read \(path)"
        let bytes: [UInt8]
        do throws(WholeFile.Unread) {
            bytes = try WholeFile.bytes(of: path, atMost: Take.largest)
        } catch {
            let (result, hint) =
                switch error {
                case .code(ENOENT), .code(ENOTDIR):
                    (
                        "there is no such file",
                        "give the folder of a take; 'duet takes' lists them"
                    )
                case .code(let code): (errorText(code), "check the folder and your rights there")
                case .notRegular: ("not a regular file", "give the folder of a take")
                case .tooLarge:
                    (
                        "it is larger than \(Take.largest >> 20) MiB",
                        "mix song.wav and voice.wav of this folder: duet render SONG --voice FILE"
                    )
                }
            throw DuetError(status: .noInput, attempt: attempt, result: result, hint: hint)
        }
        do throws(Take.Malformed) {
            return (bytes, try Take(bytes: bytes))
        } catch {
            let hint =
                error.isOfLaterVersion
                ? "install that version"
                : "restore the file, or mix without it: duet render "
                    + "\(word("song.wav", folder(of: path))) --voice \(word("voice.wav", folder(of: path))) -o mix.flac"
            throw DuetError(
                status: .noInput, attempt: attempt, result: error.reason, hint: hint)
        }
    }

    /// One of a take's files as users type it in a shell.
    private static func word(_ file: String, _ folder: FileName) -> String {
        ShellWords.pasted(Location.file(folder + "/" + FileName(file)).reference)
    }

    /// The path of one of the take's files.
    func path(_ file: String) -> FileName { folder + "/" + FileName(file) }

    /// Whether one of the take's files is there.
    func has(_ file: String) -> Bool { Self.isRegular(path(file)) }

    /// Whether a file is one of the take's, or would be, under any name or link.
    func isOwn(_ place: OutputPlace) -> Bool {
        let names = [Take.fileName] + Take.allFiles
        if let file = place.facts.map(FilePlace.init) {
            return names.contains { FilePlace(of: path($0)) == file }
        }
        let folder = place.target.folder.bytes.isEmpty ? "." : place.target.folder
        return names.contains { place.target.last == FileName($0) }
            && FilePlace(of: folder) == FilePlace(of: self.folder)
    }

    /// The head of one of the take's sound files. Throws where it is not there, not a sound file, or of
    /// another rate than the take.
    func head(of file: String) throws(DuetError) -> SoundFileHead {
        let attempt = "cannot use \(path(file))"
        func failure(_ result: String, _ hint: String) -> DuetError {
            DuetError(status: .noInput, attempt: attempt, result: result, hint: hint)
        }
        var facts = stat()
        guard stat(path(file).cString, &facts) == 0 else {
            guard errno == ENOENT else {
                throw failure(errorText(errno), "check the folder and your rights there")
            }
            let take = ShellWords.pasted(Location.file(folder).reference)
            let hint =
                switch file {
                case "mix.wav": "make it again: duet render \(take) --as-heard -o mix.wav"
                case "song.wav": "restore it, or play another of the take's files"
                default:
                    "restore it, or play the song alone: duet play \(Self.word("song.wav", folder))"
                }
            throw failure("the file is missing", hint)
        }
        guard facts.st_mode & S_IFMT == S_IFREG else {
            throw failure("not a regular file", "restore it")
        }
        let head: SoundFileHead
        do throws(SoundFileHead.Unreadable) {
            head = try SoundFileHead(of: path(file))
        } catch {
            throw failure(error.reason, "restore it")
        }
        guard head.sampleRate == take.rate else {
            throw failure(
                "it has \(head.sampleRate) Hz, and \(Take.fileName) says \(take.rate) Hz",
                "restore the file, or convert it to \(take.rate) Hz")
        }
        return head
    }

    /// Writes into `take.json` by how many seconds the voices are moved, and changes nothing else there.
    /// Throws while the take is recorded: its writer would lose that again.
    func keep(offset: Double) throws(DuetError) {
        let path = path(Take.fileName)
        func failure(_ result: String, _ hint: String) -> DuetError {
            DuetError(
                status: .cannotCreate, attempt: "cannot write \(path)", result: result, hint: hint)
        }
        // `TakeWriter` holds the lock until it has written for the last time.
        let song = open(self.path("song.wav").cString, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { if song >= 0 { close(song) } }
        if song >= 0, flock(song, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw failure("the take is still being recorded", "move the voices again after that")
        }
        var facts = stat()
        guard stat(path.cString, &facts) == 0 else {
            throw failure(errorText(errno), "check the folder and your rights there")
        }
        let text = JSONText.setting(
            Take.offsetName, to: .number(offset), in: try Self.read(path).bytes)
        let code = WholeFile.replace(
            path, with: String(decoding: text, as: UTF8.self),
            draft: path + FileName(".\(getpid())"), mode: facts.st_mode & 0o777)
        guard code == 0 else {
            throw failure(
                errorText(code), "check the space on the disk, and your rights in the folder")
        }
    }
}
