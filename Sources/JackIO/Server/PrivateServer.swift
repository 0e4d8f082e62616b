import Glibc

/// A `jackd` of our own: started when no server runs, stopped with the program, however that ends.
///
/// It runs in its own process group, so that Ctrl-C in the terminal reaches us first, and the
/// kernel ends it when we are killed. It ends by itself after its last client (`-T`), so nothing
/// but our own client may ask whether it is there. Belongs to one control thread.
public final class PrivateServer {
    /// The command line that was run.
    public let command: String
    /// The file with its output; removed by `stop`, but not after a failure.
    public let log: String
    /// Its process id.
    public var processID: Int32 { child.processID }

    private let child: ChildProcess
    private var isStopped = false

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
        // Without a session bus jackd2 cannot reserve the card there, and would not start.
        let hasBus = environmentValue("DBUS_SESSION_BUS_ADDRESS") != nil
        child = try ChildProcess(
            [path] + arguments, variables: hasBus ? [] : ["JACK_NO_AUDIO_RESERVATION=1"],
            log: file)
    }

    deinit { stop() }

    /// Whether it has ended, after at most `milliseconds`.
    func hasEnded(within milliseconds: Int) -> Bool {
        isStopped || child.hasEnded(within: milliseconds)
    }

    /// Ends it, waiting at most about 3 s, and removes its log.
    public func stop() { _ = end(keepsLog: false) }

    /// Ends it, says how, and keeps its log for the user.
    func fail(because reason: String? = nil) -> JackError {
        let code = end(keepsLog: true)
        var reason = reason ?? "ended with code \(code)"
        if let line = Self.tellingLine(of: Self.beginning(of: log)) { reason += ": \(line)" }
        return .privateServerFailed(command: command, reason: reason, log: log)
    }

    /// The line of jackd's output that says why it ended: the first that sounds like it, for what
    /// follows is its consequence; nil where none does. Not cleaned of control characters.
    static func tellingLine(of output: String) -> String? {
        let lines = output.split(whereSeparator: \.isNewline)
        for words in [
            [JackError.noPlaceForServer], ["already active"], ["cannot", "fail", "error"],
        ] {
            let line = lines.first { line in words.contains { line.lowercased().contains($0) } }
            if let line { return String(line) }
        }
        return nil
    }

    private static func beginning(of path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private func end(keepsLog: Bool) -> Int32 {
        guard !isStopped else { return 0 }
        isStopped = true
        let code = child.stop()
        if !keepsLog { unsafe unlink(log) }
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
        var template = "\(folder)/duet-jackd-XXXXXX.log".utf8CString.map { $0 }
        let file = unsafe mkstemps(&template, 4)
        guard file >= 0 else {
            throw .system(attempt: "making a log for jackd in \(folder)", code: errno)
        }
        let bytes = template.dropLast().map { UInt8(bitPattern: $0) }
        return (file, String(decoding: bytes, as: UTF8.self))
    }
}
