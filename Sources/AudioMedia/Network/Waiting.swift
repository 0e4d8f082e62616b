import Glibc

/// Waits until one of `descriptors` is readable, or for the time to pass; true in the first case.
@discardableResult
func waitForInput(_ descriptors: [Int32], milliseconds: Int) -> Bool {
    var waited = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return unsafe poll(&waited, nfds_t(waited.count), pollTimeout(milliseconds)) > 0
}

/// `milliseconds` for poll(2) and its like, 0…60,000: a negative time would be one without end.
func pollTimeout(_ milliseconds: Int) -> Int32 { Int32(min(max(0, milliseconds), 60_000)) }
