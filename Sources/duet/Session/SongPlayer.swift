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

    /// How events call it.
    let bus: Int
    private let mixerBus: Int
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
    /// Whether the songs are held: the next one then, too, when one is lost.
    private var isPaused = false

    /// What was heard of the present song.
    private struct Observed {
        var hasPlayed = false
        /// Whether `playing` was the last that was said.
        var isPlaying = false
        /// The connection is being tried again; until then in seconds of the clock.
        var reconnectingUntil = 0.0
        /// Why it is lost; what is buffered plays on.
        var loss: DuetError?
    }

    /// Why the last song was lost; nil when it was not.
    private(set) var failure: DuetError?
    /// Whether all songs are over.
    private(set) var isOver = false

    /// A player of `list`, which is not empty, on input `mixerBus` of the mixer.
    init(
        bus: Int, mixerBus: Int, list: [String], mix: MixGraph, inbox: Inbox<Message>
    ) {
        self.bus = bus
        self.mixerBus = mixerBus
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
        let source = try mix.replaceSong(bus: mixerBus)
        self.source = source
        number += 1
        observed = Observed()
        failure = nil
        let location: Location
        do {
            location = try Location(list[index])
        } catch {
            throw DuetError(error)
        }
        let song = Song(location, source: source) { [inbox, bus, number] event in
            inbox.post(Message(bus: bus, number: number, event: event))
        }
        self.song = song
        if isPaused { song.pause() }
        song.start(at: seconds)
    }
}

// MARK: What the keys ask

extension SongPlayer {
    /// Pauses, or plays on.
    func setPaused(_ isPaused: Bool) {
        self.isPaused = isPaused
        if isPaused { song?.pause() } else { song?.resume() }
    }

    /// Moves by `seconds`.
    func seek(by seconds: Double) {
        // The position is that of a seek under way, so that keys pressed in a row add up.
        guard let song, song.info != nil else { return }
        song.seek(to: max(0, song.position.seconds + seconds))
    }

    /// Goes `count` songs on (negative: back; before the first is the first's start), and plays.
    /// Past the last one all are over.
    func skip(_ count: Int, report: (Event) throws(DuetError) -> Void) throws(DuetError) {
        isPaused = false
        try go(count, report: report)
    }

    private func go(
        _ count: Int, report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
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
        let isLast = index + 1 == list.count
        // A last song's loss is what the run ends with, but where another bus plays on.
        if !isLast || isOneOfTwo { try report(.warning(message: error.line)) }
        try go(1, report: report)
    }

    /// Whether the other bus has songs too.
    private var isOneOfTwo: Bool { mix.mixer.inputs.count == 2 && mix.io.inputChannelCount == 0 }
}

// MARK: What is seen

extension SongPlayer {
    /// Where the song is; nil: there is none.
    var position: SongPosition? { song?.position }

    /// Whether it could play at once.
    var isReady: Bool {
        guard let feed = source?.feed else { return false }
        return song?.info != nil && feed.bufferedFrames >= feed.capacity / 2
    }

    /// What the status line shows of the song.
    var state: Status.State {
        guard let source, !isOver else { return .ended }
        if observed.reconnectingUntil > Clock.seconds { return .reconnecting }
        return switch source.state {
        case .waiting: song?.info == nil ? .opening : .buffering
        case .playing: .playing
        case .paused: .paused
        case .ended: .ended
        }
    }

    /// Where it is, for scripts.
    var positionEvent: Event? {
        guard let position else { return nil }
        return .position(
            bus: bus, seconds: position.seconds, duration: position.duration,
            buffered: position.buffered, exact: position.isExact)
    }

    /// Takes what a song's thread said.
    func take(
        _ message: Message, report: (Event) throws(DuetError) -> Void
    ) throws(DuetError) {
        guard message.number == number, !isOver else { return }
        switch message.event {
        case .opened(let description): try report(.source(description.facts(bus: bus)))
        case .playing: try reportPlaying(report)
        case .paused:
            observed.isPlaying = false
            try report(.paused(bus: bus))
        case .buffering:
            try report(.underrun(bus: bus, frames: source?.position ?? 0))
        case .recovered(let seconds): try report(.recovered(bus: bus, seconds: seconds))
        case .reconnecting(let attempt, let reason, let delay):
            observed.reconnectingUntil = Clock.seconds + delay + 1
            try report(
                .reconnecting(bus: bus, attempt: attempt, reason: reason, delay: delay))
        case .seeked(let seconds, _):
            try report(.seeked(bus: bus, seconds: seconds))
            // A song that begins in its middle says only so.
            if source?.isPaused == false { try reportPlaying(report) }
        case .cannotSeek(let reason): try report(.warning(message: "cannot seek: \(reason)"))
        case .failed(let error):
            var loss = DuetError(error)
            guard observed.hasPlayed else {
                loss.status = .noInput
                return try lose(loss, report: report)
            }
            observed.loss = loss
        case .ended(let frames):
            try report(.ended(bus: bus, frames: frames))
            if let loss = observed.loss {
                try lose(loss, report: report)
            } else {
                try go(1, report: report)
            }
        case .position, .stopped: break
        }
    }
}

extension SongPlayer {
    private func reportPlaying(_ report: (Event) throws(DuetError) -> Void) throws(DuetError) {
        observed.hasPlayed = true
        guard !observed.isPlaying else { return }
        observed.isPlaying = true
        try report(.playing(bus: bus))
    }
}

extension SongDescription {
    /// What scripts are told.
    func facts(bus: Int) -> Event.SourceFacts {
        Event.SourceFacts(
            bus: bus, url: location, codec: format.codec, rate: format.sampleRate,
            channels: format.channelCount, bitrate: format.bitrate, duration: duration,
            seekable: isSeekable, live: false, gain: 1)
    }
}

extension DuetError {
    /// A song that is lost, as this program says it.
    init(_ error: SongError) {
        self.init(
            status: ExitStatus(rawValue: error.exitCode) ?? .failure, attempt: error.message,
            result: "", hint: error.hint)
    }
}
