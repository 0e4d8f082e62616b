import AudioMedia
import Glibc
import SystemSupport

/// Keeps the index of the user's music folders as these are: reads it from its file, walks the folders,
/// reads the tags of songs that are new or were changed, and looks again now and then.
///
/// On a thread of its own that steps back for all others, which nobody waits for: a disk that hangs holds
/// up nothing else.
final class MusicScan: Sendable {
    /// What is known now.
    struct News: Sendable {
        var index: MusicIndex
        var phase = Phase.begins
        /// What cannot be found, and why, for people.
        var problems: [String] = []
    }

    /// What the thread does.
    enum Phase: Sendable, Equatable {
        /// The file of the index is read.
        case begins
        /// Folders are walked; only the songs of the last run are known.
        case walks
        /// Tags are read: of so many songs that is done.
        case reads(done: Int, of: Int)
        /// All is known.
        case waits
    }

    /// Seconds from one walk to the next, at least: a walk that took long is not repeated soon.
    private static let (shortestPause, pausePerWalk) = (120.0, 20.0)
    /// Seconds from one piece of news to the next while tags are read.
    private static let newsInterval = 5.0
    /// Seconds after which what was read is first written; then twice as many, up to a minute.
    private static let firstSave = 5.0
    /// The most names in a folder and those in it that are looked at: most may be pictures and texts.
    private static let mostNames = 4 * MusicIndex.mostSongs

    /// The newest news alone.
    let inbox = Inbox<News>(limit: 1)
    private let folders: [FileName]
    /// Nil: the index is kept in memory alone.
    private let file: FileName?
    /// Set when the folders are to be looked at again, or the end has come.
    private let wake = EventFlag()
    private let isOver = Guarded(false)

    /// - Parameters:
    ///   - folders: those of the user, by their whole paths.
    ///   - file: where the index is kept; nil: nowhere.
    init(of folders: [FileName], in file: FileName?) {
        self.folders = Self.distinct(folders)
        self.file = file
    }

    /// The folders without those that lie in others.
    static func distinct(_ folders: [FileName]) -> [FileName] {
        var distinct: [FileName] = []
        let named = folders.map(\.plain)
        for folder in named where !distinct.contains(folder) {
            let isInside = named.contains { other in
                let start = other.bytes.last == UInt8(ascii: "/") ? other : other + "/"
                return folder != other && folder.bytes.starts(with: start.bytes)
            }
            if !isInside { distinct.append(folder) }
        }
        return distinct
    }

    /// Begins the thread. Returns 0, or an errno.
    func begin() -> Int32 {
        DetachedThread.start("music-index", stack: .libraries) { [self] in
            DetachedThread.stepBack()
            run()
        }
    }

    /// Looks at the folders soon, unless that is under way.
    func lookAgain() { wake?.set() }

    /// Ends the thread when it has done what it is at.
    func end() {
        isOver.withLock { $0 = true }
        wake?.set()
    }

    private var ends: Bool { isOver.withLock { $0 } }

    // MARK: The thread

    private func run() {
        var news = News(index: load())
        while !ends {
            news.phase = .walks
            inbox.post(news)
            let start = Clock.seconds
            let isChanged = walk(&news)
            let took = Clock.seconds - start
            if isChanged { save(&news) }
            readTags(&news)
            news.phase = .waits
            inbox.post(news)
            let pause = max(Self.shortestPause, took * Self.pausePerWalk)
            // Without it nothing would end the wait.
            guard let wake else { return }
            _ = wake.wait(milliseconds: Int(min(pause, 86_400) * 1000))
            wake.clear()
        }
    }

    /// The index of the last run, as far as it is of these folders.
    private func load() -> MusicIndex {
        let empty = MusicIndex(folders: folders)
        guard let file else { return empty }
        removeDrafts(beside: file)
        guard let bytes = try? WholeFile.bytes(of: file, atMost: MusicIndex.largestFile),
            let kept = MusicIndex(file: bytes)
        else { return empty }
        if kept.folders == folders { return kept }
        var index = empty
        let places = kept.folders.map { folders.firstIndex(of: $0) }
        for row in 0..<kept.count {
            if let place = places[Int(kept.rows[row].folder)] {
                index.add(row, of: kept, folder: place)
            }
        }
        return index
    }

    /// Walks all folders, and puts the songs that are there into the index, those that have not changed with
    /// what is known of them. Returns whether the index is another one now.
    private func walk(_ news: inout News) -> Bool {
        let old = news.index
        var rows: [[Int]] = folders.map { _ in [] }
        for row in 0..<old.count { rows[Int(old.rows[row].folder)].append(row) }
        var index = MusicIndex(folders: folders)
        index.reserve(old.count)
        var (problems, leftOut): ([String], Int) = ([], 0)
        for (number, folder) in folders.enumerated() {
            let songs: [FileName]
            do throws(SongError) {
                let found = try FolderWalk(folder, mostNames: Self.mostNames)
                songs = found.songs
                problems += Self.lines(found.refusals)
                if songs.isEmpty { problems.append("no songs in \(folder)") }
            } catch {
                songs = []
                problems.append(error.description)
            }
            guard !songs.isEmpty else {
                // A drive that is back soon: its tags need not be read again.
                index.away.insert(number)
                for row in rows[number] { index.add(row, of: old, folder: number) }
                continue
            }
            leftOut += add(songs, from: old, rows[number], folder: number, to: &index)
        }
        if leftOut > 0 {
            problems.append(
                "more than \(MusicIndex.mostSongs) songs: \(leftOut) of the music folders are left out"
            )
        }
        news.problems = problems
        news.index = index
        return index.away != old.away || !index.isSame(as: old)
    }

    /// Adds the songs of a folder. Returns how many had no room.
    private func add(
        _ songs: [FileName], from old: MusicIndex, _ rows: [Int], folder: Int,
        to index: inout MusicIndex
    ) -> Int {
        let known = Dictionary(rows.map { (old.name($0), $0) }) { $1 }
        let path = folders[folder]
        let start = path.bytes.last == UInt8(ascii: "/") ? path.bytes.count : path.bytes.count + 1
        var leftOut = 0
        for song in songs {
            // A file that is gone since.
            guard let stamp = Self.stamp(of: song) else { continue }
            guard index.count < MusicIndex.mostSongs else {
                leftOut += 1
                continue
            }
            let name = FileName(bytes: song.bytes.dropFirst(start))
            if let row = known[name], old.rows[row].stamp == stamp {
                index.add(row, of: old, folder: folder)
            } else {
                index.add(MusicIndex.Song(folder: folder, name: name, stamp: stamp))
            }
        }
        return leftOut
    }

    /// Reads the tags that are not known, and tells and writes what was read now and then.
    private func readTags(_ news: inout News) {
        let index = news.index
        let new = (0..<index.count).filter { row in
            !index.rows[row].isRead && !index.away.contains(Int(index.rows[row].folder))
        }
        guard !new.isEmpty else { return }
        var facts: [Int: SongFacts] = [:]
        var (newsTime, interval) = (Clock.seconds + 1, Self.firstSave)
        var saveTime = Clock.seconds + interval
        for (done, row) in new.enumerated() {
            if ends { break }
            if Clock.seconds >= newsTime {
                news.phase = .reads(done: done, of: new.count)
                news.index = index.with(facts)
                inbox.post(news)
                newsTime = Clock.seconds + Self.newsInterval
            }
            if Clock.seconds >= saveTime {
                news.index = index.with(facts)
                save(&news)
                interval = min(60, interval * 2)
                saveTime = Clock.seconds + interval
            }
            if case .song(let found) = SongFinding.read(.file(index.path(row))) {
                facts[row] = found
            } else {
                facts[row] = SongFacts()
            }
        }
        news.index = index.with(facts)
        save(&news)
    }

    // MARK: Disks

    private func save(_ news: inout News) {
        guard let file else { return }
        var code = UserFolder.make(file.folder)
        if code == 0 {
            let draft = file + FileName(".\(getpid())")
            code = WholeFile.replace(file, with: news.index.file, draft: draft)
        }
        news.problems.removeAll { $0.hasPrefix(Self.notSaved) }
        if code != 0 { news.problems.append("\(Self.notSaved) in \(file): \(errorText(code))") }
    }

    private static let notSaved = "can't save the music index"

    /// Removes what programs left that were killed while they wrote.
    private func removeDrafts(beside file: FileName) {
        guard let name = file.last.text else { return }
        for entry in FolderNames.texts(in: file.folder, atMost: 1000)
        where entry.hasPrefix(name + ".") {
            if let id = Int32(entry.dropFirst(name.utf8.count + 1)), !DuetProcess.isRunning(id) {
                unlink((file.folder + FileName(entry)).cString)
            }
        }
    }

    private static func stamp(of path: FileName) -> MusicIndex.Stamp? {
        var facts = stat()
        guard stat(path.cString, &facts) == 0 else { return nil }
        let time = facts.st_mtim
        return MusicIndex.Stamp(
            size: Int64(facts.st_size),
            modified: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// Why folders were not read: the first reasons, and how many others there are.
    private static func lines(_ refusals: [SongError]) -> [String] {
        let more = refusals.count - 3
        return refusals.prefix(3).map(\.description)
            + (more > 0 ? ["\(more) more folders cannot be read"] : [])
    }
}

extension FileName {
    /// The whole path without parts that lead nowhere (`//`, `/./`, a slash at the end): what the index and the
    /// list call a file is equal then.
    var plain: FileName {
        let whole = whole
        guard whole.isAbsolute else { return whole }
        let parts = whole.bytes.split(separator: UInt8(ascii: "/"))
            .filter { !$0.elementsEqual([UInt8(ascii: ".")]) }
        return FileName(
            bytes: parts.flatMap { [UInt8(ascii: "/")] + $0 }
                + (parts.isEmpty ? [UInt8(ascii: "/")] : []))
    }
}
