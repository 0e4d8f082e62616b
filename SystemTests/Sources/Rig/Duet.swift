import Foundation

/// The release binary of duet, run as its users run it.
public final class Duet {
    public let child: ChildProcess

    /// Starts `duet ARGUMENTS`. It starts no server, unless `environment` says otherwise; what it
    /// remembers, and its configuration, are the suite's own.
    public init(
        _ arguments: [String], environment: [String: String?] = [:],
        streams: ChildProcess.Streams = .pipes
    ) throws {
        child = try ChildProcess(
            Self.path, arguments, environment: Self.environment.merging(environment) { $1 },
            streams: streams)
    }

    /// Starts `duet WORDS` as a shell does: `$'caf\xe9.wav'` is a name that is not UTF-8.
    public init(
        shell words: String, in folder: URL, environment: [String: String?] = [:],
        streams: ChildProcess.Streams = .pipes
    ) throws {
        child = try ChildProcess(
            "bash", ["-c", "cd \"$0\" && exec \"$1\" \(words)", folder.path, Self.path],
            environment: Self.environment.merging(environment) { $1 }, streams: streams)
    }

    /// Runs `duet ARGUMENTS` until it ends.
    public static func run(
        _ arguments: [String], environment: [String: String?] = [:]
    ) throws -> Ended {
        try Duet(arguments, environment: environment).end()
    }

    /// Runs `duet WORDS` in a shell until it ends.
    public static func run(
        shell words: String, in folder: URL, environment: [String: String?] = [:]
    ) throws -> Ended {
        try Duet(shell: words, in: folder, environment: environment).end()
    }

    /// How a run ended, and what it wrote.
    public struct Ended: Sendable {
        public let exit: ChildProcess.Exit
        public let output: String
        public let errors: String
    }

    /// Waits for the end.
    public func end() throws -> Ended {
        let exit = try child.waitForExit()
        return Ended(exit: exit, output: child.output, errors: child.errors)
    }

    /// The events of one kind so far.
    public func all<Kind: Event>(_: Kind.Type) throws -> [Kind] {
        try child.output.split(separator: "\n").compactMap { try Self.event(Kind.self, in: $0) }
    }

    /// Waits until an event of that kind has come for which `isMeant` holds, and returns the first.
    @discardableResult
    public func wait<Kind: Event>(
        for kind: Kind.Type, limit: Double = 30, where isMeant: (Kind) -> Bool = { _ in true }
    ) throws -> Kind {
        var found: Result<Kind, any Error>?
        try child.waitForLines(limit: limit) { lines in
            for line in lines where found == nil {
                do {
                    guard let event = try Self.event(kind, in: line), isMeant(event) else {
                        continue
                    }
                    found = .success(event)
                } catch {
                    found = .failure(error)
                }
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

    /// The event in a line; nil when it is one of another kind. A field that nobody has promised is a
    /// failure.
    private static func event<Kind: Event>(_: Kind.Type, in line: Substring) throws -> Kind? {
        let data = Data(line.utf8)
        // A terminal shows other lines, too.
        guard line.first == "{",
            let object = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            object["event"] as? String == Kind.name
        else { return nil }
        guard fields[Kind.name]?.isSuperset(of: object.keys) == true else {
            throw ChildProcess.Failure(description: "a field that is not in the page: \(line)")
        }
        return try JSONDecoder().decode(Kind.self, from: data)
    }

    /// A client name that no other test uses. libjack's sockets are named by client and user, not
    /// by server: clients of one name in two servers get in each other's way.
    public static func clientName() -> String {
        "duet\(getpid())-\(UInt32.random(in: 0 ... .max))"
    }

    private static let environment: [String: String?] = [
        "JACK_NO_START_SERVER": "1", "TERM": "xterm-256color", "LANG": "C.UTF-8",
    ]

    /// The program under test: `DUET_PROGRAM`, or what `scripts/duet` builds.
    public static let path: String =
        ProcessInfo.processInfo.environment["DUET_PROGRAM"]
        ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../.build/release/duet").standardizedFileURL.path
}
