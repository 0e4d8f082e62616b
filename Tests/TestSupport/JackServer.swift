import Foundation

/// A JACK server for one test: a private `jackd` with the dummy driver, or, where the tests run
/// beside a PipeWire (`DUET_TEST_SERVER=pipewire`), that one.
public final class JackServer {
    /// Whether the tests use PipeWire; what it cannot do is skipped.
    public static var isPipeWire: Bool {
        ProcessInfo.processInfo.environment["DUET_TEST_SERVER"] == "pipewire"
    }

    /// What clients call it.
    public let name: String
    private var process: Process?
    private let options: [String]
    private let driver: [String]
    private var wasKilled = false
    /// What `jackd` printed.
    public let log: URL
    /// What runs it and the tools that look at it, before their own names.
    private let runner: [String]

    nonisolated(unsafe) private static var count = 0

    /// Starts it, and returns when it takes clients.
    ///
    /// - Parameters:
    ///   - isRealtime: whether it asks for realtime scheduling, of its clients too.
    ///   - waitsForClients: whether a cycle lasts until every client is done, half a second at
    ///     most, so that none is missed however busy the machine is; otherwise a client that is
    ///     late is left out of a cycle, as most users have it.
    ///   - options: for jackd, before `-d`.
    ///   - period: frames of a cycle.
    ///   - driverOptions: for the dummy driver.
    ///   - runner: the words before `jackd`, as `setpriv …`; the tools are run so too.
    public init(
        isRealtime: Bool = true, waitsForClients: Bool = false, options: [String] = [],
        period: Int = 128, rate: Int = 48_000, driverOptions: [String] = [], runner: [String] = []
    ) throws {
        self.runner = runner
        Self.count += 1
        log = FileManager.default.temporaryDirectory
            .appendingPathComponent("duet-test-\(getpid())-\(Self.count).log")
        self.options =
            options + [isRealtime ? "-R" : "-r"] + (waitsForClients ? ["-S", "-t", "500"] : [])
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

    /// Starts it again under its name after it has ended, with another rate when one is given.
    public func restart(rate: Int? = nil, period: Int? = nil) throws {
        let changes = [("-r", rate), ("-p", period)].flatMap { option, value in
            value.map { [option, "\($0)"] } ?? []
        }
        try start(driver: driver + changes)
    }

    private func start(driver: [String]) throws {
        let started = try Self.start(name, log, options: options, driver: driver, runner: runner)
        process = started
        guard Self.isReady(name, started, runner: runner) else {
            throw Failure(
                what: "jackd did not start: \(try String(contentsOf: log, encoding: .utf8))")
        }
    }

    private static func start(
        _ name: String, _ log: URL, options: [String], driver: [String], runner: [String] = []
    ) throws -> Process {
        let server = Process()
        // Tests run on threads that block all signals, and what they start would inherit that.
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

    // Nothing tells when a server is ready but a client that gets in.
    private static func isReady(
        _ name: String, _ process: Process, runner: [String] = []
    ) -> Bool {
        for _ in 0..<400 where process.isRunning {
            if (try? run(runner + ["jack_lsp"], server: name).code) == 0 { return true }
            usleep(10_000)
        }
        return false
    }

    /// Cleans up after a server that was killed: it keeps its place in a table of eight for the
    /// whole machine, and its shared memory, until one of the same name has ended in order.
    public static func clearPlace(of name: String) {
        let log = URL(fileURLWithPath: "/dev/null")
        // In vain as long as nobody has reaped the killed one.
        for _ in 0..<100 {
            guard let process = try? start(name, log, options: ["-r"], driver: []) else { return }
            let isCleared = isReady(name, process)
            process.terminate()
            process.waitUntilExit()
            if isCleared { return }
            usleep(50_000)
        }
    }

    /// Clears, once a run, the places of servers that earlier test runs left behind when they were
    /// killed themselves: eight of them, and no server can start any more.
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
        stop()
        if wasKilled { Self.clearPlace(of: name) }
        try? FileManager.default.removeItem(at: log)
    }

    /// Ends it and waits for that.
    public func stop() { end(SIGTERM) }

    /// Kills it, as a crash would.
    public func kill() {
        wasKilled = true
        end(SIGKILL)
    }

    /// Stops it without ending it: it answers nobody any more.
    public func suspend() {
        if let process { Glibc.kill(process.processIdentifier, SIGSTOP) }
    }

    /// Lets it go on after `suspend`.
    public func resume() {
        if let process { Glibc.kill(process.processIdentifier, SIGCONT) }
    }

    private func end(_ signal: Int32) {
        if let process, process.isRunning {
            Glibc.kill(process.processIdentifier, signal)
            process.waitUntilExit()
        }
    }

    /// What a program of jack-tools prints about this server; a server that is slow to answer is
    /// waited for so many seconds.
    public func tool(
        _ program: String, _ arguments: [String], patience: Int = 60
    ) throws -> String {
        // Not all of them take the server as an option.
        try Self.run(
            runner + [program] + arguments, server: process == nil ? nil : name,
            patience: patience
        ).output
    }

    /// What `jack_lsp -c` says is connected to what, both ways: `from   to`.
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
        // A server may be beyond answering.
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

    /// Why a helper of the tests could not do its work.
    public struct Failure: Error, CustomStringConvertible {
        let what: String
        public var description: String { what }
    }
}
