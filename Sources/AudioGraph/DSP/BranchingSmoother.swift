import Glibc

/// Follows a value at one speed upwards and at another downwards: the smooth branching detector of
/// D. Giannoulis, M. Massberg, J. D. Reiss, "Digital Dynamic Range Compressor Design" (Journal of the
/// Audio Engineering Society 60, 2012), equation 17. In Double, so that it arrives, however slow.
struct BranchingSmoother: BitwiseCopyable {
    private(set) var value: Double

    @_noLocks init(at value: Double) { self.value = value }

    /// The part of the way that is made in a frame, with which 63 % are made in `seconds`:
    /// 1 − e^(−1/(seconds·rate)). Control thread.
    static func speed(seconds: Double, sampleRate: Int) -> Float {
        Float(-expm1(-1 / (seconds * Double(sampleRate))))
    }

    /// Goes a frame towards `target`, upwards or downwards by that part of the way; a rest of less
    /// than 10⁻⁶ at once.
    @inline(__always) @_noLocks mutating func follow(_ target: Double, up: Double, down: Double) {
        let way = target - value
        let next = value + (way > 0 ? up * way : down * way)
        value = way > 1e-6 || way < -1e-6 ? next : target
    }

    /// Replaces each of `count` values by the one that follows it.
    @_noLocks mutating func process(_ values: Samples, up: Float, down: Float, count: Int) {
        var follower = self
        for i in 0..<count {
            unsafe follower.follow(Double(values[i]), up: Double(up), down: Double(down))
            unsafe values[i] = Float(follower.value)
        }
        self = follower
    }
}
