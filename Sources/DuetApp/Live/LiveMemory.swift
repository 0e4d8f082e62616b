import AudioMedia
import SystemSupport

/// Gives each song of a run its own values when it begins, and remembers what users change of it.
///
/// Main thread; files are read and written on others.
final class LiveMemory: LivePart, JournalListener {
    /// Seconds from a song's beginning in which what is remembered of it may change the song.
    private static let patience = 2.0
    /// Seconds for which a song that comes waits for it; its first frame waits 0.25 s (`SongEvent.found`).
    private static let wait = 0.15

    /// A song of which is read what is remembered.
    private struct Reading {
        let ticket: SongMemory.Ticket
        let song: SungSong
        /// Time at which the song gets the values that are known by then, in seconds of the clock; nil if it has.
        var due: Double?
        /// Time until which it may come, in seconds of the clock; infinite if the song is not heard yet.
        var end = Double.infinity
    }

    /// Nil if nothing is remembered.
    private let plan: MemoryPlan?
    private var memory: SongMemory?
    private let mix: LiveMix
    private let journal: Journal
    /// Of each bus, the parameters that are remembered, in the order in which they are told, with their
    /// addresses in `SongStore`.
    private let kept: [[(stored: String, parameter: MixParameter)]]
    private var readings: [Reading] = []
    /// Names of songs as the list has them.
    private var references: [Location: String] = [:]
    /// Values in the files of songs, by bus and by addresses of the mix; nil while a file is not known.
    private var files: [[SungSong: [String: Double]]]
    /// The song of each bus that a reset has forgotten, and what its file held, until that is written.
    private var forgottenByReset: [Int: (song: SungSong, file: [String: Double]?)] = [:]
    /// The song that follows on each bus, and in which frame of the graph it begins.
    private var coming: [Int: (number: Int, frame: Int)] = [:]
    /// The songs of this run of which was forgotten what was remembered before it.
    private var forgotten: Set<SungSong> = []
    /// Whether it was told that a file cannot be written, or a disk does not answer.
    private var (saidUnkept, saidUnused) = (false, false)

    init(_ plan: MemoryPlan?, mix: LiveMix, journal: Journal, disk: DiskWorker) {
        self.plan = plan
        self.mix = mix
        self.journal = journal
        files = mix.settings.songs.map { _ in [:] }
        kept = mix.settings.songs.indices.map { bus in
            let strip = bus == 0 ? "/song/" : "/second/"
            return SongStore.addresses.compactMap { stored in
                let own =
                    stored.hasPrefix("/song/") ? strip + stored.dropFirst("/song/".count) : stored
                return mix.settings.songs[bus].parameters[own].map { (stored, $0) }
            }
        }
        memory = plan.map { plan in
            SongMemory(SongStore(folder: plan.folder), disk: disk) {
                [unowned self] answer throws(DuetError) in try take(answer)
            }
        }
    }

    func hear(_ news: Journal.News) throws(DuetError) {
        switch news {
        case .song(let event, let bus): try take(event, bus: bus)
        case .changes(let changes, by: .user):
            let isOfSongs = changes.contains { change in
                change.old != change.new
                    && mix.settings.songs.contains { $0.parameters[change.address] != nil }
            }
            if isOfSongs { prepareAll() }
            listKey()
        case .changes(_, by: .reset):
            for (bus, songs) in mix.settings.songs.enumerated() {
                guard !songs.isOver, let song = songs.song else { continue }
                // All goes, whatever the file has.
                forgottenByReset[bus] = (song, files[bus].removeValue(forKey: song))
            }
            prepareAll()
            listKey()
        case .changes(_, by: .undo):
            for (bus, (song, file)) in forgottenByReset { files[bus][song] = file }
            forgottenByReset = [:]
            for bus in kept.indices where mix.settings.songs[bus].isOver { try keep(bus: bus) }
            prepareAll()
            listKey()
        case .changes, .heard, .event, .settled: break
        }
    }

    var secondsLeft: Double {
        readings.reduce(memory?.retryTime ?? .infinity) { min($0, $1.due ?? .infinity, $1.end) }
            - Clock.seconds
    }

    /// Gives up what comes too late.
    func update() throws(DuetError) {
        if let memory, Clock.seconds >= memory.retryTime { memory.begin() }
        for place in readings.indices {
            guard let due = readings[place].due, Clock.seconds >= due else { continue }
            readings[place].due = nil
            prepare(readings[place].ticket.number, bus: readings[place].ticket.bus)
        }
        let count = readings.count
        readings.removeAll { Clock.seconds >= $0.end }
        guard readings.count < count, !saidUnused, let plan else { return }
        saidUnused = true
        try journal.warn(
            "what is remembered of songs is not used: \(plan.folder) did not respond within 2 s")
    }

    /// Keeps what was changed of the songs that are heard.
    func finish() throws(DuetError) {
        for bus in kept.indices { try keep(bus: bus) }
        memory?.begin()
    }

    /// Tells the list in which key the song is sung that is heard.
    private func listKey() {
        guard let queue = mix.songs.main.queue, let id = queue.heardSong,
            let song = mix.settings.songs[0].song, !mix.settings.songs[0].isOver
        else { return }
        mix.songs.list.note(
            key: mix.settings.songs[0].saved(of: song)["/song/key"], ofSong: id)
    }

    // MARK: Songs

    private func take(_ event: SongEvent, bus: Int) throws(DuetError) {
        switch event {
        case .found(let found, let number, let entry):
            // One file is one song, from whichever folder it is named.
            let song = SungSong(
                song: found.whole, singer: mix.songs.singer(ofSong: entry, bus: bus))
            references[song.song] = found.reference
            change { $0.find(song, number: number, bus: bus) }
            let ticket = SongMemory.Ticket(bus: bus, number: number)
            let isToForget = plan?.forgets == true && !forgotten.contains(song)
            if let memory, !isToForget, song.song != .standardInput {
                readings.append(
                    Reading(ticket: ticket, song: song, due: Clock.seconds + Self.wait))
                try memory.add(.read(song, ticket))
            } else {
                prepare(number, bus: bus)
            }
        case .opened(let song):
            try open(song.number, bus: bus)
            coming[bus] = nil
            mix.withdrawPrepared(bus: bus)
        case .comes(let number, let frame):
            coming[bus] = (number, frame)
            prepare(number, bus: bus)
        case .comesNot:
            coming[bus] = nil
            mix.withdrawPrepared(bus: bus)
        case .seeked: change { $0.goOn(bus: bus) }
        case .skipped: change { $0.lose(bus: bus) }
        case .ended:
            try keep(bus: bus)
            change { $0.end(bus: bus) }
        default: break
        }
    }

    private func open(_ number: Int, bus: Int) throws(DuetError) {
        try keep(bus: bus)
        let (old, last) = (mix.plan, mix.settings.songs[bus].song)
        let remembered = change { $0.open(number, bus: bus) } ?? []
        let song = mix.settings.songs[bus].song
        // What is changed from here on is remembered, also when the song begins again in this run.
        if plan?.forgets == true, let song, forgotten.insert(song).inserted {
            try memory?.add(.remove(song))
        }
        for place in readings.indices.reversed() where readings[place].ticket.bus == bus {
            switch readings[place].ticket.number {
            case number:
                (readings[place].due, readings[place].end) = (nil, Clock.seconds + Self.patience)
            case ..<number: readings.remove(at: place)
            default: break
            }
        }
        listKey()
        if song != last || mix.plan != old { try tell(remembered, bus: bus) }
    }

    /// Tells which remembered values the song that is heard has.
    private func tell(_ remembered: Set<String>, bus: Int) throws(DuetError) {
        let told = kept[bus].filter { remembered.contains($0.parameter.address) }
        guard memory != nil, !told.isEmpty else { return }
        let song = mix.settings.songs[bus].song
        try journal.report(
            .remembered(
                bus: bus, url: song.flatMap { references[$0.song] } ?? "", singer: song?.singer,
                values: told.map { ($0.stored, $0.parameter, mix.plan[$0.parameter]) }))
    }

    /// Changes the settings, also where the mix cannot be set: what holds is then as it was.
    @discardableResult
    private func change<Value>(
        by origin: Origin = .song, _ body: (inout MixSettings) -> Value
    ) -> Value? {
        try? mix.change(by: origin, body)
    }

    private func prepareAll() {
        for (bus, songs) in mix.settings.songs.enumerated() {
            for number in songs.numbers { prepare(number, bus: bus) }
        }
    }

    /// Lets a song that comes begin with its values, once these are known.
    private func prepare(_ number: Int, bus: Int) {
        // The demo's voice, and a take's, have none.
        guard mix.plan.hasSongs(bus: bus) else { return }
        let ticket = SongMemory.Ticket(bus: bus, number: number)
        guard !readings.contains(where: { $0.ticket == ticket && $0.due != nil }) else { return }
        let next = mix.settings.plan(ofSong: number, bus: bus)
        mix.songs.setEffects(next.effects(bus: bus), ofSong: number, bus: bus)
        if let (found, frame) = coming[bus], found == number {
            mix.prepare(next, bus: bus, endingAt: frame)
        }
    }

    /// Writes what has changed of what is remembered of the song that began last.
    private func keep(bus: Int) throws(DuetError) {
        guard let memory, let song = mix.settings.songs[bus].song,
            song.song != .standardInput
        else { return }
        let settings = mix.settings.songs[bus]
        let (saved, changed) = (settings.saved(of: song), settings.changed(of: song))
        var changes: [String: Double?] = [:]
        for (stored, parameter) in kept[bus] {
            let (address, value) = (parameter.address, saved[parameter.address])
            // A file that is not known may hold anything.
            let isNew =
                files[bus][song].map { $0[address] != value }
                ?? (value != nil || changed.contains(address))
            if isNew { changes[stored] = .some(value) }
        }
        files[bus][song] = saved
        if forgottenByReset[bus]?.song == song { forgottenByReset[bus] = nil }
        if !changes.isEmpty { try memory.add(.change(song, changes)) }
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
        // What comes too late is not used.
        guard let place = readings.firstIndex(where: { $0.ticket == ticket }) else { return }
        let reading = readings.remove(at: place)
        let bus = ticket.bus
        var own: [String: Double] = [:]
        for (stored, parameter) in kept[bus] { own[parameter.address] = values[stored] }
        let before = mix.settings.songs[bus].remembered
        change(by: .memory) { $0.learn(own, of: reading.song, bus: bus) }
        if let forgotten = forgottenByReset[bus], forgotten.song == reading.song {
            forgottenByReset[bus]?.file = own
        } else {
            files[bus][reading.song, default: [:]].merge(own) { $1 }
        }
        listKey()
        if reading.end < .infinity {
            try tell(mix.settings.songs[bus].remembered.subtracting(before), bus: bus)
        } else {
            prepare(ticket.number, bus: bus)
        }
    }
}
