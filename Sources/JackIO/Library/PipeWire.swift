import CJack
import Glibc
import SystemSupport

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
