import SystemSupport

/// The list of a queue: songs, and playlists until they are opened. Users change it on the control
/// thread while the song's thread plays it. Each change is whole at once. Entries have ids, so that
/// both threads mean the same song whatever the other one has done. An entry that cannot be played
/// stays, with the reason. Neither thread is realtime.
final class SongList: Sendable {
    /// Whether the first song follows the last.
    let loops: Bool
    private let state: Guarded<ListContents>

    /// - Parameters:
    ///   - singers: who sings which song, by its number.
    ///   - start: the number of the song to begin with.
    init(_ songs: [Location], loops: Bool, singers: [Int: String] = [:], start: Int = 0) {
        self.loops = loops
        var state = ListContents()
        for (number, location) in songs.enumerated() {
            state.entries.append(
                ListEntry(
                    id: state.newID(), location: location, singer: singers[number],
                    place: SongPlace(song: number)))
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

    var hasUndo: Bool { state.withLock { !$0.undos.isEmpty } }

    /// The songs in their order.
    var songs: [ListedSong] {
        state.withLock { $0.listed.map(\.listed) }
    }

    /// The entry of that id; nil: it is not in the list.
    func entry(_ id: Int) -> ListEntry? {
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

    /// Puts a song into the list. Returns it with its number, from 0; nil: the list is full.
    func add(
        _ location: Location, at turn: ListTurn, singer: String? = nil
    ) -> (song: ListedSong, number: Int)? {
        state.withLock { $0.add(location, at: turn, singer: singer) }
    }

    /// Removes a song, but not the present one if no other follows.
    ///
    /// - Parameter isPlayed: whether a song's thread plays the list.
    /// - Returns: whether it is removed, and which song was chosen in its place; nil: it was not the
    ///   present one.
    func remove(_ id: Int, isPlayed: Bool) -> (isRemoved: Bool, next: Int?) {
        state.withLock { [loops] in $0.remove(id, isPlayed: isPlayed, loops: loops) }
    }

    /// Moves a song by `count` places, as far as there are any. False where it does not move.
    func move(_ id: Int, by count: Int) -> Bool {
        state.withLock { $0.move(id, by: count) }
    }

    /// Takes the last change of users back that was not taken back yet; nil: there is none, or it added
    /// the present song.
    func undo() -> ListUndo? {
        state.withLock { $0.undo() }
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

    /// Sets what a song's tags say; nil leaves a fact as it was.
    func note(_ id: Int, title: String?, artist: String?, duration: Double?) {
        state.withLock { state in
            state.change(id) {
                $0.title = title ?? $0.title
                $0.artist = artist ?? $0.artist
                $0.duration = duration ?? $0.duration
                ($0.fault, $0.isSeen) = (nil, true)
            }
        }
    }

    /// A look at a song has found that it cannot be played; nil: nothing was found.
    func note(_ id: Int, fault: SongFault?) {
        state.withLock { state in
            state.change(id) { ($0.fault, $0.isSeen) = (fault, true) }
        }
    }

    /// The songs that were not looked at, at most `count`: first those that come next. Neither the one that
    /// the song's thread decodes nor the one that was chosen.
    func unseen(atMost count: Int) -> [ListEntry] {
        state.withLock { state in
            let start = state.index(state.present) ?? 0
            var found: [ListEntry] = []
            for index in [start..<state.entries.count, 0..<start].joined() {
                let entry = state.entries[index]
                guard !entry.isSeen, entry.id != state.decoded, entry.id != state.chosen,
                    !state.removed.contains(entry.id)
                else { continue }
                found.append(entry)
                if found.count == count { break }
            }
            return found
        }
    }

    /// Puts the songs of a playlist in its place, as many as there is room for; the first one keeps
    /// the playlist's id, so that whoever has chosen the playlist means its first song. Returns their
    /// ids; none where the playlist is not in the list any more, as when it was expanded already.
    func expand(_ id: Int, at location: Location, to songs: [Playlist.Song]) -> [Int] {
        state.withLock { $0.expand(id, at: location, to: songs) }
    }
}
