import AudioGraph
import AudioMedia
import SystemSupport

/// Plays the songs of a folder over and over, softly, while nobody sings.
///
/// Main thread; the songs' own thread reaches it through the inbox alone.
final class BreakMusic {
    /// How loud it is.
    private static let volume = Decibels(-15)
    /// Seconds until it is as loud as that, and until it is silent.
    private static let (rise, fall) = (3.0, 1.0)
    /// Seconds from one step of its volume to the next.
    private static let step = 0.05
    /// So many of its songs that cannot be played are told.
    private static let mostTold = 3

    private let folder: Location
    private let journal: Journal
    private let inbox = Inbox<SongError>(limit: 16)
    private var mix: MixGraph
    /// Made when it is wanted first.
    private var queue: SongQueue?
    /// How loud it is now, 0…1 of its volume.
    private var level = 0.0
    private var isWanted = false
    private var lastTime = 0.0
    private var toldCount = 0
    /// Frames of a cycle.
    private var period = 0

    init(_ folder: Location, mix: MixGraph, journal: Journal) {
        (self.folder, self.mix, self.journal) = (folder, mix, journal)
    }

    var descriptors: [Int32] { [inbox.descriptor].compactMap { $0 } }

    /// Seconds until its volume changes; infinite while that is as it is to be.
    var secondsLeft: Double {
        level == (isWanted ? 1 : 0) ? .infinity : lastTime + Self.step - Clock.seconds
    }

    /// Cycles have so many frames.
    func setPeriod(_ frames: Int) {
        period = frames
        queue?.setPeriod(frames)
    }

    /// Lets it be heard, or fade out.
    func update(isWanted: Bool) throws(DuetError) {
        for error in inbox.take().messages where toldCount < Self.mostTold {
            toldCount += 1
            try journal.warn("break music: \(DuetError(error).line)")
        }
        let now = Clock.seconds
        if isWanted != self.isWanted {
            self.isWanted = isWanted
            lastTime = now
            if isWanted { try begin() }
        }
        let goal = isWanted ? 1.0 : 0
        guard level != goal, now >= lastTime + Self.step else { return }
        let change = (now - lastTime) / (isWanted ? Self.rise : Self.fall)
        level = isWanted ? min(1, level + change) : max(0, level - change)
        lastTime = now
        mix.setBreak(volume: Volume(gain: Self.volume.gain * level * level))
        if level == 0 { queue?.pause() }
    }

    private func begin() throws(DuetError) {
        guard queue == nil else { return queue?.resume() ?? () }
        let source = try mix.addBreak()
        let new = SongQueue([folder], source: source, loops: true, appliesGain: true) {
            [inbox] event in
            switch event {
            case .skipped(let error), .failed(let error): inbox.post(error)
            default: break
            }
        }
        queue = new
        new.start()
        new.setPeriod(period)
    }

    /// Goes on in another graph, which takes the place of the one before.
    func move(to mix: MixGraph) throws(DuetError) {
        self.mix = mix
        guard let queue else { return }
        queue.move(to: try mix.addBreak())
        mix.setBreak(volume: Volume(gain: Self.volume.gain * level * level))
    }

    func stop() { queue?.stop() }
}
