/// The place of a song among those that a queue was given.
public struct SongPlace: Sendable, Hashable {
    /// The number of what the queue was given, from 0: a song, or a playlist.
    public var song: Int
    /// If that is a playlist, the number of the song in it. All songs of a playlist inside it have
    /// the same number.
    public var part: Int

    public init(song: Int = 0, part: Int = 0) {
        self.song = song
        self.part = part
    }
}

/// What a queue plays, in order: songs, and playlists until they are opened.
struct SongList {
    /// Most entries that are kept: playlists can name each other.
    static let maximumCount = 10_000

    struct Entry: Equatable {
        /// Its own as long as the queue lives.
        var id = 0
        let location: Location
        /// The title that a playlist gives it, or its tags; nil for none.
        var title: String?
        /// As its tags say; nil for none.
        var artist: String?
        /// The playlists that it was found in, one in another, the innermost last.
        var lists: [Location] = []
        /// Its place among the songs that the queue was given.
        var place = SongPlace()

        /// What users see of it.
        var listed: ListedSong {
            ListedSong(id: id, location: location, title: title, artist: artist)
        }

        /// Of a playlist the songs that it names, the first `limit` of them.
        func parts(_ songs: [Playlist.Song], atMost limit: Int) -> [Entry] {
            let lists = lists + [location]
            return songs.prefix(limit).enumerated().map { part, song in
                Entry(
                    location: song.location, title: song.title ?? title, lists: lists,
                    place: lists.count == 1 ? SongPlace(song: place.song, part: part) : place)
            }
        }
    }

    private(set) var entries: [Entry]
    /// The entry that is decoded; the count of entries when all have been played.
    private(set) var index = 0
    /// Whether the first entry follows the last.
    let loops: Bool

    init(_ entries: [Entry], loops: Bool) {
        self.entries = entries
        self.loops = loops
    }

    /// The number of the entry of that id; nil where there is none.
    func number(id: Int) -> Int? { entries.firstIndex { $0.id == id } }

    /// The entry's number after `index`; nil when none follows.
    var following: Int? {
        if index + 1 < entries.count { return index + 1 }
        return loops && !entries.isEmpty ? 0 : nil
    }

    /// Whether all entries have been played.
    var isOver: Bool { index >= entries.count }

    /// The number of the entry `count` after `number` of so many: 0 if that is before the first, the
    /// count of entries if it is past the last. A list that loops goes round.
    static func number(_ count: Int, after number: Int, of entries: Int, loops: Bool) -> Int {
        let (sum, isBeyond) = number.addingReportingOverflow(count)
        let target = isBeyond ? (count > 0 ? Int.max : Int.min) : sum
        guard loops, entries > 0 else { return min(max(0, target), entries) }
        return (target % entries + entries) % entries
    }

    /// Goes to the entry that follows, if one does.
    mutating func goOn() { index = following ?? index }

    /// Goes to an entry, or past the end.
    mutating func go(to number: Int) { index = min(max(0, number), entries.count) }

    /// Replaces a playlist by the songs that it names.
    mutating func expand(_ number: Int, to found: [Entry]) {
        entries.replaceSubrange(number...number, with: found)
        if number < index { index += found.count - 1 }
    }

    /// Takes over other entries, and goes to the one of that number.
    mutating func replace(by entries: [Entry], at number: Int) {
        self.entries = entries
        go(to: number)
    }

    /// Removes an entry that cannot be played.
    mutating func remove(_ number: Int) {
        entries.remove(at: number)
        if number < index { index -= 1 }
    }
}
