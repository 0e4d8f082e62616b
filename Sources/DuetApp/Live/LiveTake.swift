import AudioGraph
import AudioMedia
import SystemSupport

/// Plays the changes of a take's values as its song passes them, and keeps by how much its voices were
/// moved.
///
/// A value that users change in this run is left alone from then on. Main thread; `take.json` is written
/// on another.
final class LiveTake: LivePart, JournalListener {
    /// The longest way from a change to the mix, in seconds.
    private static let interval = 0.05
    /// Seconds without a change after which the offset is written.
    private static let rest = 1.0

    private let played: PlayedTake
    private let mix: LiveMix
    private let journal: Journal
    private let vocabulary: Vocabulary
    private var changes: TakeChanges

    private let disk: DiskWorker
    /// When the offset is to be written, in seconds of the clock; nil if it is, or soon will be.
    private var saveTime: Double?

    /// - Parameters:
    ///   - given: the addresses whose values the command line gives.
    ///   - lyrics: the words of its song, as the user named them; nil: those that the song has.
    init(
        _ played: PlayedTake, given: Set<String>, lyrics: String?, mix: LiveMix, journal: Journal,
        disk: DiskWorker
    ) {
        (self.played, self.mix, self.journal, self.disk) = (played, mix, journal, disk)
        vocabulary = played.mix.vocabulary
        let take = played.stored.take
        changes = TakeChanges(
            played.isBacking ? played.mix : mix.settings.start, played.changes(offset: take.offset),
            given: given, rate: take.rate)
        readWords(named: lyrics)
    }

    /// Shows the words of the take's songs, once they are read.
    private func readWords(named name: String?) {
        disk.run(
            on: .words, isAwaited: false,
            { [stored = played.stored] in
                Result { () throws(SongError) in
                    try TakeWords.read(
                        stored, named: name.map { name throws(SongError) in try Location(name) })
                }
            },
            then: { [mix, journal] found throws(DuetError) in
                switch found {
                case .success(.success(let words?)): try mix.songs.setTakeWords(words)
                case .success(.failure(let error)):
                    try journal.report(
                        .warning(message: DuetError(error).line, about: .song(bus: 0)))
                case .success(.success(nil)), .failure: break
                }
            })
    }

    // MARK: Values

    /// Leaves alone what a user has changed.
    func hear(_ news: Journal.News) {
        guard case .changes(let news, let origin) = news, [.user, .reset, .undo].contains(origin),
            !played.isBacking
        else { return }
        let changed = news.filter { $0.old != $0.new }.compactMap {
            vocabulary.parameter($0.address)
        }
        changes.give(changed, of: mix.plan)
    }

    /// Seconds until a value is due, or the offset is to be written.
    var secondsLeft: Double {
        let values = changes.isEmpty || !mix.songs.canBeHeard ? Double.infinity : Self.interval
        return min(values, (saveTime ?? .infinity) - Clock.seconds)
    }

    /// Sets the values that hold where the song is, and writes what is due.
    func update() throws(DuetError) {
        if let saveTime, Clock.seconds >= saveTime { save() }
        do throws(Refusal) { try setValues() } catch {
            try journal.warn("a value of the take cannot be set: \(error.reason)")
            changes.replace(with: [])
        }
    }

    private func setValues() throws(Refusal) {
        guard !changes.isEmpty else { return }
        let frame = SongTime.frame(at: mix.songs.place, rate: played.stored.take.rate)
        guard !changes.move(to: frame).isEmpty else { return }
        if played.isBacking { return try mix.setBacking(changes.mix) }
        var new = mix.settings.start
        new.takeValues(of: changes.mix)
        if new != mix.settings.run { try mix.change(by: .take) { $0.setRun(new) } }
    }

    // MARK: The offset

    /// Moves the voices, and keeps that in a moment.
    func setOffset(_ seconds: Double) throws(Refusal) {
        guard played.files.count > 1 else { throw Refusal(reason: "this take has no voice") }
        guard seconds != mix.songs.voiceOffset else { return }
        mix.songs.setVoiceOffset(seconds)
        // The changes of voices hold elsewhere now.
        changes.replace(with: played.changes(offset: seconds))
        saveTime = Clock.seconds + Self.rest
    }

    private func save() {
        saveTime = nil
        disk.run(
            on: .takes,
            { [stored = played.stored, offset = mix.songs.voiceOffset] in
                Result { () throws(DuetError) in try stored.keep(offset: offset) }
            },
            late: { [journal] () throws(DuetError) in
                try journal.warn("the take's offset is not kept: the disk is not responding")
            },
            then: { [journal] result throws(DuetError) in
                let problem: String
                switch result {
                case .success(.success): return
                case .success(.failure(let error)): problem = error.line
                case .failure(.notBegun(let code)):
                    problem = "no thread can be made: \(errorText(code))"
                case .failure: problem = "the disk is not responding"
                }
                try journal.warn("the take's offset is not kept: \(problem)")
            })
    }

    /// Keeps the offset.
    func finish() throws(DuetError) { if saveTime != nil { save() } }
}
