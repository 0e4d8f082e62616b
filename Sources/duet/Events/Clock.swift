import Glibc

/// Seconds since the program began, by a clock that never jumps.
enum Clock {
    private static let origin = now()

    /// Makes this moment 0.
    static func start() { _ = origin }

    /// Seconds since `start`.
    static var seconds: Double { now() - origin }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
