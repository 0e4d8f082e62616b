/// The list of songs, which may be changed while it is played. What comes next is the song behind the
/// one that is heard, as the list is then; a song that was opened ahead and is not the next any more
/// is dropped.
extension SongQueue {
    /// The most songs that a list has.
    public static var longestList: Int { SongList.maximumCount }

    /// The songs in their order. A playlist is one song until it is opened; a song that cannot be
    /// played stays, with the reason.
    public var list: [ListedSong] { songList.songs }

    /// Counts the changes of `list` and `heardSong`, also of titles and states.
    public var listVersion: Int { songList.version }

    /// Whether `add`, `remove` or `move` have changed the list.
    public var isListEdited: Bool { songList.isEdited }

    /// The id of the song that is heard, is opened to be heard, or was heard last; after `play` and
    /// `skip` the one that was chosen. Nil: there is none.
    public var heardSong: Int? { songList.present }

    /// The id of the song that was chosen and is still being opened; nil: there is none.
    public var openingSong: Int? { songList.chosen }

    /// The id of the song that follows; nil: none does.
    public var followingSong: Int? { songList.following }

    /// The id of the first song behind `heardSong` that was not found to be missing; nil: there is
    /// none. After `SongEvent.finished` it is one that was added in the last moment.
    public var untriedSong: Int? { songList.untried }

    /// The song of that id; nil: there is none.
    public func listedSong(_ id: Int) -> ListedSong? { songList.entry(id)?.listed }

    /// How many songs there are.
    public var listCount: Int { songList.count }

    /// The number of a song in the list, from 0; nil: it is not there.
    public func number(ofSong id: Int) -> Int? { songList.number(of: id) }

    /// The id of the song of that number, from 0; nil: there is none.
    public func song(at number: Int) -> Int? { songList.id(at: number) }

    /// Puts a song at the end of the list, or behind the present one. A queue whose songs are all
    /// over does not begin again by itself: see `play`.
    ///
    /// - Parameters:
    ///   - location: where the song, or a playlist, is.
    ///   - asNext: whether it comes next. In the last moments of a song, when the next one is ready to
    ///     be heard, it comes behind that.
    /// - Returns: the song and its number, from 0, as it is put there: a playlist may be opened at
    ///   once; nil: the list has `longestList` songs.
    public func add(
        _ location: Location, asNext: Bool = false
    ) -> (song: ListedSong, number: Int)? {
        defer { control.wake?.set() }
        return songList.add(location, asNext: asNext)
    }

    /// Takes a song out of the list. Where it is the one that is heard, the next one begins; it stands
    /// still while the queue is paused, and waits to be resumed where the one before has waited.
    ///
    /// - Parameters:
    ///   - id: as `list` tells it.
    ///   - waits: whether the next one waits to be resumed in any case, as it is to where all songs are
    ///     over and none is heard.
    /// - Returns: false where there is no song of that id, or it is heard and no other follows it.
    public func remove(_ id: Int, waits: Bool = false) -> Bool {
        let (isRemoved, next) = songList.remove(id, isPlayed: isRunning)
        if let next { begin(next, waits: waits || self.waits) } else { control.wake?.set() }
        return isRemoved
    }

    /// Moves a song by `count` places towards the end, or the beginning when negative, as far as
    /// there are any.
    ///
    /// - Returns: false where it stays where it is.
    public func move(_ id: Int, by count: Int) -> Bool {
        defer { control.wake?.set() }
        return songList.move(id, by: count)
    }

    /// Plays a song from its beginning, also when all are over. It is opened while the one before goes
    /// on; where it cannot be played, that is told (`SongEvent.skipped`), and the one before goes on.
    /// Of an id that no song has nothing happens; where all are over that is told again
    /// (`SongEvent.finished`).
    ///
    /// - Parameters:
    ///   - id: as `list` tells it.
    ///   - waits: whether it stands at its first frame until `resume`.
    ///   - resumes: as in `skip`.
    public func play(_ id: Int, waits: Bool = false, resumes: Bool = false) {
        guard isRunning else { return }
        songList.choose(id)
        begin(id, waits: waits, resumes: resumes)
    }

    /// Has the song's thread play the song that was chosen.
    private func begin(_ id: Int, waits: Bool, resumes: Bool = false) {
        guard isRunning else { return }
        control.update { $0.isHeld = waits }
        control.send(to: 0, reportsArrival: false) {
            .play(id, $0, waits: waits, step: 0, resumes: resumes)
        }
    }
}
