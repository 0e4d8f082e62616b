import Foundation

/// The mark of a suite with a server, which the runner gives a second try.
enum ServerMark {
    /// Marks the suite of this process, if the runner has started it.
    static func leave() {
        guard let suite = ProcessInfo.processInfo.environment["DUET_TEST_SUITE"] else { return }
        _ = FileManager.default.createFile(atPath: suite + "/had-server", contents: nil)
    }
}
