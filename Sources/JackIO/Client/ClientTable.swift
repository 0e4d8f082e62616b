import CJack
import SystemSupport

/// Works around a bug in libjack's table of a server's clients. All clients of this process share
/// that table: libjack reads there how to wake the client that comes after ours in a cycle.
///
/// jack2's libjack (1.9.21, and its sources of 2026) does not remove a client that leaves while
/// `jack_client_open` is at work in this process: the news comes before libjack knows its own
/// client (JackLibClient::ClientNotifyImp). A later client that gets the same number is then taken
/// for the client that has left (“already connected”), and our client never wakes it. libjack frees
/// the table with the last client of this process in that server.
enum ClientTable {
    /// How long libjack may take to learn that a client has left, in milliseconds.
    private static let patience = 400

    /// Whether the table still holds a client that has left the server. While it does, waits up to
    /// 400 ms for libjack to remove that client.
    ///
    /// To be read after the server has answered a call of our open client. The server handles calls
    /// in order, so it has then removed the shared memory by which it woke the clients that left.
    static var isStale: Bool {
        !PolledWait.run(milliseconds: patience, interval: 5) { !holdsRemovedMemory }
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
