/// Keeps samples that no loudspeaker should get from every later stage: those that are not finite
/// become 0, magnitudes above 2²⁰ are clamped to 2²⁰.
enum Guard {
    @_noLocks static func process(_ samples: Samples, count: Int) {
        guard unsafe anyExceeds(0x1p20, in: samples, count: count) else { return }
        for i in 0..<count {
            let x = unsafe samples[i]
            unsafe samples[i] = x.isFinite ? min(max(x, -0x1p20), 0x1p20) : 0
        }
    }
}
