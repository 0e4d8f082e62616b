import Glibc

/// Seconds of a clock that never jumps, counted from an arbitrary point (CLOCK_MONOTONIC). Any
/// thread.
package func monotonicSeconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
