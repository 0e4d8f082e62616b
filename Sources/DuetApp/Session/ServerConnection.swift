import JackIO
import SystemSupport

/// Keeps the client of a live run on its JACK server: notices when the server is lost or hangs,
/// and brings the client back, and with it the mix and the transport.
///
/// Main thread.
final class ServerConnection {
    /// The present client, or the last while there is none: each return of the server brings
    /// another.
    private(set) var client: JackClient
    /// The server that was started for the client.
    private var privateServer: PrivateServer?
    /// Whether a lost server is to be started again: the first one was private.
    private let startsServer: Bool
    /// How long a lost server is waited for, in seconds.
    private let serverWait: Double
    private let voice: DemoVoice?
    private let mix: LiveMix
    private let transport: TransportLink?
    private let reporter: Reporter
    private var state = State.connected(CycleWatch())

    private enum State {
        /// The server makes cycles for the client, unless it hangs.
        case connected(CycleWatch)
        case absent(Absence)
    }

    /// A time without a client.
    private struct Absence {
        /// The closed client, whose name, ports and connections the next one gets.
        let client: LostClient
        /// When the server was lost, in seconds of the clock. After Ctrl-Z: when it counts as lost
        /// if the client is not back by then.
        var lossTime: Double
        /// Whether the loss was reported.
        var isReported: Bool
        /// Whether the next client's connections are to stay as they are.
        var keepsWires = false
        /// Brings the client back; nil while Ctrl-Z stops this process.
        var reopening: Reopening?
    }

    /// - Parameters:
    ///   - client: open, and not active yet.
    ///   - wait: how long a lost server is waited for, in seconds; the demo, which has no user who
    ///     waits, waits for none.
    init(
        _ client: JackClient, privateServer: PrivateServer?, wait: Double, voice: DemoVoice?,
        mix: LiveMix, transport: TransportLink?, reporter: Reporter
    ) {
        self.client = client
        self.privateServer = privateServer
        startsServer = privateServer != nil
        serverWait = voice == nil ? wait : 0
        self.voice = voice
        self.mix = mix
        self.transport = transport
        self.reporter = reporter
    }

    /// Begins the cycles.
    func start() throws(DuetError) {
        do throws(JackError) { try activate() } catch {
            guard case .activationFailed = error else { throw DuetError(error) }
            // A server of duet's own ends with its last client: one without ports stays meanwhile.
            let stays = privateServer.flatMap { _ in
                try? JackClient.open(
                    JackConfiguration(name: client.name, microphone: .none, outputs: .none),
                    server: client.server, unless: { Signals.isStopping })
            }
            defer { stays?.close() }
            guard client.close(), voice?.client.close() ?? true else { throw DuetError(error) }
            try startAnew()
        }
        // The latency from microphone to ear is known once the ports are connected.
        client.awaitConnections()
    }

    /// Begins the cycles in another client. jackd refuses a client whose first cycle does not come
    /// within 20 periods (`JackEngine::ClientActivate`), as on a machine that is busy for a moment.
    private func startAnew() throws(DuetError) {
        do throws(JackError) {
            client = try JackClient.open(
                client.configuration, server: client.server, after: client.lost,
                unless: { Signals.isStopping })
            try voice?.comeBack()
        } catch {
            throw DuetError(error)
        }
        if client.sampleRate != mix.audioGraph.sampleRate {
            try mix.rebuild(for: client.sampleRate)
        }
        do throws(JackError) { try activate() } catch { throw DuetError(error) }
    }

    /// Fades out and closes the client, and brings none back.
    func close() {
        voice?.client.close()
        transport?.end(client)
        client.close()
        absence?.reopening = nil
    }

    /// Ends the server that was started for the client.
    func stopPrivateServer() { privateServer?.stop() }

    // MARK: Facts

    private var absence: Absence? {
        get { if case .absent(let absence) = state { absence } else { nil } }
        set { if let newValue { state = .absent(newValue) } }
    }

    /// Whether the client is on a server that was not lost; the server may hang.
    var isConnected: Bool { absence == nil }

    /// Whether the loss of the server was reported, and the server is not back.
    var isLossReported: Bool { absence?.isReported ?? false }

    /// Whether the server makes no cycles for the client any more.
    var hangs: Bool { if case .connected(let watch) = state { watch.hangs } else { false } }

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
    var wires: Set<JackWire> { absence?.client.wires ?? client.wires }

    /// Keeps these connections from now on, and makes none that an option would choose.
    func keepWires() {
        if absence == nil { client.keepWires() } else { absence?.keepsWires = true }
    }

    /// Readable when `update` has something to do; negative numbers are no descriptors.
    var descriptors: [Int32] {
        absence.map { [$0.reopening?.eventDescriptor ?? -1] }
            ?? [client.eventDescriptor, client.lifeline]
    }

    /// Seconds until a lost server is no longer waited for; infinite while none is.
    var secondsLeft: Double {
        absence.map { $0.lossTime + serverWait - Clock.seconds } ?? .infinity
    }

    // MARK: On the server

    /// Looks after the client: reports a server that hangs or goes on, and brings the client back
    /// to a server that was lost.
    ///
    /// - Returns: what JACK has told the client since the last call.
    /// - Throws: when a lost server was waited for in vain.
    func update() throws(DuetError) -> [JackEvent] {
        switch state {
        case .connected(var watch):
            let news = watch.look(at: client.statistics.cycles, now: Clock.seconds)
            state = .connected(watch)
            if let news { try report(news) }
            // The server may have thrown out the voice alone.
            let reason = voice?.lossReason()
            return client.drainEvents() + (reason.map { [.shutdown(reason: $0)] } ?? [])
        case .absent(let absence):
            try awaitReturn(absence)
            return []
        }
    }

    private func report(_ news: CycleWatch.News) throws(DuetError) {
        switch news {
        case .hangs:
            try reporter.warn(
                "JACK is not responding; the song is paused until it does", about: .server)
        case .goesOn:
            try reporter.report(.notice(message: "JACK responds again", about: .server))
        }
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

    private func activate() throws(JackError) {
        try client.activate(rendering: mix.audioGraph, unless: { Signals.isStopping })
        try voice?.activate()
    }

    // MARK: Loss and return

    /// The server is gone, or has thrown the client out: nothing is rendered any more, and the
    /// songs stand still. The client is brought back in the background, for as long as
    /// `--server-wait` says.
    ///
    /// - Throws: `serverLost` where the server is not waited for.
    func lose(because reason: String) throws(DuetError) {
        try lose(because: reason, since: Clock.seconds, isReported: false)
    }

    private func lose(
        because reason: String, since lossTime: Double, isReported: Bool
    ) throws(DuetError) {
        // While a cycle does not end no other client may render the same graph.
        let isAwaited = client.close() && serverWait > 0
        var absence = Absence(client: client.lost, lossTime: lossTime, isReported: isReported)
        try report(&absence, isAwaited: isAwaited)
        guard isAwaited else { throw DuetError(.serverLost(reason: reason)) }
        // The private server may still run, and would accept the next client: it is stopped first.
        privateServer?.stop()
        privateServer = nil
        try beginReturn(absence)
    }

    private func report(_ absence: inout Absence, isAwaited: Bool) throws(DuetError) {
        guard !absence.isReported, Clock.seconds >= absence.lossTime else { return }
        absence.isReported = true
        try reporter.report(.serverLost(isAwaited: isAwaited))
    }

    private func beginReturn(_ absence: Absence) throws(DuetError) {
        var absence = absence
        do throws(JackError) {
            absence.reopening = try Reopening(absence.client, startsServer: startsServer)
        } catch {
            throw DuetError(error)
        }
        state = .absent(absence)
    }

    private func awaitReturn(_ absence: Absence) throws(DuetError) {
        guard let news = absence.reopening?.take() else { return }
        for warning in news.warnings { try reporter.warn(warning.text, about: warning.topic) }
        if let found = news.found { return try goOn(with: found, after: absence) }
        var absence = absence
        try report(&absence, isAwaited: serverWait > 0)
        state = .absent(absence)
        guard Clock.seconds >= absence.lossTime + serverWait else { return }
        throw DuetError(
            serverWait > 0
                ? .noServerCameBack(name: client.server, seconds: serverWait)
                : .serverLost(reason: "the JACK server has ended"))
    }

    /// The server is back: the mix goes on in another client.
    private func goOn(
        with found: Reopening.Return, after absence: Absence
    ) throws(DuetError) {
        let (rate, period) = (client.sampleRate, client.period)
        client = found.client
        if absence.keepsWires { client.keepWires() }
        privateServer = found.privateServer ?? privateServer
        state = .connected(CycleWatch())
        try mix.setPeriod(client.period)
        if client.sampleRate != mix.audioGraph.sampleRate {
            try mix.rebuild(for: client.sampleRate)
        }
        do throws(JackError) {
            try voice?.comeBack()
            try activate()
        } catch {
            return try lose(
                because: DuetError(error).line, since: absence.lossTime,
                isReported: absence.isReported)
        }
        transport?.resume(client)
        if absence.isReported {
            return try reporter.report(
                .serverBack(rate: client.sampleRate, period: client.period))
        }
        if client.sampleRate != rate { try reporter.report(.rate(client.sampleRate)) }
        if client.period != period { try reporter.report(.period(frames: client.period)) }
    }

    // MARK: Ctrl-Z

    /// Fades out and closes the client before this process is stopped: jackd waits for each of its
    /// clients, and may wait for ever for a stopped one, even when it is deactivated.
    ///
    /// Bounded: takes about three seconds at most for each client where libjack hangs, and a second
    /// for a try to bring it back; where that try has just started a private server, up to 5 s more
    /// until the server has ended.
    ///
    /// - Throws: `serverLost` when a cycle does not end: no other client may render the same graph.
    func leave() throws(DuetError) {
        let voiceIsFree = voice?.client.close() ?? true
        guard absence == nil else {
            absence?.reopening?.stop(milliseconds: 1000)
            absence?.reopening = nil
            return
        }
        transport?.suspend(client)
        guard client.close(), voiceIsFree else {
            throw DuetError(.serverLost(reason: "a cycle of the JACK server does not end"))
        }
        state = .absent(Absence(client: client.lost, lossTime: 0, isReported: false))
    }

    /// After `leave`, when this process goes on: the client comes back as after the loss of a
    /// server, which counts as lost only if that takes longer than 2 s.
    func comeBack() throws(DuetError) {
        guard var absence else { return }
        if !absence.isReported { absence.lossTime = Clock.seconds + 2 }
        try beginReturn(absence)
    }
}
