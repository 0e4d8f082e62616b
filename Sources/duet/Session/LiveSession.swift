import AudioGraph
import JackIO
import SystemSupport

/// One live run: the JACK client, the graph, the songs, the keys; events out, actions in.
///
/// All on the main thread: it waits in poll(2) for the client, the songs, the keys and signals,
/// and wakes a few times a second to look at what plays.
final class LiveSession {
    let reporter: Reporter
    /// Replaced when the server was lost and came back.
    var client: JackClient
    /// The server that was started for the client.
    var privateServer: PrivateServer?
    /// Whether a lost server is to be started again: the first was our own.
    let startsServer: Bool
    /// Brings the client back while its server is lost.
    var reopening: Reopening?
    /// When the server was lost, or will count as lost if it is not back by then.
    var lossTime = 0.0
    /// Whether the server was said to be lost, and not to be back since.
    var lossIsTold = false
    var cycleWatch = CycleWatch()
    let voice: DemoVoice?
    /// Replaced when the server came back with another rate.
    var mix: MixGraph
    let players: [SongPlayer]
    let inbox = Inbox<SongPlayer.Message>()
    /// Nil: there is no session.
    let member: SessionMember?
    /// Something other than connections may differ from what the session has.
    var mayHaveChanged = true
    /// The connections that were compared with it last.
    var comparedWires: Set<JackWire> = []
    /// What a session keeps and nothing here changes.
    let constants: SessionState
    /// What the client was when it was closed, to be brought back.
    var lost: LostClient?
    let signals: Signals
    let terminal: Terminal?
    var keysAreOpen: Bool
    var waiter = PollSet()
    var settings: MixSettings
    var status = Status()
    /// When the status line's note goes away.
    var noteUntil = 0.0
    var isPaused = false
    var wantsToStop = false
    /// Whether it goes on when all songs are over: the user wants that, or took the last one to its
    /// end by a key, which is not to cost them the microphone.
    var staysOpen: Bool
    var microphoneIsHeld = false
    var voiceHasBegun = false
    var xruns = 0
    var nextPosition = 1.0
    /// When levels or the status line are due.
    var nextShow = 0.0
    var knownLatency: JackLatency?
    /// How long a lost server is waited for, in seconds.
    let serverWait: Double
    var transport: TransportState
    /// Seconds of output after which it ends; nil: when the songs are over.
    let duration: Double?
    /// What was rendered by the graphs before the present one.
    var (pastFrames, pastSeconds) = (0, 0.0)

    /// Builds the graph for an open client; nothing is heard yet.
    init(
        _ plan: LivePlan, client: JackClient, privateServer: PrivateServer?, voice: DemoVoice?,
        member: SessionMember?, reporter: Reporter, signals: Signals, terminal: Terminal?
    ) throws(DuetError) {
        self.member = member
        constants = plan.state
        self.client = client
        self.privateServer = privateServer
        startsServer = privateServer != nil
        self.voice = voice
        self.reporter = reporter
        self.signals = signals
        self.terminal = terminal
        keysAreOpen = terminal?.enterRawMode() ?? false
        settings = plan.state.settings
        staysOpen = plan.state.stays
        serverWait = plan.jack.serverWait ?? .infinity
        transport = TransportState(role: plan.state.transport)
        let mix = try MixGraph(plan.state.settings, sampleRate: client.sampleRate)
        self.mix = mix
        duration = plan.duration
        players = plan.state.songs.indices.map { [inbox] bus in
            // The demo's voice has a graph of its own, as a singer has a client of their own.
            guard bus == 1, let voice else {
                return SongPlayer(
                    bus: bus, mixerBus: bus, plan: plan.songPlan(bus: bus), mix: mix, inbox: inbox)
            }
            return SongPlayer(
                bus: bus, mixerBus: 0, plan: plan.songPlan(bus: bus), mix: voice.mix, inbox: inbox)
        }
    }

    /// Plays until the end. Throws `ReportedError` when it was a failure.
    func run() throws(ReportedError) {
        var failure: DuetError?
        do {
            try start()
            // A session may be new, and have no song yet.
            let hasSongs = !constants.songs.joined().isEmpty
            while !wantsToStop, !hasSongs || staysOpen || !isOver { try turn() }
            if !wantsToStop { failure = players.compactMap(\.failure).last }
        } catch {
            failure = error
        }
        end(failure)
        if let failure { throw ReportedError(error: failure) }
    }

    /// The songs' transfers begin, then the cycles.
    func start() throws(DuetError) {
        for player in players {
            try player.start(report: teller(of: player))
            // Together, once both are there.
            if voice != nil { player.setPaused(true) }
        }
        for player in players { player.setPeriod(client.period) }
        try mix.start()
        try voice?.mix.start()
        do {
            try client.activate(rendering: mix.graph, unless: { Signals.isStopping })
            try voice?.activate()
        } catch {
            throw DuetError(error)
        }
        // Else nothing would be known of the way to the ear.
        client.awaitConnections()
        member?.answerOpen()
        try report(
            .ready(
                client: client.name, server: client.server, rate: client.sampleRate,
                period: client.period, micLatencyFrames: latency?.roundTripFrames ?? 0))
    }

    /// One wait and all that it brought.
    func turn() throws(DuetError) {
        waiter.removeAll()
        waiter.add(signals.descriptor)
        waiter.add(reopening?.eventDescriptor ?? client.eventDescriptor)
        waiter.add(reopening == nil && client.lifeline >= 0 ? client.lifeline : nil)
        waiter.add(inbox.descriptor)
        waiter.add(keysAreOpen ? terminal?.descriptor : nil)
        waiter.add(member?.descriptor)
        waiter.wait(seconds: pause)
        try reporter.check()
        // Before all that others send: whoever sends much does not hold the keys up.
        if waiter.isReady(signals.descriptor) { try takeSignals() }
        if keysAreOpen, let terminal, waiter.isReady(terminal.descriptor) { try takeKeys(terminal) }
        if let reopening {
            try takeNews(of: reopening)
        } else {
            for event in client.drainEvents() { try take(event) }
            if let reason = voice?.takeEvents() { try loseServer(because: reason) }
        }
        try takeMessages()
        try takeSession()
        try followTransport()
        try look()
    }

    /// Takes what the songs' threads said, a bounded number of messages a turn.
    private func takeMessages() throws(DuetError) {
        let (messages, lost) = inbox.take(atMost: 64)
        if lost > 0 { try report(.dropped(events: lost)) }
        for message in messages {
            let player = players[message.bus]
            if case .opened = message.event { mayHaveChanged = true }
            try player.take(message, report: teller(of: player))
            if case .finished = message.event { noteEnd(of: player) }
        }
    }

    /// The songs of `player` are over.
    private func noteEnd(of player: SongPlayer) {
        // The demo ends by itself.
        staysOpen = player.plan.stays || player.endWasSought && voice == nil
    }

    /// Whether all songs are over.
    var isOver: Bool { !players.isEmpty && players.allSatisfy(\.isOver) }

    /// Seconds until somebody wants to see something; nothing is missed in between, for events
    /// wake us.
    var pause: Double {
        let untilShow = min(nextShow - Clock.seconds, transport.pause)
        if reopening != nil { return min(untilShow, lossTime + serverWait - Clock.seconds) }
        guard let duration else { return untilShow }
        return min(untilShow, duration - renderedSeconds)
    }

    /// Seconds of output so far.
    var renderedSeconds: Double {
        pastSeconds + Double(mix.graph.renderedFrames) / Double(mix.graph.sampleRate)
    }

    /// Looks at what plays, and shows it.
    func look() throws(DuetError) {
        if voice != nil, !voiceHasBegun, players.allSatisfy(\.isReady) {
            voiceHasBegun = true
            for player in players { player.setPaused(isPaused) }
        }
        if reopening != nil, Clock.seconds >= lossTime + serverWait {
            throw DuetError(.noServerCameBack(name: client.server, seconds: serverWait))
        }
        mix.graph.collect()
        if let duration, renderedSeconds >= duration { wantsToStop = true }
        if mix.holdsMicrophone != microphoneIsHeld {
            microphoneIsHeld = mix.holdsMicrophone
            if microphoneIsHeld {
                try report(
                    .warning(
                        message: "feedback: the microphone is turned down; m brings it back"))
            }
        }
        let now = Clock.seconds
        if reopening == nil { try watchCycles(at: now) }
        if now >= nextPosition {
            nextPosition = now.rounded(.down) + 1
            // Brought to the foreground since.
            if !keysAreOpen { keysAreOpen = terminal?.enterRawMode() ?? false }
            for player in players {
                if let event = player.positionEvent { try teller(of: player)(event) }
            }
        }
        guard now >= nextShow else { return }
        nextShow = now + reporter.showInterval
        if reporter.wantsLevels {
            try report(
                .levels(
                    song: mix.mixer.inputs[0].levels,
                    mic: mix.mixer.inputs.dropFirst().first?.levels, out: mix.io.levels))
        }
        if reporter.showsStatus { try showStatus(now: now) }
    }

    func showStatus(now: Double) throws(DuetError) {
        let player = players[0]
        status.state =
            if reopening != nil, lossIsTold {
                isHeld ? .pausedWithoutServer : .serverLost
            } else if cycleWatch.hangs {
                isHeld ? .pausedWhileServerHangs : .serverHangs
            } else {
                player.state
            }
        if let position = player.position {
            status.position = position.seconds
            status.duration = position.duration
            status.buffered = position.buffered
        }
        status.song = strip(0, name: status.song.name)
        status.second = settings.second.name.map { strip(1, name: $0) }
        status.out = isSilent ? .floor : mix.io.levels.louderPeak
        status.hasMicrophone = latency != nil
        // JACK knows 0 of a way that is not connected.
        let isKnown = client.isMonitoring && latency?.isKnown(period: client.period) == true
        status.latency = isKnown ? latency?.milliseconds : nil
        status.xruns = xruns
        if now >= noteUntil {
            let canGoBack = isOver && staysOpen && players.contains(where: \.canGoBack)
            status.note = canGoBack ? "over: ← or b plays again, q quits" : nil
        }
        try reporter.show(status)
    }

    /// Whether the user, or the transport when it was seen last, holds the songs.
    private var isHeld: Bool {
        transport.role == .none ? isPaused : !transport.seen.isRolling
    }

    private func strip(_ bus: Int, name: String) -> Status.Strip {
        // What does not sound is silent at once: a meter that falls for seconds says nothing.
        let isSilent =
            reopening != nil || cycleWatch.hangs || hasSong(bus) && !players[bus].sounds
        return Status.Strip(
            name: name, peak: isSilent ? .floor : mix.mixer.inputs[bus].levels.louderPeak,
            isMuted: settings.strips[bus].isMuted)
    }

    /// Whether a song, and no microphone, is on a bus; the demo's voice sings as a microphone.
    private func hasSong(_ bus: Int) -> Bool { bus < players.count && (bus == 0 || voice == nil) }

    /// Whether nothing can be heard: no microphone, and no song that plays.
    private var isSilent: Bool {
        guard reopening == nil, !cycleWatch.hangs else { return true }
        return mix.io.inputChannelCount == 0 && !players.contains(where: \.sounds)
    }

    /// The microphone's way; nil without one.
    var latency: JackLatency? {
        if case .mic = settings.second { client.latency } else { nil }
    }

    func report(_ event: Event) throws(DuetError) { try reporter.report(event) }

    /// What takes a player's events. The demo's voice has none: bus 1 is the microphone there.
    func teller(of player: SongPlayer) -> (Event) throws(DuetError) -> Void {
        voice != nil && player.bus == 1 ? { _ in } : report
    }

    /// Fades out, lets everything go, and says goodbye.
    func end(_ failure: DuetError?) {
        status.state = .stopping
        status.note = nil
        // A reader that is gone cannot be told.
        try? reporter.show(status)
        voice?.client.close()
        if transport.role == .lead, transport.hasBegun { client.stopTransport() }
        client.close()
        reopening = nil
        for player in players { player.stop() }
        if let failure { try? report(failure.event) }
        try? report(
            .bye(
                frames: Int64(pastFrames + mix.graph.renderedFrames), xruns: xruns,
                underruns: players.map(\.underruns).reduce(0, +)))
        reporter.finish()
        Output.finish()
        terminal?.restore()
    }
}
