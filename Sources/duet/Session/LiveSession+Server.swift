import JackIO
import SystemSupport

// What happens when the server is lost, and when it is back.
extension LiveSession {
    /// Nothing is rendered any more: the songs stand still where they are. The client is brought
    /// back in the background, for as long as `--server-wait` says.
    ///
    /// - Parameter again: whether it was not back for long enough to be told of.
    func loseServer(because reason: String, again: Bool = false) throws(DuetError) {
        let now = Clock.seconds
        // While a cycle does not end no other client may render the same graph.
        let isAwaited = client.close() && waitsForServer
        if !again {
            lossTime = now
            try tellLoss(isAwaited: isAwaited)
        }
        guard isAwaited else { throw DuetError(.serverLost(reason: reason)) }
        let lost = client.lost
        self.lost = lost
        // First: a server that only threw the client out still takes others.
        privateServer?.stop()
        privateServer = nil
        try bringBack(lost)
    }

    private func bringBack(_ lost: LostClient) throws(DuetError) {
        do {
            reopening = try Reopening(lost, startsServer: startsServer)
        } catch {
            throw DuetError(error)
        }
    }

    /// Whether a lost server is waited for. The demo's voice has a client of its own, and no user
    /// who waits.
    private var waitsForServer: Bool { voice == nil && serverWait > 0 }

    private func tellLoss(isAwaited: Bool) throws(DuetError) {
        guard !lossIsTold else { return }
        lossIsTold = true
        try report(.serverLost(isAwaited: isAwaited))
    }

    /// Fades out and closes the client before this process is stopped: jackd waits for every client
    /// that it has, and of a stopped one it may wait for ever, when that is deactivated too.
    ///
    /// Bounded: takes about three seconds at most for each client where libjack hangs, and a second
    /// for a try to bring it back; where that try has just started a private server, up to 5 s more
    /// until the server has ended.
    ///
    /// - Throws: `serverLost` when a cycle does not end: no other client may render the same graph.
    func leaveServer() throws(DuetError) {
        let voiceIsFree = voice?.client.close() ?? true
        if let reopening {
            reopening.stop(milliseconds: 1000)
            self.reopening = nil
            return
        }
        // Others stand still as the song does.
        if transport.role == .lead { client.stopTransport() }
        guard client.close(), voiceIsFree else {
            throw DuetError(.serverLost(reason: "a cycle of the JACK server does not end"))
        }
        lost = client.lost
    }

    /// After `leaveServer`, when this process goes on: the client comes back as after the loss of
    /// a server. The server counts as lost only if that takes longer than it does as a rule.
    func returnToServer() throws(DuetError) {
        guard let lost else { return }
        if !lossIsTold { lossTime = Clock.seconds + 2 }
        try bringBack(lost)
    }

    /// Tells what has come of `reopening`, and goes on when the server is back.
    func takeNews(of reopening: Reopening) throws(DuetError) {
        let news = reopening.take()
        for warning in news.warnings { try report(.warning(message: warning.text)) }
        if let found = news.found { return try goOn(with: found) }
        guard !lossIsTold, Clock.seconds >= lossTime else { return }
        try tellLoss(isAwaited: waitsForServer)
        guard waitsForServer else {
            throw DuetError(.serverLost(reason: "the JACK server has ended"))
        }
    }

    /// The server is back: the graph goes on in another client.
    private func goOn(with found: Reopening.Return) throws(DuetError) {
        let (rate, period) = (client.sampleRate, client.period)
        client = found.client
        if let server = found.privateServer { privateServer = server }
        reopening = nil
        cycleWatch = CycleWatch()
        for player in players { player.setPeriod(client.period) }
        if client.sampleRate != mix.graph.sampleRate { try rebuild() }
        do {
            try voice?.comeBack()
            try client.activate(rendering: mix.graph, unless: { Signals.isStopping })
            try voice?.activate()
        } catch {
            return try loseServer(because: DuetError(error).line, again: true)
        }
        leadAgain()
        guard lossIsTold else {
            if client.sampleRate != rate { try report(.rate(client.sampleRate)) }
            if client.period != period { try report(.period(frames: client.period)) }
            return
        }
        lossIsTold = false
        try report(.serverBack(rate: client.sampleRate, period: client.period))
    }

    /// Says that the server hangs, and that it goes on.
    func watchCycles(at now: Double) throws(DuetError) {
        switch cycleWatch.look(at: client.statistics.cycles, now: now) {
        case .hangs:
            try report(
                .warning(
                    message: "the JACK server makes no cycles: it hangs, or its device does; "
                        + "the song waits"))
        case .goesOn: try report(.notice(message: "the JACK server makes cycles again"))
        case nil: break
        }
    }

    /// The same graph for the client's rate; the songs are resampled to that from here on.
    func rebuild() throws(DuetError) {
        pastSeconds = renderedSeconds
        pastFrames += mix.graph.renderedFrames
        mix = try MixGraph(settings, sampleRate: client.sampleRate)
        if microphoneIsHeld { mix.holdMicrophone() }
        try voice?.rebuild(for: client.sampleRate)
        for player in players {
            try player.move(to: player.bus == 1 ? voice?.mix ?? mix : mix)
        }
        try mix.start()
    }
}
