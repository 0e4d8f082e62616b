import JackIO
import SystemSupport

/// The command `doctor`: checks whether this machine can sing, and says what to do where it cannot.
struct Doctor: ProgramCommand {
    static let summary = "Check JACK, microphone, realtime rights and latency."
    static let usage = "[<options>]"
    static let discussion = """
        Each line starts with ok, ! (could be better) or no ('duet SONG' would fail), and says \
        what to do. The exit code is 1 if any line says no. If no JACK server is running, doctor \
        starts one for the check. It listens to the microphone for 3 s, so sing into it. --measure \
        plays a short, quiet noise. --period changes the \
        period for all programs on the server, and restores it.
        """

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    /// How long the microphone is listened to, in seconds.
    private static let listeningTime = 3.0

    /// Outputs count with `--measure` alone.
    static func ignored(in values: OptionValues) -> [OptionRow] {
        values[.measure] ? [] : [.doctorOut]
    }

    static func problem(in values: OptionValues) -> OptionProblem? {
        values[.seconds] == 0 ? OptionProblem("--seconds must be more than 0", [.seconds]) : nil
    }

    func run() throws {
        StandardErrorLog.install(level: options.logLevel)
        var isFatal = false
        var told: [Finding] = []
        func tell(_ finding: Finding) {
            told.append(finding)
            if !options[.listJSON] { Output.standard.write(finding.line + "\n") }
            isFatal = isFatal || finding.isFatal
        }
        for warning in options.configured.warnings { tell(.better(warning, "")) }
        do {
            try examine(tell)
        } catch let error as JackError {
            let cause = DuetError(error)
            tell(.stops("JACK server: \(cause.message)", cause.hint))
        }
        if options[.listJSON] {
            let list = JSONValue.object([("findings", .array(told.map(\.json)))])
            Output.standard.write(list.encoded + "\n")
        }
        if isFatal { throw ExitStatus.failure }
    }

    private func remark(_ text: String) {
        (options[.listJSON] ? Output.error : Output.standard)
            .write("..   \(SafeText.clean(text))\n")
    }

    /// Checks the server by a client that is connected to nothing, and tells each finding.
    private func examine(_ tell: (Finding) -> Void) throws {
        let choice = ServerChoice(
            name: options[.doctorServer], startsServer: !options[.doctorStart])
        let (first, privateServer) = try choice.open(
            JackConfiguration(
                name: "duet-doctor", prettyName: "Duet", microphone: .none, outputs: .none),
            say: { remark($0.description) },
            // The only warning is that nothing will be heard; a finding says so too.
            warn: { _ in })
        defer { privateServer?.stop() }
        let kept = KeptClient(first, privateServer: privateServer)
        defer { kept.close() }
        try begin(kept)
        let client = kept.client
        // The process thread's rights are known from its first cycle on.
        var waiter = PollSet()
        let end = Clock.seconds + 2
        while client.statistics.cycles == 0, Clock.seconds < end { waiter.wait(seconds: 0.01) }
        let report = try client.report()
        for finding in Finding.all(in: report) { tell(finding) }
        tell(try .effects(sampleRate: client.sampleRate, period: report.period))
        if let finding = try microphone(on: client) { tell(finding) }
        if options[.measure] { for finding in try loop(on: client) { tell(finding) } }
        if options[.tryPeriods] { for finding in try periods(on: client) { tell(finding) } }
    }

    /// Begins the client's cycles, with the graph of `duet SONG` without the song.
    private func begin(_ kept: KeptClient) throws {
        var plan = MixPlan(second: .mic(channelCount: 1))
        plan.guardsFeedback = true
        let mix = try MixGraph(plan, sampleRate: kept.client.sampleRate)
        try mix.start()
        try kept.activate(rendering: mix.graph)
    }

    /// The ports that an option chooses.
    private func selection(_ option: Option<String>) -> PortSelection {
        do { return try PortSelection(patterns: options[all: option]) } catch {
            preconditionFailure("the patterns were checked when the options were read")
        }
    }

    /// Tries what a probe does again if its client is refused: another one may be activated, as in `examine`.
    private func trying<Value>(
        _ attempt: () throws(JackError) -> Value
    ) throws(JackError) -> Value {
        do throws(JackError) { return try attempt() } catch {
            guard case .activationFailed = error else { throw error }
            return try attempt()
        }
    }

    /// Listens to the microphone that `sing` would take, and to all others beside it; nil if there is none.
    private func microphone(on client: JackClient) throws(JackError) -> Finding? {
        let selection = selection(.doctorMic)
        guard let port = try client.microphone(selection) else { return nil }
        let seconds = Self.listeningTime
        remark("listening to \(port) for \(JSONValue.number(seconds).encoded) s: sing into it")
        let levels = try trying { () throws(JackError) in
            try LevelProbe.listen(on: client.server, seconds: seconds) { ports in
                [port] + ports.filter { $0.captures && $0.name != port }.map(\.name)
            }
        }
        guard !client.isLost else { throw .serverLost(reason: "the JACK server has ended") }
        return .microphone(port, levels)
    }

    private func loop(on client: JackClient) throws(JackError) -> [Finding] {
        let (outputs, inputs) = (selection(.doctorOut), selection(.doctorMic))
        let measured = try trying { () throws(JackError) in
            try LoopProbe.open("duet-loop", beside: client)
                .measure(outputs: outputs, microphone: inputs)
        }
        return Finding.loop(measured, isPipeWire: Libjack.isPipeWire)
            + (MeasuredRoundTrip(measured).map { [save($0)] } ?? [])
    }

    /// Keeps the round trip for takes, and waits 2 s at most for the disk.
    private func save(_ measured: MeasuredRoundTrip) -> Finding {
        guard let store = RoundTripStore.own else { return .unsaved("HOME is not set") }
        let problem = BoundedCall.answer(milliseconds: 2000) { store.save(measured) ?? "" }
        return switch problem {
        case "": .ok("saved; takes on these ports use these \(measured.frames) frames")
        case let problem?: .unsaved(problem)
        case nil: .unsaved("the disk of \(store.folder) is not responding")
        }
    }

    private func periods(on client: JackClient) throws(DuetError) -> [Finding] {
        let seconds = options[.seconds] ?? 10
        let before = client.period
        remark(
            "testing periods of \(PeriodTrial.periods.map(String.init).joined(separator: ", ")) "
                + "frames, \(JSONValue.number(seconds).encoded) s each; Ctrl-C restores \(before)")
        let trial = PeriodTrial(client: client, seconds: seconds, signals: try Signals())
        let (outcomes, isRestored) = trial.run()
        let findings =
            outcomes.count == PeriodTrial.periods.count
            ? Finding.periods(
                outcomes, rate: client.sampleRate, seconds: seconds,
                isPipeWire: Libjack.isPipeWire)
            : [.better("the test of periods was stopped", "run it again")]
        let end: Finding =
            isRestored
            ? .ok("the period is \(before) frames again")
            : client.isLost
                ? .stops("the JACK server has ended", "see its log, and start it again")
                : .better(
                    "cannot restore the period", "run 'jack_bufsize \(before)'")
        return findings + [end]
    }
}
