import AudioMedia

// The list of songs, which users change while it is played.
extension SongPlayer {
    /// Changes the list, in which songs are named by their ids. What is added where all songs are
    /// over begins to play.
    ///
    /// - Returns: whether a song was begun, and the id of the song that was changed.
    func change(_ change: ListChange) throws(Refusal) -> (begins: Bool, song: Int) {
        if let hold = plan.listHold { throw Refusal(reason: hold) }
        switch change {
        case .play(let id):
            guard let queue, queue.number(ofSong: id) != nil else { throw Self.goneSong }
            begin { queue.play(id) }
            return (true, id)
        case .remove(let id):
            guard let queue, queue.number(ofSong: id) != nil else { throw Self.goneSong }
            let wasPresent = id == queue.heardSong
            let plays = wasPresent && !isOver && !queue.isPaused && !queue.waits
            guard queue.remove(id, waits: isOver) else {
                let present = isOver ? "was heard last" : "plays"
                throw Refusal(reason: "no song follows the one that \(present): it stays")
            }
            if wasPresent { goToNext() }
            return (plays, id)
        case .move(let id, by: let count):
            guard let queue, queue.move(id, by: count) else {
                throw Refusal(
                    reason: "the song is the \(count < 0 ? "first" : "last") of the list already")
            }
            return (false, id)
        case .add(let name, isNext: let isNext):
            if let queue, queue.listCount >= SongQueue.longestList { throw Self.noRoom }
            let location = try AddedSong.location(name)
            guard let queue else {
                guard let id = try begin(with: location) else { throw Self.goneSong }
                return (true, id)
            }
            guard let id = queue.add(location, asNext: isNext) else {
                throw Self.noRoom
            }
            guard isOver else { return (false, id) }
            begin { queue.play(id, waits: plan.pausesBetween) }
            return (true, id)
        }
    }

    /// Begins with a first song where there was none.
    private func begin(with song: Location) throws(Refusal) -> Int? {
        do throws(DuetError) {
            let queue = try makeQueue([song], lyrics: LyricsRequest())
            begin { queue.start() }
            return queue.heardSong
        } catch {
            throw Refusal(reason: error.line)
        }
    }

    /// What the song is called that waits for users to play on; nil: none does.
    var waitingTitle: String? {
        waits ? queue?.heardSong.flatMap { queue?.listedSong($0) }?.text : nil
    }

    private static let noRoom = Refusal(
        reason: "the list has \(SongQueue.longestList) songs, and no room")
    private static let goneSong = Refusal(reason: "that song is not in the list")
}
