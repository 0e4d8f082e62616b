import Foundation
import SystemSupport
import TestSupport
import Testing

/// The built `duet`, run as its users run it.
struct DuetProgram {
    let child: ChildProcess
    private let stalls: StallWatch

    /// Starts `duet ARGUMENTS`. duet starts no server, unless `environment` says otherwise.
    init(
        _ arguments: [String], environment: [String: String?] = [:],
        streams: ChildProcess.Streams = .pipes
    ) throws {
        try self.init(
            words: [Self.path] + arguments, environment: environment, streams: streams)
    }

    /// Starts `duet ARGUMENTS` in a shell with job control, on a terminal: Ctrl-Z stops duet, up to
    /// three times, the shell says “Stopped”, and a line continues it.
    init(inShell arguments: [String], environment: [String: String?] = [:]) throws {
        // Written without a loop: a job that stops ends every loop of the shell.
        let script = """
            set -m
            go() { [ $1 = 148 ] || exit $1; echo Stopped; read; fg >/dev/null; }
            "$@"; go $?; go $?; go $?
            """
        try self.init(
            words: ["bash", "-c", script, "bash", Self.path] + arguments,
            environment: environment, streams: .terminal)
    }

    private init(
        words: [String], environment: [String: String?], streams: ChildProcess.Streams
    ) throws {
        var variables: [String: String?] = [
            "JACK_NO_START_SERVER": "1", "TERM": "xterm", "LANG": "C.UTF-8",
        ]
        variables.merge(environment) { $1 }
        child = try ChildProcess(
            words[0], Array(words.dropFirst()), environment: variables, streams: streams)
        stalls = StallWatch(process: child.identifier)
    }

    /// A client name that no other test uses. libjack's sockets are named by client and user, not
    /// by server: clients of one name in two servers get in each other's way.
    static func clientName() -> String {
        names.withLock { count in
            count += 1
            return "duet\(getpid())-\(count)"
        }
    }

    private static let names = Guarded(0)

    /// Runs `duet ARGUMENTS` until it ends.
    static func run(
        _ arguments: [String], environment: [String: String?] = [:]
    ) throws -> DuetProgram {
        let program = try DuetProgram(arguments, environment: environment)
        try program.child.waitForExit()
        return program
    }

    /// The events that duet has written so far.
    var events: [[String: Any]] { Self.events(in: child.output.split(separator: "\n")) }

    /// The first event of that name.
    func event(_ name: String) -> [String: Any]? {
        events.first { $0["event"] as? String == name }
    }

    /// Waits until an event of that name is written.
    @discardableResult
    func waitForEvent(_ name: String, limit: Double = 30) throws -> [String: Any] {
        let line = try child.waitForLine(limit: limit) { $0.contains("\"event\":\"\(name)\"") }
        return try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
    }

    /// Runs `action`, and waits until an event of that name, and state, has come after the events
    /// that were there before.
    func waitForNext(
        _ name: String, _ state: String? = nil, after action: () throws -> Void = {}
    ) throws {
        try waitForNext(after: action) {
            $0["event"] as? String == name && (state == nil || $0["state"] as? String == state)
        }
    }

    /// Runs `action`, and waits until one more event has come for which `isMeant` holds.
    func waitForNext(
        after action: () throws -> Void, where isMeant: ([String: Any]) -> Bool
    ) throws {
        let before = events.count(where: isMeant)
        try action()
        try waitFor { $0.count(where: isMeant) > before }
    }

    /// Waits until `condition` holds for the events written so far.
    func waitFor(_ condition: ([[String: Any]]) -> Bool) throws {
        var events: [[String: Any]] = []
        try child.waitForLines { lines in
            events += Self.events(in: lines)
            return condition(events)
        }
    }

    private static func events(in lines: [Substring]) -> [[String: Any]] {
        lines.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    /// Expects that duet ends, and that no song has run dry while there was a processor for it.
    func expectNoUnderrun() throws {
        let count = try waitForEvent("bye")["underruns"] as? Int
        #expect(count == 0 || count != nil && stalls.isStarved, "\(stalls.waits) \(events)")
        print("\(count ?? -1) underruns, \(stalls.waits)")
    }

    /// Ends duet by a key, and expects that no song has run dry.
    func quit(key: String = "q") throws {
        child.type(key)
        try expectNoUnderrun()
        #expect(try child.waitForExit() == .code(0))
    }

    /// The lines on standard error, without log lines: the one line of an error.
    var complaint: [Substring] {
        child.errors.split(separator: "\n").filter { $0.hasPrefix("duet: ") }
    }

    /// The path of the built duet, which lies beside the tests.
    static var path: String {
        let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: tests ?? "").deletingLastPathComponent()
            .appendingPathComponent("duet").path
    }
}
