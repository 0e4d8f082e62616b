import AudioMedia
import SystemSupport

/// Reads in the background what the songs of the list are called and how long they are, and puts the songs
/// of folders and playlists into it: as far as what plays leaves the disk and the processor to it.
///
/// Main thread, but for the reading itself.
final class ListReader {
    /// What was found of a song, and its key as it is remembered for its singer.
    private struct Look: Sendable {
        var song: (id: Int, location: Location)
        var finding: SongFinding
        var key: Double?
    }
    private enum Message: Sendable {
        case look(Look)
        /// All songs that were to be read are.
        case done
    }

    /// So many songs are read before the list is looked at again.
    private static let mostAtOnce = 16
    /// Seconds after which it is looked again whether the song that plays has enough.
    private static let pause = 0.5
    /// Seconds that must be ahead of what plays.
    private static let needed = 3.0
    /// So many losses of one playlist are told.
    private static let mostTold = 10

    private let player: SongPlayer
    private let list: LiveList
    private let journal: Journal
    /// The key that is remembered of a song for its singer; nil: nothing is remembered. On the thread that
    /// reads.
    private let key: (@Sendable (Location, String?) -> Double?)?
    private let inbox = Inbox<Message>()
    private var isUnderWay = false
    /// The version of the list in which all songs were read.
    private var readVersion: Int?
    private var retryTime = 0.0

    init(
        of player: SongPlayer, list: LiveList, journal: Journal,
        key: (@Sendable (Location, String?) -> Double?)?
    ) {
        (self.player, self.list, self.journal, self.key) = (player, list, journal, key)
    }

    var descriptors: [Int32] { [inbox.descriptor].compactMap { $0 } }

    var secondsLeft: Double {
        isUnderWay || player.queue?.listVersion == readVersion
            ? .infinity : retryTime - Clock.seconds
    }

    /// Takes what was read, and has more read.
    func update() throws(DuetError) {
        for message in inbox.take(atMost: 64).messages {
            switch message {
            case .look(let look): try take(look)
            case .done: isUnderWay = false
            }
        }
        guard !isUnderWay, let queue = player.queue, Clock.seconds >= retryTime else { return }
        let version = queue.listVersion
        guard version != readVersion else { return }
        let songs = queue.unseenSongs(atMost: Self.mostAtOnce)
        guard !songs.isEmpty else { return readVersion = version }
        guard player.leavesTime(seconds: Self.needed) else {
            return retryTime = Clock.seconds + Self.pause
        }
        let named = songs.map { song in (song, queue.listedSong(song.id)?.singer) }
        isUnderWay = true
        let code = DetachedThread.start("list", stack: .libraries) { [inbox, key] in
            DetachedThread.stepBack()
            for (song, singer) in named {
                inbox.post(
                    .look(
                        Look(
                            song: (song.id, song.location),
                            finding: .read(song.location, end: song.end),
                            key: key?(song.location, singer))))
            }
            inbox.post(.done)
        }
        guard code != 0 else { return }
        (isUnderWay, retryTime) = (false, Clock.seconds + 10)
    }

    private func take(_ look: Look) throws(DuetError) {
        guard let queue = player.queue else { return }
        let losses = queue.take(look.finding, ofSong: look.song.id, at: look.song.location)
        list.note(key: look.key, ofSong: look.song.id)
        for error in losses.prefix(Self.mostTold) { try journal.warn(DuetError(error).line) }
        if losses.count > Self.mostTold {
            try journal.warn("and \(losses.count - Self.mostTold) more of \(look.song.location)")
        }
    }
}
