import Glibc

/// Tells before a song is added to a list whether it can be played.
public enum SongCheck {
    /// Why what is at `location` cannot be played: a file is opened as far as that needs, and so is a
    /// folder or a playlist, but not the songs in it. Nil where nothing shows that; addresses are not
    /// asked, and pipes, which can be read only once, are not read.
    ///
    /// Blocks for as long as the disk takes.
    public static func refusal(of location: Location) -> SongError? {
        guard let path = location.fileNeeded else { return nil }
        var facts = stat()
        guard unsafe stat(path.cString, &facts) == 0, unsafe access(path.cString, R_OK) == 0 else {
            return location.cannotOpen(code: errno, looksBeside: true)
        }
        guard [S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) else { return nil }
        do throws(SongError) {
            let reader = try SongReader(location, limits: .standard)
            let block = FrameBlock()
            reader.start()
            while true {
                reader.receive()
                switch unsafe try reader.open(block.samples) {
                case .pending: continue
                case .song: return nil
                case .playlist(let playlist):
                    let (songs, refusals) = playlist.sorted(in: [location])
                    guard songs.isEmpty else { return nil }
                    return refusals.first
                        ?? .cannotOpen(song: location.description, .namesNoSong)
                }
            }
        } catch {
            return error
        }
    }
}
