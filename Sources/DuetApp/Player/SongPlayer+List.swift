import AudioMedia
import SystemSupport

// The list of songs, which users change while it is played.
extension SongPlayer {
    /// Changes the list, in which songs are named by their ids.
    func change(_ change: ListChange) throws(Refusal) {
        if let hold = plan.listHold { throw Refusal(reason: hold) }
        switch change {
        case .play(let id):
            guard let queue, queue.number(ofSong: id) != nil else { throw Self.goneSong }
            begin { queue.play(id, resumes: true) }
        case .remove(let id):
            guard let queue, queue.number(ofSong: id) != nil else { throw Self.goneSong }
            let wasPresent = id == queue.heardSong
            guard queue.remove(id, waits: isOver) else {
                let present = isOver ? "was heard last" : "plays"
                throw Refusal(reason: "no song follows the one that \(present): it stays")
            }
            if wasPresent { goToNext() }
        case .move(let id, by: let count):
            guard let queue, queue.move(id, by: count) else {
                throw Refusal(
                    reason: "the song is the \(count < 0 ? "first" : "last") of the list already")
            }
        }
    }

    /// Takes the last change of the list back.
    func undoListChange() throws(Refusal) -> ListUndo {
        if let hold = plan.listHold { throw Refusal(reason: hold) }
        if let undone = queue?.undoListChange() { return undone }
        throw Refusal(
            reason: queue?.hasListChange == true
                ? "the song that was added plays; remove it if it is to go"
                : "no change of the list is left to undo")
    }

    /// Adds a song at the end or behind the present one. Where all songs are over it begins to play.
    ///
    /// - Returns: the song, and its number, from 1.
    func add(
        _ location: Location, isNext: Bool, singer: String?
    ) throws(Refusal) -> (song: ListedSong, number: Int) {
        try checkRoom()
        // One singer has one name, however it is typed.
        let singer = singer.map { typed in
            queue?.list.lazy.compactMap(\.singer)
                .first { $0.lowercased() == typed.lowercased() } ?? typed
        }
        guard let queue else {
            let id = try begin(with: location, singer: singer)
            return (ListedSong(id: id, location: location, singer: singer), 1)
        }
        guard
            let (song, number) = queue.add(
                location, at: isNext ? .next : plan.rules.takesFairTurns ? .fair : .last,
                singer: singer)
        else {
            throw Self.noRoom
        }
        if isOver { begin { queue.play(song.id, waits: plan.rules.pausesBetween, resumes: true) } }
        return (song, number + 1)
    }

    /// Refuses another song where the list cannot have one.
    func checkRoom() throws(Refusal) {
        if let hold = plan.listHold { throw Refusal(reason: hold) }
        if let queue, queue.listCount >= SongQueue.longestList { throw Self.noRoom }
    }

    /// Begins with a first song where there was none.
    private func begin(with song: Location, singer: String?) throws(Refusal) -> Int {
        do throws(DuetError) {
            let queue = try makeQueue(
                [song], singers: singer.map { [0: $0] } ?? [:], lyrics: LyricsRequest(),
                stems: StemRequest())
            begin { queue.start() }
            return queue.heardSong ?? 0
        } catch {
            throw Refusal(reason: error.line)
        }
    }

    /// What the song is called that waits for users to play on; nil: none does.
    var waitingTitle: String? {
        waits ? queue?.heardSong.flatMap { queue?.listedSong($0) }?.turnText : nil
    }

    /// Why the song is not there whose turn it is, and when it is tried again; nil: it is.
    var presentTrouble: String? {
        guard let song = queue?.heardSong.flatMap({ queue?.listedSong($0) }),
            case .absent = song.state
        else { return nil }
        return song.trouble.map { "\(song.text): \($0)" }
    }

    /// What is waited for: the song that was chosen, or the bytes of the present one; nil: nothing is.
    var openingNote: String? {
        if let song = queue?.openingSong.flatMap({ queue?.listedSong($0) }) {
            return song.trouble.map { "\(song.text): \($0)" } ?? waitNote(of: song)
                ?? "opening \(song.text)…"
        }
        guard !isOver, !waits else { return nil }
        if let trouble = presentTrouble { return trouble }
        if let song = queue?.heardSong.flatMap({ queue?.listedSong($0) }),
            let note = waitNote(of: song)
        {
            return note
        }
        guard let retry = observed.retry else { return nil }
        let left = retry.time - Clock.seconds
        guard left > -1 else { return nil }
        return "\(retry.reason); \(ListedSong.retrying(in: left))"
    }

    /// What the opening of `song` waits for, once that takes long.
    private func waitNote(of song: ListedSong) -> String? {
        guard let wait = observed.wait, wait.song == song.location else { return nil }
        return "\(song.text): waiting for the \(wait.for.rawValue)"
    }

    private static let noRoom = Refusal(
        reason: "the list has \(SongQueue.longestList) songs, and no room")
    private static let goneSong = Refusal(reason: "that song is not in the list")
}
