import AudioMedia
import Glibc
import SystemSupport

/// A song that users add while others play.
enum AddedSong {
    /// Place of the song that users name, without a look at the disk; `~/` is their home. Refuses what is no
    /// place of a song.
    static func place(of name: String) throws(Refusal) -> Location {
        guard name != "-" else {
            throw Refusal(reason: "standard input (-) works only on the command line")
        }
        guard name.utf8.count <= TypedLine.longest else {
            throw Refusal(reason: "the name of the song is longer than \(TypedLine.longest) bytes")
        }
        do throws(SongError) { return try location(name) } catch {
            throw Refusal(reason: DuetError(error).line)
        }
    }

    /// Place of the song that users name, as `place(of:)`. Refuses a file that is not there or may not be read,
    /// and a take. Blocks as long as the disk takes.
    static func found(_ name: String) throws(Refusal) -> Location {
        let location = try place(of: name)
        guard case .file = location else { return location }
        guard let path = location.fileNeeded, access(path.cString, R_OK) == 0 else {
            throw Refusal(
                reason: DuetError(location.cannotOpen(code: errno, looksBeside: true)).line)
        }
        // As a folder it would be its files, one after the other.
        guard StoredTake.isOne(location.name) else { return location }
        let word = ShellWords.pasted(location.reference)
        throw Refusal(reason: "that is a take; quit, and play it with: duet play \(word)")
    }

    /// The songs of a line that was typed or pasted. The whole line is a song if there is a file of
    /// that name, or if it is an address; else it is read as by a shell. Where not even the first word is a
    /// file, a line without quotes is one name.
    ///
    /// Blocks as long as the disk takes.
    ///
    /// - Parameter looks: whether the disk is looked at; where it is not, a line without quotes is one name.
    static func names(in line: String, looks: Bool = true) -> [String] {
        let whole = line.withoutSpaceAround
        guard ShellWords.hasMeaning(whole), case .file? = try? location(whole) else {
            return [whole]
        }
        guard !looks || !isThere(whole) else { return [whole] }
        let words = ShellWords.read(line).map(\.value).filter { !$0.isEmpty }
        guard let first = words.first else { return [whole] }
        return ShellWords.hasQuotes(whole) || looks && isThere(first) ? words : [whole]
    }

    /// The names that complete one of the beginnings that a line ends with; the last one if no name does, nil
    /// if there is none. Blocks as long as the disk takes.
    static func completion(
        of beginnings: [TypedLine.Beginning]
    ) -> (TypedLine.Beginning, FolderNames)? {
        for beginning in beginnings {
            let name = beginning.folder.isEmpty ? "." : beginning.folder
            guard case .file(let folder)? = try? location(name) else { continue }
            let found = FolderNames.read(folder, beginning: beginning.name)
            if !found.names.isEmpty || found.hasMore { return (beginning, found) }
        }
        return beginnings.last.map { ($0, FolderNames()) }
    }

    /// Where a name leads; `~/` is the user's home.
    private static func location(_ name: String) throws(SongError) -> Location {
        guard name.hasPrefix("~/"), let home = getenv("HOME") else { return try Location(name) }
        return .file(FileName(cString: home) + FileName(String(name.dropFirst())))
    }

    /// Whether there is such a file, or its name is an address.
    private static func isThere(_ name: String) -> Bool {
        guard let place = try? location(name) else { return false }
        return switch place {
        case .file: place.fileNeeded.map { access($0.cString, F_OK) == 0 } ?? false
        case .remote: true
        case .standardInput: false
        }
    }
}
