/// Seconds since the program began, by a clock that never jumps.
package enum Clock {
    private static let origin = monotonicSeconds()

    /// Makes this moment 0.
    package static func start() { _ = origin }

    /// Seconds since `start`.
    package static var seconds: Double { monotonicSeconds() - origin }
}
