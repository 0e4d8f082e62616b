import AudioGraph
import Synchronization
import SystemSupport

/// What the control thread and a queue's thread tell each other. Neither is realtime.
final class SongControl: Sendable {
    /// What the queue's thread is asked to do.
    enum Command {
        /// `isPaused` was set on the source: only to be told.
        case paused(Bool)
        case seek(PendingSeek)
        /// Songs on, or back.
        case skip(Int, PendingSeek)
        /// The driver takes so many frames at once.
        case period(Int)
        /// Go on in another ring, which nobody has used.
        case move(SongFeed, PendingSeek)
        case stop(drained: Bool)
    }

    /// What the song's thread tells.
    struct Status {
        var description: SongDescription?
        var position = SongPosition()
        /// Which song it is.
        var place = SongPlace()
        /// What was asked for last, and has not arrived.
        var seek: PendingSeek?
        var error: SongError?
        var keptBytes = 0
        /// Whether another song follows the one that is heard.
        var hasNext = false
    }

    private struct Shared {
        var commands: [Command] = []
        var status = Status()
        /// Places that were asked for.
        var seekCount = 0
        var isOver = false
        var streams: [Int: AsyncStream<SongEvent>.Continuation] = [:]
        var nextStream = 0
    }

    /// Set while commands wait; nil when the process had no descriptor left.
    let wake = EventFlag()
    private let shared = Mutex(Shared())
    private let listener: (@Sendable (SongEvent) -> Void)?

    init(listener: (@Sendable (SongEvent) -> Void)?) {
        self.listener = listener
    }

    var status: Status { shared.withLock { $0.status } }

    /// Control thread: asks for something.
    func send(_ command: Command) {
        shared.withLock { $0.commands.append(command) }
        wake?.set()
    }

    /// Control thread: asks for a place, `seconds` from the beginning of a song, which the position
    /// is from now on until the song is there.
    func send(to seconds: Double, isTold: Bool, _ command: (PendingSeek) -> Command) {
        shared.withLock {
            $0.seekCount += 1
            let seek = PendingSeek(number: $0.seekCount, seconds: seconds, isTold: isTold)
            let command = command(seek)
            // Of several seeks the newest is meant.
            if case .seek = command {
                $0.commands.removeAll { if case .seek = $0 { true } else { false } }
            }
            $0.status.seek = seek
            $0.commands.append(command)
        }
        wake?.set()
    }

    /// Song's thread: `seek` has arrived, or will not; it is on its way to `next` now. Nothing
    /// changes where something else has been asked for since.
    func settle(_ seek: PendingSeek, next: PendingSeek? = nil) {
        shared.withLock {
            guard $0.status.seek?.number ?? seek.number <= seek.number else { return }
            $0.status.seek = next
        }
    }

    /// Song's thread: what was asked for since the last time.
    func takeCommands() -> [Command] {
        shared.withLock { shared in
            defer { shared.commands = [] }
            return shared.commands
        }
    }

    /// Song's thread: changes what can be asked.
    func update(_ change: (inout Status) -> Void) {
        shared.withLock { change(&$0.status) }
    }

    /// Song's thread: tells the listener and the streams.
    func emit(_ event: SongEvent) {
        listener?(event)
        let streams = shared.withLock { Array($0.streams.values) }
        for stream in streams { stream.yield(event) }
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
