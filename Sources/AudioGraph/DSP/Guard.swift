/// Keeps what no loudspeaker should get from every later stage: samples that are not finite
/// become 0, larger ones than 2²⁰ are clamped.
enum Guard {
    @_noLocks static func process(_ samples: Samples, count: Int) {
        guard unsafe anyExceeds(0x1p20, in: samples, count: count) else { return }
        for i in 0..<count {
            let x = unsafe samples[i]
            unsafe samples[i] = x.isFinite ? min(max(x, -0x1p20), 0x1p20) : 0
        }
    }
}
