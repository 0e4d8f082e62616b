import SystemSupport

/// The list of a queue's songs, which users change on the control thread while the song's thread
/// plays it. Every change is whole at once; songs are named by their ids, so that a change means
/// the same song whatever the other thread has done meanwhile. Neither thread is realtime.
final class SharedList: Sendable {
    /// As how new the song's thread knows the list.
    struct Age: Equatable {
        /// Counts the changes of which songs there are, and in which order.
        fileprivate(set) var order = 0
        /// The id that the next song gets: those with lower ones were seen.
        fileprivate(set) var nextID = 0
    }

    private struct State {
        var entries: [SongList.Entry]
        var age = Age()
        /// Counts all changes: of songs, of their order, of titles, and of what is heard.
        var version = 0
        /// The song that is heard, or was heard last; nil: none is known.
        var heard: Int?
        /// The song that users have chosen, until the song's thread begins it; nil: none is.
        var chosen: Int?
        /// How many choices the song's thread has not taken yet.
        var choices = 0
        /// The song that is decoded, behind which the next one is put.
        var decoded: Int?
        /// The place of the song that is added next among those that the queue was given.
        var nextPlace: Int
        /// Whether a user has changed the list.
        var isEdited = false

        func number(_ id: Int?) -> Int? { id.flatMap { id in entries.firstIndex { $0.id == id } } }

        /// The song that users take for the present one.
        var present: Int? { chosen ?? heard }

        /// The song behind the present one; nil: there is none.
        func following(loops: Bool) -> Int? {
            guard let number = number(present) else { return entries.first?.id }
            if number + 1 < entries.count { return entries[number + 1].id }
            return loops ? entries.first?.id : nil
        }

        /// Does `change`, and counts it where another song is the present one then.
        mutating func changePresent(_ change: (inout State) -> Void) {
            let old = present
            change(&self)
            if present != old { version += 1 }
        }

        /// The song `id` counts as the present one until the song's thread has taken the choice; nil: the
        /// one before does.
        mutating func choose(_ id: Int?) {
            changePresent {
                $0.choices += 1
                $0.chosen = id ?? $0.chosen
            }
        }

        mutating func noteOrder() {
            age.order += 1
            version += 1
        }

        /// `entries` with ids of their own.
        mutating func identified(_ entries: [SongList.Entry]) -> [SongList.Entry] {
            defer { age.nextID += entries.count }
            return entries.enumerated().map { index, entry in
                var entry = entry
                entry.id = age.nextID + index
                return entry
            }
        }
    }

    /// Whether the first song follows the last.
    let loops: Bool
    private let state: Guarded<State>

    /// - Parameter start: the number of the song to begin with.
    init(_ songs: [Location], loops: Bool, start: Int = 0) {
        self.loops = loops
        var state = State(entries: [], nextPlace: songs.count)
        state.entries = state.identified(
            songs.enumerated().map {
                SongList.Entry(location: $1, place: SongPlace(song: $0))
            })
        self.state = Guarded(state)
        begin(with: start)
    }

    /// Before the queue starts: it begins with the song of this number.
    func begin(with number: Int) {
        state.withLock {
            let first = $0.entries.isEmpty ? nil : min(max(0, number), $0.entries.count - 1)
            $0.heard = first.map { [entries = $0.entries] in entries[$0].id }
            $0.decoded = $0.heard
        }
    }

    // MARK: The control thread

    /// Counts all changes of what `songs` and `heard` tell.
    var version: Int { state.withLock { $0.version } }

    var isEdited: Bool { state.withLock { $0.isEdited } }

    /// The songs in their order.
    var songs: [ListedSong] { state.withLock { $0.entries.map(\.listed) } }

    func song(_ id: Int) -> ListedSong? {
        state.withLock { state in state.number(id).map { state.entries[$0].listed } }
    }

    var count: Int { state.withLock { $0.entries.count } }

    func number(of id: Int) -> Int? { state.withLock { $0.number(id) } }

    func id(at number: Int) -> Int? {
        state.withLock { $0.entries.indices.contains(number) ? $0.entries[number].id : nil }
    }

    /// The id of the song that is heard, or was heard last, or was chosen to be heard at once.
    var heard: Int? { state.withLock { $0.present } }

    /// The id of the song that follows `heard`; nil: none does.
    var following: Int? { state.withLock { [loops] in $0.following(loops: loops) } }

    /// The song `id`, where there is one, counts as the one that is heard from now on; the song's thread
    /// is to be told, and takes the choice when it has begun the song.
    func choose(_ id: Int) {
        state.withLock { $0.choose($0.number(id) != nil ? id : nil) }
    }

    /// As `choose`, for the song `count` places behind the present one, or before it when negative: the
    /// first where that is before it; a list that loops goes round. Returns its id; nil: there is none.
    func choose(by count: Int) -> Int? {
        state.withLock { [loops] state in
            let number = SongList.number(
                count, after: state.number(state.present) ?? -1, of: state.entries.count,
                loops: loops)
            let song = number < state.entries.count ? state.entries[number].id : nil
            state.choose(song)
            return song
        }
    }

    /// Puts a song at the end, or behind the one that was chosen, or else is decoded. Returns it with
    /// its number, from 0; nil: the list is full.
    func add(_ location: Location, asNext: Bool) -> (song: ListedSong, number: Int)? {
        state.withLock { state in
            guard state.entries.count < SongList.maximumCount else { return nil }
            let entry = SongList.Entry(
                location: location, place: SongPlace(song: state.nextPlace))
            state.nextPlace += 1
            let before = state.number(state.chosen ?? state.decoded)
            let number = (asNext ? before.map { $0 + 1 } : nil) ?? state.entries.count
            let added = state.identified([entry])
            state.entries.insert(contentsOf: added, at: number)
            state.isEdited = true
            state.noteOrder()
            return (ListedSong(id: added[0].id, location: location), number)
        }
    }

    /// Takes a song out, but one that is heard and that no other follows.
    ///
    /// - Returns: whether it is out, and which song is to be heard in its place; nil: it was not
    ///   heard.
    func remove(_ id: Int) -> (isOut: Bool, next: Int?) {
        state.withLock { [loops] state in
            guard let number = state.number(id) else { return (false, nil) }
            let next = id == state.present ? state.following(loops: loops) : nil
            guard id != state.present || next != nil && next != id else { return (false, nil) }
            let present = next ?? state.present
            if state.chosen == id { state.chosen = present }
            if state.heard == id { state.heard = present }
            // What is added as the next one is to come behind a song that is there.
            if state.decoded == id { state.decoded = present }
            state.entries.remove(at: number)
            state.isEdited = true
            state.noteOrder()
            return (true, next)
        }
    }

    /// Moves a song by `count` places, as far as there are any. False where it does not move.
    func move(_ id: Int, by count: Int) -> Bool {
        state.withLock { state in
            guard let number = state.number(id) else { return false }
            let (sum, isBeyond) = number.addingReportingOverflow(count)
            let target = isBeyond ? (count > 0 ? Int.max : 0) : sum
            let place = min(max(0, target), state.entries.count - 1)
            guard place != number else { return false }
            state.entries.insert(state.entries.remove(at: number), at: place)
            state.isEdited = true
            state.noteOrder()
            return true
        }
    }

    // MARK: The song's thread

    /// The entries as they are now, where that is not what `age` says; `age` is that of now.
    func entries(newerThan age: inout Age) -> [SongList.Entry]? {
        state.withLock { state -> ([SongList.Entry], Age)? in
            state.age == age ? nil : (state.entries, state.age)
        }.map {
            age = $1
            return $0
        }
    }

    /// The song `heard` is heard, and `decoded` is decoded.
    func note(heard: Int?, decoded: Int?) {
        state.withLock { state in
            // Songs that were taken out a moment ago are not played any more.
            state.changePresent { if $0.number(heard) != nil { $0.heard = heard } }
            if state.number(decoded) != nil { state.decoded = decoded }
        }
    }

    /// A choice was carried out: the song that was chosen is heard, or is gone.
    func takeChoice() {
        state.withLock { state in
            state.changePresent {
                $0.choices -= 1
                if $0.choices == 0 { $0.chosen = nil }
            }
        }
    }

    /// The song `id` is decoded from now on, unless the list was changed since `age`: false then.
    func commit(_ id: Int, at age: Age) -> Bool {
        state.withLock { state in
            guard state.age == age else { return false }
            state.decoded = id
            return true
        }
    }

    /// Whether the list is still as `age` says.
    func isAs(_ age: Age) -> Bool { state.withLock { $0.age == age } }

    /// Puts the songs of a playlist in its place, as many as there is room for; the first one keeps
    /// the playlist's id.
    ///
    /// - Parameter age: stays that of now where it was.
    /// - Returns: the new entries.
    func expand(
        _ list: SongList.Entry, to songs: [Playlist.Song], age: inout Age
    ) -> [SongList.Entry] {
        let (parts, now) = state.withLock { [age] state -> ([SongList.Entry], Age?) in
            let isNow = state.age == age
            let room = SongList.maximumCount - state.entries.count + 1
            var parts = state.identified(list.parts(songs, atMost: max(0, room)))
            // Whoever has chosen the playlist, or has selected it, means its first song from now on.
            if !parts.isEmpty { parts[0].id = list.id }
            if let number = state.number(list.id) {
                state.entries.replaceSubrange(number...number, with: parts)
            }
            state.noteOrder()
            return (parts, isNow ? state.age : nil)
        }
        if let now { age = now }
        return parts
    }

    /// Takes out a song that cannot be played; `age` as in `expand`.
    func drop(_ id: Int, age: inout Age) {
        let now = state.withLock { [age] state -> Age? in
            let isNow = state.age == age
            if let number = state.number(id) {
                state.entries.remove(at: number)
                // What follows it follows the one before it now.
                let before = number > 0 ? state.entries[number - 1].id : nil
                if state.chosen == id { state.chosen = before }
                if state.heard == id { state.heard = before }
                if state.decoded == id { state.decoded = before }
            }
            state.noteOrder()
            return isNow ? state.age : nil
        }
        if let now { age = now }
    }

    /// The song is called so by its tags.
    func name(_ id: Int, title: String?, artist: String?) {
        state.withLock { state in
            guard let number = state.number(id) else { return }
            let old = state.entries[number]
            guard old.title != title ?? old.title || old.artist != artist else { return }
            state.entries[number].title = title ?? old.title
            state.entries[number].artist = artist
            state.version += 1
        }
    }
}
