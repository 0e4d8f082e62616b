import Glibc

/// A set of descriptors to wait for together (poll(2)). For one thread.
package struct PollSet {
    /// The longest single wait, in milliseconds; callers then look at their clocks again.
    private static let longest = 60_000

    /// `milliseconds` as a timeout for poll(2) and its like, 0…60,000. To poll(2) a negative time
    /// has no end; here it becomes 0.
    package static func timeout(_ milliseconds: Int) -> Int32 {
        Int32(min(max(0, milliseconds), longest))
    }

    private var entries: [pollfd] = []

    /// A set that waits for `descriptors`; negative ones are never ready.
    package init(_ descriptors: [Int32] = []) {
        for descriptor in descriptors { add(descriptor) }
    }

    /// Makes the set empty.
    package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    /// Waits for `descriptor` too, unless it is nil.
    package mutating func add(_ descriptor: Int32?) {
        guard let descriptor else { return }
        entries.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }

    /// Waits until something can be written to `descriptor`, too.
    package mutating func add(writable descriptor: Int32) {
        entries.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0))
    }

    /// Waits until a descriptor is readable, writable if it was added so, or closed, a signal comes, or the time
    /// has passed.
    ///
    /// - Parameter milliseconds: at most 60,000; a negative time is over at once.
    /// - Returns: whether a descriptor is ready.
    @discardableResult
    package mutating func wait(milliseconds: Int) -> Bool {
        for i in entries.indices { entries[i].revents = 0 }
        if unsafe poll(&entries, nfds_t(entries.count), Self.timeout(milliseconds)) > 0 {
            return true
        }
        for i in entries.indices { entries[i].revents = 0 }
        return false
    }

    /// As `wait(milliseconds:)`, rounded up to whole milliseconds.
    @discardableResult
    package mutating func wait(seconds: Double) -> Bool {
        let milliseconds = min(max(0, seconds) * 1000, Double(Self.longest))
        return wait(milliseconds: Int(milliseconds.rounded(.up)))
    }

    /// Whether `descriptor` has something to read, or an end to report.
    package func isReady(_ descriptor: Int32?) -> Bool {
        entries.contains {
            $0.fd == descriptor && $0.events == Int16(POLLIN) && $0.revents != 0
        }
    }
}

/// Waits once for any of `descriptors`, like `PollSet.wait(milliseconds:)`.
@discardableResult
package func waitForInput(_ descriptors: [Int32], milliseconds: Int) -> Bool {
    var set = PollSet(descriptors)
    return set.wait(milliseconds: milliseconds)
}

/// Waits until `descriptor` is readable or closed; false when `end`, a time of `monotonicSeconds`,
/// came first. A signal does not end the wait.
package func waitForInput(_ descriptor: Int32, until end: Double) -> Bool {
    var set = PollSet([descriptor])
    while true {
        let left = end - monotonicSeconds()
        if set.wait(seconds: left) { return true }
        if left <= 0 { return false }
    }
}
