import Glibc

/// Peak and RMS of two channels, the same for any split into slices.
///
/// Peak: taken per frame, held 0.5 s, then falling 10.5 dB/s. RMS: a one-pole mean square with
/// τ = 0.3 s, so that a full-scale sine reads −3.01 dBFS.
struct Meter: BitwiseCopyable {
    private let pace: MeterPace
    /// The lane of `MeterChannel` that the next frame belongs to, 0…7.
    private var lane = 0

    private(set) var left = MeterChannel()
    private(set) var right = MeterChannel()

    init(sampleRate: Int) { pace = MeterPace(sampleRate: sampleRate) }

    /// Forgets what was heard.
    @_noLocks mutating func reset() { (left, right) = (MeterChannel(), MeterChannel()) }

    /// As `process(_:count:)`; of samples that are all 0, which changes nothing once both channels
    /// have fallen below the lowest level that is told, only the number.
    @_noLocks mutating func process(_ samples: StereoSamples, isSilent: Bool, count: Int) {
        guard isSilent, left.isBelowFloor, right.isBelowFloor else {
            return unsafe process(samples, count: count)
        }
        reset()
        lane = (lane &+ count) & 7
    }

    @_noLocks mutating func process(_ samples: StereoSamples, count: Int) {
        let kept = pace.keptInEight
        var (leftSlice, rightSlice) = (left.begin(), right.begin())
        var i = 0
        while lane != 0, i < count {
            unsafe addFrame(samples, at: i, &leftSlice, &rightSlice)
            i &+= 1
        }
        // Both channels in one loop: while one waits for its last sum, the other is computed.
        let end = i &+ ((count &- i) & ~7)
        while i < end {
            unsafe leftSlice.addEight(samples.left + i, keptInEight: kept)
            unsafe rightSlice.addEight(samples.right + i, keptInEight: kept)
            i &+= 8
        }
        while i < count {
            unsafe addFrame(samples, at: i, &leftSlice, &rightSlice)
            i &+= 1
        }
        let weights = lane == 0 ? pace.weights : pace.weights(next: lane)
        unsafe left.finish(leftSlice, of: samples.left, count: count, weights, pace: pace)
        unsafe right.finish(rightSlice, of: samples.right, count: count, weights, pace: pace)
    }

    @inline(__always) @_noLocks private mutating func addFrame(
        _ samples: StereoSamples, at i: Int, _ left: inout MeterSlice, _ right: inout MeterSlice
    ) {
        unsafe left.add(samples.left[i], lane: lane, keptInEight: pace.keptInEight)
        unsafe right.add(samples.right[i], lane: lane, keptInEight: pace.keptInEight)
        lane = (lane &+ 1) & 7
    }
}

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
        holdFrames = Int32((0.5 * rate).rounded())
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
