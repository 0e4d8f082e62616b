/// A song of a `SongList`, or a playlist that was not opened yet.
struct ListEntry {
    /// Its own as long as the queue lives.
    let id: Int
    let location: Location
    /// The title that a playlist gives it, or its tags; nil for none.
    var title: String?
    /// As its tags say; nil for none.
    var artist: String?
    /// In seconds; nil: not known.
    var duration: Double?
    /// Who sings it; nil: nobody was named.
    var singer: String?
    /// Why its file cannot be played, where it was looked at before its turn.
    var fault: SongFault?
    /// Whether its file was looked at, or opened.
    var isSeen = false
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
            id: id, location: location, title: title, artist: artist,
            duration: duration, singer: singer, state: state, fault: fault,
            source: words.flatMap { $0 == lists.last ? $0 : nil })
    }
}

/// What is in a `SongList`: its entries, which of them are played, and what takes changes back.
struct ListContents {
    /// What takes a change of users back.
    enum Undo {
        /// Puts an entry back behind that one; nil: at the beginning.
        case insert(ListEntry, behind: Int?)
        /// Removes what was added in that place.
        case remove(place: Int)
        /// Puts an entry behind that one; nil: at the beginning.
        case move(Int, behind: Int?)
    }

    /// So many changes of users can be taken back.
    private static let mostUndos = 10

    var entries: [ListEntry] = []
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
    /// What takes the last changes of users back, the newest last.
    var undos: [Undo] = []

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
    var listed: [ListEntry] {
        removed.isEmpty ? entries : entries.filter { !removed.contains($0.id) }
    }

    /// The song that users take for the present one.
    var present: Int? { chosen ?? heard }

    mutating func change(_ id: Int?, _ change: (inout ListEntry) -> Void) {
        guard let index = index(id) else { return }
        let old = entries[index].listed
        change(&entries[index])
        if entries[index].listed != old { version += 1 }
    }

    /// Does `change`, and counts it where another song is the present one then.
    mutating func changePresent(_ change: (inout ListContents) -> Void) {
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

    /// Notes a change of users, and what takes it back.
    mutating func noteEdit(_ undo: Undo) {
        undos = undos.suffix(Self.mostUndos - 1) + [undo]
        isEdited = true
        noteOrder()
    }

    /// The id of the entry before the one at `index` in the list; nil: it is the first.
    func before(_ index: Int) -> Int? {
        entries[..<index].last { !removed.contains($0.id) }?.id
    }

    mutating func newID() -> Int {
        defer { nextID += 1 }
        return nextID
    }
}

// What users change.
extension ListContents {
    /// Puts a song into the list. Returns it with its number, from 0; nil: the list is full.
    mutating func add(
        _ location: Location, at turn: ListTurn, singer: String? = nil
    ) -> (song: ListedSong, number: Int)? {
        guard count < Playlist.maximumCount else { return nil }
        let entry = ListEntry(
            id: newID(), location: location, singer: singer,
            place: SongPlace(song: nextPlace))
        nextPlace += 1
        let index = self.index(for: turn, singer: singer)
        entries.insert(entry, at: index)
        noteEdit(.remove(place: entry.place.song))
        return (entry.listed, number(at: index))
    }

    /// Removes a song, but not the present one if no other follows.
    ///
    /// - Parameters:
    ///   - isPlayed: whether a song's thread plays the list.
    ///   - loops: whether the first song follows the last.
    /// - Returns: whether it is removed, and which song was chosen in its place; nil: it was not the
    ///   present one.
    mutating func remove(_ id: Int, isPlayed: Bool, loops: Bool) -> (isRemoved: Bool, next: Int?) {
        guard let index = listed(id) else { return (false, nil) }
        var next: Int?
        if id == present {
            next = self.next(after: id, loops: loops)
            guard next != nil, next != id else { return (false, nil) }
        }
        let undo = Undo.insert(entries[index], behind: before(index))
        removed.insert(id)
        changePresent {
            guard let next else { return }
            if isPlayed {
                $0.choices += 1
                $0.chosen = next
            } else {
                ($0.heard, $0.decoded) = (next, next)
            }
        }
        noteEdit(undo)
        return (true, next)
    }

    /// Moves a song by `count` places, as far as there are any. False where it does not move.
    mutating func move(_ id: Int, by count: Int) -> Bool {
        guard let index = listed(id) else { return false }
        let number = self.number(at: index)
        let (sum, isBeyond) = number.addingReportingOverflow(count)
        let target = isBeyond ? (count > 0 ? Int.max : 0) : sum
        let place = min(max(0, target), self.count - 1)
        guard place != number else { return false }
        let undo = Undo.move(id, behind: before(index))
        let entry = entries.remove(at: index)
        // The song now at that place follows it.
        let others = listed
        entries.insert(
            entry,
            at: place < others.count
                ? self.index(others[place].id) ?? 0 : entries.count)
        noteEdit(undo)
        return true
    }

    /// Takes the last change of users back that was not taken back yet; nil: there is none, or it added
    /// the present song.
    mutating func undo() -> ListUndo? {
        guard let undo = undos.last else { return nil }
        let done: ListUndo?
        switch undo {
        case .insert(let entry, let behind):
            done = .returned(entry.listed)
            // It may still be played, and so be at its place.
            if removed.remove(entry.id) == nil {
                entries.insert(entry, at: index(behind: behind))
            }
        case .remove(let place):
            let added = listed.filter { $0.place.song == place }
            let played = [heard, present, decoded]
            guard !added.contains(where: { played.contains($0.id) }) else { return nil }
            let ids = Set(added.map(\.id))
            entries.removeAll { ids.contains($0.id) }
            // What was added may be gone.
            done = added.first.map { .removed($0.listed, count: added.count) }
        case .move(let id, let behind):
            guard let index = listed(id) else {
                done = nil
                break
            }
            let entry = entries.remove(at: index)
            entries.insert(entry, at: self.index(behind: behind))
            done = .moved(entry.listed)
        }
        undos.removeLast()
        isEdited = true
        noteOrder()
        return done ?? .nothing
    }

    /// Puts the songs of a playlist in its place, as many as there is room for; the first one keeps
    /// the playlist's id, so that whoever has chosen the playlist means its first song. Returns their
    /// ids; none where the playlist is not in the list any more, as when it was expanded already.
    mutating func expand(_ id: Int, at location: Location, to songs: [Playlist.Song]) -> [Int] {
        guard let index = listed(id), entries[index].location == location else {
            return []
        }
        let old = entries[index]
        let lists = old.lists + [old.location]
        let room = Playlist.maximumCount - count + 1
        var parts: [ListEntry] = []
        for (part, song) in songs.prefix(max(0, room)).enumerated() {
            parts.append(
                ListEntry(
                    id: part == 0 ? id : newID(), location: song.location,
                    title: song.title ?? old.title, singer: old.singer, words: song.words,
                    stems: song.stems, span: song.span, lists: lists,
                    place: lists.count == 1
                        ? SongPlace(song: old.place.song, part: part) : old.place))
        }
        entries.replaceSubrange(index...index, with: parts)
        noteOrder()
        return parts.map(\.id)
    }
}

// Places in the list.
extension ListContents {
    /// Where an entry goes that comes behind that one: at the beginning for nil, and at the end where that
    /// is gone.
    mutating func index(behind id: Int?) -> Int {
        guard let id else { return 0 }
        return index(id).map { $0 + 1 } ?? entries.count
    }

    /// Where a song is put whose turn it is then.
    mutating func index(for turn: ListTurn, singer: String?) -> Int {
        let present = index(chosen ?? decoded)
        switch turn {
        case .last: return entries.count
        case .next: return present.map { $0 + 1 } ?? entries.count
        case .fair:
            guard let present else { return entries.count }
            // How often each singer's turn comes until an entry.
            var turns: [String?: Int] = [entries[present].singer: 1]
            var rounds: [(index: Int, singer: String?, round: Int)] = []
            for index in (present + 1)..<entries.count
            where !removed.contains(entries[index].id) {
                let singer = entries[index].singer
                rounds.append((index, singer, turns[singer, default: 0]))
                turns[singer, default: 0] += 1
            }
            let own = rounds.lastIndex { $0.singer == singer }.map { $0 + 1 } ?? 0
            let round = turns[singer, default: 0]
            return rounds[own...].first { $0.round > round }?.index ?? entries.count
        }
    }

    /// The entry that is played after `id`; see `SongList.next`. In a list that loops the way leads
    /// round to `id` itself.
    mutating func next(
        after id: Int?, besides tried: Set<Int> = [], loops: Bool,
        where mayPlay: (ListEntry) -> Bool = { $0.state.mayPlay }
    ) -> Int? {
        func counts(_ entry: ListEntry) -> Bool {
            mayPlay(entry) && !removed.contains(entry.id) && !tried.contains(entry.id)
        }
        let start = index(id).map { $0 + 1 } ?? 0
        let behind = entries[start...].first(where: counts)
        return (behind ?? (loops ? entries[..<start].first(where: counts) : nil))?.id
    }
}
