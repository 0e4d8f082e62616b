import AudioMedia
import Glibc
import SystemSupport

/// The lists of runs at a terminal, in a folder of the user's: each run writes its own as it changes, and a
/// later one goes on with the newest that no run has any more.
///
/// All functions block for as long as the disk takes.
struct ListStore: Sendable {
    /// A list that was left.
    struct Kept: Sendable {
        let file: FileName
        let state: SessionState
        /// When it was written last, in seconds since 1970.
        let time: Int

        /// The number of the song that played, from 1, and how many there are.
        var place: (song: Int, count: Int) {
            let count = state.songs.first?.count ?? 0
            return (min(count, (state.places.first?.song.song ?? 0) + 1), count)
        }
    }

    /// The most lists that are kept, and the seconds after which one is gone.
    private static let (most, longest) = (5, 30 * 86_400)
    /// The largest file that is read, in bytes.
    private static let largest = 16 << 20
    private static let ending = ".list"

    let folder: FileName

    /// That of the user; nil for one without a home.
    static let own = UserFolder.state.map { ListStore(folder: $0 + "/lists") }

    /// The file of this run.
    static let ownName = "\(time(nil))-\(getpid())\(ending)"

    /// Puts the list of this run in its file's place. Returns what went wrong, for people; nil: nothing did.
    func write(_ state: SessionState) -> String? {
        let file = folder + FileName("/\(Self.ownName)")
        var code = UserFolder.make(folder)
        if code == 0 {
            let isNew = !file.isThere
            code = WholeFile.replace(
                file, with: state.text, draft: folder + FileName("/.\(Self.ownName)"))
            if isNew { removeOldest() }
        }
        return code == 0 ? nil : "cannot write \(file): \(errorText(code))"
    }

    /// The list of this run is over: nothing of it is to be brought back.
    func removeOwn() { unlink((folder + FileName("/\(Self.ownName)")).cString) }

    func remove(_ kept: Kept) { unlink(kept.file.cString) }

    /// The newest list that can be read and that no run has any more; nil: there is none.
    func newest() -> Kept? {
        for (file, time) in files.reversed() {
            guard let bytes = try? WholeFile.bytes(of: file, atMost: Self.largest),
                let text = String(validating: bytes, as: UTF8.self),
                let state = try? SessionState(text: text), state.songs.first?.isEmpty == false
            else { continue }
            return Kept(file: file, state: state, time: time)
        }
        return nil
    }

    /// The lists that no run has any more, the oldest first.
    private var files: [(file: FileName, time: Int)] {
        abandoned.filter { !Self.isDraft($0) }
            .compactMap { name in
                let file = folder + FileName("/\(name)")
                var facts = stat()
                guard stat(file.cString, &facts) == 0 else { return nil }
                return (file, facts.st_mtim.tv_sec)
            }.sorted { $0.time < $1.time }
    }

    /// The names of lists that no run has any more, and of drafts of them.
    private var abandoned: [String] {
        FolderNames.texts(in: folder, atMost: 1000)
            .filter { $0.hasSuffix(Self.ending) && !Self.isOwned($0) }
    }

    private static func isDraft(_ name: String) -> Bool { name.hasPrefix(".") }

    /// Whether the run that wrote a list still goes on.
    private static func isOwned(_ name: String) -> Bool {
        let process = name.dropLast(ending.count).split(separator: "-").last.flatMap { Int32($0) }
        return process.map(DuetProcess.isRunning) ?? false
    }

    private func removeOldest() {
        for draft in abandoned.filter(Self.isDraft) {
            unlink((folder + FileName("/\(draft)")).cString)
        }
        let all = files
        let now = time(nil)
        for (number, file) in all.enumerated()
        where number < all.count - Self.most || file.time < now - Self.longest {
            unlink(file.file.cString)
        }
    }
}
