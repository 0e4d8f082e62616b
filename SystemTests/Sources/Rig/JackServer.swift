import Foundation

/// A JACK server for one test: a private `jackd` with the dummy driver, or the running PipeWire
/// when `DUET_TEST_SERVER=pipewire`.
public final class JackServer {
    /// Whether the tests use PipeWire; tests of what PipeWire cannot do are skipped then.
    public static var isPipeWire: Bool {
        ProcessInfo.processInfo.environment["DUET_TEST_SERVER"] == "pipewire"
    }

    /// The server's name, by which clients choose it.
    public let name: String
    private var process: Process?
    private let options: [String]
    private let driver: [String]
    /// The file with the output of `jackd`.
    public let log: URL
    /// Words before `jackd` and before the tools that look at it, such as `setpriv …`.
    private let runner: [String]

    nonisolated(unsafe) private static var count = 0

    /// Starts the server, and returns when it accepts clients.
    ///
    /// - Parameters:
    ///   - isRealtime: whether the server asks for realtime scheduling, also of its clients.
    ///   - waitsForClients: whether a cycle lasts until every client is done, half a second at
    ///     most, so that no cycle is missed and a test on a busy machine is slower, and not
    ///     different. Otherwise a late client misses the cycle, a client that is killed holds nobody
    ///     up, and the driver has a period more of latency, as with many users' servers.
    ///   - options: options for jackd before `-d`.
    ///   - period: frames of a cycle.
    ///   - driverOptions: options for the dummy driver.
    ///   - runner: words before `jackd` and before its tools, such as `setpriv …`.
    public init(
        isRealtime: Bool = true, waitsForClients: Bool = true, options: [String] = [],
        period: Int = 128, rate: Int = 48_000, driverOptions: [String] = [], runner: [String] = []
    ) throws {
        self.runner = runner
        ServerMark.leave()
        Self.count += 1
        log = FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-test-\(getpid())-\(Self.count).log")
        // A server of the usual 2048 ports writes 64 MB of memory more at its start.
        self.options =
            ["--port-max", "256"] + options + [isRealtime ? "-R" : "-r"]
            + (waitsForClients ? ["-S", "-t", "500"] : [])
        driver = ["-r", "\(rate)", "-p", "\(period)"] + driverOptions
        if Self.isPipeWire {
            name = "default"
            process = nil
            return
        }
        _ = Self.abandonedPlacesAreCleared
        name = "duet-test-\(getpid())-\(Self.count)"
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        try start(driver: driver)
    }

    /// Starts the server again under its name after it has ended; nil keeps the rate or the period.
    public func restart(rate: Int? = nil, period: Int? = nil) throws {
        let changes = [("-r", rate), ("-p", period)].flatMap { option, value in
            value.map { [option, "\($0)"] } ?? []
        }
        try start(driver: driver + changes)
    }

    private func start(driver: [String]) throws {
        for _ in 0..<2 where process?.isRunning != true {
            process = try Self.ready(name, log, options: options, driver: driver, runner: runner)
        }
        if process == nil {
            throw Failure(
                what: "jackd did not start: \(try String(contentsOf: log, encoding: .utf8))")
        }
    }

    /// Starts a server, and returns it when it accepts clients; nil when it does not come so far.
    private static func ready(
        _ name: String, _ log: URL, options: [String], driver: [String], runner: [String] = []
    ) throws -> Process? {
        let server = try start(name, log, options: options, driver: driver, runner: runner)
        if isReady(name, server, runner: runner) { return server }
        if server.isRunning {
            // A process that was killed in the database of JACK's metadata has left a lock there,
            // for which all later servers of this user wait in their start. Only a server that
            // ends in order removes the database.
            print("jackd hangs in its start: the metadata of JACK's servers are removed")
            _ = end(server, SIGKILL)
            try? FileManager.default.removeItem(atPath: "/dev/shm/jack_db-\(getuid())")
        }
        return nil
    }

    private static func start(
        _ name: String, _ log: URL, options: [String], driver: [String], runner: [String] = []
    ) throws -> Process {
        let server = Process()
        // Tests run on threads that block all signals, which child processes would inherit.
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments =
            ["--default-signal"] + runner + ["jackd", "-n", name] + options + ["-d", "dummy"]
            + driver
        let output = try FileHandle(forWritingTo: log)
        server.standardOutput = output
        server.standardError = output
        server.standardInput = FileHandle.nullDevice
        try server.run()
        return server
    }

    // The only sign that a server is ready is a client that it accepts.
    private static func isReady(
        _ name: String, _ process: Process, runner: [String] = []
    ) -> Bool {
        poll(seconds: 30) {
            // One that comes while the server starts may never be answered.
            !process.isRunning
                || (try? run(runner + ["jack_lsp"], server: name, patience: 5).code) == 0
        } && process.isRunning
    }

    /// Cleans up after a server that was killed. Such a server keeps its place in a table of eight
    /// for the whole machine, and its shared memory, until a server of the same name ends in order.
    public static func clearPlace(of name: String) {
        let log = URL(fileURLWithPath: "/dev/null")
        // This fails until the killed process has been reaped.
        for _ in 0..<100 {
            if let server = try? ready(name, log, options: ["-r"], driver: []) {
                _ = end(server, SIGTERM)
                // It keeps the place itself where it dies in its end.
                if server.terminationReason == .exit { return }
            }
            usleep(50_000)
        }
    }

    /// Clears, once per run, the places of servers that killed test runs left behind: with eight
    /// of them taken no server can start any more.
    private static let abandonedPlacesAreCleared: Bool = {
        let registry = URL(fileURLWithPath: "/dev/shm/jack-shm-registry")
        let bytes = (try? Data(contentsOf: registry)) ?? Data()
        // An entry is a process id and "jack-UID:NAME:" (jack, common/shm.h, jack_shm_server_t).
        let prefix = Data("jack-\(getuid()):duet-test-".utf8)
        var from = bytes.startIndex
        while let found = bytes.range(of: prefix, in: from..<bytes.endIndex) {
            from = found.upperBound
            guard found.lowerBound >= 4, let colon = bytes[from...].firstIndex(of: 0x3A) else {
                continue
            }
            let process = bytes[(found.lowerBound - 4)..<found.lowerBound].reversed()
                .reduce(Int32(0)) { $0 << 8 | Int32($1) }
            let name = String(decoding: bytes[found.lowerBound..<colon], as: UTF8.self)
            guard Glibc.kill(process, 0) != 0, let start = name.firstIndex(of: ":") else {
                continue
            }
            clearPlace(of: String(name[name.index(after: start)...]))
        }
        return true
    }()

    deinit {
        // One that waits for a client which was killed ends after 10 s: it is killed, too.
        end(SIGTERM, patience: 2)
        // A server that a signal has ended keeps its place: killed, or by SIGPIPE while a client left.
        if process?.terminationReason == .uncaughtSignal { Self.clearPlace(of: name) }
        try? FileManager.default.removeItem(at: log)
    }

    /// Ends the server, and waits for its end.
    public func stop() { end(SIGTERM) }

    /// Kills the server, like a crash.
    public func kill() { end(SIGKILL) }

    /// Suspends the server's process (SIGSTOP): it answers no client any more.
    public func suspend() {
        if let process { Rig.suspend(process.processIdentifier) }
    }

    /// Lets the server go on after `suspend`.
    public func resume() {
        if let process { Glibc.kill(process.processIdentifier, SIGCONT) }
    }

    private func end(_ signal: Int32, patience: Double = 20) {
        if let process, process.isRunning { _ = Self.end(process, signal, patience: patience) }
    }

    /// Ends a server, and waits for its end; false when it had to be killed after `patience` seconds.
    private static func end(
        _ process: Process, _ signal: Int32, patience: Double = 20
    ) -> Bool {
        Glibc.kill(process.processIdentifier, signal)
        // jackd may wait for ever in its own end for a client that is just coming.
        if poll(seconds: patience, until: { !process.isRunning }) { return true }
        print("jackd did not end by signal \(signal) within \(patience) s")
        Glibc.kill(process.processIdentifier, SIGKILL)
        _ = poll(until: { !process.isRunning })
        return false
    }

    /// Runs a program of jack-tools on this server, and returns its output. The program is ended
    /// when it takes longer than `patience` seconds, since the server may not answer.
    public func tool(
        _ program: String, _ arguments: [String], patience: Int = 60
    ) throws -> String {
        // By an environment variable, since not all tools have an option for the server.
        try Self.run(
            runner + [program] + arguments, server: process == nil ? nil : name,
            patience: patience
        ).output
    }

    /// The connections that `jack_lsp -c` lists, each in both directions: `from   to`.
    public func connections(patience: Int = 60) throws -> [String] {
        var port = ""
        return try tool("jack_lsp", ["-c"], patience: patience).split(separator: "\n")
            .compactMap { line in
                guard line.hasPrefix("   ") else {
                    port = String(line)
                    return nil
                }
                return port + line
            }.sorted()
    }

    /// Runs a program to its end.
    private static func run(
        _ words: [String], server: String?, patience: Int = 60
    ) throws -> (code: Int32, output: String) {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // The server may never answer.
        program.arguments = ["timeout", "--kill-after=1", "\(patience)"] + words
        if let server {
            var environment = ProcessInfo.processInfo.environment
            environment["JACK_DEFAULT_SERVER"] = server
            program.environment = environment
        }
        let pipe = Pipe()
        program.standardOutput = pipe
        program.standardError = FileHandle.nullDevice
        program.standardInput = FileHandle.nullDevice
        try program.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        program.waitUntilExit()
        return (program.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// The reason why a helper of the tests failed.
    public struct Failure: Error, CustomStringConvertible {
        let what: String
        public var description: String { what }
    }
}
