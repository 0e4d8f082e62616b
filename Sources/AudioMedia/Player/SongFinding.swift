import Glibc

/// What a song's file says of the song before it is played.
public struct SongFacts: Sendable, Equatable {
    /// Nil: its tags do not say.
    public var title: String?
    /// Nil: its tags do not say.
    public var artist: String?
    /// In seconds; nil: unknown.
    public var duration: Double?

    public init(title: String? = nil, artist: String? = nil, duration: Double? = nil) {
        (self.title, self.artist, self.duration) = (title, artist, duration)
    }
}

/// The songs of a list or a folder that was looked at, for the queue that plays it.
public struct FoundSongs: Sendable {
    let playlist: Playlist
}

/// What is at a place where a song shall be, found without playing it.
public enum SongFinding: Sendable {
    case song(SongFacts)
    /// A playlist, a folder, or an archive of songs.
    case list(FoundSongs)
    case refused(SongError)
    /// Nothing was looked at: addresses are not asked, and a pipe can be read only once.
    case unknown

    /// Opens a file as far as that needs, and so a folder or a playlist, but not the songs in it. Blocks
    /// for as long as the disk takes; for a thread with the stack of libraries.
    ///
    /// - Parameters:
    ///   - location: where the song, the list or the folder is.
    ///   - end: where the song ends before its file does, in seconds; nil: nowhere.
    public static func read(_ location: Location, end: Double? = nil) -> SongFinding {
        guard let path = location.fileNeeded else { return .unknown }
        var facts = stat()
        guard unsafe stat(path.cString, &facts) == 0, unsafe access(path.cString, R_OK) == 0 else {
            return .refused(location.cannotOpen(code: errno, looksBeside: true))
        }
        guard [S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) else { return .unknown }
        do throws(SongError) {
            switch try opened(location, end: end) {
            case .song(let reader):
                let tags = reader.tags
                return .song(
                    SongFacts(title: tags?.title, artist: tags?.artist, duration: reader.duration))
            case .playlist(let playlist): return .list(FoundSongs(playlist: playlist))
            }
        } catch {
            return .refused(error)
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

    private static func opened(
        _ location: Location, end: Double? = nil
    ) throws(SongError) -> Opened {
        let reader = try SongReader(location, limits: .standard, end: end)
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

    /// Why what is at `location`, where this was found, cannot be played; nil where nothing shows that.
    public func refusal(at location: Location) -> SongError? {
        switch self {
        case .song, .unknown: return nil
        case .refused(let error): return error
        case .list(let found):
            let (songs, refusals) = found.playlist.sorted(in: [location])
            guard songs.isEmpty else { return nil }
            return refusals.first
                ?? .cannotOpen(song: location.description, .namesNoSong)
        }
    }
}
