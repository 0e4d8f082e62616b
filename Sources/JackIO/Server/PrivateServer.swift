import CJack
import Glibc
import SystemSupport

/// A `jackd` of our own: started when no server runs, stopped with the program, however that ends.
///
/// It runs in its own process group, so that Ctrl-C in the terminal reaches us first, and the
/// kernel ends it when we are killed. It ends by itself after its last client (`-T`), so nothing
/// but our own client may ask whether it is there. Belongs to one control thread.
public final class PrivateServer {
    /// The command line that was run.
    public let command: String
    /// The file with its output, until a client is in; kept after a failure, with the errors.
    public let log: String
    /// Its process id.
    public var processID: Int32 { child.processID }

    private let child: ChildProcess
    /// What it says on standard error: a file in memory.
    private let errors: Int32
    private var isStopped = false
    /// Lines of standard error that are told, and their letters.
    private static let linesTold = 5
    private static let lettersTold = 500

    /// Starts the server; it does not answer at once.
    ///
    /// - Parameters:
    ///   - name: the server's name.
    ///   - card: what it plays on; nil means the dummy driver, which nobody hears.
    ///   - isRealtime: whether it asks for realtime scheduling.
    /// - Throws: `jackdMissing`, `system`.
    public init(name: String, card: SoundCard?, isRealtime: Bool) throws(JackError) {
        guard let path = Self.findJackd() else { throw .jackdMissing }
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
        // Without a session bus jackd2 cannot reserve the card there, and would not start.
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

    /// Whether it has ended, after at most `milliseconds`.
    func hasEnded(within milliseconds: Int) -> Bool {
        isStopped || child.hasEnded(within: milliseconds)
    }

    /// Ends it, waiting at most about 5 s, and removes its log.
    public func stop() { _ = end(keepsLog: false) }

    /// The server has come up: nothing of its output is wanted any more, however we end. What it
    /// says on standard error from here on takes no more memory. What it says on standard output
    /// still goes into the log's file, which is freed when the server ends.
    func removeLog() {
        unsafe unlink(log)
        cjack_seal_memory_file(errors)
    }

    /// Ends it, says how, and keeps its log for the user.
    func fail(because reason: String? = nil) -> JackError {
        let code = end(keepsLog: true)
        // By its path a file in memory is read from its beginning.
        let complaints = readText("/proc/self/fd/\(errors)")
        appendToLog(complaints)
        let cause = Self.cause(in: complaints).map { ": \($0)" } ?? ""
        return .privateServerFailed(
            command: command, reason: (reason ?? "ended with code \(code)") + cause, log: log)
    }

    /// The last different lines of jackd's standard error, in their order; nil when it is empty.
    /// jackd says first what went wrong, then that it did not start for that.
    static func cause(in complaints: String) -> String? {
        var told: [String] = []
        for line in complaints.split(whereSeparator: \.isNewline) {
            // jackd dyes its errors.
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
        guard !isStopped else { return 0 }
        isStopped = true
        let code = child.stop()
        if !keepsLog { removeLog() }
        return code
    }

    /// The arguments of jackd(1): as interface and ear want them, 128 frames at 48 kHz.
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

    private static func findJackd() -> String? {
        let folders = environmentValue("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/jackd" }
            .first { unsafe access($0, X_OK) == 0 }
    }

    /// A new file that only this user can read, in $XDG_RUNTIME_DIR or else /tmp.
    private static func makeLog() throws(JackError) -> (file: Int32, path: String) {
        let folder = environmentValue("XDG_RUNTIME_DIR") ?? "/tmp"
        // Named for the program that starts the server.
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? "program"
        var template = "\(folder)/\(program)-jackd-XXXXXX.log".utf8CString.map { $0 }
        let file = unsafe mkstemps(&template, 4)
        guard file >= 0 else {
            throw .system(attempt: "making a log for jackd in \(folder)", code: errno)
        }
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        return (file, String(decoding: bytes, as: UTF8.self))
    }
}
