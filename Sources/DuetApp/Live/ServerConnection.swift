import JackIO
import SystemSupport

/// The client of a live run on its JACK server: notices when the server hangs, and reports when it
/// is lost and back; brings the mix, the transport and the demo's voice to the next client.
///
/// Main thread.
final class ServerConnection: LivePart {
    private let kept: KeptClient
    private let voice: DemoVoice?
    private let mix: LiveMix
    private let transport: TransportLink?
    private let journal: Journal
    private var watch = CycleWatch()

    /// - Parameters:
    ///   - client: open, and not active yet.
    ///   - privateServer: the server that was started for the client.
    ///   - wait: how long a lost server is waited for, in seconds; the demo, which has no user who
    ///     waits, waits for none.
    init(
        _ client: JackClient, privateServer: PrivateServer?, wait: Double, voice: DemoVoice?,
        mix: LiveMix, transport: TransportLink?, journal: Journal
    ) {
        kept = KeptClient(
            client, privateServer: privateServer, patience: voice == nil ? wait : 0)
        self.voice = voice
        self.mix = mix
        self.transport = transport
        self.journal = journal
    }

    /// Begins the cycles.
    func start() throws(DuetError) {
        do throws(JackError) { try activate() } catch { throw DuetError(error) }
        // The latency from microphone to ear is known once the ports are connected.
        client.awaitConnections()
    }

    private func activate() throws(JackError) {
        try kept.activate(rendering: mix.audioGraph, unless: { Signals.isStopping })
        try voice?.activate()
    }

    /// Fades out and closes the client, and brings none back.
    func close() {
        voice?.close()
        transport?.end(client)
        kept.close()
    }

    /// Ends the server that was started for the client.
    func stopPrivateServer() { kept.privateServer?.stop() }

    // MARK: Facts

    /// The present client, or the last while there is none: each return of the server brings
    /// another.
    var client: JackClient { kept.client }

    /// Whether the client is on a server that was not lost; the server may hang.
    var isConnected: Bool { kept.isPresent }

    /// Whether the loss of the server was reported, and the server is not back.
    var isLossReported: Bool { kept.isLost }

    /// Whether the server makes no cycles for the client any more.
    var hangs: Bool { isConnected && watch.hangs }

    /// The way from the microphone to the ear; nil without a microphone.
    var latency: JackLatency? {
        client.configuration.microphoneChannels > 0 ? client.latency : nil
    }

    /// How what is rendered comes to the ear.
    var ear: Ear {
        let period = client.period
        // JACK counts the latency from a cycle's first frame.
        let frames = client.latency.playback.maximum + period
        return Ear(
            hears: isConnected && !hangs, period: period,
            delay: Double(frames) / Double(max(1, client.sampleRate)))
    }

    /// The connections of the client's ports, or those that it gets when it is back.
    var wires: Set<JackWire> { kept.wires }

    /// Keeps these connections from now on, and makes none that an option would choose.
    func keepWires() { kept.keepWires() }

    var descriptors: [Int32] { kept.descriptors }

    /// Seconds until the transport is looked at, or a lost server is no longer waited for.
    var secondsLeft: Double {
        min(kept.secondsLeft, transport == nil ? .infinity : TransportLink.interval)
    }

    // MARK: On the server

    /// Brings the songs to where JACK's transport is.
    func update() throws(DuetError) {
        if isConnected { try transport?.update(client) }
    }

    /// Looks after the client: reports a server that hangs or goes on, and brings the mix back to a
    /// server that was lost.
    ///
    /// - Returns: what JACK has told the client since the last call.
    /// - Throws: when a lost server was waited for in vain.
    func takeEvents() throws(DuetError) -> [JackEvent] {
        let (wasPresent, wasLost) = (isConnected, kept.isLost)
        var events: [JackEvent] = []
        if wasPresent {
            let news = watch.look(at: client.statistics.cycles, now: Clock.seconds)
            if let news { try report(news) }
            // The server may have thrown out the voice alone.
            events = voice?.lossReason().map { [.shutdown(reason: $0)] } ?? []
        }
        let (rate, period) = (client.sampleRate, client.period)
        do throws(JackError) { events = try kept.update() + events } catch {
            throw DuetError(error)
        }
        guard !wasPresent else { return events }
        for case .warning(let warning) in events {
            try journal.warn(warning.text, about: warning.topic)
        }
        if events.last == .back {
            try goOn(afterLoss: wasLost, rate: rate, period: period)
        }
        if kept.isLost, !wasLost { try reportLoss() }
        return []
    }

    private func report(_ news: CycleWatch.News) throws(DuetError) {
        switch news {
        case .hangs:
            try journal.warn(
                "JACK is not responding; the song is paused until it does", about: .server)
        case .goesOn:
            try journal.report(.notice(message: "JACK responds again", about: .server))
        }
    }

    private func reportLoss() throws(DuetError) {
        try journal.report(.serverLost(isAwaited: kept.isAwaited))
    }

    /// Renders another graph, since the server has another rate now.
    func renderAtNewRate() throws(DuetError) {
        try mix.rebuild(for: client.sampleRate)
        do throws(JackError) {
            try client.render(mix.audioGraph)
            try voice?.render()
        } catch {
            throw DuetError(error)
        }
        transport?.resume(client)
    }

    // MARK: Loss and return

    /// The server is gone, or has thrown the client out: nothing is rendered any more, and the
    /// songs stand still. The client is brought back in the background, for as long as
    /// `--server-wait` says.
    ///
    /// - Throws: `serverLost` where the server is not waited for.
    func lose(because reason: String) throws(DuetError) {
        // The voice may have been lost alone.
        kept.lose(because: reason)
        if kept.isLost { try reportLoss() }
        if !kept.isAwaited { throw DuetError(.serverLost(reason: reason)) }
    }

    /// Another client is on the server: the mix goes on in it.
    ///
    /// - Parameters:
    ///   - wasLost: whether the loss was reported.
    ///   - rate: of the client before, in Hz.
    ///   - period: frames in a cycle of that client.
    private func goOn(afterLoss wasLost: Bool, rate: Int, period: Int) throws(DuetError) {
        watch = CycleWatch()
        try mix.setPeriod(client.period)
        if client.sampleRate != mix.audioGraph.sampleRate {
            try mix.rebuild(for: client.sampleRate)
        }
        do throws(JackError) {
            try voice?.comeBack()
            try activate()
        } catch {
            let reason = DuetError(error).line
            kept.lose(because: reason)
            if kept.isAwaited { return }
            if kept.isLost, !wasLost { try reportLoss() }
            throw DuetError(.serverLost(reason: reason))
        }
        transport?.resume(client)
        if wasLost {
            return try journal.report(
                .serverBack(rate: client.sampleRate, period: client.period))
        }
        if client.sampleRate != rate { try journal.report(.rate(client.sampleRate)) }
        if client.period != period { try journal.report(.period(frames: client.period)) }
    }

    // MARK: Ctrl-Z

    /// Fades out and closes the client before this process is stopped, as `KeptClient.leave`.
    ///
    /// - Throws: `serverLost` when a cycle does not end: no other client may render the same graph.
    func leave() throws(DuetError) {
        let voiceIsFree = voice?.close() ?? true
        if isConnected { transport?.suspend(client) }
        guard kept.leave(), voiceIsFree else {
            throw DuetError(.serverLost(reason: "a cycle of the JACK server does not end"))
        }
    }

    /// After `leave`, when this process goes on: the client comes back as after the loss of a
    /// server, which counts as lost only if that takes longer than 2 s.
    func comeBack() { kept.comeBack() }
}
