/// Seconds since the program began, by a clock that never jumps.
package enum Clock {
    private static let origin = monotonicSeconds()

    /// Sets the clock's zero to now, unless the clock was read before.
    package static func start() { _ = origin }

    /// Seconds since `start`.
    package static var seconds: Double {
        let start = origin  // read first: the first reading sets it
        return monotonicSeconds() - start
    }
}
