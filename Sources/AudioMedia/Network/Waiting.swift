import Glibc

/// Waits until one of `descriptors` is readable, or for the time to pass; true in the first case.
@discardableResult
func waitForInput(_ descriptors: [Int32], milliseconds: Int) -> Bool {
    var waited = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return unsafe poll(&waited, nfds_t(waited.count), Int32(milliseconds)) > 0
}
