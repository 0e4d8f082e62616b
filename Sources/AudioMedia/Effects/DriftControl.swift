/// Holds a live stream's buffer at its target: the sender's clock is not ours, so its seconds are
/// played a little faster or slower than our own.
///
/// The level that is measured goes up and down with every burst of the network, so a one-pole
/// filter (τ = 30 s) comes first. Then a PI controller: factor − 1 = k·e + ∫k²/4·e for the
/// filtered level's error e in seconds. The buffer integrates what the factor leaves over, so
/// without the filter the loop's equation is s² + k·s + k²/4 = 0: critically damped, τ = 2/k =
/// 1000 s, slow enough beside the filter. A sender that is 500 ppm off moves the level by 0.2 s on
/// the way, and bursts of up to 1 s move the factor by less than 200 ppm. For one thread.
struct DriftControl {
    /// The furthest that the factor goes from 1.
    static let limit = 0.005
    /// Its fastest change, in 1/s.
    static let slew = 0.001
    private static let filterTime = 30.0
    private static let gain = 0.002

    /// Seconds before the factor first changes: the average level during them becomes the target.
    private static let lookingTime = 10.0

    /// The level to hold, in seconds.
    private(set) var target: Double
    private var looked = (seconds: 0.0, total: 0.0)
    private var error = 0.0
    private var integral = 0.0
    private var factor = 1.0
    private var lastTime: Double?

    /// Holds the average level of the first `lookingTime`, but at least `minimum` seconds.
    init(minimum: Double) { target = minimum }

    /// How fast to play: 1 is the stream's own speed, more when too much is buffered.
    ///
    /// - Parameters:
    ///   - buffered: seconds of the stream that are buffered.
    ///   - time: in seconds, of a clock that never goes back.
    mutating func factor(buffered: Double, at time: Double) -> Double {
        guard let last = lastTime else {
            lastTime = time
            return factor
        }
        // After a pause no more than 1 s counts as passed.
        let passed = min(time - last, 1)
        lastTime = time
        guard passed > 0 else { return factor }
        guard looked.seconds >= Self.lookingTime else {
            looked.seconds += passed
            looked.total += passed * buffered
            if looked.seconds >= Self.lookingTime {
                target = max(target, looked.total / looked.seconds)
                error = looked.total / looked.seconds - target
            }
            return factor
        }
        error += (buffered - target - error) * min(1, passed / Self.filterTime)
        let wanted = Self.gain * error + integral
        // At the limit the integral is held: so large an error comes from the buffer, not from the
        // clock.
        if abs(wanted) < Self.limit {
            integral += Self.gain * Self.gain / 4 * error * passed
        }
        let aim = 1 + min(max(wanted, -Self.limit), Self.limit)
        let step = Self.slew * passed
        factor += min(max(aim - factor, -step), step)
        return factor
    }
}
