import AudioMedia

/// Songs that are found by typing: those of the user's music folders, or of a list. A value that knows
/// neither a disk nor a screen.
///
/// The names, texts and searched words of all songs lie in one array: a search reads it from its
/// beginning to its end, and 50,000 songs cost a few allocations.
struct MusicIndex: Sendable {
    /// So many songs have room.
    static let mostSongs = 200_000
    /// Titles and artists are kept up to this length, in bytes.
    private static let longestText = 300
    /// Searched words of a song are kept up to this length, in bytes.
    private static let longestWords = 16_000
    /// Stands between the searched fields of a song: title, artist, file name, folders.
    private static let fieldMark: UInt8 = 0x1F

    /// What is known of a song.
    struct Song: Sendable, Equatable {
        /// The number of its music folder.
        var folder = 0
        /// Its place in that folder; in a folder without a path its whole name.
        var name: FileName
        /// What its tags say; nil: nothing, or they are not read yet.
        var title, artist: String?
        /// In seconds; nil: unknown.
        var duration: Double?
        var stamp = Stamp()
        /// Whether its tags were read, as the file was at `stamp`.
        var isRead = false
    }

    /// What tells one state of a file from another.
    struct Stamp: Sendable, Equatable {
        /// In bytes.
        var size: Int64 = 0
        /// In nanoseconds since 1970.
        var modified: Int64 = 0
    }

    /// A song that was found.
    struct Hit: Sendable, Equatable, Comparable {
        /// How far the words are from the beginning of the title: the less, the better.
        var cost: Int32
        /// The song's number in the index.
        var row: Int32

        static func < (one: Hit, other: Hit) -> Bool {
            (one.cost, one.row) < (other.cost, other.row)
        }
    }

    /// Where in `bytes` a song's name, title, artist and searched words begin, one behind the other.
    struct Row: Sendable, Equatable {
        var start = 0
        var nameLength, titleLength, artistLength, wordsLength: UInt16
        var folder: UInt16
        var isRead: Bool
        /// In seconds; negative: unknown.
        var duration: Float
        var stamp: Stamp

        var wordsStart: Int { start + Int(nameLength) + Int(titleLength) + Int(artistLength) }
        var end: Int { wordsStart + Int(wordsLength) }
    }

    /// The paths of the music folders; empty for songs that lie in none.
    let folders: [FileName]
    /// The numbers of folders that cannot be read now: their songs are kept, but not found.
    var away: Set<Int> = []
    private(set) var rows: [Row] = []
    private(set) var bytes: [UInt8] = []

    init(folders: [FileName] = [""]) { self.folders = folders }

    /// An index of rows whose bytes are known to be there.
    init(folders: [FileName], rows: [Row], bytes: [UInt8]) {
        (self.folders, self.rows, self.bytes) = (folders, rows, bytes)
    }

    var count: Int { rows.count }

    /// The number of songs that can be found now.
    var presentCount: Int {
        away.isEmpty ? count : rows.count { !away.contains(Int($0.folder)) }
    }

    // MARK: Songs

    subscript(row: Int) -> Song {
        let found = rows[row]
        let titleStart = found.start + Int(found.nameLength)
        let artistStart = titleStart + Int(found.titleLength)
        func text(_ range: Range<Int>) -> String? {
            range.isEmpty ? nil : String(decoding: bytes[range], as: UTF8.self)
        }
        return Song(
            folder: Int(found.folder), name: name(row),
            title: text(titleStart..<artistStart), artist: text(artistStart..<found.wordsStart),
            duration: found.duration >= 0 && found.duration.isFinite ? Double(found.duration) : nil,
            stamp: found.stamp,
            isRead: found.isRead)
    }

    /// The song's name in its folder.
    func name(_ row: Int) -> FileName {
        FileName(bytes: bytes[rows[row].start..<rows[row].start + Int(rows[row].nameLength)])
    }

    /// The song's whole path.
    func path(_ row: Int) -> FileName {
        Self.path(of: name(row), in: folders[Int(rows[row].folder)])
    }

    private static func path(of name: FileName, in folder: FileName) -> FileName {
        folder.bytes.isEmpty || folder.bytes.last == UInt8(ascii: "/")
            ? folder + name : folder + "/" + name
    }

    /// Makes room for so many songs.
    mutating func reserve(_ count: Int) {
        rows.reserveCapacity(count)
        bytes.reserveCapacity(count * 160)
    }

    /// Adds a song. Returns whether there was room.
    @discardableResult
    mutating func add(_ song: Song) -> Bool {
        guard count < Self.mostSongs, song.name.bytes.count <= UInt16.max,
            folders.indices.contains(song.folder)
        else { return false }
        let title = Self.kept(song.title)
        let artist = Self.kept(song.artist)
        let words = Self.words(of: song).prefix(Self.longestWords)
        rows.append(
            Row(
                start: bytes.count, nameLength: UInt16(song.name.bytes.count),
                titleLength: UInt16(title.count), artistLength: UInt16(artist.count),
                wordsLength: UInt16(words.count), folder: UInt16(song.folder),
                isRead: song.isRead, duration: Float(song.duration ?? -1), stamp: song.stamp))
        bytes += song.name.bytes
        bytes += title
        bytes += artist
        bytes += words
        return true
    }

    /// Adds a song of another index as it is there, in the folder of that number.
    mutating func add(_ row: Int, of other: MusicIndex, folder: Int) {
        guard count < Self.mostSongs, folders.indices.contains(folder) else { return }
        var copy = other.rows[row]
        let source = copy.start..<copy.end
        (copy.start, copy.folder) = (bytes.count, UInt16(folder))
        bytes += other.bytes[source]
        rows.append(copy)
    }

    private static func kept(_ text: String?) -> Substring.UTF8View {
        guard let text, text.utf8.count > longestText else { return (text ?? "")[...].utf8 }
        var end = text.utf8.index(text.startIndex, offsetBy: longestText)
        while end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return text[..<end].utf8
    }

    private static func words(of song: Song) -> [UInt8] {
        let slash = song.name.bytes.lastIndex(of: UInt8(ascii: "/"))
        let file = FileName(bytes: song.name.bytes[(slash.map { $0 + 1 } ?? 0)...])
        let folder = FileName(bytes: song.name.bytes[..<(slash ?? 0)])
        var base = file.bytes[...]
        // What follows the last point is the kind of the file.
        if AudioFileName.isOne(file), let point = base.lastIndex(of: UInt8(ascii: ".")) {
            base = base[..<point]
        }
        let baseName = FileName(bytes: base).description
        let fields = [
            song.title ?? baseName, song.artist ?? "", song.title == nil ? "" : baseName,
            folder.description.replacing("/", with: " "),
        ]
        return Array(fields.map { SearchText($0).bytes }.joined(separator: [fieldMark]))
    }

    // MARK: Searching

    /// The numbers that `paths` has for songs of the index, by the songs' own numbers here.
    func rows(at paths: [FileName: Int]) -> [Int: Int] {
        guard !paths.isEmpty, !rows.isEmpty else { return [:] }
        var sums: Set<UInt64> = []
        for path in paths.keys { sums.insert(Self.sum(of: path.bytes[...])) }
        let starts = folders.map { Self.sum(of: Self.path(of: "", in: $0).bytes[...]) }
        var found: [Int: Int] = [:]
        bytes.withUnsafeBufferPointer { bytes in
            for (number, row) in rows.enumerated() {
                let name = bytes[row.start..<row.start + Int(row.nameLength)]
                guard sums.contains(Self.sum(of: name, after: starts[Int(row.folder)]))
                else { continue }
                found[number] = paths[path(number)]
            }
        }
        return found
    }

    /// FNV-1a: a sum of paths that goes on from folders to names.
    private static func sum(
        of bytes: some Sequence<UInt8>, after start: UInt64 = 0xCBF2_9CE4_8422_2325
    ) -> UInt64 {
        bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// All songs that have the words, in the order of the index.
    func find(_ words: SearchWords) -> [Hit] {
        guard !words.words.isEmpty else { return [] }
        return bytes.withUnsafeBufferPointer { bytes in
            var hits: [Hit] = []
            search: for (number, row) in rows.enumerated() {
                if !away.isEmpty, away.contains(Int(row.folder)) { continue }
                var cost: Int32 = 0
                for word in words.words {
                    guard
                        let found = Self.cost(
                            of: word, in: bytes, from: row.wordsStart, to: row.end)
                    else { continue search }
                    cost += found
                }
                hits.append(Hit(cost: cost, row: Int32(number)))
            }
            return hits
        }
    }

    /// How far from the beginning of the title a word stands in a song's words; nil: it is not there.
    private static func cost(
        of word: [UInt8], in bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
    ) -> Int32? {
        let first = word[0]
        var best: Int32?
        /// Of the field, and whether no word of it but numbers has come.
        var (base, isStart): (Int32, Bool) = (0, true)
        var place = start
        while place + 1 < end {
            let mark = bytes[place]
            place += 1
            guard mark < SearchText.leastOfWord else { continue }
            if mark == fieldMark {
                (base, isStart) = (base == 0 ? 4 : base * 2, true)
                if let best, best <= base { return best }
                continue
            }
            if bytes[place] == first,
                let next = SearchWords.end(of: word, in: bytes, from: place, to: end)
            {
                let isWhole = next == end || bytes[next] < SearchText.leastOfWord
                let cost = base + (isStart ? 0 : 2) + (isWhole ? 0 : 1)
                if cost < best ?? .max { best = cost }
            }
            // The number of a track is no beginning.
            if !(0x30...0x39).contains(bytes[place]) { isStart = false }
        }
        return best
    }
}

// MARK: Changes

extension MusicIndex {
    /// The index with what was read of songs, by their numbers.
    func with(_ facts: [Int: SongFacts]) -> MusicIndex {
        guard !facts.isEmpty else { return self }
        var index = MusicIndex(folders: folders)
        index.away = away
        index.reserve(count)
        for row in 0..<count {
            guard let found = facts[row] else {
                index.add(row, of: self, folder: Int(rows[row].folder))
                continue
            }
            var song = self[row]
            (song.title, song.artist, song.duration) = (found.title, found.artist, found.duration)
            song.isRead = true
            index.add(song)
        }
        return index
    }

    /// Whether the other index has the same songs, of which the same is known.
    func isSame(as other: MusicIndex) -> Bool {
        folders == other.folders && rows == other.rows && bytes == other.bytes
    }
}
