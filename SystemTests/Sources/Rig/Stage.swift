import Foundation

/// A server, a folder of files, and duets that play there.
public struct Stage {
    public let server: JackServer
    public let folder: TemporaryFolder
    /// The JACK name of the duet that `start` starts.
    public let client = Duet.clientName()

    public init() throws {
        // It waits for its clients: a busy machine makes a test slower, and not different.
        server = try JackServer(waitsForClients: true)
        folder = try TemporaryFolder()
    }

    /// Starts duet with keys from a terminal; events are on its output, unless it shows its screen
    /// (`events: false`).
    public func start(
        _ arguments: [String], events: Bool = true, environment: [String: String?] = [:],
        streams: ChildProcess.Streams = .terminal
    ) throws -> Duet {
        try Duet(
            arguments + ["-s", server.name, "-n", client] + (events ? ["--json"] : []),
            environment: environment, streams: streams)
    }
}

extension Stage {
    /// Starts duet with its screen on a terminal of tmux.
    public func screen(
        _ arguments: [String], environment: [String: String] = [:], columns: Int = 100,
        rows: Int = 30, record: URL? = nil
    ) throws -> Tmux {
        let variables = environment.merging(["JACK_NO_START_SERVER": "1"]) { $1 }
            .map { "\($0.key)=\(Self.quoted($0.value))" }
        let words = [Duet.path] + arguments + ["-s", server.name, "-n", client]
        return try Tmux(
            (variables + words.map(Self.quoted)).joined(separator: " "), columns: columns,
            rows: rows, record: record)
    }

    private static func quoted(_ word: String) -> String {
        "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
