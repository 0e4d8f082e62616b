import Foundation

/// A program run as a child process. Its output is gathered as it comes; on request it gets a
/// terminal of its own.
public final class ChildProcess: @unchecked Sendable {
    // Safety: `condition` guards all mutable fields.
    private let condition = NSCondition()
    private var outputBytes: [UInt8] = []
    private var errorBytes: [UInt8] = []
    private var openReaders = 0
    private var exit: Exit?

    /// The child's process id.
    public let identifier: pid_t
    /// The test's side of the child's terminal, to which keys are written; −1 without a terminal.
    public let input: Int32

    /// How a child ended.
    public enum Exit: Sendable, Equatable {
        case code(Int32)
        case signal(Int32)
    }

    /// Where a child's standard streams go.
    public enum Streams: Sendable {
        /// Standard input is /dev/null; standard output and error are gathered separately.
        case pipes
        /// All three streams are one terminal, which is the child's controlling terminal.
        case terminal
        /// As `pipes`, but standard output is that descriptor, which stays the caller's.
        case output(Int32)
        /// As `pipes`, but standard error is that descriptor, which stays the caller's.
        case errors(Int32)
        /// As `terminal`, but standard output is that descriptor, which stays the caller's.
        case terminalAndOutput(Int32)
    }

    /// The program could not be started, or an awaited output or end did not come.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    /// Starts `program` in a session of its own. `environment` is added to this process's own; a
    /// nil value removes a variable.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String?] = [:],
        streams: Streams = .pipes
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var defaults = sigset_t()
        sigfillset(&defaults)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        // spawn.h: POSIX_SPAWN_SETSID 0x80; a session leader that opens a terminal owns it.
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | 0x80))

        var readers: [(descriptor: Int32, isError: Bool)] = []
        var childEnds: [Int32] = []
        switch streams {
        case .pipes, .output, .errors:
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            var targets: [Int32] = [1, 2]
            if case .output(let descriptor) = streams {
                posix_spawn_file_actions_adddup2(&actions, descriptor, 1)
                targets = [2]
            }
            if case .errors(let descriptor) = streams {
                posix_spawn_file_actions_adddup2(&actions, descriptor, 2)
                targets = [1]
            }
            for target in targets {
                var ends: [Int32] = [-1, -1]
                pipe(&ends)
                for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
                posix_spawn_file_actions_adddup2(&actions, ends[1], target)
                readers.append((ends[0], target == 2))
                childEnds.append(ends[1])
            }
            input = -1
        case .terminal, .terminalAndOutput:
            let terminal = PseudoTerminal()
            for target: Int32 in [0, 1, 2] {
                posix_spawn_file_actions_addopen(&actions, target, terminal.path, O_RDWR, 0)
            }
            if case .terminalAndOutput(let descriptor) = streams {
                posix_spawn_file_actions_adddup2(&actions, descriptor, 1)
            }
            // Held open here too, so that the terminal's mode can be read after the child's end.
            childEnds = []
            held = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            readers.append((terminal.master, false))
            input = terminal.master
        }

        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        var argv = ([program] + arguments).map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        // Whatever else this process has open is not the child's.
        for descriptor in 3..<Int32(256) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var child: pid_t = 0
        let status = posix_spawnp(&child, program, &actions, &attributes, &argv, &envp)
        childEnds.forEach { close($0) }
        identifier = child
        guard status == 0 else {
            throw Failure(description: "cannot start \(program): error \(status)")
        }
        openReaders = readers.count
        for reader in readers {
            Thread.detachNewThread { self.gather(reader.descriptor, isError: reader.isError) }
        }
        Thread.detachNewThread { self.reap() }
    }

    /// Our own descriptor of the child's terminal; −1 without one, and after the child's end.
    private var held: Int32 = -1
    private var modeAtExit: termios?
    private var stopsReading = false
    private var holdsReading = false
    private var readsSlowly = false

    /// The text that has come on standard output (or on the terminal) so far.
    public var output: String { locked { currentOutput } }
    /// The text that has come on standard error so far; empty with a terminal.
    public var errors: String { locked { String(decoding: errorBytes, as: UTF8.self) } }

    /// How the child ended; nil: it has not yet.
    public var exitSoFar: Exit? { locked { exit } }

    /// Whether the child has not ended yet.
    public var isRunning: Bool { locked { exit == nil } }

    /// Sends a signal. After SIGSTOP no thread of the process runs any more.
    public func signal(_ number: Int32) {
        if number == SIGSTOP { suspend(identifier) } else { kill(identifier, number) }
    }

    /// Types `keys` on the terminal.
    public func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = write(input, bytes, bytes.count)
    }

    /// Closes our end of the child's standard output, like a reader that goes away.
    public func stopReading() {
        // The reading thread closes it after the next bytes.
        locked { stopsReading = true }
    }

    /// Stops reading from the terminal and fills it, so that no further byte can be written to it.
    /// It is filled with NUL, which terminals ignore and which is not in the output.
    public func fillTerminal() {
        locked { holdsReading = true }
        let slave = open("/proc/self/fd/\(held)", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        defer { close(slave) }
        // A read that was under way may still take some bytes.
        while Rig.poll(seconds: 0.2, until: { write(slave, "\0", 1) == 1 }) {}
    }

    /// Reads a byte a second from the terminal from now on, after `fillTerminal`.
    public func readTerminalSlowly() {
        locked {
            readsSlowly = true
            condition.broadcast()
        }
    }

    /// Reads from the terminal again, after `fillTerminal`.
    public func emptyTerminal() {
        locked {
            (holdsReading, readsSlowly) = (false, false)
            condition.broadcast()
        }
    }

    /// Stops the terminal's output like Ctrl-S, or lets it go on.
    public func setTerminalStopped(_ isStopped: Bool) {
        tcflow(held, isStopped ? Int32(TCOOFF) : Int32(TCOON))
    }

    /// Whether the terminal gives whole lines and echoes keys, as a shell expects.
    public var terminalIsCooked: Bool {
        let mode = locked { modeAtExit ?? Self.mode(of: held) }
        return mode.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
    }

    private static func mode(of terminal: Int32) -> termios {
        var mode = termios()
        tcgetattr(terminal, &mode)
        return mode
    }

    /// Waits until `text` is in the output. The limit (in seconds, here and below) only keeps a
    /// broken test from hanging.
    public func waitForOutput(_ text: String, limit: Double = 30) throws {
        try wait("output \"\(text)\"", limit: limit) { self.currentOutput.contains(text) }
    }

    /// Waits until `matches` is true for the output.
    public func waitForOutput(limit: Double = 30, where matches: (String) -> Bool) throws {
        try wait("output", limit: limit) { matches(self.currentOutput) }
    }

    /// Waits until `matches` is true; it gets the whole lines that came since it was called last, at
    /// first all. Looking at all of them each time, tests read slower than a program may write.
    public func waitForLines(limit: Double = 30, where matches: ([Substring]) -> Bool) throws {
        var (seen, isOver) = (0, false)
        try wait("a line", limit: limit) {
            guard !isOver else { return true }
            let end = self.outputBytes[seen...].lastIndex(of: 0x0A).map { $0 + 1 } ?? seen
            isOver = matches(Self.text(self.outputBytes[seen..<end]).split(separator: "\n"))
            seen = end
            return isOver
        }
    }

    /// Waits for the end of the child and of its output (only of the child after `fillTerminal`).
    /// A child that outlives the limit is killed, and the test fails.
    @discardableResult
    public func waitForExit(limit: Double = 30) throws -> Exit {
        do {
            try wait("the end", limit: limit) {
                self.exit != nil && (self.openReaders == 0 || self.holdsReading)
            }
        } catch {
            kill(identifier, SIGKILL)
            throw error
        }
        return locked { exit! }
    }

    deinit { if input >= 0 { close(input) } }

    private var currentOutput: String { Self.text(outputBytes[...]) }

    /// With plain line ends: a terminal makes two characters of each.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    private func wait(_ what: String, limit: Double, until done: () -> Bool) throws {
        condition.lock()
        defer { condition.unlock() }
        let deadline = Date(timeIntervalSinceNow: limit)
        while !done() {
            guard condition.wait(until: deadline), exit == nil || done() || openReaders > 0 else {
                if done() { return }
                throw Failure(
                    description: """
                        \(what) did not come; exit: \(exit.map { "\($0)" } ?? "none"); output: \
                        \(currentOutput.suffix(8000)); errors: \
                        \(String(decoding: errorBytes.suffix(2000), as: UTF8.self))
                        """)
            }
        }
    }

    private func gather(_ descriptor: Int32, isError: Bool) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let most = isError ? bytes.count : locked { waitToRead() ? bytes.count : 1 }
            let count = read(descriptor, &bytes, most)
            if count < 0, errno == EINTR { continue }
            let goesOn = locked {
                defer { condition.broadcast() }
                guard count > 0, isError || !stopsReading else {
                    openReaders -= 1
                    return false
                }
                if isError {
                    errorBytes += bytes[..<count]
                } else {
                    outputBytes += bytes[..<count].lazy.filter { $0 != 0 }
                }
                return true
            }
            guard goesOn else { break }
        }
        if descriptor != input { close(descriptor) }
    }

    /// Waits while nothing is to be read from the terminal; false: a single byte is.
    private func waitToRead() -> Bool {
        while holdsReading {
            if !readsSlowly {
                condition.wait()
            } else if !condition.wait(until: Date(timeIntervalSinceNow: 1)) {
                return false
            }
        }
        return true
    }

    private func reap() {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        locked {
            if held >= 0 {
                modeAtExit = Self.mode(of: held)
                // No process has the terminal open after this, so our reader comes to its end.
                close(held)
                held = -1
            }
            exit = status & 0x7F == 0 ? .code((status >> 8) & 0xFF) : .signal(status & 0x7F)
            condition.broadcast()
        }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }
}
