import Foundation

/// A server, a folder of files, and duets that play there.
public struct Stage {
    public let server: JackServer
    public let folder: TemporaryFolder
    /// The JACK name of a duet that is started without another.
    public let client = Duet.clientName()

    public init(period: Int = 128) throws {
        server = try JackServer(period: period)
        folder = try TemporaryFolder()
    }

    /// The path of a file in the folder.
    public func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    /// The socket on which a duet takes commands that was started with `takesCommands`.
    public var control: String { path("control") }

    /// A client of that duet.
    public func commands() throws -> LineClient { try LineClient(path: control) }

    /// The path of a sine of 440 Hz at 44.1 kHz, which is made when it is asked for first.
    public func song(_ name: String = "song.mp3", seconds: Double = 60) throws -> String {
        if FileManager.default.fileExists(atPath: path(name)) { return path(name) }
        return try folder.song(name, seconds: seconds, rate: 44_100).path
    }

    /// Writes `text` as the user's file of that name, and returns the environment in which it counts.
    public func configure(_ name: String, _ text: String) throws -> [String: String?] {
        try FileManager.default.createDirectory(
            atPath: path("config/duet"), withIntermediateDirectories: true)
        try folder.write("config/duet/\(name)", text)
        return ["XDG_CONFIG_HOME": path("config")]
    }
}

extension Stage {
    /// Starts duet. Its events are on its output, unless it is to show its screen or status line
    /// (`events: false`).
    ///
    /// - Parameters:
    ///   - name: its JACK name.
    ///   - isHeard: whether its outputs are connected.
    ///   - takesCommands: whether it takes commands at `control`.
    ///   - streams: by default keys come from a terminal.
    public func start(
        _ arguments: [String], as name: String? = nil, events: Bool = true, isHeard: Bool = true,
        takesCommands: Bool = false, environment: [String: String?] = [:],
        streams: ChildProcess.Streams = .terminal
    ) throws -> Duet {
        let own = events ? [:] : ["XDG_STATE_HOME": path("state")] as [String: String?]
        return try Duet(
            arguments + ["-s", server.name, "-n", name ?? client] + (events ? ["--json"] : [])
                + (isHeard ? [] : ["--out", "none"])
                + (takesCommands ? ["--control", control] : []),
            environment: own.merging(environment) { $1 }, streams: streams)
    }

    /// Starts a duet that is not heard and takes commands, and returns it after its first event of
    /// that kind. It has a name of its own: that of one that was killed may be taken for a while.
    public func startCommanded(
        _ arguments: [String], after kind: any Event.Type = Events.Playing.self,
        environment: [String: String?] = [:], streams: ChildProcess.Streams = .pipes
    ) throws -> (duet: Duet, client: LineClient) {
        let duet = try start(
            arguments, as: Duet.clientName(), isHeard: false, takesCommands: true,
            environment: environment, streams: streams)
        try duet.waitFor { $0.contains { $0.name == kind.name } }
        return (duet, try commands())
    }

    /// Kills a duet, and puts another server in the place of the one that still waits for it.
    public func kill(_ duet: Duet) throws {
        duet.child.signal(SIGKILL)
        _ = try duet.child.waitForExit()
        guard !JackServer.isPipeWire else { return }
        server.kill()
        try server.restart()
    }

    /// Starts duet with its screen on a terminal of tmux.
    public func screen(
        _ arguments: [String], environment: [String: String] = [:], columns: Int = 100,
        rows: Int = 30, record: URL? = nil
    ) throws -> Tmux {
        // What one leaves is no other's: the next one would tell of a list that was left.
        let variables = ["XDG_STATE_HOME": path("state")].merging(environment) { $1 }
            .merging(["JACK_NO_START_SERVER": "1"]) { $1 }
            .map { "\($0.key)=\(Self.quoted($0.value))" }
        let words = [Duet.path] + arguments + ["-s", server.name, "-n", client]
        // When the program has ended, tmux moves all lines up by one: the first is an empty one.
        let command = (variables + ["exec"] + words.map(Self.quoted)).joined(separator: " ")
        return try Tmux("echo; \(command)", columns: columns, rows: rows, record: record)
    }

    private static func quoted(_ word: String) -> String {
        "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
