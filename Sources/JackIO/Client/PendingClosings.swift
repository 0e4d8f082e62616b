import Synchronization
import SystemSupport

/// The clients that libjack is to close, and has not closed yet. For any thread.
enum PendingClosings {
    private static let count = Atomic<Int>(0)

    /// A client is to be closed from now on, on whichever thread.
    static func begin() { count.add(1, ordering: .sequentiallyConsistent) }

    /// libjack has closed it, or never will.
    static func end() { count.subtract(1, ordering: .sequentiallyConsistent) }

    /// Waits, 5 s at most, until libjack has closed all of them. To be called before a client is
    /// opened: libjack then frees every client that is left of a server that has ended
    /// (JackLibGlobals::Init), and closing it would read freed memory; and it keeps its data about
    /// that server while one client of it is open.
    static func awaitAll() {
        _ = PolledWait.run(milliseconds: 5000, interval: 1) {
            count.load(ordering: .sequentiallyConsistent) == 0
        }
    }
}
