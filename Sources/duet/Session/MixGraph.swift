import AudioGraph

/// The graph that every command runs, built in one place: the song on bus 0, the microphone or a
/// second song on bus 1, → mixer → guard → limiter → feedback guard → out.
///
/// What stands between a source and the mixer is there only while it was asked for (`SourceChains`),
/// and so is what turns the song down beside the voice (`SongDucking`).
///
/// Live and offline alike. Control thread.
final class MixGraph {
    let graph: Graph
    let io: HardwareIO
    let mixer: MixerNode
    private let limiter = LimiterNode()
    private let feedbackGuard: FeedbackGuardNode?
    private let chains: SourceChains
    private let ducking: SongDucking

    /// A prepared graph without songs. Throws when the engine refuses the graph, or when the rate,
    /// which a JACK server may set to any number, is not among `SongTime.rates`.
    init(_ plan: MixPlan, sampleRate: Int) throws(DuetError) {
        let rates = SongTime.rates
        guard rates.contains(sampleRate) else {
            throw DuetError(
                status: .unavailable, attempt: "cannot play at \(sampleRate) Hz",
                result: "a rate is \(rates.lowerBound)…\(rates.upperBound) Hz",
                hint: "start the JACK server with another rate: jackd -d alsa -r 48000")
        }
        let channelCount = if case .mic(let count) = plan.second { count } else { 0 }
        graph = Graph(sampleRate: sampleRate)
        io = HardwareIO(
            inputChannels: channelCount, directOutputs: plan.directOutputs.count)
        mixer = MixerNode(
            inputs: plan.buses.count, sampleRate: sampleRate)
        chains = SourceChains(of: graph, mixer: mixer, names: plan.buses)
        ducking = SongDucking(of: graph, mixer: mixer)
        let cleaner = GuardNode()
        feedbackGuard = plan.guardsFeedback && channelCount > 0 ? FeedbackGuardNode() : nil
        do {
            let chain = [mixer, cleaner, limiter, io]
            for node in chain { try graph.add(node) }
            if let feedbackGuard { try graph.add(feedbackGuard) }
            if channelCount > 0 { try chains.setSource(io, bus: 1) }
            for (from, to) in zip(chain, chain.dropFirst()) { try graph.connect(from, to: to) }
            if let feedbackGuard {
                try feedbackGuard.watch(microphone: 1, of: mixer, limiter: limiter)
            }
            for bus in plan.directOutputs.indices {
                let cleaner = GuardNode(name: "\(plan.directOutputs[bus]) guard")
                try graph.add(cleaner)
                try graph.connect(mixer, bus: MixerNode.directBus(of: bus), to: cleaner)
                try graph.connect(cleaner, to: io, bus: 1 + bus)
            }
            try graph.prepare()
        } catch {
            throw .graphRefused(error)
        }
        try set(plan.vocabulary.parameters.map { ($0, plan[$0]) })
    }

    /// Sets parameters; each changes as fast as its unit says.
    func set(_ values: [(parameter: MixParameter, value: Double)]) throws(DuetError) {
        for (parameter, value) in values { try set(parameter, to: value) }
        do { try chains.settleEffects() } catch {
            throw DuetError(
                status: .failure, attempt: "cannot change the effects",
                result: "\(error)", hint: "")
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
            case .feedbackGuard: try set(feedbackGuard)
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
            }
        } catch {
            throw DuetError(
                status: .failure, attempt: "cannot set \(parameter.address)", result: "\(error)",
                hint: "")
        }
    }

    /// Puts a new song source on `bus`.
    func addSong(bus: Int) throws(DuetError) -> SongSource {
        let source = SongSource(
            sampleRate: graph.sampleRate, name: bus == 0 ? "song" : "second song")
        try setSong(source, bus: bus)
        return source
    }

    /// Puts `source`, of the graph's rate, on `bus`.
    func setSong(_ source: SongSource, bus: Int) throws(DuetError) {
        do {
            try graph.add(source)
            try chains.setSource(source, bus: bus)
            try graph.update()
        } catch {
            throw .graphRefused(error)
        }
    }

    /// Says how long the driver's cycles are, in frames, and the way from an output to the microphone,
    /// in seconds: for a voice processor.
    func setDriver(period: Int, roundTrip: Double) throws(DuetError) {
        do { try chains.setDriver(period: period, roundTrip: roundTrip) } catch {
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

    /// What units cannot do that was asked for, each once, in words.
    func takeFaults() -> [String] { chains.takeFaults() }

    /// Whether effects give sound after their sources have ended.
    var ringsOn: Bool { chains.ringOn }

    /// Lets drivers render.
    func start() throws(DuetError) {
        do { try graph.start() } catch { throw .graphRefused(error) }
    }

    /// Whether the microphone is turned down because of feedback.
    var holdsMicrophone: Bool {
        feedbackGuard.map { $0.hasTripped && !$0.isBypassed } ?? false
    }

    /// Turns the microphone down, as it was in the graph whose place this graph takes.
    func holdMicrophone() { feedbackGuard?.trip() }

    /// Brings back a microphone that was turned down because of feedback.
    func releaseMicrophone() { feedbackGuard?.answer() }
}
