import JackIO

// What happens when the server is lost, and when it is back.
extension LiveSession {
    /// Nothing is rendered any more: the songs stand still where they are. The client is brought
    /// back in the background, for as long as `--server-wait` says.
    ///
    /// - Parameter again: whether it was not back for long enough to be told of.
    func loseServer(because reason: String, again: Bool = false) throws(DuetError) {
        if !again {
            try report(.serverLost)
            lossTime = Clock.seconds
        }
        // The voice of the demo has a client of its own, and no user who waits.
        guard client.close(), voice == nil, serverWait > 0 else {
            throw DuetError(.serverLost(reason: reason))
        }
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
            return try loseServer(because: error.description, again: true)
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
