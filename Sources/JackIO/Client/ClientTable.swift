import CJack
import Glibc

/// libjack's table of a server's clients, one for all clients of this process: by what it says there
/// libjack wakes whatever client comes after ours in a cycle.
///
/// jack2's libjack (1.9.21, and its sources of 2026) forgets to take a client out that leaves while
/// `jack_client_open` is at work here: it learns of that while it does not know its own client yet
/// (JackLibClient::ClientNotifyImp). The next client that gets the same number is taken for the one
/// that has left (“already connected”), and is never woken by ours. The table goes with the last
/// client of this process in that server.
enum ClientTable {
    /// How long libjack may take to hear that a client has left, in milliseconds.
    private static let patience = 200

    /// Whether a client is still in the table that has left the server. Waits up to 200 ms, but
    /// only if there is one.
    ///
    /// To be asked after a call that the server has answered since the client was opened: it answers
    /// one after the other, so by then it has taken away the memory by which it woke the clients
    /// whose leaving was missed.
    static var isStale: Bool {
        var left = patience
        while holdsRemovedMemory {
            guard left > 0 else { return true }
            usleep(5000)
            left -= 5
        }
        return false
    }

    /// Whether this process still maps such memory, “/dev/shm/jack_sem.UID_SERVER_CLIENT (deleted)”.
    private static var holdsRemovedMemory: Bool {
        readText("/proc/self/maps", limit: 1 << 22).split(separator: "\n").contains { line in
            line.hasSuffix(" (deleted)") && line.contains("/dev/shm/")
                && line.contains("jack_sem.")
        }
    }
}
