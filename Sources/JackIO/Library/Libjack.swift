import CJack
import Glibc
import SystemSupport

/// The libjack that this process has loaded.
public enum Libjack {
    /// Whether this is PipeWire's libjack, whose version text contains “PipeWire”.
    public static var isPipeWire: Bool { version.contains("PipeWire") }

    /// The version text of the library; empty when it gives none.
    public static var version: String {
        guard let text = unsafe jack_get_version_string() else { return "" }
        return unsafe String(cString: text)
    }

    /// The name of the server to use when none is given: `JACK_DEFAULT_SERVER`, else `default`.
    public static var defaultServer: String {
        environmentValue("JACK_DEFAULT_SERVER") ?? "default"
    }
}

/// Where libjack's own messages go: nowhere by default, and never to the screen.
public enum JackLog {
    private static let sink = Guarded<(@Sendable (String) -> Void)?>(nil)

    /// Sends every message of libjack to `sink` from now on; nil drops them. libjack has one
    /// message function for the whole process, so this holds for all clients. The sink is called
    /// on any thread but never by this module's own realtime code, and must not call libjack.
    public static func send(to sink: (@Sendable (String) -> Void)?) {
        Self.sink.withLock { $0 = sink }
        install()
    }

    /// Keeps libjack's messages off the screen. To be called before any other function of libjack.
    static func install() {
        unsafe jack_set_error_function(duetJackLog)
        unsafe jack_set_info_function(duetJackLog)
    }

    static func receive(_ line: String) {
        let sink = Self.sink.withLock { $0 }
        sink?(line)
    }
}

/// The message function given to libjack, which calls it on any of its threads.
@c(duet_jack_log)
nonisolated func duetJackLog(_ line: UnsafePointer<CChar>?) {
    guard let line = unsafe line else { return }
    JackLog.receive(unsafe String(cString: line))
}

/// Tells whether PipeWire runs and has a libjack, and restarts this program with that libjack.
enum PipeWire {
    /// The environment variable that marks a program that was run again, so that this happens once.
    static let guardVariable = "JACK_RERUN_WITH_PIPEWIRE"

    /// Whether PipeWire's socket answers.
    static var answers: Bool {
        let connection = connect()
        if connection >= 0 { close(connection) }
        return connection >= 0
    }

    /// A socket connected to PipeWire, over which nothing is sent: it hangs up when PipeWire ends,
    /// which PipeWire's libjack (0.3.65) does not report. −1 when no PipeWire answers.
    static func connect() -> Int32 {
        for path in sockets(environment: environmentValue) {
            let connection = unsafe cjack_socket_connect(path)
            if connection >= 0 { return connection }
        }
        return -1
    }

    /// Whether this program was run again already.
    static var hasRerun: Bool { environmentValue(guardVariable) != nil }

    /// Whether the daemon is installed.
    static var isInstalled: Bool { InstalledProgram.path(of: "pipewire") != nil }

    /// The folder of PipeWire's libjack.so.0; nil when it is not installed.
    static var library: String? {
        libraries.first { unsafe access($0 + "/libjack.so.0", R_OK) == 0 }
    }

    /// The folders where distributions install PipeWire's libjack: those of pw-jack(1), with its
    /// `$LIB`, which the dynamic linker expands, written out.
    private static var libraries: [String] {
        #if arch(x86_64)
        let triplet = "x86_64-linux-gnu"
        #else
        let triplet = "aarch64-linux-gnu"
        #endif
        return ["lib/\(triplet)", "lib64", "lib"].map { "/usr/\($0)/pipewire-0.3/jack" }
    }

    /// The sockets that libpipewire would try (pipewire(1), PIPEWIRE_REMOTE).
    static func sockets(environment: (String) -> String?) -> [String] {
        let remote = environment("PIPEWIRE_REMOTE") ?? "pipewire-0"
        if remote.hasPrefix("/") { return [remote] }
        return ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"].compactMap(environment)
            .map { "\($0)/\(remote)" }
    }

    /// Runs this program again, same arguments, with the libjack in `library` before all others.
    /// Returns only when that failed, with the errno.
    static func rerun(library: String) -> Int32 {
        let rest = environmentValue("LD_LIBRARY_PATH").map { ":" + $0 } ?? ""
        unsafe setenv("LD_LIBRARY_PATH", library + rest, 1)
        unsafe setenv(guardVariable, "1", 1)
        unsafe execv("/proc/self/exe", CommandLine.unsafeArgv)
        return errno
    }
}

/// Programs that are installed.
enum InstalledProgram {
    /// Where the program of that name is, by `PATH`; nil: nowhere.
    static func path(of program: String) -> String? {
        let folders = environmentValue("PATH") ?? "/usr/local/bin:/usr/bin:/bin"
        return folders.split(separator: ":").map { "\($0)/\(program)" }
            .first { unsafe access($0, X_OK) == 0 }
    }
}
