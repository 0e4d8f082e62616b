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
            throw Refusal(reason: "standard input can be played from the command line alone")
        }
        guard name.utf8.count <= TypedLine.longest else {
            throw Refusal(reason: "the name of the song is longer than \(TypedLine.longest) bytes")
        }
        var name = name
        if name.hasPrefix("~/"), let home = environmentValue("HOME") {
            name = home + name.dropFirst()
        }
        let location: Location
        do throws(SongError) { location = try Location(name) } catch {
            throw Refusal(reason: DuetError(error).line)
        }
        guard case .file(let path) = location else { return location }
        let start = Clock.seconds
        guard budget.withLock({ $0.allowsLook(at: start) }) else { return location }
        let code = try? looking.call(milliseconds: longestLook) {
            access(path, R_OK) == 0 ? 0 : errno
        }
        budget.withLock { $0.note(lookOf: Clock.seconds - start) }
        guard let code, code != 0 else { return location }
        throw Refusal(reason: DuetError(location.cannotOpen(code: code)).line)
    }
}
