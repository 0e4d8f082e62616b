import JackIO

// What comes in: from JACK, from signals, from the keys.
extension LiveSession {
    func take(_ event: JackEvent) throws(DuetError) {
        switch event {
        case .xrun(let microseconds):
            xruns += 1
            try report(.xrun(microseconds: Double(microseconds)))
        case .period(let frames): try report(.period(frames: frames))
        case .latency(let latency):
            guard self.latency != nil, latency != knownLatency else { return }
            knownLatency = latency
            try report(
                .latency(
                    captureFrames: latency.capture.maximum,
                    playbackFrames: latency.playback.maximum, milliseconds: latency.milliseconds))
        case .connected(let from, let to): try report(.connected(from: from, to: to))
        case .disconnected(let from, let to): try report(.disconnected(from: from, to: to))
        case .warning(let message): try report(.warning(message: message))
        case .sampleRate(let rate):
            throw .rateChanged(to: rate)
        case .freewheel: break
        case .shutdown(let reason):
            try report(.server(isBack: false))
            try waitForServer(lost: .serverLost(reason: reason))
        }
    }

    func takeSignals() throws(DuetError) {
        for signal in signals.next() {
            switch signal {
            case .stop: wantsToStop = true
            case .suspend:
                reporter.finish()
                terminal?.restore()
                signals.suspend()
                takeTerminalBack()
            case .resume: takeTerminalBack()
            }
        }
    }

    /// Tries to go on with the same graph in a new client, for as long as `--server-wait` says.
    private func waitForServer(lost: JackError) throws(DuetError) {
        let configuration = client.configuration
        let server = client.server
        let rate = client.sampleRate
        let graphIsFree = client.close()
        let end = Clock.seconds + serverWait
        guard graphIsFree, voice == nil else { throw DuetError(lost) }
        while !wantsToStop {
            guard Clock.seconds < end else { throw DuetError(lost) }
            if let found = try? JackClient(configuration, server: server) {
                guard found.sampleRate == rate else {
                    found.close()
                    throw .rateChanged(to: found.sampleRate)
                }
                client = found
                do { try found.activate(rendering: mix.graph) } catch {
                    throw DuetError(error)
                }
                return try report(.server(isBack: true))
            }
            try takeControls(within: min(0.25, end - Clock.seconds))
        }
    }

    /// Waits for keys and signals alone.
    private func takeControls(within seconds: Double) throws(DuetError) {
        waiter.removeAll()
        waiter.add(signals.descriptor)
        waiter.add(keysAreOpen ? terminal?.descriptor : nil)
        waiter.wait(seconds: seconds)
        if waiter.isReady(signals.descriptor) { try takeSignals() }
        if keysAreOpen, let terminal, waiter.isReady(terminal.descriptor) { try takeKeys(terminal) }
    }

    /// After a stop: the shell set the terminal as it likes it.
    private func takeTerminalBack() {
        keysAreOpen = terminal?.enterRawMode() ?? false
        reporter.redraw()
    }

    func takeKeys(_ terminal: Terminal) throws(DuetError) {
        guard let keys = terminal.readKeys() else {
            keysAreOpen = false
            return
        }
        for key in keys {
            if let action = KeyMap.action(for: key) { try obey(action) }
        }
    }

    /// Does what somebody asked for.
    private func obey(_ action: Action) throws(DuetError) {
        switch action {
        case .quit: wantsToStop = true
        case .togglePause:
            isPaused.toggle()
            for player in players { player.setPaused(isPaused) }
        case .seek(let seconds):
            for player in players { player.seek(by: seconds) }
        case .nextSong, .previousSong:
            isPaused = false
            for player in players {
                player.skip(action == .nextSong ? 1 : -1)
            }
        case .toggleMute(.second) where mix.holdsMicrophone:
            mix.releaseMicrophone()
            note("mic on")
        case .toggleMute, .changeVolume, .changePan, .swapSides:
            for change in settings.apply(action) {
                mix.apply(settings.strips[change.bus], bus: change.bus)
                try report(.parameter(address: change.address, value: change.value))
                note(change.note)
            }
        case .help: try reporter.help(KeyMap.help(second: settings.second.name))
        }
    }

    private func note(_ text: String) {
        status.note = text
        noteUntil = Clock.seconds + 2
    }
}

extension DuetError {
    /// The graph was built for another rate.
    fileprivate static func rateChanged(to rate: Int) -> DuetError {
        DuetError(
            status: .unavailable, attempt: "cannot play on",
            result: "the JACK server’s rate is \(rate) Hz now", hint: "start duet again")
    }
}
