import Glibc

/// Tells whether a song can be played, and what its words are, without playing it.
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
            switch try opened(location) {
            case .song: return nil
            case .playlist(let playlist):
                let (songs, refusals) = playlist.sorted(in: [location])
                guard songs.isEmpty else { return nil }
                return refusals.first
                    ?? .cannotOpen(song: location.description, .namesNoSong)
            }
        } catch {
            return error
        }
    }

    /// The words of a song, read without playing it: those beside its file, or else in its tags. Nil where
    /// there are none, and for what is not a file.
    ///
    /// Blocks for as long as the disk takes.
    public static func words(of location: Location) throws(SongError) -> Lyrics? {
        guard let path = location.fileNeeded else { return nil }
        let lyrics = try LyricsFile.read(beside: location)
        if let lyrics, lyrics.lines.contains(where: { !$0.text.isEmpty }) { return lyrics }
        var facts = stat()
        // A pipe can be read only once.
        guard unsafe stat(path.cString, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            case .song(let reader) = try opened(location)
        else { return nil }
        return reader.tags?.lines
    }

    private enum Opened {
        case song(SongReader)
        case playlist(Playlist)
    }

    private static func opened(_ location: Location) throws(SongError) -> Opened {
        let reader = try SongReader(location, limits: .standard)
        let block = FrameBlock()
        reader.start()
        while true {
            reader.receive()
            switch unsafe try reader.open(block.samples) {
            case .pending: continue
            case .song: return .song(reader)
            case .playlist(let playlist): return .playlist(playlist)
            }
        }
    }
}
