import Glibc
import JackIO

/// What a live command asks for.
struct LiveRun {
    /// The songs of bus 0 and, with `mix`, of bus 1, each list one after the other.
    var songs: [[String]]
    var settings: MixSettings
    var jack: JackOptions
    /// What `--mic` says.
    var micPatterns: [String]
    var time: TimeOptions
    var report: ReportOptions
    /// Whether the demo's voice sings, in place of a microphone.
    var hasVoice = false

    /// Plays until the end, the user's or the songs'. Throws `DuetError`, or `ReportedError` when
    /// its event was written already.
    func run() throws {
        StandardErrorLog.install(level: report.log.level)
        let signals = Signals()
        let reporter = makeReporter()
        if case .mic = settings.second, !hasVoice {
            try reporter.greet("use headphones: the microphone goes to the output")
        }
        let (client, privateServer) = try openClient(reporter: reporter)
        defer { privateServer?.stop() }
        // Not earlier: for PipeWire's sake this program may have begun anew, and the second time
        // it would have found the terminal as the first left it.
        let terminal = Terminal(descriptor: keysDescriptor)
        defer { terminal?.restore() }
        let voice = try hasVoice ? DemoVoice(for: client) : nil
        try LiveSession(
            self, client: client, voice: voice, reporter: reporter, signals: signals,
            terminal: terminal
        ).run()
    }

    /// Where keys come from: a song that comes by standard input leaves the terminal itself.
    private var keysDescriptor: Int32 {
        songs.joined().contains("-") ? open("/dev/tty", O_RDWR | O_CLOEXEC) : STDIN_FILENO
    }

    private func makeReporter() -> Reporter {
        if report.json { return JSONReporter(wantsLevels: report.levels) }
        let keys = KeyMap.help(second: settings.second.name)
        return PlainReporter(greetingKeys: report.plain ? nil : keys)
    }

    private func openClient(
        reporter: Reporter
    ) throws(DuetError) -> (client: JackClient, privateServer: PrivateServer?) {
        let configuration = try configuration()
        let choice = ServerChoice(name: jack.server, startsServer: !jack.noStartServer)
        do {
            return try choice.open(configuration) { text in
                // A reader that is gone is noticed at the next event.
                try? reporter.report(.warning(message: text))
            }
        } catch {
            throw DuetError(error)
        }
    }

    /// The client as JACK shall see it.
    private func configuration() throws(DuetError) -> JackConfiguration {
        let channels = if case .mic(let count) = settings.second { count } else { 0 }
        do {
            return JackConfiguration(
                name: jack.name, microphoneChannels: channels,
                microphone: try PortSelection(patterns: micPatterns),
                outputs: try PortSelection(patterns: jack.out))
        } catch {
            // The patterns were looked at when the options were read.
            throw DuetError(
                status: .usage, attempt: "cannot read a port pattern", result: "\(error)",
                hint: "see 'duet --help'")
        }
    }
}
