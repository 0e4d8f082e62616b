import SystemSupport

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

/// The list of a queue: songs, and playlists until they are opened. Users change it on the control
/// thread while the song's thread plays it. Each change is whole at once. Entries have ids, so that
/// both threads mean the same song whatever the other one has done. An entry that cannot be played
/// stays, with the reason. Neither thread is realtime.
final class SongList: Sendable {
    /// Most entries that are kept: playlists can name each other.
    static let maximumCount = 20_000

    struct Entry {
        /// Its own as long as the queue lives.
        let id: Int
        let location: Location
        /// The title that a playlist gives it, or its tags; nil for none.
        var title: String?
        /// As its tags say; nil for none.
        var artist: String?
        /// Where its words are, as a playlist says; nil: it does not.
        var words: Location?
        /// The files that it was taken apart into, as a playlist says; nil: it does not.
        var stems: StemFiles?
        /// What of its file is the song, as a playlist says.
        var span = SongSpan.whole
        /// The playlists that it was found in, one in another, the innermost last.
        var lists: [Location] = []
        /// Its place among the songs that the queue was given.
        var place: SongPlace
        var state = ListedSong.State.waiting

        /// What users see of it.
        var listed: ListedSong {
            ListedSong(
                id: id, location: location, title: title, artist: artist, state: state,
                source: words.flatMap { $0 == lists.last ? $0 : nil })
        }
    }

    fileprivate struct State {
        var entries: [Entry] = []
        /// Entries that users have removed, and that are still heard or decoded. Only the song's thread
        /// sees them, to find what follows.
        var removed: Set<Int> = []
        /// The id that the next new entry gets.
        var nextID = 0
        /// Counts the changes of which songs there are, and in which order.
        var order = 0
        /// Counts all changes: of songs, order, titles, states, and of what is heard.
        var version = 0
        /// The song that is heard, or was heard last; nil: none is known.
        var heard: Int?
        /// The song that is decoded, or opened to be; behind it the next one is put.
        var decoded: Int?
        /// The song that users have chosen, until the song's thread begins it or gives it up.
        var chosen: Int?
        /// How many choices the song's thread has not taken yet.
        var choices = 0
        /// The place of the song that is added next among those that the queue was given.
        var nextPlace = 0
        /// Whether a user has changed the list.
        var isEdited = false

        /// Where an entry was found last: the next one that is looked for is near it.
        var found = 0

        /// Where the entry is, removed or not.
        mutating func index(_ id: Int?) -> Int? {
            guard let id else { return nil }
            for index in found..<max(found, min(found + 2, entries.count))
            where entries[index].id == id {
                found = index
                return index
            }
            guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
            found = index
            return index
        }

        /// Where the entry is, if it is in the list.
        mutating func listed(_ id: Int?) -> Int? {
            id.map(removed.contains) == true ? nil : index(id)
        }

        /// The number of the entry at `index` as users count, from 0.
        func number(at index: Int) -> Int {
            removed.isEmpty ? index : entries[..<index].count { !removed.contains($0.id) }
        }

        var count: Int { entries.count - removed.count }

        /// The entries that are in the list.
        var listed: [Entry] {
            removed.isEmpty ? entries : entries.filter { !removed.contains($0.id) }
        }

        /// The song that users take for the present one.
        var present: Int? { chosen ?? heard }

        mutating func change(_ id: Int?, _ change: (inout Entry) -> Void) {
            guard let index = index(id) else { return }
            let old = entries[index].listed
            change(&entries[index])
            if entries[index].listed != old { version += 1 }
        }

        /// Does `change`, and counts it where another song is the present one then.
        mutating func changePresent(_ change: (inout State) -> Void) {
            let old = present
            change(&self)
            if present != old { version += 1 }
            // What was removed is forgotten once nobody plays it.
            let gone = removed.subtracting([heard, decoded].compactMap(\.self))
            guard !gone.isEmpty else { return }
            entries.removeAll { gone.contains($0.id) }
            removed.subtract(gone)
        }

        mutating func noteOrder() {
            order += 1
            version += 1
        }

        mutating func newID() -> Int {
            defer { nextID += 1 }
            return nextID
        }
    }

    /// Whether the first song follows the last.
    let loops: Bool
    private let state: Guarded<State>

    /// - Parameter start: the number of the song to begin with.
    init(_ songs: [Location], loops: Bool, start: Int = 0) {
        self.loops = loops
        var state = State()
        for (number, location) in songs.enumerated() {
            state.entries.append(
                Entry(id: state.newID(), location: location, place: SongPlace(song: number)))
        }
        state.nextPlace = songs.count
        self.state = Guarded(state)
        begin(with: start)
    }

    /// Before the queue starts: it begins with the song of this number.
    func begin(with number: Int) {
        state.withLock { state in
            guard !state.entries.isEmpty else { return }
            state.heard = state.entries[min(max(0, number), state.entries.count - 1)].id
            state.decoded = state.heard
        }
    }

    // MARK: What is in it

    /// Counts all changes of what `songs` and `present` tell.
    var version: Int { state.withLock { $0.version } }

    var isEdited: Bool { state.withLock { $0.isEdited } }

    /// The songs in their order.
    var songs: [ListedSong] {
        state.withLock { $0.listed.map(\.listed) }
    }

    /// The entry of that id; nil: it is not in the list.
    func entry(_ id: Int) -> Entry? {
        state.withLock { state in state.listed(id).map { state.entries[$0] } }
    }

    var count: Int { state.withLock { $0.count } }

    /// The number of an entry, from 0; nil: it is not in the list.
    func number(of id: Int) -> Int? {
        state.withLock { state in state.listed(id).map { state.number(at: $0) } }
    }

    /// The number of the song that is or was in that place among what the queue was given.
    func number(ofGiven place: SongPlace) -> Int? {
        state.withLock { $0.listed.firstIndex { $0.place == place } }
    }

    func id(at number: Int) -> Int? {
        state.withLock { state in
            let entries = state.listed
            return entries.indices.contains(number) ? entries[number].id : nil
        }
    }

    /// The song that is heard, was heard last, or was chosen to be heard.
    var present: Int? { state.withLock { $0.present } }

    /// The song that was chosen and has not begun; nil: there is none.
    var chosen: Int? { state.withLock { $0.chosen } }

    /// The song that is played after `present`; nil: none is.
    var following: Int? {
        state.withLock { [loops] in $0.next(after: $0.present, loops: loops) }
    }

    /// The first song behind `present` that was not found to be missing; nil: there is none.
    var untried: Int? {
        state.withLock { [loops] in
            $0.next(after: $0.present, loops: loops) { $0.state == .waiting }
        }
    }

    // MARK: What users change

    /// The song `id`, if it is in the list, counts as the present one from now on; the song's thread is
    /// to be told, and takes the choice.
    func choose(_ id: Int) {
        state.withLock { state in
            let isListed = state.listed(id) != nil
            state.changePresent {
                $0.choices += 1
                $0.chosen = isListed ? id : $0.chosen
            }
        }
    }

    /// As `choose`, for the song `count` places behind the present one, or before it when negative: the
    /// first where that is before it; a list that loops goes round. Songs that cannot be played do not
    /// count. Returns its id; nil: there is none.
    func choose(by count: Int) -> Int? {
        state.withLock { [loops] state in
            let present = state.present
            let songs = state.listed.filter { $0.state.mayPlay || $0.id == present }
            let number = Self.number(
                count, after: songs.firstIndex { $0.id == present } ?? -1, of: songs.count,
                loops: loops)
            let song = number < songs.count ? songs[number].id : nil
            state.changePresent {
                $0.choices += 1
                $0.chosen = song ?? $0.chosen
            }
            return song
        }
    }

    /// The number of the entry `count` after `number` of so many: 0 if that is before the first, the
    /// count of entries if it is past the last. A list that loops goes round.
    private static func number(_ count: Int, after number: Int, of entries: Int, loops: Bool) -> Int
    {
        let (sum, isBeyond) = number.addingReportingOverflow(count)
        let target = isBeyond ? (count > 0 ? Int.max : Int.min) : sum
        guard loops, entries > 0 else { return min(max(0, target), entries) }
        return (target % entries + entries) % entries
    }

    /// Puts a song at the end, or behind the one that was chosen, or else is decoded. Returns it with
    /// its number, from 0; nil: the list is full.
    func add(_ location: Location, asNext: Bool) -> (song: ListedSong, number: Int)? {
        state.withLock { state in
            guard state.count < Self.maximumCount else { return nil }
            let entry = Entry(
                id: state.newID(), location: location, place: SongPlace(song: state.nextPlace))
            state.nextPlace += 1
            let before = asNext ? state.index(state.chosen ?? state.decoded) : nil
            let index = before.map { $0 + 1 } ?? state.entries.count
            state.entries.insert(entry, at: index)
            state.isEdited = true
            state.noteOrder()
            return (entry.listed, state.number(at: index))
        }
    }

    /// Removes a song, but not the present one if no other follows.
    ///
    /// - Parameter isPlayed: whether a song's thread plays the list.
    /// - Returns: whether it is removed, and which song was chosen in its place; nil: it was not the
    ///   present one.
    func remove(_ id: Int, isPlayed: Bool) -> (isRemoved: Bool, next: Int?) {
        state.withLock { [loops] state in
            guard state.listed(id) != nil else { return (false, nil) }
            var next: Int?
            if id == state.present {
                next = state.next(after: id, loops: loops)
                guard next != nil, next != id else { return (false, nil) }
            }
            state.removed.insert(id)
            state.changePresent {
                guard let next else { return }
                if isPlayed {
                    $0.choices += 1
                    $0.chosen = next
                } else {
                    ($0.heard, $0.decoded) = (next, next)
                }
            }
            state.isEdited = true
            state.noteOrder()
            return (true, next)
        }
    }

    /// Moves a song by `count` places, as far as there are any. False where it does not move.
    func move(_ id: Int, by count: Int) -> Bool {
        state.withLock { state in
            guard let index = state.listed(id) else { return false }
            let number = state.number(at: index)
            let (sum, isBeyond) = number.addingReportingOverflow(count)
            let target = isBeyond ? (count > 0 ? Int.max : 0) : sum
            let place = min(max(0, target), state.count - 1)
            guard place != number else { return false }
            let entry = state.entries.remove(at: index)
            // What stands at that place among the others is behind it then.
            let others = state.listed
            state.entries.insert(
                entry,
                at: place < others.count
                    ? state.index(others[place].id) ?? 0 : state.entries.count)
            state.isEdited = true
            state.noteOrder()
            return true
        }
    }

    // MARK: What is played

    /// The song that is decoded, or opened to be; nil: the list was empty at first.
    var decoded: Int? { state.withLock { $0.decoded } }

    /// The song that is heard, or was heard last, whatever users have chosen.
    var heard: Int? { state.withLock { $0.heard } }

    /// Whether the songs or their order have changed; `order` is that of now from then on.
    func hasChanged(since order: inout Int) -> Bool {
        let now = state.withLock { $0.order }
        defer { order = now }
        return now != order
    }

    /// The song that is played after `id`, which may be removed already; nil: none is.
    ///
    /// - Parameter tried: entries that do not count, because they were tried since a song was heard.
    func next(after id: Int?, besides tried: Set<Int> = []) -> Int? {
        state.withLock { [loops] in $0.next(after: id, besides: tried, loops: loops) }
    }

    /// The songs that may be played in place of `id` on the way forwards or backwards, the nearest
    /// first.
    func others(from id: Int, forwards: Bool) -> [Int] {
        state.withLock { state in
            guard let index = state.index(id) else { return [] }
            let all = state.entries
            let way = forwards ? Array(all[(index + 1)...]) : all[..<index].reversed()
            return way.filter { !state.removed.contains($0.id) && $0.state.mayPlay }.map(\.id)
        }
    }

    /// Of a song that follows another without a gap: `id` is decoded from now on, if it is what comes
    /// after the one before; else false.
    func decode(next id: Int, besides tried: Set<Int>) -> Bool {
        state.withLock { [loops] state in
            guard state.next(after: state.decoded, besides: tried, loops: loops) == id else {
                return false
            }
            state.changePresent { $0.decoded = id }
            return true
        }
    }

    /// `id` is decoded, or opened, from now on.
    func decode(_ id: Int?) { state.withLock { $0.changePresent { $0.decoded = id } } }

    /// The song `id` is heard.
    func note(heard id: Int?) {
        guard let id else { return }
        state.withLock { state in
            if id != state.heard, state.index(id) != nil { state.changePresent { $0.heard = id } }
        }
    }

    /// A choice was carried out or given up.
    func takeChoice() {
        state.withLock { state in
            state.changePresent {
                $0.choices = max(0, $0.choices - 1)
                if $0.choices == 0 { $0.chosen = nil }
            }
        }
    }

    /// Another song is opened in place of one that was chosen.
    func takeChoice(of old: Int, for new: Int) {
        state.withLock { state in
            state.changePresent { if $0.chosen == old { $0.chosen = new } }
        }
    }

    /// Says what became of an entry.
    func mark(_ id: Int, _ mark: ListedSong.State) {
        state.withLock { $0.change(id) { $0.state = mark } }
    }

    /// The song is called so by its tags.
    func name(_ id: Int, title: String?, artist: String?) {
        state.withLock { state in
            state.change(id) {
                $0.title = title ?? $0.title
                $0.artist = artist
            }
        }
    }

    /// Puts the songs of a playlist in its place, as many as there is room for; the first one keeps
    /// the playlist's id, so that whoever has chosen the playlist means its first song. Returns their
    /// ids; none where the playlist is not in the list any more.
    func expand(_ id: Int, to songs: [Playlist.Song]) -> [Int] {
        state.withLock { state in
            guard let index = state.listed(id) else { return [] }
            let old = state.entries[index]
            let lists = old.lists + [old.location]
            let room = Self.maximumCount - state.count + 1
            var parts: [Entry] = []
            for (part, song) in songs.prefix(max(0, room)).enumerated() {
                parts.append(
                    Entry(
                        id: part == 0 ? id : state.newID(), location: song.location,
                        title: song.title ?? old.title, words: song.words,
                        stems: song.stems, span: song.span, lists: lists,
                        place: lists.count == 1
                            ? SongPlace(song: old.place.song, part: part) : old.place))
            }
            state.entries.replaceSubrange(index...index, with: parts)
            state.noteOrder()
            return parts.map(\.id)
        }
    }
}

extension SongList.State {
    /// The entry that is played after `id`; see `SongList.next`. In a list that loops the way leads
    /// round to `id` itself.
    fileprivate mutating func next(
        after id: Int?, besides tried: Set<Int> = [], loops: Bool,
        where mayPlay: (SongList.Entry) -> Bool = { $0.state.mayPlay }
    ) -> Int? {
        func counts(_ entry: SongList.Entry) -> Bool {
            mayPlay(entry) && !removed.contains(entry.id) && !tried.contains(entry.id)
        }
        let start = index(id).map { $0 + 1 } ?? 0
        let behind = entries[start...].first(where: counts)
        return (behind ?? (loops ? entries[..<start].first(where: counts) : nil))?.id
    }
}
