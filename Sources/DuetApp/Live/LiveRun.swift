import Glibc
import JackIO
import Logging

/// Carries a live command out: joins the session, opens the JACK client, and plays.
struct LiveRun {
    private var plan: LivePlan

    init(_ plan: LivePlan) { self.plan = plan }

    /// Plays until the end of the songs, or until the user ends it. Throws `DuetError`, or
    /// `ReportedError` when the event of the error was written already.
    func run() throws {
        StandardErrorLog.install(level: plan.options.logLevel)
        try StandardInput.check(plan.songs)
        if !plan.songs.isEmpty { try plan.checkTransport() }
        // Before anything that may have to be waited for.
        let signals = try Signals()
        try plan.checkNames()
        try plan.checkTakes()
        var (member, warnings) =
            plan.hasVoice || plan.take != nil ? (nil, []) : try joinSession(signals: signals)
        do {
            var run = self
            try run.plan.adopt(member, warnings: &warnings)
            try run.play(member, warnings: warnings, signals: signals)
        } catch {
            // Sends nothing when the session manager has had its answer already.
            member?.refuseOpen(error)
            throw error
        }
    }

    /// Joins the session, if there is one. A program can join only once, so PipeWire's libjack,
    /// for whose sake the program may have to begin anew, is looked for first.
    private func joinSession(
        signals: Signals
    ) throws -> (member: SessionMember?, warnings: [String]) {
        if SessionMember.hasManager {
            do {
                try choice.rerunIfNeeded(
                    visitor: "duet-visitor",
                    say: { notice in
                        let reporter = makeReporter()
                        try? greet(reporter as? any View)
                        try? reporter.report(.notice(message: notice.description))
                        // The program begins anew, and forgets what is not written by then.
                        Output.drain(seconds: 0.5)
                    }, unless: { Signals.isStopping })
            } catch {
                throw DuetError(error)
            }
        }
        return try SessionMember.join(signals: signals)
    }

    private func greet(_ view: (any View)?) throws {
        let mix = plan.state.mix
        // Who has the song taken out of the microphone sings at loudspeakers; out of a second
        // microphone it is not taken.
        let isProcessed =
            mix.vocabulary.parameter("/mic/voice-processing").map { mix[$0] != 0 } ?? false
        let count = mix.microphones.count
        if count > 0, !plan.hasVoice, !isProcessed || count > 1 {
            let help = plan.keys.name(of: Page.help)
            try view?.greet(
                ["use headphones", help.map { "\($0) keys" }].compactMap { $0 }
                    .joined(separator: " · "))
        }
    }

    private func play(_ member: SessionMember?, warnings: [String], signals: Signals) throws {
        let reporter = makeReporter()
        let (view, journal) = (reporter as? any View, Journal(reporter: reporter))
        if !ServerChoice.hasRerun { try greet(view) }
        // The program that begins anew for PipeWire's sake has told them; in a session it has begun
        // anew before.
        let isTold = ServerChoice.hasRerun && !SessionMember.hasManager
        for warning in isTold ? [] : plan.options.configured.warnings {
            try journal.warn(warning, about: .configuration)
        }
        for warning in warnings { try journal.warn(warning) }
        if plan.songs.isEmpty, member != nil {
            try journal.warn(
                "this session has no song yet; start 'duet SONG' with the session's NSM_URL instead",
                about: .song(bus: 0))
        }
        let (client, privateServer) = try openClient(journal)
        // Not earlier: opening the client may begin the program anew for PipeWire's sake, which
        // would then take the changed mode for the one that the user had.
        let terminal = Terminal(
            // A script that reads this terminal finds nothing but JSON on it.
            descriptor: keysDescriptor,
            marksPastes: !TerminalLook.own.isDumb
                && !(plan.options[.json] && Output.standard.isTerminal))
        defer { terminal?.restore() }
        var channels = try plan.options[.control].map { [try ControlChannel($0)] } ?? []
        defer { for channel in channels { channel.close() } }
        var isReachable = false
        if !plan.options[.noControl],
            let own = try ControlChannel.own(
                client: client.name,
                warn: { message throws(DuetError) in try journal.warn(message) })
        {
            channels.append(own)
            isReachable = true
        }
        let voice = try plan.hasVoice ? DemoVoice(for: client) : nil
        let session = try LiveSession(
            plan, client: client, privateServer: privateServer, voice: voice, member: member,
            reporter: reporter, view: view, journal: journal, signals: signals,
            terminal: terminal,
            channels: channels, isReachable: isReachable)
        try session.run()
    }

    /// Where keys come from: the terminal itself when a song comes by standard input.
    private var keysDescriptor: Int32 {
        plan.songs.contains("-") ? open("/dev/tty", O_RDWR | O_CLOEXEC) : STDIN_FILENO
    }

    private func makeReporter() -> any Reporter {
        let options = plan.options
        if options[.json] { return JSONReporter() }
        let keys = plan.keys
        let look = TerminalLook.own
        // Log lines on the same terminal need it for themselves.
        let logsHere = options.logLevel != nil && Output.error === Output.standard
        // The mouse and the keys of a terminal that nobody reads would be written into the picture.
        let readsKeys = plan.songs.contains("-") || isatty(STDIN_FILENO) == 1
        if Output.standard.isTerminal, readsKeys, !options[.plain], !look.isDumb, !logsHere {
            return ScreenReporter(keys: keys, look: look, letters: options[.letters]?.way)
        }
        return PlainReporter(
            keys: keys.help, greetsWithKeys: !options[.plain], redraws: !options[.plain],
            look: look)
    }

    private func openClient(
        _ journal: Journal
    ) throws(DuetError) -> (client: JackClient, privateServer: PrivateServer?) {
        let configuration = try plan.clientConfiguration()
        Logger(label: "duet").debug("libjack \(Libjack.version), server \(choice.name)")
        do {
            // The next event throws when the reader is gone: what is told here need not.
            return try choice.open(
                configuration, say: { try? journal.report(.notice(message: $0.description)) },
                warn: { try? journal.warn($0.text, about: $0.topic) },
                unless: { Signals.isStopping })
        } catch {
            throw DuetError(error)
        }
    }

    private var choice: ServerChoice {
        ServerChoice(
            name: plan.options[.server], startsServer: !plan.options[.noStartServer])
    }
}
