import Foundation

/// Waits for a condition that no event reports: asks a hundred times a second. Returns whether it
/// became true within `seconds`.
public func poll(
    seconds: Double = 10, until isTrue: () throws -> Bool
) rethrows -> Bool {
    let end = Date() + seconds
    while try !isTrue() {
        guard Date() < end else { return false }
        usleep(10_000)
    }
    return true
}
