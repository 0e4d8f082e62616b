import AudioMedia
import SystemSupport

/// The list of the songs of bus 0: what of it users have selected, and what is told of it.
///
/// Main thread.
final class LiveList {
    /// Seconds from one event to the next, however fast the list changes.
    private static let interval = 0.1
    /// Of a longer list so many songs are told, of which so many stand before the one that is
    /// heard.
    private static let (mostTold, toldBefore) = (100, 10)

    /// Before and behind the selected song so many are shown.
    private static let mostShown = 250

    private let player: SongPlayer
    private let journal: Journal
    /// The song that was selected, and its number when that was looked at last.
    private var selection: (id: Int?, number: Int) = (nil, 0)
    /// The songs that were shown last: of which version, from which number on, and what they are
    /// called.
    private var shown: (version: Int?, first: Int, songs: [ScreenState.List.Song]) = (nil, 0, [])
    /// Lengths of the songs, of the version that is shown.
    private var times = ListTimes([])
    /// Semitones that are remembered of songs, by their ids.
    private var keys: [Int: Double] = [:]
    /// How far the backings of songs are, by their ids.
    private var backings: [Int: String] = [:]
    /// The version of the list that was told last.
    private var toldVersion: Int?
    /// When the next event may come, in seconds of the clock.
    private var dueTime = 0.0

    init(of player: SongPlayer, journal: Journal) {
        self.player = player
        self.journal = journal
    }

    private var queue: SongQueue? { player.queue }

    var count: Int { queue?.listCount ?? 0 }

    /// All songs, and the number of the list's version, which is another one after each change.
    var songs: [ListedSong] { queue?.list ?? [] }
    var version: Int? { queue?.listVersion }

    /// The number of the song that is heard, from 0; nil: there is none.
    var playing: Int? { queue?.heardSong.flatMap { queue?.number(ofSong: $0) } }

    /// The number of the song that is selected, from 0, at first that of the one that is heard; where
    /// it is gone, that of the song in its place. Nil: the list is empty.
    var selected: Int? {
        guard count > 0 else { return nil }
        guard let id = selection.id else { return playing ?? 0 }
        let number = queue?.number(ofSong: id) ?? min(selection.number, count - 1)
        // Where the song is gone, the one in its place stays the selected one.
        selection = (queue?.song(at: number), number)
        return number
    }

    /// Selects the song of that number, from 0; a number beyond the last is the last. Returns it.
    func select(_ number: Int) throws(Refusal) -> Int {
        guard count > 0 else { throw Self.noSong }
        let number = min(max(0, number), count - 1)
        selection = (queue?.song(at: number), number)
        return number
    }

    /// Selects the song of that id, if it is in the list.
    func select(song id: Int) {
        if let number = queue?.number(ofSong: id) { selection = (id, number) }
    }

    /// How many songs stand behind the one that is heard.
    var countAhead: Int { playing.map { count - $0 - 1 } ?? 0 }

    /// The id of the song of that number, from 0.
    func song(at number: Int) throws(Refusal) -> Int {
        guard let id = queue?.song(at: number) else {
            throw count == 0
                ? Self.noSong
                : Refusal(reason: "there is no song \(number + 1): the list has \(count)")
        }
        return id
    }

    /// The id of the song that is selected; it stays so when it is moved.
    func selectedSong() throws(Refusal) -> Int {
        guard let selected else { throw Self.noSong }
        selection = (try song(at: selected), selected)
        return try song(at: selected)
    }

    /// What the song behind the one that is heard is called; empty: there is none.
    var nextText: String {
        playing.flatMap { queue?.song(at: $0 + 1) }.flatMap { queue?.listedSong($0) }
            .map(\.turnText) ?? ""
    }

    /// What singers see while the song that is heard next waits for them.
    ///
    /// - Parameter key: the name of the key that starts it.
    func turn(startedBy key: String) -> ScreenState.Turn? {
        guard let queue, let playing, let id = queue.song(at: playing),
            let song = queue.listedSong(id)
        else { return nil }
        var turn = ScreenState.Turn(
            singer: song.singer ?? "", song: song.text, start: "\(key) starts")
        let next = (1...3).compactMap { queue.song(at: playing + $0) }.compactMap(queue.listedSong)
        if !next.isEmpty {
            let wait = times.seconds(from: playing, passed: 0, to: playing + 1)
            let when = wait.map { "then, in about \(ListTimes.text($0)): " } ?? "then: "
            turn.then = when + next.map(\.turnText).joined(separator: ", ")
        }
        let count = self.count - playing
        let length = times.seconds(from: playing, passed: 0, to: self.count)
        turn.rest =
            (count == 1 ? "the last song" : "\(count) songs")
            + (length.map { ", about \(ListTimes.text($0))" } ?? "")
        return turn
    }

    /// What the song of that id is called; empty: there is none.
    func text(of id: Int) -> String { queue?.listedSong(id)?.text ?? "" }

    /// Who sings songs of the list, each once.
    var singers: [String] {
        Array(Set((queue?.list ?? []).compactMap(\.singer))).sorted()
    }

    /// The number of a song, from 1 as people count.
    func place(of id: Int) -> Int { (queue?.number(ofSong: id) ?? -1) + 1 }

    private static let noSong = Refusal(reason: "the list has no song")

    // MARK: What is shown

    /// A song has so many semitones for its singer; nil: its own key.
    func note(key: Double?, ofSong id: Int) {
        guard keys[id] != key else { return }
        keys[id] = key
        shown.version = nil
    }

    /// A song's backing is so far; nil: none is made.
    func note(backing: String?, ofSong id: Int) {
        guard backings[id] != backing else { return }
        backings[id] = backing
        shown.version = nil
    }

    /// How far a song's backing is; nil: none is made.
    func backing(ofSong id: Int) -> String? { backings[id] }

    /// The songs around the selected one, as many as any terminal has rows, for the screen.
    var view: ScreenState.List {
        let (count, selected, playing) = (count, selected, playing)
        let first = max(0, (selected ?? 0) - Self.mostShown)
        // Before the songs: what changes meanwhile is then looked at again.
        let version = queue?.listVersion
        if shown.version != version || shown.first != first {
            let list = queue?.list ?? []
            times = ListTimes(list.map(\.duration))
            shown = (
                version, first,
                list.dropFirst(first).prefix(2 * Self.mostShown).map { song in
                    ScreenState.List.Song(
                        song, key: keys[song.id], backing: backings[song.id])
                }
            )
        }
        var view = ScreenState.List(
            count: count, first: first,
            songs: shown.songs, playing: playing, selected: selected)
        guard let playing else { return view }
        // Of a song that is over nothing is left.
        let passed = player.isOver ? .infinity : player.position?.seconds ?? 0
        view.secondsLeft = times.seconds(from: playing, passed: passed, to: count)
        if let selected, selected > playing {
            view.wait = times.seconds(from: playing, passed: passed, to: selected)
        }
        return view
    }

    // MARK: What is told

    /// Seconds until a change is to be told; for ever where there is none.
    var secondsLeft: Double {
        queue?.listVersion == toldVersion ? .infinity : max(0, dueTime - Clock.seconds)
    }

    /// Reports the list if it has changed.
    ///
    /// - Parameter now: also if it was reported a moment ago.
    func report(now: Bool = false) throws(DuetError) {
        guard let queue, now ? secondsLeft < .infinity : secondsLeft <= 0 else { return }
        dueTime = Clock.seconds + Self.interval
        toldVersion = queue.listVersion
        try journal.report(event)
    }

    /// The list as it is now.
    var event: Event {
        let (songs, playing) = (queue?.list ?? [], playing)
        let first = min(max(0, (playing ?? 0) - Self.toldBefore), max(0, songs.count - 1))
        return .list(
            bus: player.bus, count: songs.count, playing: playing, first: first,
            songs: songs.dropFirst(first).prefix(Self.mostTold))
    }
}
