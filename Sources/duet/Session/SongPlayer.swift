import AudioGraph
import AudioMedia

/// Plays the songs of one bus, one after the other, and tells what it sees of them.
///
/// Main thread; the songs' own threads reach it through the inbox alone.
final class SongPlayer {
    /// What a song's thread says, and which song: what an old one says late is not looked at.
    struct Message: Sendable {
        var bus: Int
        var number: Int
        var event: SongEvent
    }

    let bus: Int
    private let list: [String]
    private let mix: MixGraph
    private let inbox: Inbox<Message>
    /// Which song of the list plays.
    private var index = 0
    /// Counts every start of a song.
    private var number = 0
    private var song: Song?
    private var source: SongSource?
    private var observed = Observed()
    private var endedUnderruns = 0

    /// What was reported of the present song.
    private struct Observed {
        var state: SongSource.State?
        var underruns = 0
        /// When the song ran dry.
        var dryAt: Double?
        var isOpen = false
        var isReconnecting = false
        /// Where the newest seek goes, in seconds, until it has arrived.
        var seekTarget: Double?
    }

    /// Why the last song was lost; nil when it was not.
    private(set) var failure: DuetError?
    /// Whether all songs are over.
    private(set) var isOver = false

    /// A player of `list`, which is not empty.
    init(bus: Int, list: [String], mix: MixGraph, inbox: Inbox<Message>) {
        self.bus = bus
        self.list = list
        self.mix = mix
        self.inbox = inbox
    }

    /// Underruns of all songs so far.
    var underruns: Int { endedUnderruns + (source?.underruns ?? 0) }

    /// Begins the first song at `seconds`.
    func start(
        at seconds: Double, report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        do {
            try begin(at: seconds)
        } catch {
            try lose(error, report: report)
        }
    }

    private func begin(at seconds: Double = 0) throws(DuetError) {
        endedUnderruns = underruns
        let source = try mix.replaceSong(bus: bus)
        self.source = source
        number += 1
        observed = Observed()
        failure = nil
        let message = Message(bus: bus, number: number, event: .playing)
        do {
            let song = try Song(location: Location(list[index]), source: source) { [inbox] event in
                var message = message
                message.event = event
                inbox.post(message)
            }
            self.song = song
            song.start(at: seconds)
        } catch {
            song = nil
            throw DuetError(error)
        }
    }
}

// MARK: What the keys ask

extension SongPlayer {
    /// Pauses, or plays on.
    func setPaused(_ isPaused: Bool) {
        if isPaused { song?.pause() } else { song?.resume() }
    }

    /// Moves by `seconds` from where the song is, or from where the last seek goes.
    func seek(by seconds: Double) {
        guard let song, observed.isOpen else { return }
        let target = max(0, (observed.seekTarget ?? position) + seconds)
        observed.seekTarget = target
        song.seek(toSeconds: target)
    }

    /// Goes `count` songs on (negative: back; before the first is the first's start). Past the
    /// last one all are over.
    func skip(_ count: Int, report: (Event) throws(DuetError) -> Void) throws(DuetError) {
        guard !isOver else { return }
        song?.stop()
        guard index + count < list.count else {
            song = nil
            isOver = true
            return
        }
        index = max(0, index + count)
        do {
            try begin()
        } catch {
            try lose(error, report: report)
        }
    }

    /// Stops; returns soon, whatever the network does.
    func stop() {
        song?.stop()
        song = nil
    }

    /// The song cannot be played any more: the next begins, or all are over.
    private func lose(
        _ error: DuetError, report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        failure = error
        guard index + 1 < list.count else {
            song = nil
            isOver = true
            return
        }
        try report(.warning(message: error.line))
        try skip(1, report: report)
    }
}

// MARK: What is seen

extension SongPlayer {
    /// Seconds into the song.
    var position: Double {
        guard let source else { return 0 }
        return Double(source.position) / Double(mix.graph.sampleRate)
    }

    /// What the status line shows of the song.
    var state: Status.State {
        guard let source, !isOver else { return .ended }
        if observed.isReconnecting { return .reconnecting }
        return switch source.state {
        case .waiting: observed.isOpen ? .buffering : .opening
        case .playing: .playing
        case .paused: .paused
        case .ended: .ended
        }
    }

    /// Seconds; nil: not known.
    var duration: Double? { song?.duration }

    /// Seconds that play on without the network.
    var buffered: Double { song?.bufferedSeconds ?? 0 }

    /// Where it is, for scripts.
    var positionEvent: Event {
        .position(
            bus: bus, seconds: position, duration: duration, buffered: buffered,
            exact: song?.isPositionExact ?? true)
    }

    /// Looks at what plays; several times a second.
    func observe(report: (Event) throws(DuetError) -> Void) throws(DuetError) {
        guard let source, !isOver else { return }
        if source.underruns > observed.underruns {
            observed.underruns = source.underruns
            observed.dryAt = Clock.seconds
            try report(.underrun(bus: bus, frames: source.position))
        }
        let state = source.state
        guard state != observed.state else { return }
        observed.state = state
        switch state {
        case .waiting: break
        case .playing:
            observed.seekTarget = nil
            if let dryAt = observed.dryAt {
                observed.dryAt = nil
                try report(.recovered(bus: bus, seconds: Clock.seconds - dryAt))
            }
            try report(.playing(bus: bus))
        case .paused: try report(.paused(bus: bus))
        case .ended:
            try report(.ended(bus: bus, frames: source.position))
            try skip(1, report: report)
        }
    }

    /// Takes what a song's thread said.
    func take(
        _ message: Message, report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        guard message.number == number, !isOver else { return }
        switch message.event {
        case .opened(let format):
            observed.isOpen = true
            try report(.source(format.facts(bus: bus, url: list[index])))
        case .reconnecting(let attempt, let reason, let delay):
            observed.isReconnecting = true
            try report(
                .reconnecting(bus: bus, attempt: attempt, reason: reason, delay: delay))
        case .reconnected:
            observed.isReconnecting = false
        case .seeked(let seconds):
            observed.seekTarget = nil
            try report(.seeked(bus: bus, seconds: seconds))
        case .failed(let error):
            try lose(DuetError(error), report: report)
        case .playing, .paused, .stopped, .buffering, .recovered, .position: break
        }
    }
}
