import Glibc

/// Waits for any of several descriptors, or for the next moment when something is due.
struct Waiter {
    private var entries: [pollfd] = []

    /// Begins a new list.
    mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    /// Waits for this one too; a nil is left out.
    mutating func add(_ descriptor: Int32?) {
        guard let descriptor else { return }
        entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }

    /// Returns when a descriptor is readable or gone, a signal came, or `seconds` are over.
    mutating func wait(seconds: Double) {
        let milliseconds = (max(0, seconds) * 1000).rounded(.up)
        for i in entries.indices { entries[i].revents = 0 }
        if poll(&entries, nfds_t(entries.count), Int32(min(milliseconds, 60_000))) < 0 {
            for i in entries.indices { entries[i].revents = 0 }
        }
    }

    /// Whether `descriptor` has something to read, or an end to report.
    func isReady(_ descriptor: Int32?) -> Bool {
        entries.contains { $0.fd == descriptor && $0.revents != 0 }
    }
}
