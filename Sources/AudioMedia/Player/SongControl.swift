import AudioGraph
import SystemSupport

/// Takes commands from the control thread to a queue's thread, and its status and events back.
/// Neither thread is realtime.
final class SongControl: Sendable {
    /// A command for the queue's thread.
    enum Command {
        /// `isPaused` was set on the source; the thread has to tell it.
        case paused(Bool)
        case seek(PendingSeek)
        /// Play the song of that id, nil for one that is not there; with `waits`, when it is resumed.
        /// Where it cannot be played, the next one that can be in the direction of `step` is; 0: none.
        /// With `resumes` a pause ends when it begins.
        case play(Int?, PendingSeek, waits: Bool, step: Int, resumes: Bool)
        /// Repeat a part of the song, or none; the seek is to where it is heard, or to the part's
        /// start.
        case part(SongPart?, PendingSeek)
        /// Do this to the frames that come next.
        case effects(SongEffects)
        /// Do this to the frames of the song of that number.
        case effectsOfSong(SongEffects, number: Int)
        /// Files may have been made that songs are taken apart into.
        case lookForStems
        /// The driver takes so many frames at once.
        case period(Int)
        /// Go on in another ring, which is unused.
        case move(SongFeed, PendingSeek)
        case stop(drained: Bool)
    }

    /// What the control thread may ask about the queue.
    struct Status {
        var description: SongDescription?
        var position = SongPosition()
        /// The place of the song that is heard.
        var place = SongPlace()
        /// The newest seek, until it has arrived.
        var seek: PendingSeek?
        /// Where the song begins that was chosen, in seconds, while it is opened and the one before goes
        /// on.
        var choicePlace: Double?
        var error: SongError?
        var keptBytes = 0
        /// The files that were opened, of songs and of playlists.
        var files: Set<FilePlace> = []
        /// Whether a song waits at its first frame to be resumed.
        var isHeld = false
        /// Whether all songs are over, and no seek was sent that the song's thread did not know of then.
        var isFinished = false
    }

    private struct Shared {
        var commands: [Command] = []
        var status = Status()
        /// Commands with a seek that were sent so far, and those that the song's thread has taken.
        var (seekCount, seeksTaken) = (0, 0)
        var isOver = false
        var streams: [Int: AsyncStream<SongEvent>.Continuation] = [:]
        var nextStream = 0
    }

    /// Set while commands wait; nil when the process had no descriptor left.
    let wake = EventFlag()
    private let shared = Guarded(Shared())
    private let listener: (@Sendable (SongEvent) -> Void)?

    init(listener: (@Sendable (SongEvent) -> Void)?) {
        self.listener = listener
    }

    var status: Status { shared.withLock { $0.status } }

    /// Control thread: sends a command. Of several pauses that wait only the newest counts, and so it
    /// is with effects, and with the effects of each song: while the thread hangs on a disk, they do
    /// not become more and more.
    func send(_ command: Command) {
        shared.withLock {
            $0.commands.removeAll { isReplaced($0, by: command) }
            $0.commands.append(command)
        }
        wake?.set()
    }

    private func isReplaced(_ old: Command, by new: Command) -> Bool {
        switch (old, new) {
        case (.paused, .paused), (.effects, .effects): true
        case (.effectsOfSong(_, let old), .effectsOfSong(_, let new)): old == new
        default: false
        }
    }

    /// Control thread: sends a command with a seek to `seconds` from the beginning of a song, which
    /// counts as the position from now on until the seek has arrived.
    func send(to seconds: Double, reportsArrival: Bool, _ command: (PendingSeek) -> Command) {
        shared.withLock {
            $0.seekCount += 1
            let seek = PendingSeek(
                number: $0.seekCount, seconds: seconds, reportsArrival: reportsArrival)
            let command = command(seek)
            // A new seek replaces those that still wait.
            if case .seek = command {
                $0.commands.removeAll { if case .seek = $0 { true } else { false } }
            }
            $0.status.seek = seek
            $0.status.isFinished = false
            $0.commands.append(command)
        }
        wake?.set()
    }

    /// Song's thread: `seek` has arrived or was given up, and `next`, if any, is under way now.
    /// Nothing changes when a newer seek has been sent since.
    func settle(_ seek: PendingSeek, next: PendingSeek? = nil) {
        shared.withLock {
            guard $0.status.seek?.number ?? seek.number <= seek.number else { return }
            $0.status.seek = next
        }
    }

    /// Song's thread: the commands that were sent since the last call.
    func takeCommands() -> [Command] {
        shared.withLock { shared in
            defer { shared.commands = [] }
            shared.seeksTaken = shared.seekCount
            return shared.commands
        }
    }

    /// Song's thread: changes the status.
    func update(_ change: (inout Status) -> Void) {
        shared.withLock { change(&$0.status) }
    }

    /// Song's thread: tells the listener and the streams.
    func emit(_ event: SongEvent) {
        listener?(event)
        let streams = shared.withLock { Array($0.streams.values) }
        for stream in streams { stream.yield(event) }
    }

    /// Song's thread: tells that a song is lost, and whether others follow.
    func lose(_ error: SongError, isLast: Bool) {
        guard isLast else { return emit(.skipped(error)) }
        update {
            $0.error = error
            $0.seek = nil
        }
        emit(.failed(error))
    }

    /// Song's thread: tells that all songs are over.
    func tellFinished() {
        shared.withLock { $0.status.isFinished = $0.seeksTaken == $0.seekCount }
        emit(.finished)
    }

    /// Song's thread: whether something was asked for since it was told that all songs are over, and
    /// the thread has taken it.
    var isEndUntold: Bool {
        shared.withLock { !$0.status.isFinished && $0.seeksTaken == $0.seekCount }
    }

    /// Song's thread: nothing more will be told.
    func finish() {
        let streams = shared.withLock { shared in
            shared.isOver = true
            defer { shared.streams = [:] }
            return Array(shared.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    /// Every event from now on; the oldest are dropped when more than 256 wait.
    func events() -> AsyncStream<SongEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SongEvent.self, bufferingPolicy: .bufferingNewest(256))
        let number = shared.withLock {
            $0.nextStream += 1
            if $0.isOver { return 0 }
            $0.streams[$0.nextStream] = continuation
            return $0.nextStream
        }
        if number == 0 { continuation.finish() }
        continuation.onTermination = { [weak self] _ in
            self?.shared.withLock { _ = $0.streams.removeValue(forKey: number) }
        }
        return stream
    }
}

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
    /// Where the songs' stems are looked for; nil: nowhere.
    var stems: StemRequest?
    /// Every song but the first waits at its first frame to be resumed.
    let pausesBetween: Bool
    /// Something else has used the feed before.
    let isFeedUsed: Bool
}
