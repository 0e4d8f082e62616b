import AudioGraph
import AudioMedia
import Glibc
import JackIO
import SystemSupport

/// Records takes of a live run: begins and ends them, and tells their writers what is done meanwhile.
///
/// A take belongs to one client, rate, period and latency: when one of these changes, or the server is
/// lost, it ends, and the next begins. Main thread.
final class TakeRecorder: LivePart, JournalListener {
    private let mix: LiveMix
    private let server: ServerConnection
    private let journal: Journal
    /// Where takes are kept; nil: in the standard place.
    private let folder: FileName?
    /// What keys do with a take in this run.
    private let keysAdvice: String
    /// What ends a take in this run; empty: no key does.
    private let endAdvice: String
    /// Whether keys do nothing any more.
    private var isFinishing = false
    /// What the writers say, by their numbers.
    private let inbox = Inbox<(number: Int, news: TakeWriter.News)>()
    private let disk: DiskWorker
    /// Whether users want to record.
    private(set) var isOn = false
    private var present: Recording?
    /// What records from the run's first frame on; nil: nothing, or `present` has it.
    private var prepared: Recorder?
    /// The takes of this run that are not deleted, in their order.
    private var takes: [Entry] = []
    /// Writers that have not said that they are over.
    private var open: Set<Int> = []
    private var count = 0
    /// The take that users were asked to delete, and until when they may say yes, in seconds of the clock.
    private var asked: (number: Int, end: Double)?

    private struct Entry {
        let number: Int
        /// Nil until it is made.
        var folder: FileName?
        /// What the first song in it is called; nil: there is none yet.
        var song: String?
        /// Whether its writer has not said that it is over.
        var isOpen = true
    }

    /// What a take belongs to.
    private struct Conditions: Equatable {
        let graph: ObjectIdentifier
        let client: ObjectIdentifier
        let period: Int
        /// The longest ways in and out, which make the lead. A recorder or a meter at the outputs
        /// changes the shortest alone.
        let capture: Int
        let playback: Int
    }

    /// A recorder in the graph, and what was mixed when it came there.
    private struct Recorder {
        let number: Int
        let writer: TakeWriter
        let graph: Graph
        /// The graph's frame at which it was asked for.
        let start: Int
        let mix: MixPlan
    }

    private struct Recording {
        let recorder: Recorder
        let conditions: Conditions
        /// Seconds that have room on the disk.
        var room: Double?
        var songs = SongWatch()
        /// The buses of the microphones that are held, as far as it was told.
        var held: Set<Int> = []
        var differences: Set<Take.Difference> = []

        var number: Int { recorder.number }
        var writer: TakeWriter { recorder.writer }
        var graph: Graph { recorder.graph }
    }

    /// - Parameter isOn: whether to record from the beginning.
    init(
        in folder: FileName?, isOn: Bool, keys: KeyTable, mix: LiveMix, server: ServerConnection,
        journal: Journal, disk: DiskWorker
    ) {
        self.disk = disk
        let playable =
            mix.songs.main.plan.interludeHold == nil ? [(Trigger.playTake, "plays")] : []
        keysAdvice = (playable + [(.discardTake, "deletes")]).compactMap { trigger, verb in
            keys.name(of: trigger).map { "\($0) \(verb) it" }
        }.joined(separator: ", ")
        endAdvice =
            keys.name(ofLine: "toggle \(RunState.record.rawValue)").map { "\($0) ends it" } ?? ""
        self.folder = folder?.whole
        self.isOn = isOn
        self.mix = mix
        self.server = server
        self.journal = journal
    }

    // MARK: What users ask

    /// What users are told of whether they record; nil: the end of the take says it.
    var note: String? {
        guard isOn else { return present == nil ? "not recording" : nil }
        return server.isConnected ? "recording" : "recording begins when the server is back"
    }

    /// Begins to record, or ends that, with the next `update`.
    func set(_ isOn: Bool) {
        let old = self.isOn
        self.isOn = isOn
        let address = RunState.record.rawValue
        guard let kind = (try? mix.plan.vocabulary.entry(address))?.kind else { return }
        let change = ValueChange(
            address: address, kind: kind, old: old ? 1 : 0, new: isOn ? 1 : 0)
        journal.tell(.changes([change], by: .user))
    }

    /// Whether there is a take of this run.
    var hasTake: Bool { !takes.isEmpty }

    /// The folder of the last take, and what the take is called: `take 2 of SONG`.
    func last() throws(Refusal) -> (folder: FileName, title: String) {
        guard let last = takes.last else {
            throw Refusal(reason: "no take in this run yet; 'duet play last' plays an older one")
        }
        guard let folder = last.folder, !last.isOpen else { throw Self.isBeingSaved }
        let number = TakesFolder.number(of: folder.last).map(String.init)
        let title = "take \(number ?? folder.last.description)"
        return (folder, title + (last.song.map { " of \($0)" } ?? ""))
    }

    /// Asks whether the present or the last take is to be deleted, and deletes it when asked again at
    /// once. Returns what to tell.
    func discard(key: String) throws(Refusal) -> String {
        guard let last = takes.last else { throw Refusal(reason: "no take yet") }
        let isPresent = last.number == present?.number
        guard let folder = last.folder, isPresent || !last.isOpen else { throw Self.isBeingSaved }
        let isSure = asked.map { $0.number == last.number && Clock.seconds < $0.end } ?? false
        asked = isSure ? nil : (last.number, Clock.seconds + 5)
        guard isSure else { return "press \(key) again to delete \(folder.last)" }
        if isPresent {
            set(false)
            end(isKept: false)
        } else {
            takes.removeLast()
            delete(folder)
        }
        return "deleting: \(folder.last)"
    }

    private static let isBeingSaved = Refusal(reason: "the take is being saved; try again soon")

    private func delete(_ folder: FileName) {
        let names = Take.files(of: mix.plan.second).map(\.name)
        disk.run(
            on: .takes, { TakesFolder.remove(folder, files: names) },
            late: { [journal] () throws(DuetError) in
                try journal.warn("cannot delete \(folder): the disk is not responding")
            },
            then: { [journal] result throws(DuetError) in
                switch result {
                case .success(0): try journal.report(.takeDeleted(folder: folder))
                case .success(let code), .failure(.notBegun(let code)):
                    try journal.warn("cannot delete \(folder): \(errorText(code))")
                case .failure:
                    try journal.warn("cannot delete \(folder): the disk is not responding")
                }
            })
    }

    // MARK: While it runs

    /// Before the run's first cycle: a take that is wanted from the start has that, too.
    func prepare() {
        // What fails here fails again, and is reported, where the take begins.
        if isOn { prepared = try? makeRecorder() }
    }

    /// Readable when `update` has something to do.
    var descriptors: [Int32] { [inbox.descriptor].compactMap { $0 } }

    /// What the screen shows while a take is recorded.
    var light: Status.Recording? {
        guard let present, takes.last?.folder != nil else { return nil }
        let frames = present.graph.renderedFrames - present.recorder.start
        return Status.Recording(
            seconds: Double(max(0, frames)) / Double(present.graph.sampleRate),
            room: present.room)
    }

    /// Begins and ends what is due, and reports what the writers said.
    func update() throws(DuetError) {
        for (number, news) in inbox.take().messages { try take(news, of: number) }
        if !isOn, prepared != nil {
            prepared = nil
            mix.removeTake()
        }
        let canRecord = isOn && server.isConnected
        if let present, !canRecord || present.conditions != conditions {
            end()
        }
        if canRecord, present == nil, !server.hangs { begin() }
        watch()
    }

    func hear(_ news: Journal.News) {
        guard case .heard(let changes, let frame) = news,
            let writer = present?.writer ?? prepared?.writer
        else { return }
        for (parameter, value) in changes {
            writer.send(
                .change(.init(frame: Int64(frame), parameter: parameter, value: value)))
        }
    }

    /// Ends the take and waits for the disk, 10 s at most.
    func finish() throws(DuetError) {
        (isOn, isFinishing) = (false, true)
        end()
        let limit = Clock.seconds + 10
        var waiter = PollSet()
        while !open.isEmpty, Clock.seconds < limit {
            waiter.removeAll()
            waiter.add(inbox.descriptor)
            waiter.wait(seconds: min(0.2, limit - Clock.seconds))
            for (number, news) in inbox.take().messages { try take(news, of: number) }
        }
        guard !open.isEmpty else { return }
        try journal.warn("the disk is not responding: the end of the take is missing")
    }

    private var conditions: Conditions {
        let latency = server.client.latency
        return Conditions(
            graph: ObjectIdentifier(mix.audioGraph), client: ObjectIdentifier(server.client),
            period: server.client.period, capture: latency.capture.maximum,
            playback: latency.playback.maximum)
    }

    private func nextNumber() -> Int {
        count += 1
        return count
    }

    private func makeRecorder() throws(DuetError) -> Recorder {
        let (number, start) = (nextNumber(), mix.audioGraph.renderedFrames)
        let writer = TakeWriter(try mix.addTake().tape) { [inbox] in
            inbox.post((number, $0))
        }
        return Recorder(
            number: number, writer: writer, graph: mix.audioGraph, start: start, mix: mix.heardPlan)
    }

    private func begin() {
        let ready = prepared.flatMap { $0.graph === mix.audioGraph ? $0 : nil }
        prepared = nil
        let recorder: Recorder
        do throws(DuetError) {
            if let ready { recorder = ready } else { recorder = try makeRecorder() }
        } catch {
            return fail(error.line)
        }
        let client = server.client
        var take = Take()
        (take.program, take.library, take.server) = (
            Version.text, Libjack.version, client.server
        )
        (take.rate, take.period) = (mix.audioGraph.sampleRate, client.period)
        (take.capture, take.playback) = (client.latency.capture, client.latency.playback)
        take.mix = recorder.mix
        let (path, latency, period) = (client.loopPath, client.latency, client.period)
        // The demo's voice hears nothing, and is in time without a lead.
        let isSung = !mix.plan.microphones.isEmpty && !mix.songs.main.plan.isDemo
        take.lead = isSung ? mix.songLatency : 0
        let code = recorder.writer.start(take, in: folder) {
            isSung
                ? RoundTripStore.roundTrip(of: path, reported: latency, period: period) : .unneeded
        }
        guard code == 0 else {
            mix.removeTake()
            return fail("no thread can be made: \(errorText(code))")
        }
        open.insert(recorder.number)
        takes.append(Entry(number: recorder.number))
        present = Recording(recorder: recorder, conditions: conditions)
    }

    private func fail(_ reason: String) {
        set(false)
        inbox.post((0, .failed(reason: reason, folder: nil, seconds: 0)))
    }

    /// Of less than half a second nothing is kept where nobody has asked for the end.
    private func end(isKept: Bool = true) {
        guard let recording = present else { return }
        // So many frames were recorded, or had no room on the tape.
        let end = recording.graph.renderedFrames
        if recording.graph === mix.audioGraph { mix.removeTake() }
        // Changes that were made up to here, and not told yet, are this take's; later ones hold with the
        // recorder's removal at the earliest.
        recording.graph.collect()
        present = nil
        let shortest = isKept ? (isOn ? Int64(recording.graph.sampleRate) / 2 : 0) : .max
        recording.writer.send(.finish(end: Int64(end), shortest: shortest))
    }

    /// Notes which songs are heard, which microphones are held, and what cannot be repeated.
    private func watch() {
        // What was before this take is none of its matter.
        let differences = mix.takeDifferences()
        guard var recording = present else { return }
        if !differences.isSubset(of: recording.differences) {
            recording.differences.formUnion(differences)
            recording.writer.send(.differences(differences))
        }
        for (bus, hold) in mix.holds.sorted(by: { $0.key < $1.key })
        where hold.isHeld != recording.held.contains(bus) {
            recording.held.formSymmetricDifference([bus])
            recording.writer.send(
                .hold(.init(frame: Int64(hold.frame), bus: bus, isHeld: hold.isHeld)))
        }
        for (number, song) in recording.songs.look(
            at: mix.songs, in: recording.graph, period: recording.conditions.period)
        {
            recording.writer.send(.song(song, number: number))
            change(recording.number) { take in
                if song.bus == 0, number == 0 || take.song == nil { take.song = song.title }
            }
        }
        present = recording
    }

    private func take(_ news: TakeWriter.News, of number: Int) throws(DuetError) {
        let isPresent = number == present?.number
        switch news {
        case .begun(let folder, let lead, let source):
            change(number) { $0.folder = folder }
            try journal.report(
                .takeBegun(folder: folder, lead: lead, source, advice: endAdvice))
        case .room(let seconds):
            if isPresent { present?.room = seconds }
        case .gap(let seconds):
            try journal.warn(
                "the disk was too slow: \(fixed(seconds, digits: 1)) s of the take are silent")
        case .full(let changes):
            try journal.warn(
                "the take keeps \(changes) changes of values, and no later ones: a new take has room"
            )
        case .ended(let folder, let seconds):
            close(number, folder)
            try journal.report(
                .takeEnded(
                    folder: folder, seconds: seconds, advice: isFinishing ? nil : keysAdvice))
        case .failed(let reason, let folder, let seconds):
            close(number, folder)
            if isPresent {
                set(false)
                mix.removeTake()
                present = nil
            }
            try journal.report(.takeFailed(reason: reason, folder: folder, seconds: seconds))
        }
    }

    private func change(_ number: Int, _ body: (inout Entry) -> Void) {
        if let place = takes.firstIndex(where: { $0.number == number }) { body(&takes[place]) }
    }

    /// A writer is over; `folder` nil: nothing of the take is kept.
    private func close(_ number: Int, _ folder: FileName?) {
        open.remove(number)
        change(number) { $0.isOpen = false }
        if folder == nil { takes.removeAll { $0.number == number } }
    }
}
