import AudioMedia
import Glibc
import SystemSupport

/// The folder in which takes lie, each in a folder of its own: `2026-11-27 003`. All functions block for
/// as long as the disk takes.
enum TakesFolder {
    /// Of a folder so many names are looked at.
    private static let most = 100_000
    /// The highest number of a take.
    private static let highest = 999_999_999

    /// The folder that `record` of `duet.conf` names; nil: none.
    static let configured = Guarded<FileName?>(nil)

    /// The folder that the configuration names, or else `duet` in the user's music folder, which
    /// xdg-user-dirs names, else in `~/Music`. Nil for a user without a home.
    static func standard() -> FileName? {
        if let folder = configured.withLock({ $0 }) { return folder }
        guard let home = UserFolder.home else { return nil }
        return (named(home) ?? home + "/Music") + "/duet"
    }

    /// The standard folder, which a command needs to do what `task` says.
    static func required(_ task: String) throws(DuetError) -> FileName {
        if let folder = standard() { return folder }
        throw DuetError(
            status: .noInput, attempt: "cannot \(task)", result: "this user has no home folder",
            hint: "give a folder; see 'duet help takes'")
    }

    /// The folder that `user-dirs.dirs` names, in a line like `XDG_MUSIC_DIR="$HOME/Musik"`.
    private static func named(_ home: FileName) -> FileName? {
        let file = (UserFolder.configurations ?? home + "/.config") + "/user-dirs.dirs"
        for line in SettingsFile(path: file).lines {
            guard let start = line.text.firstRange(of: "XDG_MUSIC_DIR=\"") else { continue }
            let value = FileName(String(line.text[start.upperBound...].prefix { $0 != "\"" }))
            let rest = value.bytes.starts(with: "$HOME/".utf8) ? value.bytes.dropFirst(6) : []
            // The home itself stands for no folder.
            if !rest.isEmpty { return home + "/" + FileName(bytes: rest) }
            if value.isAbsolute { return value }
        }
        return nil
    }

    /// The takes in a folder, the oldest first.
    static func takes(in folder: FileName) -> [FileName] {
        FolderNames.entries(of: folder, atMost: most)
            .compactMap { entry in number(of: entry.name).map { (entry.name, $0) } }
            .sorted { $0.1 < $1.1 }
            .map { folder + "/" + $0.0 }
    }

    /// The number of a take by its name; nil: it is none.
    static func number(of name: FileName) -> Int? {
        let words = name.text?.split(separator: " ") ?? []
        guard words.count == 2, words[0].utf8.count == 10, let number = Int(words[1]),
            (1...highest).contains(number)
        else { return nil }
        return number
    }

    /// Makes the folder of a new take, this user's alone, and those that it lies in. Its number is one
    /// higher than the last one's; a folder that is there is never used.
    static func make(in folder: FileName, date: String) -> Result<FileName, Problem> {
        // The music folder is not this program's.
        var code = UserFolder.make(folder, parents: 0o777)
        guard code == 0 else { return .failure(Problem(folder: folder, code: code)) }
        let last = takes(in: folder).last.flatMap { number(of: $0.last) } ?? 0
        for next in last + 1...last + 1000 {
            let digits = String(next)
            let text = String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
            let take = folder + FileName("/\(date) \(text)")
            if mkdir(take.cString, 0o700) == 0 { return .success(take) }
            code = errno
            if code != EEXIST { break }
        }
        return .failure(Problem(folder: folder, code: code))
    }

    /// Why there can be no take in a folder (nil: the standard one), before anything is recorded; makes
    /// the folder.
    static func refusal(of folder: FileName?) -> DuetError? {
        guard let place = folder ?? standard() else {
            return DuetError(
                status: .cannotCreate, attempt: "cannot record",
                result: "this user has no home to keep takes in", hint: "use --record=FOLDER")
        }
        var code = UserFolder.make(place, parents: 0o777)
        var facts = stat()
        if code == 0 {
            if stat(place.cString, &facts) != 0 || facts.st_mode & S_IFMT != S_IFDIR {
                code = ENOTDIR
            } else if access(place.cString, W_OK | X_OK) != 0 {
                code = errno
            }
        }
        guard code != 0 else { return nil }
        return DuetError(
            status: .cannotCreate, attempt: "cannot record into \(place)",
            result: errorText(code), hint: "use --record=FOLDER with a folder of yours")
    }

    /// Removes these files of a take and its `take.json`, and its folder where nothing else is in it.
    /// Returns 0, or an errno.
    static func remove(_ take: FileName, files: [String]) -> Int32 {
        for name in files + [Take.fileName, Take.fileName + ".new"] {
            let file = take + FileName("/\(name)")
            if unlink(file.cString) != 0, errno != ENOENT { return errno }
        }
        return rmdir(take.cString) == 0 || errno == ENOTEMPTY ? 0 : errno
    }

    /// Why there can be no take in a folder.
    struct Problem: Error {
        let folder: FileName
        let code: Int32

        var text: String { "cannot record into \(folder): \(errorText(code))" }
    }

    /// Today where this machine is, and this second in Greenwich.
    static func now() -> (date: String, time: String) {
        var (seconds, local, greenwich) = (time(nil), tm(), tm())
        localtime_r(&seconds, &local)
        gmtime_r(&seconds, &greenwich)
        func format(_ facts: tm, _ form: String) -> String {
            var (facts, text) = (facts, [CChar](repeating: 0, count: 64))
            let count = strftime(&text, text.count, form, &facts)
            return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return (format(local, "%Y-%m-%d"), format(greenwich, "%Y-%m-%dT%H:%M:%SZ"))
    }
}
