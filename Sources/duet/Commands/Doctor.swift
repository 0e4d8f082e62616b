import ArgumentParser
import AudioGraph
import JackIO

/// Says whether this machine can sing, and what to do where it cannot.
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check what singing needs: JACK, realtime rights, ports, latency.",
        discussion: """
            Each line is ok, or says what to do. The exit code is 1 when something stops 'duet \
            SONG'. Without a JACK server one is started for the check, as for a song.
            """)

    @Option(
        name: .shortAndLong, parsing: .unconditional,
        help: ArgumentHelp(
            "The JACK server (default: $JACK_DEFAULT_SERVER, else default).", valueName: "name"))
    var server: String?

    @Flag(help: "Fail when no JACK server runs, as $JACK_NO_START_SERVER does.")
    var noStartServer = false

    @OptionGroup var log: LogOptions

    func run() throws {
        StandardErrorLog.install(level: log.level)
        let findings: [Finding]
        do {
            findings = try Finding.all(in: examine())
        } catch {
            let cause = DuetError(error)
            findings = [.stops("JACK server: \(cause.message)", cause.hint)]
        }
        for finding in findings { Output.standard.write(finding.line + "\n") }
        if findings.contains(where: \.isFatal) { throw ExitCode(ExitStatus.failure.rawValue) }
    }

    private static func remark(_ text: String) {
        Output.standard.write("..   \(SafeText.clean(text))\n")
    }

    /// Takes part in the server for a moment, connected to nothing.
    private func examine() throws(JackError) -> SystemReport {
        let choice = ServerChoice(name: server, startsServer: !noStartServer)
        let (client, privateServer) = try choice.open(
            JackConfiguration(name: "duet-doctor", microphone: .none, outputs: .none),
            say: Self.remark, warn: Self.remark)
        defer { privateServer?.stop() }
        let graph = AudioGraph(sampleRate: client.sampleRate)
        do {
            try graph.add(HardwareIO())
            try graph.prepare()
        } catch {
            preconditionFailure("a graph of one node: \(error)")
        }
        defer { client.close() }
        try client.activate(rendering: graph)
        // The process thread's rights are known from its first cycle on.
        var waiter = Waiter()
        let end = Clock.seconds + 2
        while client.statistics.cycles == 0, Clock.seconds < end { waiter.wait(seconds: 0.01) }
        return client.report()
    }
}
