import AudioMedia
import SystemSupport

/// Remembers what users change of each song of a run, and sets it when the song begins.
///
/// Main thread; files are read and written on others.
final class LiveMemory: LivePart, JournalListener {
    private let plan: MemoryPlan
    private let mix: LiveMix
    private let journal: Journal
    private let memory: SongMemory
    private var buses: [RememberedBus]
    /// The song that follows on each bus, and in which frame of the graph it begins.
    private var coming: [Int: (number: Int, frame: Int)] = [:]
    /// The songs of this run of which was forgotten what was remembered before it.
    private var forgotten: Set<Location> = []
    /// Whether it was told that a file cannot be written, or a disk does not answer.
    private var (saidUnkept, saidUnused) = (false, false)

    init(_ plan: MemoryPlan, mix: LiveMix, journal: Journal) {
        self.plan = plan
        self.mix = mix
        self.journal = journal
        memory = SongMemory(SongStore(folder: plan.folder))
        let vocabulary = mix.plan.vocabulary
        buses = mix.songs.places.indices.map { bus in
            RememberedBus(plan, bus: bus, name: mix.plan.buses[bus], vocabulary: vocabulary)
        }
    }

    func hear(_ news: Journal.News) throws(DuetError) {
        switch news {
        case .song(let event, let bus): try take(event, bus: bus)
        case .changes(let changes, by: .user): note(changes)
        case .changes(_, by: .reset): reset()
        case .changes(_, by: .undo): try undoReset()
        case .changes, .heard, .event, .settled: break
        }
    }

    /// Readable when `update` has something to do; nil while nothing is read or written.
    var descriptors: [Int32] { [memory.descriptor].compactMap { $0 } }

    /// Takes what was read of songs.
    func update() throws(DuetError) {
        for answer in memory.take() { try take(answer) }
        var isLate = false
        for bus in buses.indices where buses[bus].giveUp(at: Clock.seconds) { isLate = true }
        guard isLate, !saidUnused else { return }
        saidUnused = true
        try journal.warn(
            "what is remembered of songs is not used: \(plan.folder) did not respond within 2 s")
    }

    /// A user has changed values.
    private func note(_ changes: [ValueChange]) {
        let changed = Set(changes.filter { $0.old != $0.new }.map(\.address))
        for bus in buses.indices where buses[bus].note(changed) {
            for number in buses[bus].numbers { prepare(number, bus: bus) }
        }
    }

    /// The mix was reset: nothing is remembered any more of the songs that are heard.
    private func reset() {
        for bus in buses.indices {
            buses[bus].reset()
            for number in buses[bus].numbers { prepare(number, bus: bus) }
        }
    }

    /// The reset was undone, and no other song has begun since: what was remembered by then is
    /// remembered again.
    private func undoReset() throws(DuetError) {
        for bus in buses.indices {
            let (values, changes) = buses[bus].undoReset(in: mix.plan)
            keep(changes, of: buses[bus].song)
            if let values { try apply(values, bus: bus, isRepeated: true) }
            for number in buses[bus].numbers { prepare(number, bus: bus) }
        }
    }

    /// Keeps what was changed of the songs that are heard, and waits 2 s at most for the disk: one
    /// that is busy, or has to spin up first, takes longer than half a second.
    func finish() throws(DuetError) {
        for bus in buses.indices { keep(buses[bus].end(in: mix.plan), of: buses[bus].song) }
        for answer in memory.finish(milliseconds: 2000) { try take(answer) }
    }

    // MARK: Songs

    private func take(_ event: SongEvent, bus: Int) throws(DuetError) {
        switch event {
        case .found(let song, let number):
            buses[bus].find(song, number: number)
            let ticket = SongMemory.Ticket(bus: bus, number: number)
            let isToForget = plan.forgets && !forgotten.contains(song)
            if isToForget || song == .standardInput {
                try learn([:], ticket)
            } else {
                memory.add(.read(song, ticket))
            }
        case .opened(let song):
            try open(song.number, bus: bus)
            forgetComing(bus: bus)
        case .comes(let number, let frame):
            coming[bus] = (number, frame)
            prepare(number, bus: bus)
        case .comesNot: forgetComing(bus: bus)
        case .seeked: buses[bus].goOn()
        case .ended: keep(buses[bus].end(in: mix.plan), of: buses[bus].song)
        default: break
        }
    }

    private func open(_ number: Int, bus: Int) throws(DuetError) {
        let (values, changes, last) = buses[bus].open(number, in: mix.plan, at: Clock.seconds)
        keep(changes, of: last)
        let song = buses[bus].song
        // What is changed from here on is remembered, also when the song begins again in this run.
        if plan.forgets, let song, forgotten.insert(song).inserted { memory.add(.remove(song)) }
        try apply(values ?? [:], bus: bus, isRepeated: song == last)
    }

    /// Sets what is remembered of the song that is heard, and tells it.
    private func apply(
        _ values: [String: Double], bus: Int, isRepeated: Bool
    ) throws(DuetError) {
        let old = mix.plan
        var changed = buses[bus]
        let (new, told) = changed.apply(values, to: old) { parameter, value in
            (try? mix.songs.check(parameter, value, bus: bus)) != nil
        }
        // Where the mix cannot be set, it stays as it is, and so does the way back.
        do throws(Refusal) { if new != old { try mix.setAll(of: new, by: .memory) } } catch {
            return
        }
        buses[bus] = changed
        guard !told.isEmpty, new != old || !isRepeated else { return }
        let tellers = buses[bus].parameters.filter { told[$0.address] != nil }
        try journal.report(
            .remembered(
                bus: bus, url: buses[bus].song?.reference ?? "",
                values: tellers.map { ($0.address, $0.parameter, new[$0.parameter]) }))
    }

    /// Lets a song that comes begin with what is remembered of it.
    private func prepare(_ number: Int, bus: Int) {
        guard let next = buses[bus].mix(mix.plan, ofSong: number) else { return }
        mix.songs.setEffects(next.effects(bus: bus), ofSong: number, bus: bus)
        if let (found, frame) = coming[bus], found == number {
            mix.prepare(next, bus: bus, endingAt: frame)
        }
    }

    /// The song that was to follow has begun, or does not.
    private func forgetComing(bus: Int) {
        coming[bus] = nil
        mix.withdrawPrepared(bus: bus)
    }

    private func keep(_ changes: [String: Double?], of song: Location?) {
        if let song, song != .standardInput, !changes.isEmpty {
            memory.add(.change(song, changes))
        }
    }

    // MARK: Answers

    private func take(_ answer: SongMemory.Answer) throws(DuetError) {
        switch answer {
        case .values(let values, let ticket): try learn(values, ticket)
        case .removed:
            try journal.report(
                .notice(message: "what was remembered for this song is forgotten"))
        case .unread(let reason): try journal.warn(reason)
        case .unkept(let reason):
            guard !saidUnkept else { return }
            saidUnkept = true
            try journal.warn("cannot save song settings: \(reason)")
        }
    }

    private func learn(_ values: [String: Double], _ ticket: SongMemory.Ticket) throws(DuetError) {
        if buses[ticket.bus].learn(values, number: ticket.number) {
            try apply(values, bus: ticket.bus, isRepeated: false)
        } else {
            prepare(ticket.number, bus: ticket.bus)
        }
    }
}
