import AudioMedia
import SystemSupport

/// Finds songs of the list and of the user's music folders by beginnings of their words: for the page of the
/// screen, and for scripts.
///
/// Main thread; it waits for no disk, which is `MusicScan`'s.
final class MusicFinder {
    /// A song that was found.
    struct Found {
        /// Its number in the list, from 1; nil: it is not in the list.
        let number: Int?
        /// As the list takes it.
        let name: String
        let title, artist: String?
        /// In seconds; nil: unknown.
        let duration: Double?
        /// What it is called.
        let text: String
        /// Its place in its music folder, or that of its folder if it is called as its file; in the list its
        /// file's name.
        let place: String
    }

    /// So many songs are shown on the page, and told to scripts.
    private static let (mostShown, mostTold) = (200, 50)
    /// Seconds after which a list that changes again and again is looked at again.
    private static let listInterval = 1.0
    /// Seconds since the last walk after which the folders are looked at when the page opens.
    private static let walkAge = 30.0

    private let songs: LiveSongs
    private let journal: Journal
    /// Nil without music folders.
    private let scan: MusicScan?
    private var hasBegun = false
    private var news: MusicScan.News
    /// When all was known last, in seconds of the clock.
    private var knownTime = 0.0
    /// What was warned of.
    private var warned: Set<String> = []

    private var line = FindLine()
    private var selected = 0
    /// What the page's words find, the songs of the list first; nil: that is to be looked up.
    private var results: (count: Int, songs: [Found])?

    /// The songs of the list as an index, and of which version of the list, looked at when.
    private var list = MusicIndex()
    private var (listVersion, listTime): (Int?, Double) = (nil, 0)
    private var listed: [ListedSong] = []
    /// The numbers in the list, from 0, of rows of the music folders' index; nil: they are to be looked up.
    private var numbers: [Int: Int]?

    /// - Parameters:
    ///   - folders: the user's music folders.
    ///   - file: where their index is kept; nil: nowhere.
    init(of songs: LiveSongs, folders: [FileName], file: FileName?, journal: Journal) {
        (self.songs, self.journal) = (songs, journal)
        scan = folders.isEmpty ? nil : MusicScan(of: folders, in: file)
        news = MusicScan.News(index: MusicIndex(folders: []))
    }

    // MARK: The folders

    var descriptors: [Int32] { [scan?.inbox.descriptor].compactMap { $0 } }

    /// Takes what the folders are known to have now. Begins to look at them in the first turn of the run,
    /// when the cycles have begun.
    func update() throws(DuetError) {
        guard let scan else { return }
        if !hasBegun {
            hasBegun = true
            let code = scan.begin()
            if code != 0 {
                try journal.warn("cannot look at the music folders: \(errorText(code))")
            }
        }
        guard let newest = scan.inbox.take().messages.last else { return }
        news = newest
        if news.phase == .waits { knownTime = Clock.seconds }
        (results, numbers) = (nil, nil)
        for problem in news.problems where !warned.contains(problem) {
            try journal.warn("music folders: \(problem)")
        }
        warned = Set(news.problems)
    }

    func finish() { scan?.end() }

    // MARK: The page

    /// The page was opened: the words of the last time give way to the next.
    func open() {
        line.spend()
        results = nil
        if news.phase == .waits, Clock.seconds - knownTime > Self.walkAge { scan?.lookAgain() }
    }

    /// Takes a key of the page. Returns what is asked for of the rest of the run; nil: nothing.
    func take(_ key: Key) -> FindLine.Wish {
        let wish = line.take(key)
        switch wish {
        case .search: (results, selected) = (nil, 0)
        case .select(by: let steps): select(selected + steps)
        case .nothing, .close, .add, .complete: break
        }
        return wish
    }

    /// Selects the song of that number on the page, from 0, or the nearest.
    func select(_ number: Int) {
        selected = max(0, min(number, found.songs.count - 1))
    }

    /// Takes the selected song, to add it; nil: none is found. The next character begins new words.
    func takeSelected() -> Found? {
        let songs = found.songs
        guard songs.indices.contains(selected) else { return nil }
        line.spend()
        return songs[selected]
    }

    /// Says what became of a song that was to be added.
    ///
    /// - Parameter answer: what scripts are told: `add 14`.
    func note(on answer: Result<String, Refusal>, of song: Found) -> String {
        results = nil
        switch answer {
        case .failure(let refusal): return refusal.reason
        case .success(let line):
            let words = line.split(separator: " ")
            let deed = words.first == "insert" ? "next" : "added"
            let again = song.number == nil ? "" : " again"
            return "\(deed)\(again), as song \(words.last ?? ""): \(song.text)"
        }
    }

    /// Completes the name of the singer with one of the list's.
    func completeSinger() { line.completeSinger(among: songs.list.singers) }

    /// Who sings what is added, as typed; empty: nobody was named.
    var singer: String { line.singer }

    /// What the page shows.
    var view: ScreenState.Find {
        let found = found
        selected = max(0, min(selected, found.songs.count - 1))
        let playing = songs.list.playing
        return ScreenState.Find(
            text: line.text, singer: line.singer, isInSinger: line.isInSinger,
            isSpent: line.isSpent, count: found.count,
            songs: found.songs.map { song in
                guard let number = song.number else {
                    return ScreenState.Find.Song(text: song.text, place: song.place)
                }
                let plays = number - 1 == playing ? ", plays now" : ""
                return ScreenState.Find.Song(
                    text: song.text, place: "song \(number)\(plays)", isListed: true)
            }, selected: selected, scope: scope, problems: news.problems)
    }

    /// What is searched.
    private var scope: String {
        guard scan != nil else {
            return "only the list is searched; start with --music FOLDER to find more songs"
        }
        let count = news.index.presentCount
        let all = "\(count) \(count == 1 ? "song" : "songs") in the music folders"
        return switch news.phase {
        case .begins: "reading the index of the music folders…"
        case .walks where count == 0: "looking through the music folders…"
        case .walks: "\(all); looking for changes…"
        case .reads(let done, let total): "\(all); reading tags: \(done) of \(total)"
        case .waits: all
        }
    }

    private var found: (count: Int, songs: [Found]) {
        if let results, !isListOld { return results }
        let found = find(line.text, atMost: Self.mostShown)
        results = found
        return found
    }

    // MARK: Searching

    /// What words find, as scripts are told it: an object with the first songs, those of the list before
    /// all others.
    func answer(to words: String) -> JSONValue {
        let found = find(words, atMost: Self.mostTold)
        return .object([
            ("count", .count(found.count)), ("complete", .boolean(isComplete)),
            (
                "songs",
                .array(
                    found.songs.map { song in
                        .object([
                            ("number", song.number.map { .count($0) } ?? .null),
                            ("title", song.title.map { .text($0) } ?? .null),
                            ("artist", song.artist.map { .text($0) } ?? .null),
                            ("seconds", .optional(song.duration)),
                            ("text", .text(song.text)), ("location", .text(song.name)),
                        ])
                    })
            ),
        ])
    }

    /// Whether all songs of the music folders are known, with their tags.
    private var isComplete: Bool { scan == nil || news.phase == .waits }

    private func find(_ text: String, atMost limit: Int) -> (count: Int, songs: [Found]) {
        let words = SearchWords(text)
        guard !words.words.isEmpty else { return (0, []) }
        takeList()
        let numbers = numbers ?? news.index.rows(at: paths)
        self.numbers = numbers
        /// What the words cost in the songs of the list, by their numbers from 0.
        var costs: [Int: Int32] = [:]
        for hit in list.find(words) { costs[Int(hit.row)] = hit.cost }
        var others: [MusicIndex.Hit] = []
        for hit in news.index.find(words) {
            if let number = numbers[Int(hit.row)] {
                costs[number] = min(costs[number] ?? .max, hit.cost)
            } else {
                others.append(hit)
            }
        }
        let inList = costs.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        others.sort()
        let rows = Dictionary(numbers.map { ($1, $0) }) { one, _ in one }
        let shown =
            inList.prefix(limit).map { song(ofList: $0, row: rows[$0]) }
            + others.prefix(max(0, limit - inList.count)).map { song(ofRow: Int($0.row)) }
        return (inList.count + others.count, shown)
    }

    /// Whether the list is another one than was searched, and was not looked at a moment ago.
    private var isListOld: Bool {
        songs.list.version != listVersion && Clock.seconds - listTime >= Self.listInterval
    }

    /// Makes the index of the list anew where the list has changed.
    private func takeList() {
        let version = songs.list.version
        guard version != listVersion else { return }
        (listVersion, listTime) = (version, Clock.seconds)
        listed = songs.list.songs
        list = MusicIndex()
        list.reserve(listed.count)
        for song in listed {
            list.add(
                MusicIndex.Song(
                    name: song.searchedName, title: song.title, artist: song.artist, isRead: true))
        }
        numbers = nil
    }

    /// The numbers of songs of the list that are files, by their paths: of a song that is in it twice the
    /// first that is not over.
    private var paths: [FileName: Int] {
        let playing = songs.list.playing ?? 0
        var paths: [FileName: Int] = [:]
        for (number, song) in listed.enumerated() {
            guard case .file(let name) = song.source else { continue }
            let path = name.plain
            if paths[path].map({ $0 < playing }) ?? true { paths[path] = number }
        }
        return paths
    }

    /// - Parameter row: the number of the same song in the music folders; nil: it is not there.
    private func song(ofList number: Int, row: Int?) -> Found {
        let song = listed[number]
        let known = row.map { news.index[$0] }
        let title = song.title ?? known?.title
        let artist = song.title == nil ? known?.artist : song.artist
        let text = title.map { [artist, $0].compactMap { $0 }.joined(separator: " – ") }
        return Found(
            number: number + 1, name: song.source.name, title: title, artist: artist,
            duration: song.duration ?? known?.duration, text: SafeText.clean(text ?? song.text),
            place: song.searchedName.description)
    }

    private func song(ofRow row: Int) -> Found {
        let (song, path) = (news.index[row], news.index.path(row))
        let text = song.title.map { [song.artist, $0].compactMap { $0 }.joined(separator: " – ") }
        return Found(
            number: nil, name: Location.file(path).name, title: song.title, artist: song.artist,
            duration: song.duration, text: text.map { SafeText.clean($0) } ?? path.last.description,
            place: text == nil ? song.name.folder.description : song.name.description)
    }
}

extension ListedSong {
    /// What is searched beside title and artist: the file's name and that of its folder.
    fileprivate var searchedName: FileName {
        guard case .file(let path) = source else { return FileName(source.description) }
        let file = path.last
        let folder = FileName(bytes: path.folder.bytes.dropLast()).last
        return folder.bytes.isEmpty ? file : folder + "/" + file
    }
}
