import AudioGraph

/// The graph that every command runs, built in one place: the song on bus 0, the microphone or a
/// second song on bus 1, further microphones on the buses after it, → mixer → guard → limiter → out,
/// with a feedback guard beside it for each microphone.
///
/// What stands between a source and the mixer is there only while it was asked for (`SourceChains`),
/// and so is what turns the song down beside the voice (`SongDucking`).
///
/// Live and offline alike. Control thread.
final class MixGraph {
    let graph: Graph
    let io: HardwareIO
    let mixer: MixerNode
    private let cleaner = GuardNode()
    private let limiter = LimiterNode()
    /// Mixes what is played in breaks with the mix; nil: nothing is.
    private let breakMixer: MixerNode?
    /// By the bus of the microphone.
    private let feedbackGuards: [Int: FeedbackGuardNode]
    private let chains: SourceChains
    private let ducking: SongDucking
    /// Of each bus and of what the graph gives; nil while no take is recorded.
    private var take: RecorderNode?
    /// What measures the microphones before their volume and effects, by their buses.
    private var microphoneMeters: [Int: MeterNode] = [:]
    /// How many channels each bus of the recorder has.
    private let recordedChannels: [Int]
    /// What plays as the song of this mix, in the same graph; nil: a song does.
    private(set) var backing: MixGraph?
    /// What plays a take beside this mix, behind its volume, in the same graph; nil: nothing does.
    private(set) var interlude: MixGraph?
    /// Whether the sounds of all buses keep together to the frame.
    private let playsVoices: Bool
    private let second: MixPlan.Second
    /// The song that the voices follow, with `playsVoices`.
    private var leader: SongSource?

    /// A prepared graph without songs.
    ///
    /// - Parameter hearsFeedback: whether the guards listen; false: only `holdMicrophone` turns a
    ///   microphone down.
    ///
    /// Throws when the engine refuses the graph, or when the rate,
    /// which a JACK server may set to any number, is not among `SongTime.rates`.
    init(
        _ plan: MixPlan, sampleRate: Int, hearsFeedback: Bool = true
    ) throws(DuetError) {
        let rates = SongTime.rates
        guard rates.contains(sampleRate) else {
            throw DuetError(
                status: .unavailable, attempt: "cannot play at \(sampleRate) Hz",
                result: "a rate is \(rates.lowerBound)…\(rates.upperBound) Hz",
                hint: "start the JACK server with another rate: jackd -d alsa -r 48000")
        }
        let microphones = plan.microphones
        let voices = plan.second.microphones.indices.map { 1 + $0 }
        graph = Graph(sampleRate: sampleRate)
        (playsVoices, second) = (plan.playsVoices, plan.second)
        io = HardwareIO(
            inputChannels: microphones.reduce(0, +), directOutputs: plan.directOutputs.count)
        mixer = MixerNode(
            inputs: plan.buses.count)
        chains = SourceChains(of: graph, mixer: mixer, names: plan.buses)
        ducking = SongDucking(of: graph, mixer: mixer, voices: voices)
        breakMixer = plan.hasBreakMusic ? MixerNode(inputs: 2, name: "break mixer") : nil
        recordedChannels = Take.files(of: plan.second).map(\.channelCount)
        let guards = (plan.playsVoices ? [] : voices).map { bus in
            let ordinal = bus == 1 ? "" : "\(Microphone.all[bus - 1].ordinal) "
            return (bus, FeedbackGuardNode(name: "\(ordinal)feedback guard"))
        }
        feedbackGuards = Dictionary(uniqueKeysWithValues: plan.guardsFeedback ? guards : [])
        do {
            let chain: [AudioNode] =
                [mixer] + [breakMixer].compactMap { $0 } + [cleaner, limiter, io]
            for node in chain { try graph.add(node) }
            for bus in voices where !plan.playsVoices {
                if let feedbackGuard = feedbackGuards[bus] { try graph.add(feedbackGuard) }
                // Each of several microphones is a channel of the driver's.
                try chains.setSource(io, channels: voices.count > 1 ? [bus - 1] : nil, bus: bus)
            }
            for (from, to) in zip(chain, chain.dropFirst()) { try graph.connect(from, to: to) }
            for (bus, feedbackGuard) in feedbackGuards.sorted(by: { $0.key < $1.key }) {
                if hearsFeedback {
                    try feedbackGuard.watch(
                        microphone: bus, comparedWith: [0], of: mixer, limiter: limiter)
                } else {
                    try graph.connectBack(
                        feedbackGuard, bus: 0, to: mixer, bus: MixerNode.gainBus(of: bus))
                }
            }
            for bus in plan.directOutputs.indices {
                let own = GuardNode(name: "\(plan.directOutputs[bus]) guard")
                try graph.add(own)
                try graph.connect(mixer, bus: MixerNode.directBus(of: bus), to: own)
                try graph.connect(own, to: io, bus: 1 + bus)
            }
            try graph.prepare()
        } catch {
            throw .graphRefused(error)
        }
        try set(plan.vocabulary.parameters.map { ($0, plan[$0]) })
    }

    /// A mix of songs within `graph`, which has no driver of its own: `mixer` gives it.
    private init(_ plan: MixPlan, in graph: Graph, name: String) throws(DuetError) {
        self.graph = graph
        io = HardwareIO(inputChannels: 0)
        (playsVoices, second, feedbackGuards) = (plan.playsVoices, plan.second, [:])
        (recordedChannels, breakMixer) = ([], nil)
        mixer = MixerNode(
            inputs: plan.buses.count, name: "\(name) mixer")
        chains = SourceChains(of: graph, mixer: mixer, names: plan.buses.map { "\(name) \($0)" })
        ducking = SongDucking(
            of: graph, mixer: mixer, voices: plan.second.microphones.indices.map { 1 + $0 })
        do { try graph.add(mixer) } catch { throw .graphRefused(error) }
        try set(plan.vocabulary.parameters.map { ($0, plan[$0]) })
    }

    /// Plays the songs of another mix in the place of the song.
    func addBacking(_ plan: MixPlan) throws(DuetError) {
        let backing = try MixGraph(plan, in: graph, name: "backing")
        do {
            try graph.edit { () throws(GraphError) in try chains.setSource(backing.mixer, bus: 0) }
        } catch {
            throw .graphRefused(error)
        }
        self.backing = backing
    }

    /// The mix with the music for breaks.
    private var whole: AudioNode { breakMixer ?? mixer }

    /// Makes room for a take that is played as it was heard, beside this mix: neither the values of the song
    /// nor those of the output change it.
    func addInterlude() throws(DuetError) -> MixGraph {
        let interlude = try MixGraph(MixPlan(second: .song), in: graph, name: "interlude")
        do {
            try graph.edit { () throws(GraphError) in
                try interlude.chains.setSource(whole, bus: 1)
                graph.disconnect(cleaner, bus: 0)
                try graph.connect(interlude.mixer, to: cleaner)
            }
        } catch {
            throw .graphRefused(error)
        }
        self.interlude = interlude
        return interlude
    }

    /// Removes it; what it plays should have faded out.
    func removeInterlude() {
        guard let interlude else { return }
        self.interlude = nil
        // Nothing here is refused.
        try? graph.edit { () throws(GraphError) in
            graph.disconnect(cleaner, bus: 0)
            try graph.connect(whole, to: cleaner)
            for node in [interlude.mixer, interlude.chains.source(bus: 0)?.node] {
                if let node { try graph.remove(node) }
            }
        }
    }

    /// Sets parameters; each changes as fast as its unit says.
    ///
    /// - Parameters:
    ///   - frame: the graph's frame from which on they change; nil: at once.
    ///   - heard: is told from which frame of the graph on all of them hold, once they do.
    func set(
        _ values: [(parameter: MixParameter, value: Double)], at frame: Int? = nil,
        heard: ((Int) -> Void)? = nil
    ) throws(DuetError) {
        try graph.edit(at: frame, heard: heard) { () throws(DuetError) in
            for (parameter, value) in values { try set(parameter, to: value) }
            do { try chains.settleEffects() } catch {
                throw DuetError(
                    status: .failure, attempt: "cannot change the effects",
                    result: "\(error)", hint: "")
            }
        }
    }

    private func set(_ parameter: MixParameter, to value: Double) throws(DuetError) {
        let place = parameter.place
        func set(_ node: AudioNode?) throws {
            try node?.set(place.name, scope: place.scope, element: place.element, to: value)
        }
        do {
            switch parameter.unit {
            case .mixer:
                try set(mixer)
                try set(chains.reference)
            case .limiter: try set(limiter)
            case .feedbackGuard(let bus): try set(feedbackGuards[bus])
            case .panner: try chains.place(place.name, at: value, bus: place.element)
            case .effect(let effect, let bus):
                try chains.set(effect, place, to: value, bus: bus)
            // Its values are set one by one.
            case .preset: break
            case .voiceProcessor:
                try chains.process(place.name, at: value, bus: place.element)
                try ducking.follow(chains.reference)
            case .ducker: try ducking.set(place.name, to: value)
            // Done before the song comes to the graph.
            case .timePitch, .vocals: break
            // Seen, and not heard.
            case .lyrics: break
            }
        } catch {
            throw DuetError(
                status: .failure, attempt: "cannot set \(parameter.address)", result: "\(error)",
                hint: "")
        }
    }

    /// Puts a new song source on `bus`.
    func addSong(bus: Int) throws(DuetError) -> SongSource {
        let name = bus == 0 ? "song" : playsVoices ? "voice \(bus)" : "second song"
        let source: SongSource
        switch leader {
        case let leader? where bus > 0: source = SongSource(following: leader, name: name)
        case _ where playsVoices:
            source = SongSource(leadingAt: graph.sampleRate, name: name)
            leader = source
        default: source = SongSource(sampleRate: graph.sampleRate, name: name)
        }
        try setSong(source, bus: bus)
        return source
    }

    /// Puts `source`, of the graph's rate, on `bus`.
    func setSong(_ source: SongSource, bus: Int) throws(DuetError) {
        do {
            try graph.edit { () throws(GraphError) in
                try graph.add(source)
                // A voice of one channel is the same on both sides of its file's frames.
                let isMono =
                    playsVoices && bus > 0 && second.microphones.dropFirst(bus - 1).first == 1
                try chains.setSource(source, channels: isMono ? [0] : nil, bus: bus)
                if let take {
                    graph.disconnect(take, bus: bus)
                    try graph.connect(source, to: take, bus: bus)
                }
            }
        } catch {
            throw .graphRefused(error)
        }
    }

    /// Puts a new source of songs beside the mix, silent: it is played in breaks.
    func addBreak() throws(DuetError) -> SongSource {
        let source = SongSource(sampleRate: graph.sampleRate, name: "break music")
        do {
            try graph.edit { () throws(GraphError) in
                try graph.add(source)
                if let breakMixer { try graph.connect(source, to: breakMixer, bus: 1) }
            }
        } catch {
            throw .graphRefused(error)
        }
        breakMixer?.inputs[1].volume = .silent
        return source
    }

    /// Sets how loud that source is.
    func setBreak(volume: Volume) { breakMixer?.inputs[1].volume = volume }

    /// Records the output, as the driver gets it.
    func add(_ recorder: RecorderNode) throws(DuetError) {
        do {
            try graph.edit { () throws(GraphError) in
                try graph.add(recorder)
                try graph.connect(limiter, to: recorder)
            }
        } catch {
            throw .graphRefused(error)
        }
    }

    /// Ends what `add` began.
    func remove(_ recorder: RecorderNode) throws(DuetError) {
        do {
            try graph.remove(recorder)
        } catch {
            throw .graphRefused(error)
        }
    }

    /// By how many frames the song is delayed on its way to the output.
    var songLatency: Int {
        chains.source(bus: 0).flatMap { graph.latency(from: $0.node, to: io) }?.upperBound ?? 0
    }

    /// Adds the recorder of a take, in the place of one that is there: of the song as it leaves its
    /// source, of what plays beside it, and of what the graph gives, bus by bus as `Take.files`. It
    /// changes nothing that is heard.
    func addTake() throws(DuetError) -> RecorderNode {
        removeTake()
        let node = RecorderNode(
            channelCounts: recordedChannels, name: "take")
        do {
            try graph.edit { () throws(GraphError) in
                try graph.add(node)
                for bus in recordedChannels.indices.dropLast() {
                    guard let (source, channels) = chains.source(bus: bus) else { continue }
                    try graph.connect(
                        source, bus: source.outputBuses.lowerBound, to: node, bus: bus,
                        channels: channels)
                }
                try graph.connect(limiter, to: node, bus: recordedChannels.count - 1)
            }
        } catch {
            throw .graphRefused(error)
        }
        take = node
        return node
    }

    /// Removes it; its tape can still be read.
    func removeTake() {
        guard let take else { return }
        self.take = nil
        try? remove(take)
    }

    /// Measures how loud the microphones are before their volume and effects.
    func meterMicrophones() throws(DuetError) {
        do {
            try graph.edit { () throws(GraphError) in
                for bus in second.microphones.indices.map({ 1 + $0 }) {
                    guard let (source, channels) = chains.source(bus: bus) else { continue }
                    let meter = MeterNode(name: "microphone \(bus) meter")
                    try graph.add(meter)
                    try graph.connect(
                        source, bus: source.outputBuses.lowerBound, to: meter, bus: 0,
                        channels: channels)
                    microphoneMeters[bus] = meter
                }
            }
        } catch {
            throw .graphRefused(error)
        }
    }

    /// The largest sample that a microphone gave in the last half second; nil if that is not measured.
    func microphonePeak(bus: Int) -> Decibels? {
        microphoneMeters[bus].map { max($0.levels.peak.left, $0.levels.peak.right) }
    }

    /// Says how long the driver's cycles are, in frames, and the way from an output to the microphone,
    /// in seconds: for a voice processor.
    func setDriver(period: Int, roundTrip: Double) throws(DuetError) {
        do {
            try graph.edit { try chains.setDriver(period: period, roundTrip: roundTrip) }
        } catch {
            throw DuetError(
                status: .failure, attempt: "cannot change the voice processing",
                result: "\(error)", hint: "")
        }
    }

    /// Waits until units that read files have done so, at most `milliseconds` for each.
    func waitForFiles(milliseconds: Int) {
        chains.waitForFiles(milliseconds: milliseconds)
        graph.collect()
    }

    /// By how much the limiter turns the output down now, in dB: 0 or less; nil while it does nothing.
    var limiterReduction: Decibels? { limiter.isBypassed ? nil : limiter.gainReduction }

    /// By how much the compressor of a bus turns it down now; nil where there is none.
    func compressorReduction(bus: Int) -> Decibels? { chains.compressorReduction(bus: bus) }

    /// What units cannot do that was asked for, each once, in words.
    func takeFaults() -> [String] { chains.takeFaults() }

    /// By how many frames what comes from a bus's source reaches the mixer later, at most. Behind the mixer
    /// nothing delays.
    func latency(bus: Int) -> Int { chains.latency(bus: bus) }

    /// Seconds of silence after which effects give nothing more: an echo's repeats are 2 s apart at most.
    static let longestSilence = 2.1

    /// Whether effects give sound after their sources have ended.
    var ringsOn: Bool { chains.ringOn }

    /// Lets drivers render.
    func start() throws(DuetError) {
        do { try graph.start() } catch { throw .graphRefused(error) }
    }

    /// Whether each microphone is held, by bus, and the graph's first frame of that.
    var holds: [Int: (isHeld: Bool, frame: Int)] {
        feedbackGuards.mapValues { ($0.turn.isDown, $0.turn.frame) }
    }

    /// Why what was heard since the last call cannot be repeated to the bit.
    func takeDifferences() -> Set<Take.Difference> { chains.takeDifferences() }

    /// The buses of the microphones that are held at −20 dB because of feedback.
    var heldMicrophones: Set<Int> {
        Set(feedbackGuards.filter { $0.value.hasTripped && !$0.value.isBypassed }.keys)
    }

    /// Turns a microphone down, as it was in the graph whose place this graph takes.
    func holdMicrophone(bus: Int) { feedbackGuards[bus]?.trip() }

    /// Ends the hold of a microphone.
    func releaseMicrophone(bus: Int) { feedbackGuards[bus]?.answer() }
}
