import JackIO

// What happens when the server is lost, and when it is back.
extension LiveSession {
    /// Nothing is rendered any more: the songs stand still where they are. The client is brought
    /// back in the background, for as long as `--server-wait` says.
    func loseServer(because reason: String) throws(DuetError) {
        try report(.serverLost)
        // The voice of the demo has a client of its own, and no user who waits.
        guard client.close(), voice == nil, serverWait > 0 else {
            throw DuetError(.serverLost(reason: reason))
        }
        lossTime = Clock.seconds
        let lost = client.lost
        lostWires = lost.wires
        // First: a server that only threw the client out still takes others.
        privateServer?.stop()
        privateServer = nil
        do {
            reopening = try Reopening(lost, startsServer: startsServer)
        } catch {
            throw DuetError(error)
        }
    }

    /// Tells what has come of `reopening`, and goes on when the server is back.
    func takeNews(of reopening: Reopening) throws(DuetError) {
        let news = reopening.take()
        for warning in news.warnings { try report(.warning(message: warning)) }
        if let found = news.found { try goOn(with: found) }
    }

    /// The server is back: the graph goes on in another client.
    private func goOn(with found: Reopening.Return) throws(DuetError) {
        client = found.client
        privateServer = found.privateServer
        reopening = nil
        for player in players { player.setPeriod(client.period) }
        if client.sampleRate != mix.graph.sampleRate { try rebuild() }
        do {
            try client.activate(rendering: mix.graph)
        } catch {
            // Lost again: its events say so.
            guard client.isShutDown else { throw DuetError(error) }
            return
        }
        leadAgain()
        try report(.serverBack(rate: client.sampleRate, period: client.period))
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
