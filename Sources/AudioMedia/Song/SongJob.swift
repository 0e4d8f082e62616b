import AudioGraph

/// What a queue gives its thread to do.
struct SongJob: Sendable {
    let list: SongList
    let feed: SongFeed
    let control: SongControl
    let limits: NetworkLimits
    /// If the first is a playlist, the number of the song in it to begin with.
    let part: Int
    /// Where it begins; nil: at its first frame.
    let seek: PendingSeek?
    /// No seek may jump by an estimate, no song come late.
    let isExact: Bool
    /// Every song is multiplied by the gain that it asks for.
    let appliesGain: Bool
    /// What is done to the songs' frames, as far as it can be.
    let effects: SongEffects
    /// Each song is told of before its frames are decoded.
    let tellsOfSongs: Bool
    /// Where the songs' lyrics are looked for; nil: nowhere but in their tags.
    let lyrics: LyricsRequest?
    /// Every song but the first waits at its first frame to be resumed.
    let pausesBetween: Bool
    /// Something else has used the feed before.
    let isFeedUsed: Bool
}
