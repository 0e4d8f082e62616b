import CJack
import Glibc
import Synchronization
import SystemSupport

/// A `jackd` of our own: started when no server runs, stopped when the program ends in any way.
///
/// The server runs in its own process group, so that Ctrl-C in the terminal reaches only this
/// program, and the kernel ends the server when this program is killed. The server ends by itself
/// after its last client (`-T`), so no client but our own may try whether it answers. For any
/// thread.
public final class PrivateServer: Sendable {
    /// The command line that was run.
    public let command: String
    /// The path of the file with the server's output. Removed when a client is in; kept after a
    /// failure, with the server's errors added.
    public let log: String
    /// The server's process id.
    public var processID: Int32 { child.processID }

    private let child: ChildProcess
    /// The server's standard error: a file in memory.
    private let errors: Int32
    /// Held until the server has ended.
    private let isStopped = Guarded(false)
    /// How many lines of standard error an error message quotes, and how many characters in all.
    private static let linesTold = 5
    private static let lettersTold = 500

    /// Starts the server. Returns before the server answers.
    ///
    /// - Parameters:
    ///   - name: the server's name.
    ///   - card: the sound card to play on; nil means the dummy driver, which makes no sound.
    ///   - isRealtime: whether the server asks for realtime scheduling.
    /// - Throws: `jackdMissing`, `system`.
    public init(name: String, card: SoundCard?, isRealtime: Bool) throws(JackError) {
        guard let path = InstalledProgram.path(of: "jackd") else { throw .jackdMissing }
        let arguments = Self.arguments(name: name, card: card, isRealtime: isRealtime)
        command = (["jackd"] + arguments).joined(separator: " ")
        let (file, log) = try Self.makeLog()
        defer { close(file) }
        self.log = log
        let errors = unsafe cjack_memory_file("jackd-errors")
        guard errors >= 0 else {
            throw .system(attempt: "making a file for jackd's errors", code: errno)
        }
        self.errors = errors
        // jackd2 reserves the card on the session bus, and without a bus it would not start.
        let hasBus = environmentValue("DBUS_SESSION_BUS_ADDRESS") != nil
        do throws(JackError) {
            child = try ChildProcess(
                [path] + arguments, variables: hasBus ? [] : ["JACK_NO_AUDIO_RESERVATION=1"],
                output: file, errors: errors)
        } catch {
            close(errors)
            throw error
        }
    }

    deinit {
        stop()
        close(errors)
    }

    /// Waits at most `milliseconds` for the server to end, and returns whether it has ended.
    func hasEnded(within milliseconds: Int) -> Bool {
        isStopped.withLock(\.self) || child.hasEnded(within: milliseconds)
    }

    /// Whether the server ended because another one has its name.
    var hasRival: Bool {
        Self.obstacle(in: complaints) == .otherServers && !complaints.contains("too many")
    }

    /// What the server has written to its standard error. Opened by this path, the file in memory
    /// is read from its beginning.
    private var complaints: String { readText("/proc/self/fd/\(errors)") }

    /// Ends the server, waiting at most about 5 s, and removes its log.
    public func stop() { _ = end(keepsLog: false) }

    /// Removes the log of a server that has come up. Further lines on its standard error take no
    /// memory. Further lines on its standard output still go to the removed file, whose space is
    /// freed when the server ends.
    func removeLog() {
        unsafe unlink(log)
        cjack_seal_memory_file(errors)
    }

    /// Ends the server, keeps its log for the user, and returns the error that says why.
    func fail(because reason: String? = nil) -> JackError {
        let code = end(keepsLog: true)
        let complaints = complaints
        appendToLog(complaints)
        let cause = Self.cause(in: complaints).map { ": \($0)" } ?? ""
        return .privateServerFailed(
            command: command, reason: (reason ?? "ended with code \(code)") + cause,
            obstacle: Self.obstacle(in: complaints), log: log)
    }

    /// What kept jackd from starting, by the words of its standard error.
    static func obstacle(in complaints: String) -> JackError.ServerObstacle? {
        if complaints.contains("already active") { return .otherServers }
        return complaints.contains("already in use") ? .cardInUse : nil
    }

    /// The last different lines of jackd's standard error, in their order; nil when it is empty.
    /// Several lines, because jackd prints the cause first and then that it could not start.
    static func cause(in complaints: String) -> String? {
        var told: [String] = []
        for line in complaints.split(whereSeparator: \.isNewline) {
            // jackd colours its errors.
            let text = line.replacing("\u{1B}[31mERROR: ", with: "")
                .replacing("\u{1B}[0m", with: "")
            guard !text.isEmpty else { continue }
            told.removeAll { $0 == text }
            told.append(String(text))
            if told.count > linesTold { told.removeFirst() }
        }
        return told.isEmpty ? nil : String(told.joined(separator: "; ").prefix(lettersTold))
    }

    private func appendToLog(_ text: String) {
        let file = unsafe open(log, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        let bytes = Array(text.utf8)
        _ = unsafe write(file, bytes, bytes.count)
    }

    private func end(keepsLog: Bool) -> Int32 {
        isStopped.withLock { isStopped in
            guard !isStopped else { return 0 }
            isStopped = true
            let code = child.stop()
            if !keepsLog { removeLog() }
            return code
        }
    }

    /// The arguments of jackd(1): 128 frames a cycle at 48 kHz, a delay short enough for singing.
    static func arguments(name: String, card: SoundCard?, isRealtime: Bool) -> [String] {
        let server = ["-n", name, "-T", "-S", isRealtime ? "-R" : "-r"]
        let speed = ["-r", "48000", "-p", "128"]
        guard let card, let playback = card.playbackDevice else {
            return server + ["-d", "dummy"] + speed
        }
        let output = "hw:\(card.id),\(playback)"
        let devices =
            switch card.captureDevice {
            case nil: ["-d", output, "-P"]
            case playback: ["-d", output]
            case .some(let capture): ["-P", output, "-C", "hw:\(card.id),\(capture)"]
            }
        return server + ["-d", "alsa"] + devices + speed + ["-n", card.isUSB ? "3" : "2"]
    }

    /// A new file that only this user can read, in $XDG_RUNTIME_DIR or else /tmp.
    private static func makeLog() throws(JackError) -> (file: Int32, path: String) {
        let folder = environmentValue("XDG_RUNTIME_DIR") ?? "/tmp"
        var template = "\(folder)/\(programName)-jackd-XXXXXX.log".utf8CString.map { $0 }
        let file = unsafe mkstemps(&template, 4)
        guard file >= 0 else {
            throw .system(attempt: "making a log for jackd in \(folder)", code: errno)
        }
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        return (file, String(decoding: bytes, as: UTF8.self))
    }
}

/// A child process that must not outlive this program.
///
/// A thread of its own starts the child and stays until the child ends: PR_SET_PDEATHSIG kills the
/// child when the thread that started it ends, not only when the parent process does (prctl(2)).
final class ChildProcess: Sendable {
    private let id = Atomic<Int32>(0)
    private let started: EventFlag
    private let ended: EventFlag
    /// Set when `init` has given up waiting for the start: the child is then killed at once.
    private let isAbandoned = Atomic<Bool>(false)

    /// The child's process id.
    var processID: Int32 { id.load(ordering: .acquiring) }

    /// Runs `words[0]`, a path, with `words` as its arguments.
    ///
    /// - Parameters:
    ///   - variables: `NAME=value`, added to this program's environment.
    ///   - output: the descriptor for the child's standard output; stays the caller's.
    ///   - errors: the descriptor for its standard error; stays the caller's.
    /// - Throws: `system`; also when the start takes more than 5 s, as when the disk hangs.
    init(
        _ words: [String], variables: [String], output: Int32, errors: Int32
    ) throws(JackError) {
        let attempt = "starting \(words[0])"
        guard let started = EventFlag(), let ended = EventFlag() else {
            throw .system(attempt: attempt, code: errno)
        }
        self.started = started
        self.ended = ended
        let code = DetachedThread.start("jackd-keeper") { [self] in
            let child = Self.spawn(
                words, variables: variables, output: output, errors: errors)
            id.store(child, ordering: .releasing)
            started.set()
            if child > 0 {
                if isAbandoned.load(ordering: .acquiring) { kill(child, SIGKILL) }
                cjack_wait_end(child)
            }
            ended.set()
        }
        guard code == 0 else { throw .system(attempt: attempt, code: code) }
        guard started.wait(milliseconds: 5000) else {
            isAbandoned.store(true, ordering: .releasing)
            throw .system(attempt: attempt, code: ETIMEDOUT)
        }
        guard processID > 0 else { throw .system(attempt: attempt, code: -processID) }
    }

    /// Waits at most `milliseconds` for the child to end, and returns whether it has ended.
    func hasEnded(within milliseconds: Int) -> Bool { ended.wait(milliseconds: milliseconds) }

    /// Sends SIGTERM, after 3 s SIGKILL, and returns the exit code (128 + signal where a signal
    /// ended the child). A child that survives SIGKILL for 2 s, because it is inside a driver of
    /// the kernel, is left behind. To be called once.
    func stop() -> Int32 {
        // The child is not reaped yet, so no other process can have its id.
        kill(processID, SIGTERM)
        if !hasEnded(within: 3000) {
            kill(processID, SIGKILL)
            guard hasEnded(within: 2000) else { return 128 + SIGKILL }
        }
        return cjack_reap(processID)
    }

    private static func spawn(
        _ words: [String], variables: [String], output: Int32, errors: Int32
    ) -> Int32 {
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        let added = unsafe variables.map { unsafe strdup($0) }
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        defer { for index in unsafe added.indices { unsafe free(added[index]) } }
        var variables = unsafe added
        var index = 0
        while let entry = unsafe environ[index] {
            unsafe variables.append(entry)
            index += 1
        }
        unsafe variables.append(nil)
        return unsafe cjack_spawn(words[0], &arguments, &variables, output, errors)
    }
}
