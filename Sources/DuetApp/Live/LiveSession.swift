import Glibc
import JackIO
import SystemSupport

/// One live run from its first cycle to its last: waits for JACK, the songs, keys, signals and the
/// session manager, and hands what came to the part that handles it.
///
/// All on the main thread: it waits in poll(2), and wakes a few times a second for what is due.
final class LiveSession {
    private let reporter: any Reporter
    /// What people see; nil for scripts.
    private let view: (any View)?
    private let journal: Journal
    private let disk = DiskWorker()
    private let signals: Signals
    private let terminal: Terminal?
    private let mix: LiveMix
    private let server: ServerConnection
    private let display: LiveDisplay
    private let takes: TakeRecorder
    private let realtimeNotice: RealtimeNotice
    private let viewMemory: ViewMemory
    private let finder: MusicFinder
    private let words: WordsFetcher
    private let control: LiveControl
    private let values: ValueEvents
    private let keys: KeyTable
    private let vocabulary: Vocabulary
    private var pointer = Pointer()
    private var question = KeyQuestion()
    private let typing: SongTyping
    /// Where commands come from beside the keys.
    private let channels: [ControlChannel]
    /// Nil without a session.
    private let saver: SessionSaver?
    /// In the order of their turns. They end in the opposite order.
    private let parts: [any LivePart]
    /// Seconds of output after which the run ends; nil: it ends with the songs.
    private let duration: Double?
    private var waiter = PollSet()
    private var wantsToStop = false
    private var echo = LastEcho()
    private var xruns = 0
    /// The latency that was reported last.
    private var knownLatency: JackLatency?
    /// When what happens once a second is due, in seconds of the clock.
    private var nextSecond = 1.0

    private var songs: LiveSongs { mix.songs }

    /// Builds the graph for an open client; nothing is heard yet.
    ///
    /// - Parameter isReachable: whether `duet add` can reach the run.
    init(
        _ plan: LivePlan, client: JackClient, privateServer: PrivateServer?, voice: DemoVoice?,
        member: SessionMember?, reporter: any Reporter, view: (any View)?, journal: Journal,
        signals: Signals, terminal: Terminal?,
        channels: [ControlChannel], isReachable: Bool
    ) throws(DuetError) {
        self.channels = channels
        (self.reporter, self.view, self.journal) = (reporter, view, journal)
        self.signals = signals
        self.terminal = terminal
        terminal?.enterRawMode()
        duration = plan.duration
        mix = try LiveMix(
            plan, sampleRate: client.sampleRate, voice: voice,
            showsPictures: view?.showsScreen ?? false, journal: journal)
        let transport = TransportLink(plan.state.rules.transport, songs: mix.songs)
        server = ServerConnection(
            client, privateServer: privateServer, wait: plan.options[.serverWait] ?? .infinity,
            voice: voice, mix: mix, transport: transport, journal: journal)
        takes = TakeRecorder(
            in: plan.takes?.folder, isOn: plan.takes?.isOn ?? false, keys: plan.keys, mix: mix,
            server: server, journal: journal, disk: disk)
        finder = MusicFinder(
            of: mix.songs, folders: plan.musicFolders, file: plan.musicIndex, journal: journal)
        let canType = terminal != nil && view?.showsTypedLine == true
        words = WordsFetcher(
            plan.words, songs: mix.songs, journal: journal, disk: disk,
            key: plan.keys.name(of: .fetchWords) ?? Trigger.fetchWords.rawValue,
            showChoices: { isShown in
                if let view, (view.page == .words) != isShown { try? view.turn(to: .words) }
            })
        let tempo = mix.plan.vocabulary.parameter("/song/tempo").map { [mix] tempo in
            WordsTapper.Tempo(
                parameter: tempo, value: { mix.plan[tempo] },
                set: { value throws(Refusal) in try mix.set(tempo, to: value) })
        }
        let tapper = WordsTapper(
            songs: mix.songs, tempo: tempo, ear: { [mix] in mix.ear?() }, words: words,
            store: plan.words.tapped, journal: journal, disk: disk)
        let backings = BackingMaker(plan.backings, songs: mix.songs, journal: journal)
        display = LiveDisplay(
            server: server, mix: mix, transport: transport, takes: takes, keys: plan.keys,
            canType: canType, isReachable: isReachable,
            wantsLevels: plan.options[.levels], view: view, audience: channels,
            leftOpen: plan.leftOpen, finder: finder, words: words, tapper: tapper,
            journal: journal)
        let take = plan.take.map { [mix, journal, disk] in
            LiveTake(
                $0, given: plan.givenOfTake, lyrics: plan.state.lyrics, mix: mix, journal: journal,
                disk: disk)
        }
        control = LiveControl(
            mix: mix, server: server, transport: transport, takes: takes, take: take,
            finder: finder, words: words, tapper: tapper, backings: backings, keys: plan.keys,
            canType: canType, isReachable: isReachable, journal: journal,
            disk: disk)
        typing = SongTyping(
            adder: control.adder, finder: finder, list: mix.songs.list, display: display,
            journal: journal, disk: disk)
        keys = plan.keys
        vocabulary = mix.plan.vocabulary
        realtimeNotice = RealtimeNotice(
            folder: plan.stateFolder, isAttended: plan.options.isAttended, journal: journal,
            disk: disk)
        viewMemory = ViewMemory(of: view, in: plan.stateFolder, disk: disk)
        let memory = LiveMemory(plan.memoryPlan, mix: mix, journal: journal, disk: disk)
        let capture = RunCapture(plan: plan.state, mix: mix, server: server)
        saver = member.map { [server, journal, disk] member in
            SessionSaver(member, capture: capture, server: server, journal: journal, disk: disk)
        }
        let keeper = (member == nil ? plan.listStore : nil).map { [mix, journal, disk] store in
            ListKeeper(
                store, resumed: plan.resumed, capture: capture, songs: mix.songs,
                journal: journal, disk: disk)
        }
        let reader = ListReader(
            of: mix.songs.main, list: mix.songs.list, journal: journal,
            key: plan.memoryPlan?.key)
        values = ValueEvents(journal)
        let microphones = MicrophoneCheck(
            of: plan.checkedMicrophones, mix: mix, server: server, journal: journal, disk: disk)
        let listeners: [(any JournalListener)?] = [
            values, tapper, memory, words, take, takes, saver, keeper, display,
        ]
        for listener in listeners.compactMap({ $0 }) { journal.add(listener) }
        for channel in channels { journal.add(channel) }
        mix.ear = { [unowned server] in server.ear }
        let all: [(any LivePart)?] = [
            backings, disk, mix.songs, memory, take, reader, mix.songs.list, finder, words, tapper,
            saver,
            keeper,
            server,
            mix, values, takes, microphones,
            plan.hasVoice ? DemoGuide(mix: mix, control: control, display: display) : nil,
        ]
        parts = all.compactMap { $0 }
    }

    /// Plays until the end. Throws `ReportedError` when it was a failure.
    func run() throws(ReportedError) {
        var failure: DuetError?
        do {
            try start()
            while goesOn() { try turn() }
            if !wantsToStop { failure = songs.failure }
        } catch {
            failure = error
        }
        end(failure)
        if let failure { throw ReportedError(error: failure) }
    }

    /// The songs' transfers begin, then the cycles.
    private func start() throws(DuetError) {
        viewMemory.restore()
        try mix.start(period: server.client.period)
        takes.prepare()
        try server.start()
        saver?.answerOpen()
        let client = server.client
        if let latency = server.latency { try mix.setRoundTrip(seconds: latency.shortestEcho) }
        try journal.report(
            .ready(
                client: client.name, server: client.server, rate: client.sampleRate,
                period: client.period, micLatencyFrames: server.latency?.roundTripFrames ?? 0))
    }

    /// Waits once, and handles all that has come.
    private func turn() throws(DuetError) {
        wait()
        try reporter.check()
        try journal.check()
        // Signals and keys first: whatever sends much does not hold them up.
        if waiter.isReady(signals.descriptor) { try handleSignals() }
        if let terminal {
            let isReady = waiter.isReady(terminal.keyDescriptor)
            let keys = isReady ? terminal.readKeys() : terminal.endPart()
            for answer in terminal.takeAnswers() { view?.take(answer) }
            for key in keys {
                if typing.isOpen, key != .redraw {
                    try typing.take(key)
                } else if view?.page == .find, key != .redraw {
                    try find(key)
                } else if view?.page == .words, try words.take(key) {
                    display.hurry()
                } else {
                    try obey(key)
                }
            }
        }
        for channel in channels {
            try channel.update(
                waiter,
                obey: { line, later throws(DuetError) in try obey(line: line, later: later) },
                snapshot: snapshot,
                warn: { message throws(DuetError) in try journal.warn(message) })
        }
        for event in try server.takeEvents() { try handle(event) }
        for part in parts { try part.update() }
        if let duration, mix.renderedSeconds >= duration { wantsToStop = true }
        if Clock.seconds >= nextSecond {
            nextSecond = Clock.seconds.rounded(.down) + 1
            // The shell may have brought this program to the foreground.
            if terminal?.keyDescriptor == nil { terminal?.enterRawMode() }
            try songs.reportPositions()
        }
        // The last line of a run that is over is not shown as one of a run that goes on.
        guard goesOn() else { return }
        try display.update(xruns: xruns, strip: control.selectedStrip)
    }

    /// Whether the run goes on: songs play or may, or what they leave is still heard.
    private func goesOn() -> Bool {
        guard !wantsToStop else { return false }
        guard !songs.keepRunGoing else {
            echo = LastEcho()
            return true
        }
        return mix.ringsOn && server.isConnected && songs.failure == nil
            && echo.isHeard(peak: mix.outputLevels.louderPeak, now: Clock.seconds)
    }

    /// All that is known of the run now.
    private func snapshot() -> Event {
        // What was changed before is reported before.
        try? values.finish()
        return .snapshot(
            values: control.values, state: server.isConnected ? "connected" : "lost",
            events: mix.songs.events)
    }

    /// Waits until there is something to do: nothing is missed, for events wake us.
    private func wait() {
        waiter.removeAll()
        waiter.add(signals.descriptor)
        waiter.add(terminal?.keyDescriptor)
        var seconds = min(display.secondsLeft, terminal?.secondsUntilEnd ?? .infinity)
        for channel in channels {
            for descriptor in channel.descriptors { waiter.add(descriptor) }
            for descriptor in channel.writers { waiter.add(writable: descriptor) }
            seconds = min(seconds, channel.secondsLeft)
        }
        for part in parts {
            for descriptor in part.descriptors { waiter.add(descriptor) }
            seconds = min(seconds, part.secondsLeft)
        }
        if echo.isAwaited { seconds = min(seconds, 0.05) }
        if let duration, server.isConnected {
            seconds = min(seconds, duration - mix.renderedSeconds)
        }
        waiter.wait(seconds: seconds)
    }

    /// Fades out, ends all threads and the client, and reports the end.
    private func end(_ failure: DuetError?) {
        // A reader that is gone cannot be told.
        try? display.showEnd(afterAll: failure == nil && !wantsToStop, xruns: xruns)
        server.close()
        try? songs.list.finish()
        songs.stop()
        for part in parts.reversed() { try? part.finish() }
        if let failure { try? journal.report(failure.event) }
        try? journal.report(
            .bye(
                frames: Int64(mix.renderedFrames), xruns: xruns, underruns: songs.underruns))
        try? display.showStopped()
        view?.finish()
        Output.finish()
        terminal?.restore()
        server.stopPrivateServer()
    }
}

// MARK: Keys, signals, JACK

extension LiveSession {
    /// Does what a key, or the mouse, asks for; nil if that is nothing.
    private func obey(_ key: Key) throws(DuetError) {
        let show = { [unowned self] (answer: Result<String, Refusal>) in
            if case .failure(let refusal) = answer { display.note(refusal.reason) }
        }
        if key == .redraw {
            view?.redraw()
        } else if case .mouse(let mouse) = key {
            let target = view?.target(row: mouse.row, column: mouse.column)
            let line = pointer.line(for: mouse, on: target, now: Clock.seconds)
            if let line { try obey(line: line, later: show).map(show) }
        } else {
            switch keys.row(for: key, on: view?.page)?.action {
            case .success(let action): try obey(action, of: key, later: show).map(show)
            case .failure(let refusal): display.note(refusal.reason)
            case nil: break
            }
        }
    }

    /// Does what a key asks for, which is done differently on a page, or when it is pressed twice.
    private func obey(
        _ action: Action, of key: Key, later: @escaping (Result<String, Refusal>) -> Void
    ) throws(DuetError) -> Result<String, Refusal>? {
        let page = view?.page
        // The key that ends the run ends the page first.
        let action = action == .trigger(.quit) && page != nil ? .trigger(.closePage) : action
        if page == .list, !action.isDoneBesideList {
            return .failure(Refusal(reason: "\(key.name) changes nothing on this page"))
        }
        // Where nothing is shown nobody can be asked.
        let risk = view == nil ? nil : control.risk(of: action)
        guard question.isAnswered(by: action, isRisky: risk != nil, now: Clock.seconds) else {
            let deed = action == .trigger(.quit) ? "quits" : "removes it"
            return .failure(Refusal(reason: "\(risk ?? ""): \(key.name) again \(deed)"))
        }
        return try obey(action, later: later)
    }

    /// Does what a line asks for. Returns the answer for scripts, or nil where `later` takes it.
    private func obey(
        line: String, later: @escaping (Result<String, Refusal>) -> Void
    ) throws(DuetError) -> Result<String, Refusal>? {
        let action: Action
        do throws(Refusal) { action = try Action(line: line, in: vocabulary) } catch {
            return .failure(error)
        }
        return try obey(action, later: later)
    }

    /// Carries an action out, and shows what was done. Returns the answer for scripts, or nil where `later`
    /// takes it.
    private func obey(
        _ action: Action, later: @escaping (Result<String, Refusal>) -> Void
    ) throws(DuetError) -> Result<String, Refusal>? {
        let answer: LiveControl.Answer?
        do throws(Refusal) {
            answer = try control.obey(action) { [unowned self] answer throws(DuetError) in
                later(try show(answer, of: action))
            }
        } catch {
            return try show(.failure(error), of: action)
        }
        return try answer.map { answer throws(DuetError) in
            try show(.success(answer), of: action)
        }
    }

    /// Shows what was done. Returns the answer for scripts.
    private func show(
        _ answer: Result<LiveControl.Answer, Refusal>, of action: Action
    ) throws(DuetError) -> Result<String, Refusal> {
        try journal.check()
        display.hurry()
        guard let done = try? answer.get() else { return answer.map(\.line) }
        display.note(done.note)
        switch action {
        case .page(let page):
            try view?.turn(to: page)
            if view?.page == .find { finder.open() }
        case .trigger(.closePage):
            if view?.page == nil { display.clearClips() }
            try view?.turn(to: nil)
        case .trigger(.changeView):
            if let view {
                let refusal = view.changeView()
                display.note(refusal)
                if refusal == nil { viewMemory.save() }
            }
        case .trigger(.typeSong): typing.begin()
        case .trigger(.quit): wantsToStop = true
        default: break
        }
        return .success(done.line)
    }

    /// Takes a key of the page that finds songs: all of them are words, or choose what was found.
    private func find(_ key: Key) throws(DuetError) {
        if case .mouse(let mouse) = key {
            let target = view?.target(row: mouse.row, column: mouse.column)
            guard case .found(let number) = target?.kind else { return try obey(key) }
            if mouse.gesture == .press { finder.select(number) }
            return display.hurry()
        }
        if try typing.find(key) == .close { try view?.turn(to: nil) }
    }

    private func handleSignals() throws(DuetError) {
        for signal in signals.next() {
            switch signal {
            case .stop: wantsToStop = true
            case .suspend:
                view?.finish()
                try server.leave()
                Output.drain(seconds: 0.5)
                terminal?.restore()
                signals.suspend()
                server.comeBack()
                reclaimTerminal()
            case .resume: reclaimTerminal()
            case .resize: view?.redraw()
            }
        }
    }

    /// Sets and draws the terminal again after a stop, in which the shell has used it.
    private func reclaimTerminal() {
        terminal?.enterRawMode()
        view?.redraw()
    }

    private func handle(_ event: JackEvent) throws(DuetError) {
        switch event {
        case .xrun(let count, let microseconds):
            xruns += count
            try journal.report(.xrun(count: count, microseconds: Double(microseconds)))
        case .period(let frames):
            try mix.setPeriod(frames)
            // JACK's first cycle of that length waits for this client.
            _ = PolledWait.run(milliseconds: 200, interval: 0.5) {
                songs.areReady(forPeriod: frames)
            }
            server.client.take(period: frames)
            try journal.report(.period(frames: frames))
        case .latency(let latency):
            try mix.setRoundTrip(seconds: latency.shortestEcho)
            guard server.latency != nil, latency != knownLatency else { return }
            knownLatency = latency
            try journal.report(
                .latency(
                    captureFrames: latency.capture.maximum,
                    playbackFrames: latency.playback.maximum, milliseconds: latency.milliseconds))
        case .connected(let from, let to, let isOurs):
            try journal.report(.connected(from: from, to: to, isOurs: isOurs))
        case .disconnected(let from, let to, let isOurs):
            try journal.report(.disconnected(from: from, to: to, isOurs: isOurs))
        case .sideConnected(let side): journal.settle(.ports(side))
        case .warning(let warning):
            try journal.warn(warning.text, about: warning.topic)
            if case .noRealtimeScheduling = warning { realtimeNotice.begin() }
        case .sampleRate(let rate):
            try server.renderAtNewRate()
            try journal.report(.rate(rate))
        // A song's thread sleeps for as long as its ring lasts in real time, which is too long when
        // the server renders faster than that: this wakes it.
        case .freewheel: songs.setPeriod(server.client.period)
        case .shutdown(let reason): try server.lose(because: reason)
        // `ServerConnection` goes on by itself.
        case .back: break
        }
    }
}
