import AudioGraph
import PlainText

/// Runs a song's work on a thread of its own.
enum SongThread {
    /// Begins; nobody joins the thread.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let code = DetachedThread.start("song", body)
        guard code == 0 else { fatalError("no thread for a song: \(errorText(code))") }
    }
}
