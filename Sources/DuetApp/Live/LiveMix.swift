import AudioGraph
import AudioMedia
import SystemSupport

/// The sound of a live run: the graph that is rendered, the songs that play into it, and the
/// levels that keys change. A server with another rate gets another graph.
///
/// Main thread.
final class LiveMix: LivePart {
    let songs: LiveSongs
    /// The values, and whose they are.
    private(set) var settings: MixSettings
    /// The values that hold now, as far as the songs can have them.
    private(set) var plan: MixPlan
    private let parameters: [MixParameter]
    private var graph: MixGraph
    /// The mix of the take that plays as the song; nil if a song does.
    private var backing: MixPlan?
    /// Frames and seconds that the graphs before `graph` have rendered.
    private var past = (frames: 0, seconds: 0.0)
    /// Values for the song that comes, by bus, and the frame of the graph from which on they hold.
    private var prepared: [Int: (values: [(parameter: MixParameter, value: Double)], frame: Int)] =
        [:]
    /// The buses of the microphones of which feedback was reported, and that are still held for it.
    private var reportedHolds: Set<Int> = []
    /// The driver's period, in frames, and its round trip, in seconds.
    private var driver = (period: 256, roundTrip: 0.0)
    /// Advice to users about each microphone that is held.
    private let releaseAdvice: [String]
    /// When what is rendered is heard; asked of JACK.
    var ear: (() -> Ear)?
    private let voice: DemoVoice?
    /// Whether the microphones' own levels are measured.
    private let metersMicrophones: Bool
    private let journal: Journal
    private let meter = LiveLoudness()
    /// Nil: breaks are silent.
    private var breakMusic: BreakMusic?
    private var isRecorded = false
    /// The buses of the microphones that are muted for as long as a take is played in between.
    private var mutedForTake: Set<Int> = []

    /// A graph of `sampleRate` Hz for `plan`; nothing is heard yet.
    init(
        _ plan: LivePlan, sampleRate: Int, voice: DemoVoice?, showsPictures: Bool,
        journal: Journal
    ) throws(DuetError) {
        settings = plan.settings
        self.plan = settings.plan
        parameters = self.plan.vocabulary.parameters
        let keys = plan.keys
        releaseAdvice = Microphone.all.map { microphone in
            keys.name(ofLine: "toggle /\(microphone.name)/mute").map {
                "\($0) mutes it, \($0) again ends the hold"
            } ?? "'trigger /\(microphone.name)/release' ends the hold"
        }
        backing = plan.take.flatMap { $0.isBacking ? $0.mix : nil }
        graph = try MixGraph(self.plan, sampleRate: sampleRate)
        if let backing { try graph.addBacking(backing) }
        metersMicrophones = !plan.checkedMicrophones.isEmpty
        if metersMicrophones { try graph.meterMicrophones() }
        songs = LiveSongs(
            plan.songPlans, take: plan.take, stays: plan.state.rules.stays == true, mix: graph,
            voice: voice, showsPictures: showsPictures, journal: journal)
        self.voice = voice
        self.journal = journal
        breakMusic = plan.breakMusic.map { BreakMusic($0, mix: graph, journal: journal) }
    }

    /// Begins the songs' transfers, for cycles of `period` frames, and lets drivers render.
    func start(period: Int) throws(DuetError) {
        try songs.start(period: period)
        driver.period = period
        breakMusic?.setPeriod(period)
        try graph.setDriver(period: driver.period, roundTrip: driver.roundTrip)
        try graph.start()
        try voice?.mix.start()
    }

    /// Builds the same graph for `sampleRate` Hz, to which the songs are resampled from here on.
    func rebuild(for sampleRate: Int) throws(DuetError) {
        try endTake()
        past = (renderedFrames, renderedSeconds)
        let held = heldMicrophones
        prepared = [:]
        graph = try MixGraph(plan, sampleRate: sampleRate)
        if let backing { try graph.addBacking(backing) }
        if metersMicrophones { try graph.meterMicrophones() }
        try graph.setDriver(period: driver.period, roundTrip: driver.roundTrip)
        for bus in held { graph.holdMicrophone(bus: bus) }
        try meter.move(to: graph)
        try songs.move(to: graph)
        if (try? breakMusic?.move(to: graph)) == nil { breakMusic = nil }
        try graph.start()
    }

    /// The driver's cycles have another length, in frames.
    func setPeriod(_ frames: Int) throws(DuetError) {
        songs.setPeriod(frames)
        breakMusic?.setPeriod(frames)
        driver.period = frames
        try graph.setDriver(period: driver.period, roundTrip: driver.roundTrip)
    }

    /// The way from the outputs to the microphone takes so many seconds, as far as the driver knows.
    func setRoundTrip(seconds: Double) throws(DuetError) {
        driver.roundTrip = seconds
        try graph.setDriver(period: driver.period, roundTrip: driver.roundTrip)
    }

    /// By how many frames the graph delays the song.
    var songLatency: Int { graph.songLatency }

    /// Adds a recorder of what the present graph plays; see `MixGraph.addTake`.
    func addTake() throws(DuetError) -> RecorderNode {
        isRecorded = true
        return try graph.addTake()
    }

    /// Removes it; a graph that was replaced has gone with its recorder.
    func removeTake() {
        isRecorded = false
        graph.removeTake()
    }

    /// The graph for a driver to render.
    var audioGraph: Graph { graph.graph }

    /// Frames of output so far, at whatever rates.
    var renderedFrames: Int { past.frames + audioGraph.renderedFrames }

    /// Seconds of output so far.
    var renderedSeconds: Double {
        past.seconds + Double(audioGraph.renderedFrames) / Double(audioGraph.sampleRate)
    }

    /// Frees what the graph no longer needs, and reports a microphone that was turned down.
    private func lookAfter() throws(DuetError) {
        audioGraph.collect()
        for fault in graph.takeFaults() { try journal.warn(fault) }
        let held = heldMicrophones
        let found = held.subtracting(reportedHolds)
        for bus in reportedHolds.subtracting(held) { journal.settle(.feedback(bus: bus)) }
        reportedHolds = held
        for bus in found.sorted() {
            try journal.warn(
                "feedback: \(Microphone.all[bus - 1].title) held at -20 dB; \(releaseAdvice[bus - 1])",
                about: .feedback(bus: bus))
        }
    }

    /// A user changes a value, and with it those that follow it: all that a preset sets, and whether the
    /// effect is there whose value it is. Unmuting a microphone also ends its hold.
    func set(_ parameter: MixParameter, to value: Double) throws(Refusal) {
        if parameter.unit.isStage {
            try songs.check(parameter, value, bus: parameter.place.element)
        }
        var (new, first) = (settings, [parameter])
        new.set(parameter, to: value)
        if let off = new.plan.switchedOff(for: parameter) {
            new.set(off, to: 1)
            first.append(off)
        }
        // Who unmutes a microphone while a take is played wants it so.
        if parameter.name == .mute { mutedForTake.remove(parameter.place.element) }
        try apply(new, first: first, by: .user)
        if parameter.name == .mute, value == 0 { endHold(bus: parameter.place.element) }
    }

    /// A user sets all values of a plan of the same mix.
    func set(_ wanted: MixPlan) throws(Refusal) {
        let changed = parameters.filter { plan[$0] != wanted[$0] }
        try change(by: .user) { settings in
            for parameter in changed { settings.set(parameter, to: wanted[parameter]) }
        }
    }

    /// Drops what was set since the start, or undoes that: see `MixSettings.reset`. A microphone that is held
    /// stays held.
    func reset() throws(Refusal) -> (target: MixPlan, isUndo: Bool) {
        var new = settings
        let result = new.reset()
        try apply(new, by: result.isUndo ? .undo : .reset)
        return result
    }

    /// A user leaves the song for another: values that are set from here on are those of the other one.
    func leaveSong() throws(Refusal) { try change(by: .song) { $0.end(bus: 0) } }

    /// Changes the settings, and what is heard by them.
    @discardableResult
    func change<Value>(
        by origin: Origin, _ body: (inout MixSettings) -> Value
    ) throws(Refusal) -> Value {
        var new = settings
        let value = body(&new)
        try apply(new, by: origin)
        return value
    }

    /// Has the graph change a bus to the volume of `next`, the mix of the song that comes, so that the ramp
    /// ends in the graph's frame `end`. `plan` stays until that song has begun.
    func prepare(_ next: MixPlan, bus: Int, endingAt end: Int) {
        withdrawPrepared(bus: bus)
        let changed = plan.vocabulary.parameters.filter {
            $0.unit == .mixer && $0.place.element == bus && plan[$0] != next[$0]
        }
        let rate = audioGraph.sampleRate
        let start = end + graph.latency(bus: bus) - MixerInput.ramp(at: rate)
        // A late event of a graph that was replaced names a frame of that graph.
        let isNear = (-rate...4 * rate).contains(start - audioGraph.renderedFrames)
        guard !changed.isEmpty, isNear else { return }
        let values = changed.map { (parameter: $0, value: next[$0]) }
        do throws(DuetError) {
            try graph.set(values, at: start) { [journal] in
                journal.tell(.heard(values, frame: $0))
            }
            prepared[bus] = (values, start)
        } catch {
            // The song has its volume when it has begun.
        }
    }

    /// Brings a bus back to the values of `plan`, where `prepare` has set others. To be called when the next
    /// song has begun, too, and `plan` has its values.
    func withdrawPrepared(bus: Int) {
        guard let (values, start) = prepared.removeValue(forKey: bus) else { return }
        let wrong = values.filter { $0.value != plan[$0.parameter] }
            .map { (parameter: $0.parameter, value: plan[$0.parameter]) }
        guard !wrong.isEmpty else { return }
        // In the same frame, where that is still to come, they take the place of what was prepared.
        try? graph.set(wrong, at: start) { [journal] in journal.tell(.heard(wrong, frame: $0)) }
    }

    /// The values in the graph now: `plan`, and what was prepared for a song that has begun and was not told
    /// of yet.
    var heardPlan: MixPlan {
        var heard = plan
        for (values, start) in prepared.values where start <= audioGraph.renderedFrames {
            for (parameter, value) in values { heard[parameter] = value }
        }
        return heard
    }

    /// Gives the graph the values of `new`, and then the songs theirs, and tells it: a graph that refuses
    /// leaves all as it was.
    ///
    /// - Parameter first: parameters that are told in any case, before all others.
    private func apply(
        _ new: MixSettings, first: [MixParameter] = [], by origin: Origin
    ) throws(Refusal) {
        let (old, plan) = (plan, possible(new.plan))
        let changed =
            first + parameters.filter { old[$0] != plan[$0] && !first.contains($0) }
        let values = changed.map { (parameter: $0, value: plan[$0]) }
        do throws(DuetError) {
            if !values.isEmpty {
                try graph.set(values) { [journal] in journal.tell(.heard(values, frame: $0)) }
            }
        } catch {
            // Another song is heard all the same.
            if origin == .song { settings = new }
            throw Refusal(reason: error.line)
        }
        for bus in Set(changed.filter(\.unit.isStage).map(\.place.element)) {
            songs.setEffects(plan.effects(bus: bus), bus: bus)
        }
        (settings, self.plan) = (new, plan)
        guard !changed.isEmpty || ![.song, .memory].contains(origin) else { return }
        let changes = changed.map {
            ValueChange(address: $0.address, kind: $0.kind, old: old[$0], new: plan[$0])
        }
        journal.tell(.changes(changes, by: origin))
    }

    /// `plan` without what the songs that are heard cannot have: a live stream keeps its own tempo. And with
    /// the microphones muted that are to be.
    private func possible(_ plan: MixPlan) -> MixPlan {
        var possible = plan
        for parameter in parameters where parameter.unit == .timePitch {
            let (value, bus) = (plan[parameter], parameter.place.element)
            let isPossible = (try? songs.check(parameter, value, bus: bus)) != nil
            if !isPossible { possible[parameter] = parameter.kind.defaultValue }
        }
        for parameter in parameters
        where parameter.name == .mute && mutedForTake.contains(parameter.place.element) {
            possible[parameter] = 1
        }
        return possible
    }

    /// Takes over all values of another plan of the take that plays as the song.
    func setBacking(_ new: MixPlan) throws(Refusal) {
        guard let old = backing else { return }
        let changed = new.vocabulary.parameters.filter { old[$0] != new[$0] }
        do throws(DuetError) { try graph.backing?.set(changed.map { ($0, new[$0]) }) } catch {
            throw Refusal(reason: error.line)
        }
        backing = new
    }

    // MARK: A take in between

    /// Plays a take while the songs stand still and the microphones are muted.
    func playTake(in folder: FileName, title: String) throws(Refusal) {
        do throws(DuetError) {
            let interlude = try graph.addInterlude()
            try songs.begin(
                Interlude(of: folder, title: title, in: interlude, journal: journal),
                period: driver.period)
        } catch {
            graph.removeInterlude()
            throw Refusal(reason: error.line)
        }
        mutedForTake = Set(plan.microphones.indices.map { 1 + $0 })
        try change(by: .take) { _ in }
    }

    /// Brings back the songs, and the microphones as they were.
    private func endTake() throws(DuetError) {
        guard songs.interlude != nil else { return }
        graph.removeInterlude()
        mutedForTake = []
        do throws(Refusal) { try change(by: .take) { _ in } } catch {
            try journal.warn("the microphone is still muted: \(error.reason)")
        }
        try songs.endInterlude()
    }

    /// When a take in between has faded out, in seconds of the clock; infinite where none is ended.
    private var takeEnd: Double { songs.interlude?.endTime ?? .infinity }
    private var isTakeOver: Bool { Clock.seconds >= takeEnd }

    /// Reports what is heard of the songs' lyrics, where it has changed.
    private func showLyrics() throws(DuetError) {
        if let ear { try songs.showLyrics(ear(), offset: plan[.lyricsOffset]) }
    }

    /// The song's moving picture at `now`, in seconds of the clock; nil if it has none.
    func takePicture(_ ear: @autoclosure () -> Ear, now: Double) -> Picture? {
        songs.takePicture(ear(), offset: plan[.lyricsOffset], now: now)
    }

    /// The largest sample that a microphone gave in the last half second, before its volume and effects; nil
    /// if that is not measured.
    func microphonePeak(bus: Int) -> Decibels? { graph.microphonePeak(bus: bus) }

    /// Whether a channel is not heard because users want it so.
    func isOff(bus: Int) -> Bool { plan.isOff(bus: bus) }

    /// Whether each microphone is held, by bus, and the graph's first frame of that.
    var holds: [Int: (isHeld: Bool, frame: Int)] { graph.holds }

    /// Reasons for which what was heard since the last call cannot be repeated to the bit.
    func takeDifferences() -> Set<Take.Difference> { graph.takeDifferences() }

    /// The buses of the microphones that are held at −20 dB because of feedback.
    var heldMicrophones: Set<Int> { graph.heldMicrophones }

    /// Ends the hold of a microphone; false when it is not held.
    func releaseMicrophone(bus: Int) -> Bool {
        guard heldMicrophones.contains(bus) else { return false }
        endHold(bus: bus)
        return true
    }

    private func endHold(bus: Int) {
        graph.releaseMicrophone(bus: bus)
        // The next hold is reported again.
        reportedHolds.remove(bus)
        journal.settle(.feedback(bus: bus))
    }

    var descriptors: [Int32] { breakMusic?.descriptors ?? [] }
    var secondsLeft: Double {
        min(breakMusic?.secondsLeft ?? .infinity, max(0, takeEnd - Clock.seconds))
    }

    func update() throws(DuetError) {
        if isTakeOver { try endTake() }
        // What is not in the files of a take is not in its mix either.
        do throws(DuetError) {
            try breakMusic?.update(isWanted: songs.isBreak && !isRecorded)
        } catch {
            breakMusic = nil
            try journal.warn("no break music: \(error.line)")
        }
        try showLyrics()
        try lookAfter()
    }

    func finish() { breakMusic?.stop() }

    /// The levels of each bus, after volume and pan.
    var levels: [Levels] {
        var levels = graph.mixer.inputs.map(\.levels)
        if let take = graph.interlude?.mixer.inputs.first { levels[0] = take.levels }
        return levels
    }

    var outputLevels: Levels { graph.io.levels }

    /// Measures the loudness of the output while `isRead`: a new measurement each time.
    func measureLoudness(_ isRead: Bool) throws(DuetError) {
        try isRead ? meter.start(on: graph) : meter.stop()
    }

    /// The loudness of the output, as measured so far.
    var loudness: LoudnessMeter.Reading { meter.reading }

    /// By how much the limiter turns the output down now, in dB; nil while it does nothing.
    var limiterReduction: Decibels? { graph.limiterReduction }

    /// By how much the compressor of a bus turns it down now, in dB; nil where there is none.
    func compressorReduction(bus: Int) -> Decibels? { graph.compressorReduction(bus: bus) }

    /// Whether echo or reverb go on after their sources have ended.
    var ringsOn: Bool { graph.ringsOn }

    /// Whether nothing can be heard: there is no microphone, and no song plays.
    var isSilent: Bool { graph.io.inputChannelCount == 0 && !songs.canBeHeard }
}
