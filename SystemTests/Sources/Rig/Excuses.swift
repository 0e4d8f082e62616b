import Foundation

/// What a test does not hold against duet, since the machine was to blame. The runner counts these: more
/// than a few fail the run, for then nothing was proved.
public enum Excuses {
    /// Notes an excuse, in the file that the runner names by `DUET_EXCUSES`, and prints it.
    public static func add(_ what: String) {
        print("excused: \(what)")
        guard let path = ProcessInfo.processInfo.environment["DUET_EXCUSES"] else { return }
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        let line = Array((what + "\n").utf8)
        _ = write(file, line, line.count)
    }
}
