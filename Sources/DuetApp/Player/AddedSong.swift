import AudioMedia
import Glibc
import SystemSupport

/// A song that users add while others play.
enum AddedSong {
    /// How long a disk may take to say that there is no such file, in milliseconds.
    private static let longestLook = 200

    /// While a disk does not answer, no other file is looked for.
    private static let looking = ExclusiveCall()

    /// Of many files on a slow disk only the first are looked for.
    private static let budget = Guarded(LookBudget())

    /// Where the song is that users name; `~/` is their home. Refuses what is no place of a song, and a
    /// file that is not there or may not be read; where the disk has no time to say so, opening the
    /// song will.
    static func location(_ name: String) throws(Refusal) -> Location {
        guard name != "-" else {
            throw Refusal(reason: "standard input (-) works only on the command line")
        }
        guard name.utf8.count <= TypedLine.longest else {
            throw Refusal(reason: "the name of the song is longer than \(TypedLine.longest) bytes")
        }
        let location: Location
        do throws(SongError) { location = try place(name) } catch {
            throw Refusal(reason: DuetError(error).line)
        }
        guard case .file = location else { return location }
        let refusal = look { () -> Refusal? in
            guard let path = location.fileNeeded, access(path.cString, R_OK) == 0 else {
                let error = location.cannotOpen(code: errno, looksBeside: true)
                return Refusal(reason: DuetError(error).line)
            }
            // As a folder it would be its files, one after the other.
            guard StoredTake.isOne(location.name) else { return nil }
            let word = ShellWords.pasted(location.reference)
            return Refusal(reason: "that is a take; quit, and play it with: duet play \(word)")
        }
        if let refusal = refusal ?? nil { throw refusal }
        return location
    }

    /// The songs of a line that was typed or pasted. The whole line is a song if there is a file of
    /// that name, or if it is an address; else it is read as by a shell. Where the disk has no time to
    /// say so, or not even the first word is a file, a line without quotes is one name.
    static func names(in line: String) -> [String] {
        let whole = line.withoutSpaceAround
        guard ShellWords.hasMeaning(whole), isFile(whole) else { return [whole] }
        let isThere = isThere(whole)
        guard isThere != true else { return [whole] }
        let words = ShellWords.read(line).map(\.value).filter { !$0.isEmpty }
        guard let first = words.first else { return [whole] }
        if !ShellWords.hasQuotes(whole), isThere == nil || Self.isThere(first) == false {
            return [whole]
        }
        return words
    }

    /// Completes the name that a line ends with, if the disk says in time what names there are.
    static func completed(_ line: TypedLine) -> TypedLine {
        var line = line
        let beginnings = line.beginnings
        guard let last = beginnings.last else { return line }
        let found = look { () -> (TypedLine.Beginning, FolderNames) in
            for beginning in beginnings {
                let name = beginning.folder.isEmpty ? "." : beginning.folder
                guard case .file(let folder)? = try? place(name) else { continue }
                let found = FolderNames.read(folder, beginning: beginning.name)
                if !found.names.isEmpty || found.hasMore { return (beginning, found) }
            }
            return (last, FolderNames())
        }
        if let found {
            line.complete(found.0, with: found.1)
        } else {
            line.refuseCompletion("the disk is not responding")
        }
        return line
    }

    /// Where a name leads; `~/` is the user's home.
    private static func place(_ name: String) throws(SongError) -> Location {
        guard name.hasPrefix("~/"), let home = getenv("HOME") else { return try Location(name) }
        return .file(FileName(cString: home) + FileName(String(name.dropFirst())))
    }

    /// Whether a name is that of a file, and not an address.
    private static func isFile(_ name: String) -> Bool {
        if case .file? = try? place(name) { true } else { false }
    }

    /// Whether there is such a file, or its name is an address; nil where the disk does not say.
    private static func isThere(_ name: String) -> Bool? {
        switch try? place(name) {
        case .file(let path):
            look { Location.file(path).fileNeeded.map { access($0.cString, F_OK) == 0 } ?? false }
        case .remote: true
        case .standardInput, nil: false
        }
    }

    /// What a look at the disk finds; nil where the disk has no time for it.
    private static func look<Found: Sendable>(_ work: @escaping @Sendable () -> Found) -> Found? {
        let start = Clock.seconds
        guard budget.withLock({ $0.allowsLook(at: start) }) else { return nil }
        let found = try? looking.call(milliseconds: longestLook, work)
        budget.withLock { $0.note(lookOf: Clock.seconds - start) }
        return found
    }
}
