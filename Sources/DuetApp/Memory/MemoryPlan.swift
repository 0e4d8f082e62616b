import AudioMedia

/// How a run remembers what users change of songs.
struct MemoryPlan: Sendable {
    /// Where it is kept.
    let folder: FileName
    /// Whether what is remembered of the songs that are played is removed, and not used.
    let forgets: Bool

    /// The key that is remembered of a song for its singer; nil: none is. Blocks for as long as the disk
    /// takes.
    var key: @Sendable (Location, String?) -> Double? {
        let store = SongStore(folder: folder)
        return { [forgets] location, singer in
            guard !forgets, let song = RememberedSong(location.whole, singer: singer) else {
                return nil
            }
            return store.values(of: song).values["/song/key"]
        }
    }
}
