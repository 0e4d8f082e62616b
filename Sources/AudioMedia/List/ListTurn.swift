/// When the turn of a song comes that is added to a list.
public enum ListTurn: Sendable {
    /// After all others.
    case last
    /// After the present song.
    case next
    /// After the songs that give every singer as many turns: a singer who has none yet comes before the
    /// second turns of the others. The order of the others stays.
    case fair
}

/// What taking back a change of the list has done.
public enum ListUndo: Sendable, Equatable {
    /// A song that was removed is back.
    case returned(ListedSong)
    /// A song that was added is gone; of a playlist its songs, `count` in all.
    case removed(ListedSong, count: Int)
    /// A song that was moved is back in its place.
    case moved(ListedSong)
    /// What was changed is not in the list any more.
    case nothing
}
