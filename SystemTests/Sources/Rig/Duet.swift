import Foundation

/// The release binary of duet, run as its users run it.
public final class Duet {
    public let child: ChildProcess
    private let stalls: StallWatch

    /// Starts `duet ARGUMENTS`. It starts no server, unless `environment` says otherwise; what it
    /// remembers, and its configuration, are the suite's own.
    public init(
        _ arguments: [String], environment: [String: String?] = [:],
        streams: ChildProcess.Streams = .pipes
    ) throws {
        child = try ChildProcess(
            Self.path, arguments, environment: Self.environment.merging(environment) { $1 },
            streams: streams)
        stalls = StallWatch(process: child.identifier)
    }

    /// Starts `duet ARGUMENTS` in a shell with job control, on a terminal: Ctrl-Z stops duet, up to
    /// three times, the shell says “Stopped”, and a line continues it.
    public init(inShell arguments: [String], environment: [String: String?] = [:]) throws {
        // Written without a loop: a job that stops ends every loop of the shell.
        let script = """
            set -m
            go() { [ $1 = 148 ] || exit $1; echo Stopped; read; fg >/dev/null; }
            "$@"; go $?; go $?; go $?
            """
        child = try ChildProcess(
            "bash", ["-c", script, "bash", Self.path] + arguments,
            environment: Self.environment.merging(environment) { $1 }, streams: .terminal)
        stalls = StallWatch(process: child.identifier)
    }

    /// Starts `duet WORDS` as a shell does: `$'caf\xe9.wav'` is a name that is not UTF-8.
    public init(
        shell words: String, in folder: URL, environment: [String: String?] = [:],
        streams: ChildProcess.Streams = .pipes
    ) throws {
        child = try ChildProcess(
            "bash", ["-c", "cd \"$0\" && exec \"$1\" \(words)", folder.path, Self.path],
            environment: Self.environment.merging(environment) { $1 }, streams: streams)
        stalls = StallWatch(process: child.identifier)
    }

    /// Runs `duet ARGUMENTS` until it ends.
    public static func run(
        _ arguments: [String], environment: [String: String?] = [:]
    ) throws -> Duet {
        try Duet(arguments, environment: environment).end()
    }

    /// Runs `duet WORDS` in a shell until it ends.
    public static func run(
        shell words: String, in folder: URL, environment: [String: String?] = [:]
    ) throws -> Duet {
        try Duet(shell: words, in: folder, environment: environment).end()
    }

    /// Waits for the end.
    public func end() throws -> Duet {
        try child.waitForExit()
        return self
    }

    /// How it ended; nil: it runs.
    public var exit: ChildProcess.Exit? { child.exitSoFar }
    /// What it has written to standard output, or to its terminal.
    public var output: String { child.output }
    /// What it has written to standard error.
    public var errors: String { child.errors }

    /// All events so far, in their order. The end of the last one may not have come yet.
    public var told: [any Event] {
        get throws {
            let output = child.output
            let end = output.lastIndex(of: "\n") ?? output.startIndex
            return try output[..<end].split(separator: "\n").compactMap(Self.event(in:))
        }
    }

    /// The events of one kind so far.
    public func all<Kind: Event>(_: Kind.Type) throws -> [Kind] {
        try told.compactMap { $0 as? Kind }
    }

    /// The first event of one kind; nil: none has come.
    public func first<Kind: Event>(_ kind: Kind.Type) throws -> Kind? { try all(kind).first }

    /// Waits until `condition` holds for all events so far.
    public func waitFor(_ condition: ([any Event]) throws -> Bool) throws {
        var told: [any Event] = []
        var result: Result<Bool, any Error> = .success(false)
        try child.waitForLines { lines in
            result = Result {
                told += try lines.compactMap(Self.event(in:))
                return try condition(told)
            }
            if case .success(false) = result { return false }
            return true
        }
        _ = try result.get()
    }

    /// Waits until an event of that kind has come for which `isMeant` holds, and returns the first.
    @discardableResult
    public func wait<Kind: Event>(
        for kind: Kind.Type, limit: Double = 30, where isMeant: (Kind) -> Bool = { _ in true }
    ) throws -> Kind {
        var found: Result<Kind, any Error>?
        try child.waitForLines(limit: limit) { lines in
            do {
                for line in lines where found == nil {
                    // Decoding every `position` of a long run would take longer than the run.
                    guard line.contains("\"event\":\"\(Kind.name)\"") else { continue }
                    if let event = try Self.event(in: line) as? Kind, isMeant(event) {
                        found = .success(event)
                    }
                }
            } catch {
                found = .failure(error)
            }
            return found != nil
        }
        return try found!.get()
    }

    /// Runs `action`, and waits for an event of that kind which was not there before.
    @discardableResult
    public func wait<Kind: Event>(
        for kind: Kind.Type, after action: () throws -> Void,
        where isMeant: (Kind) -> Bool = { _ in true }
    ) throws -> Kind {
        var before = try all(kind).count(where: isMeant)
        try action()
        return try wait(for: kind) { event in
            guard isMeant(event) else { return false }
            before -= 1
            return before < 0
        }
    }

    /// Types keys, and waits until they have changed the value at `address`.
    @discardableResult
    public func type(_ keys: String, changes address: String) throws -> Events.Parameter {
        try wait(for: Events.Parameter.self, after: { child.type(keys) }) { $0.address == address }
    }

    private static let fields = Dictionary(
        uniqueKeysWithValues: Events.all.map { ($0.name, $0.fields) })

    private static let kinds = Dictionary(uniqueKeysWithValues: Events.all.map { ($0.name, $0) })

    /// The event in a line; nil when there is none: a terminal shows other lines, too.
    public static func event(in line: Substring) throws -> (any Event)? {
        guard line.first == "{" else { return nil }
        let data = Data(line.utf8)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        guard let object, let name = object["event"] as? String, let kind = kinds[name],
            fields[name]?.isSuperset(of: object.keys) == true
        else {
            throw ChildProcess.Failure(description: "docs/interface.md has no such event: \(line)")
        }
        return try JSONDecoder().decode(kind, from: data)
    }

    /// Waits for the next event of that kind.
    @discardableResult
    public func waitForNext<Kind: Event>(_ kind: Kind.Type) throws -> Kind {
        try wait(for: kind, after: {})
    }

    /// Waits until a song of `rate` Hz plays as `effects` says, and the fade to that is over.
    public func waitUntilHeard(_ effects: Events.Effects, rate: Double = 48_000) throws {
        try wait(for: Events.Position.self) {
            $0.bus == effects.bus && $0.seconds >= Double(effects.frame) / rate + 0.1
        }
    }

    /// Waits until duet ends, and throws when a song has run dry while there was a processor for it.
    /// An underrun that the machine is to blame for is an excuse, which the runner counts.
    public func expectNoUnderrun() throws {
        let count = try wait(for: Events.Bye.self).underruns
        if count > 0 { try excuse("\(count) underruns") }
    }

    /// Throws for `fault`, which duet or the machine is to blame for, unless duet had to wait for a
    /// processor: that is an excuse, which the runner counts.
    public func excuse(_ fault: String) throws {
        let what = "\(fault), \(stalls.waits)"
        guard stalls.isStarved else {
            throw ChildProcess.Failure(description: "\(what)\n\(child.output.suffix(4000))")
        }
        Excuses.add(what)
    }

    /// Ends duet by a key, and throws when a song has run dry or the run has not ended well.
    public func quit(key: String = "q") throws {
        child.type(key)
        try expectNoUnderrun()
        try expectGoodEnd()
    }

    /// Ends duet by a command, and throws when the run has not ended well.
    public func quit(by client: LineClient) throws {
        let answer = try client.ask("trigger /quit")
        guard answer == "ok /quit" else { throw ChildProcess.Failure(description: answer) }
        try expectGoodEnd()
    }

    private func expectGoodEnd() throws {
        let exit = try child.waitForExit()
        guard exit == .code(0) else {
            throw ChildProcess.Failure(description: "ended with \(exit)")
        }
    }

    /// The lines on standard error, without log lines: the one line of an error.
    public var complaint: [Substring] {
        child.errors.split(separator: "\n").filter { $0.hasPrefix("duet: ") }
    }

    /// A client name that no other test uses. libjack's sockets are named by client and user, not
    /// by server: clients of one name in two servers get in each other's way.
    public static func clientName() -> String {
        "duet\(getpid())-\(UInt32.random(in: 0 ... .max))"
    }

    /// Options with which a terminal shows the status line in place of the screen: logs may go there.
    public static let statusLine = ["--log-level", "critical"]

    private static let environment: [String: String?] = [
        "JACK_NO_START_SERVER": "1", "TERM": "xterm-256color", "LANG": "C.UTF-8",
    ]

    /// The program under test: `DUET_PROGRAM`, or what `scripts/duet` builds.
    public static let path: String =
        ProcessInfo.processInfo.environment["DUET_PROGRAM"]
        ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../.build/release/duet").standardizedFileURL.path
}
