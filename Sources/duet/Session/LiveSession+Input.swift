import Glibc
import JackIO
import SystemSupport

// What comes in: from JACK, from signals, from the keys.
extension LiveSession {
    func take(_ event: JackEvent) throws(DuetError) {
        switch event {
        case .xrun(let microseconds):
            xruns += 1
            try report(.xrun(microseconds: Double(microseconds)))
        case .period(let frames):
            for player in players { player.setPeriod(frames) }
            // JACK's first cycle of that length waits for us.
            let deadline = Clock.seconds + 0.05
            while Clock.seconds < deadline, !players.allSatisfy({ $0.isReady(forPeriod: frames) }) {
                usleep(500)
            }
            client.take(period: frames)
            try report(.period(frames: frames))
        case .latency(let latency):
            guard self.latency != nil, latency != knownLatency else { return }
            knownLatency = latency
            try report(
                .latency(
                    captureFrames: latency.capture.maximum,
                    playbackFrames: latency.playback.maximum, milliseconds: latency.milliseconds))
        case .connected(let from, let to, let isOurs):
            try report(.connected(from: from, to: to, isOurs: isOurs))
        case .disconnected(let from, let to, let isOurs):
            try report(.disconnected(from: from, to: to, isOurs: isOurs))
        case .warning(let warning): try report(.warning(message: warning.text))
        case .sampleRate(let rate):
            try rebuild()
            client.render(mix.graph)
            voice?.render()
            leadAgain()
            try report(.rate(rate))
        // The songs' threads sleep for as long as what they have lasts, which was not long.
        case .freewheel: for player in players { player.setPeriod(client.period) }
        case .shutdown(let reason): try loseServer(because: reason)
        }
    }

    func takeSignals() throws(DuetError) {
        for signal in signals.next() {
            switch signal {
            case .stop: wantsToStop = true
            case .suspend:
                reporter.finish()
                try leaveServer()
                Output.drain(seconds: 0.5)
                terminal?.restore()
                signals.suspend()
                try returnToServer()
                takeTerminalBack()
            case .resume: takeTerminalBack()
            }
        }
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
        if moveTransport(action) { return }
        switch action {
        case .quit: wantsToStop = true
        case .togglePause where isOver: break
        case .togglePause:
            isPaused.toggle()
            for player in players { player.setPaused(isPaused) }
        case .seek(let seconds):
            for player in players { player.seek(by: seconds) }
        case .nextSong, .previousSong:
            let moved = players.map { $0.skip(action == .nextSong ? 1 : -1) }
            if moved.contains(true) { isPaused = false } else { note("no next song") }
        case .toggleMute(.second) where mix.holdsMicrophone:
            mix.releaseMicrophone()
            note("mic on")
        case .toggleMute, .changeVolume, .changePan, .swapSides:
            mayHaveChanged = true
            for change in settings.apply(action) {
                mix.apply(settings.strips[change.bus], bus: change.bus)
                try report(.parameter(address: change.address, value: change.value))
                note(change.note)
            }
        case .help: try reporter.help(KeyMap.help(second: settings.second.name))
        }
    }

    func note(_ text: String) {
        status.note = text
        noteUntil = Clock.seconds + 2
    }
}
