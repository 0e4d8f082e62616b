import Glibc

/// How fast a meter's readings change at a sample rate.
struct MeterPace: BitwiseCopyable {
    let holdFrames: Int32
    /// Factor of a falling peak per frame: 10^(−10.5/20/rate).
    let fall: Float
    /// Factor by which a mean square decays in eight frames: e^(−8/(τ·rate)).
    let keptInEight: Float
    /// Weight of each lane in the mean square when the newest frame is in the last lane: for that
    /// frame 1 − e^(−1/(τ·rate)), for each older one e^(−1/(τ·rate)) of the next newer one's.
    let weights: SIMD8<Float>

    init(sampleRate: Int) {
        let rate = Double(sampleRate)
        let kept = exp(-1 / (0.3 * rate))
        // 2³² Hz and more count as less: a hold is a count of 32 bits.
        holdFrames = Int32(clamping: sampleRate / 2 + sampleRate % 2)
        fall = Float(pow(10, -10.5 / 20 / rate))
        keptInEight = Float(pow(kept, 8))
        var weights = SIMD8<Float>()
        for lane in 0..<8 { weights[lane] = Float((1 - kept) * pow(kept, Double(7 - lane))) }
        self.weights = weights
    }

    /// The weights when the newest frame is in the lane before `next`.
    @inline(never) @_noLocks func weights(next: Int) -> SIMD8<Float> {
        var turned = SIMD8<Float>()
        for age in 0..<8 { turned[(next &- 1 &- age) & 7] = weights[7 &- age] }
        return turned
    }
}
