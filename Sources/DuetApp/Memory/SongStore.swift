import AudioMedia
import Glibc
import SystemSupport

/// The folder in which is kept what users changed of songs: a small file for each song, with addresses
/// and values as in the configuration.
///
/// Of threads and programs that change something here one waits for the other, so that none loses
/// what another has kept; not on a disk that has no locks. All functions block for as long as the
/// disk takes, and those that change something while another program does: for threads that nobody
/// waits for.
struct SongStore: Sendable {
    /// The most songs that are kept; of more those go whose values were changed longest ago.
    static let most = 2000

    /// The addresses that are remembered, as those of the first song; the last one for singers alone.
    static let addresses = [
        "/song/volume", "/song/key", "/song/tempo", "/song/vocals/remove", "/song/vocals/mode",
        "/song/vocals/at", "/lyrics/offset", "/mic/preset",
    ]

    let folder: FileName

    private func path(_ song: RememberedSong) -> FileName {
        folder + FileName("/\(song.fileName)")
    }

    /// What is kept of a song, by address, and what is wrong with its file, for people.
    func values(of song: RememberedSong) -> (values: [String: Double], problem: String?) {
        let file = SettingsFile(path: path(song))
        var wrong = file.wrong
        var values: [String: Double] = [:]
        for line in file.lines {
            if wrong.endsReading() { break }
            do throws(Refusal) {
                let assignment = try Assignment(line.text)
                guard Self.addresses.contains(assignment.address) else {
                    throw Refusal(reason: "\(assignment.address) is not remembered of songs")
                }
                values[assignment.address] = assignment.value
            } catch {
                wrong.add(line.number, error.reason)
            }
        }
        return (values, wrong.warnings.first)
    }

    /// Changes what is kept of a song; a value of nil is kept no more. Returns what went wrong, for
    /// people.
    func change(_ changes: [String: Double?], of song: RememberedSong) -> String? {
        // Where nothing is kept yet, and nothing is to be, no folder is needed.
        let code = changes.values.contains { $0 != nil } ? UserFolder.make(folder) : 0
        guard code == 0 else { return cannotWrite(path(song), code) }
        return FolderTurn.run(in: folder) { merge(changes, into: song) }
    }

    /// As `change`, for one caller at a time.
    private func merge(_ changes: [String: Double?], into song: RememberedSong) -> String? {
        let old = values(of: song).values
        let new = old.merging(changes.compactMapValues { $0 }) { $1 }
            .filter { changes[$0.key] != .some(nil) }
        guard new != old else { return nil }
        guard !new.isEmpty else { return removeFile(of: song).problem }
        let path = path(song)
        let isNew = access(path.cString, F_OK) != 0
        // On a disk without locks two programs may write about one song: each has its own draft.
        let code = WholeFile.replace(
            path, with: Self.text(of: new, song), draft: path + FileName(".\(getpid())"))
        guard code == 0 else { return cannotWrite(path, code) }
        if isNew { removeOldest() }
        return nil
    }

    private func cannotWrite(_ path: FileName, _ code: Int32) -> String {
        "cannot write \(path): \(errorText(code))"
    }

    /// Keeps nothing of a song any more. Says whether anything was kept.
    func remove(_ song: RememberedSong) -> (wasKept: Bool, problem: String?) {
        FolderTurn.run(in: folder) { removeFile(of: song) }
    }

    /// As `remove`, for one caller at a time.
    private func removeFile(of song: RememberedSong) -> (wasKept: Bool, problem: String?) {
        let path = path(song)
        if unlink(path.cString) == 0 { return (true, nil) }
        let code = errno
        guard ![ENOENT, ENOTDIR].contains(code) else { return (false, nil) }
        return (false, "cannot remove \(path): \(errorText(code))")
    }

    private static func text(of values: [String: Double], _ song: RememberedSong) -> String {
        let lines =
            addresses.compactMap { address in
                guard let value = values[address],
                    let kind = Vocabulary.all.parameter(address)?.kind
                else { return nil }
                return "\(address)=\(kind.readableSpelling(value))"
            } as [String]
        return (["# \(SafeText.clean(song.shown))"] + lines).map { $0 + "\n" }.joined()
    }

    /// Drafts that a program left when it was killed are among the files.
    private func removeOldest() {
        OldestFiles.remove(in: folder, keeping: Self.most) { $0.contains(".conf") }
    }
}
