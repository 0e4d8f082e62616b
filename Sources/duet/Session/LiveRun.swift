import AudioMedia
import Glibc
import JackIO
import Logging
import SystemSupport

/// What a live command asks for.
struct LiveRun {
    /// The songs of bus 0 and, with `mix`, of bus 1, each list one after the other.
    var songs: [[String]]
    var settings: MixSettings
    var jack: JackOptions
    /// What `--mic` says.
    var micPatterns: [String]
    var time: TimeOptions
    /// Whether it goes on when all songs are over.
    var stays = false
    var transport = TransportRole.none
    /// What `--no-replay-gain` says.
    var ignoresReplayGain = false
    var report: LiveReportOptions
    /// Whether the demo's voice sings, in place of a microphone.
    var hasVoice = false
    /// Where each list begins; nil: the first song, where `time` says.
    var places: [SessionState.Place]?
    /// The client's name in a session.
    var clientID: String?
    /// What is connected, in place of what the options say.
    var wires: Set<JackWire>?

    /// Where each list begins.
    var starts: [SessionState.Place] {
        places ?? songs.map { _ in .init(seconds: time.startAt?.seconds ?? 0) }
    }

    /// Plays until the end, the user's or the songs'. Throws `DuetError`, or `ReportedError` when
    /// its event was written already.
    func run() throws {
        StandardErrorLog.install(level: report.common.log.level)
        try StandardInput.check(songs.joined())
        if !songs.joined().isEmpty { try checkTransport() }
        try checkTheOnlySong()
        let signals = try Signals()
        var (member, warnings) = hasVoice ? (nil, []) : try join(signals: signals)
        do {
            var run = self
            try run.enter(member, warnings: &warnings)
            try run.play(member, warnings: warnings, signals: signals)
        } catch {
            // Nobody waits for this once it plays.
            member?.refuseOpen(error)
            throw error
        }
    }

    /// Joins the session, if there is one: once, so what may begin this program anew comes first.
    private func join(signals: Signals) throws -> (member: SessionMember?, warnings: [String]) {
        if SessionMember.hasManager {
            do {
                try choice.rerunIfNeeded(
                    visitor: "duet-visitor",
                    say: { notice in
                        let reporter = makeReporter()
                        try? greet(reporter)
                        try? reporter.report(.notice(message: notice.description))
                        // What is not written by then is lost: the program begins anew.
                        Output.drain(seconds: 0.5)
                    }, unless: { Signals.isStopping })
            } catch {
                throw DuetError(error)
            }
        }
        return try SessionMember.join(signals: signals)
    }

    private func greet(_ reporter: Reporter) throws {
        if case .mic = settings.second, !hasVoice {
            try reporter.greet("use headphones: the microphone goes to the output")
        }
    }

    private func play(_ member: SessionMember?, warnings: [String], signals: Signals) throws {
        let reporter = LoggedReporter(makeReporter())
        for warning in warnings { try reporter.report(.warning(message: warning)) }
        if songs.joined().isEmpty {
            try reporter.report(
                .warning(
                    message: "this session has no song yet: in place of this program start "
                        + "'duet SONG' with the session’s NSM_URL"))
        }
        if !ServerChoice.hasRerun { try greet(reporter) }
        let (client, privateServer) = try openClient(reporter: reporter)
        // Not earlier: for PipeWire's sake this program may have begun anew, and the second time
        // it would have found the terminal as the first left it.
        let terminal = Terminal(descriptor: keysDescriptor)
        defer { terminal?.restore() }
        let voice = try hasVoice ? DemoVoice(for: client) : nil
        let session = try LiveSession(
            self, client: client, privateServer: privateServer, voice: voice, member: member,
            reporter: reporter, signals: signals, terminal: terminal)
        defer { session.privateServer?.stop() }
        try session.run()
    }

    /// Where keys come from: a song that comes by standard input leaves the terminal itself.
    private var keysDescriptor: Int32 {
        songs.joined().contains("-") ? open("/dev/tty", O_RDWR | O_CLOEXEC) : STDIN_FILENO
    }

    private func makeReporter() -> Reporter {
        if report.common.json { return JSONReporter(wantsLevels: report.levels) }
        let keys = KeyMap.help(second: settings.second.name)
        return PlainReporter(greetingKeys: report.common.plain ? nil : keys)
    }

    private func openClient(
        reporter: Reporter
    ) throws(DuetError) -> (client: JackClient, privateServer: PrivateServer?) {
        let configuration = try configuration()
        Logger(label: "duet").debug("libjack \(Libjack.version), server \(choice.name)")
        do {
            // A reader that is gone is noticed at the next event.
            return try choice.open(
                configuration, say: { try? reporter.report(.notice(message: $0.description)) },
                warn: { try? reporter.report(.warning(message: $0.text)) },
                unless: { Signals.isStopping })
        } catch {
            throw DuetError(error)
        }
    }

    private var choice: ServerChoice {
        ServerChoice(name: jack.server, startsServer: !jack.noStartServer)
    }

    /// A transport has one line of frames, from 0 on.
    func checkTransport() throws(DuetError) {
        guard transport != .none else { return }
        let (reason, hint): (String, String)
        if songs.contains(where: { $0.count != 1 }) || songs.joined().contains(where: isPlaylist) {
            (reason, hint) = ("it takes one song at a time", "name a single song, no playlist")
        } else if time.loop {
            (reason, hint) = ("a song that loops has no place in it", "leave --loop out")
        } else if transport == .follow, time.startAt != nil {
            (reason, hint) = ("it says where the song begins", "leave --start-at out")
        } else {
            return
        }
        throw DuetError(
            status: .usage, attempt: "cannot \(transport) JACK's transport", result: reason,
            hint: hint)
    }

    private func isPlaylist(_ name: String) -> Bool {
        [".m3u", ".m3u8", ".pls"].contains { name.lowercased().hasSuffix($0) }
    }

    /// A single song that cannot be there ends it before JACK connects a microphone: its name may
    /// be a command or an address mistyped.
    func checkTheOnlySong() throws(DuetError) {
        let names = songs.joined()
        guard names.count == 1, let name = names.first else { return }
        let location: Location
        do throws(SongError) { location = try Location(name) } catch { throw DuetError(error) }
        guard case .file(let path) = location else { return }
        // A disk that does not answer keeps nobody from the microphone: the song's own thread
        // waits for it.
        let problem = BoundedCall.answer(
            milliseconds: 2000, unless: { Signals.isStopping }
        ) { () -> SongError? in
            var facts = stat()
            guard stat(path, &facts) == 0, access(path, R_OK) == 0 else {
                return location.cannotOpen(code: errno)
            }
            guard facts.st_mode & S_IFMT == S_IFDIR else { return nil }
            return .cannotOpen(
                song: location.description, reason: "it is a directory",
                hint: "name a file or an http(s) URL")
        }
        if let problem { throw DuetError(problem) }
    }

    /// The client as JACK shall see it.
    private func configuration() throws(DuetError) -> JackConfiguration {
        let channels = if case .mic(let count) = settings.second { count } else { 0 }
        do {
            return JackConfiguration(
                name: clientID ?? jack.name, prettyName: "Duet", microphoneChannels: channels,
                microphone: try PortSelection(patterns: micPatterns),
                outputs: try PortSelection(patterns: jack.out), wires: wires,
                followsTransport: transport != .none)
        } catch {
            // The patterns were looked at when the options were read.
            throw DuetError(
                status: .usage, attempt: "cannot read a port pattern", result: "\(error)",
                hint: "see 'duet --help'")
        }
    }
}
