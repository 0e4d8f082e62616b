import CJack
import Glibc
import SystemSupport

/// libjack's table of a server's clients, which all clients of this process share: libjack reads
/// there how to wake the client that comes after ours in a cycle.
///
/// jack2's libjack (1.9.21, and its sources of 2026) forgets to take out a client that leaves while
/// `jack_client_open` is at work here: it is told so before it knows its own client
/// (JackLibClient::ClientNotifyImp). The next client that gets the same number is taken for the
/// client that has left (“already connected”), and ours never wakes it. The table is freed with the
/// last client of this process in that server.
enum ClientTable {
    /// How long libjack may take to hear that a client has left, in milliseconds.
    private static let patience = 200

    /// Whether the table still holds a client that has left the server. Waits up to 200 ms, but
    /// only where there is such a client.
    ///
    /// To be asked after a call that the server has answered since our client was opened. The server
    /// handles calls in their order, so by then it has removed the memory by which it woke the
    /// clients that left.
    static var isStale: Bool {
        var left = patience
        while holdsRemovedMemory {
            guard left > 0 else { return true }
            usleep(5000)
            left -= 5
        }
        return false
    }

    /// Whether this process still maps the memory of a client that has left, which the kernel lists
    /// as “/dev/shm/jack_sem.UID_SERVER_CLIENT (deleted)”.
    private static var holdsRemovedMemory: Bool {
        readText("/proc/self/maps", limit: 1 << 22).split(separator: "\n").contains { line in
            line.hasSuffix(" (deleted)") && line.contains("/dev/shm/")
                && line.contains("jack_sem.")
        }
    }
}
