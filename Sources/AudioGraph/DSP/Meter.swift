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
        // Most slices are whole eights of frames, and need none of what others need.
        guard lane == 0, count & 7 == 0 else { return unsafe processUneven(samples, count: count) }
        var (leftSlice, rightSlice) = (left.begin(), right.begin())
        unsafe addEights(samples, from: 0, to: count, &leftSlice, &rightSlice)
        unsafe finish(leftSlice, rightSlice, of: samples, count: count, pace.weights)
    }

    /// As `process(_:count:)`, where the frames before the first and after the last whole eight
    /// are added one by one.
    @inline(never) @_noLocks private mutating func processUneven(
        _ samples: StereoSamples, count: Int
    ) {
        var (leftSlice, rightSlice) = (left.begin(), right.begin())
        var i = 0
        while lane != 0, i < count {
            unsafe addFrame(samples, at: i, &leftSlice, &rightSlice)
            i &+= 1
        }
        let end = i &+ ((count &- i) & ~7)
        unsafe addEights(samples, from: i, to: end, &leftSlice, &rightSlice)
        i = end
        while i < count {
            unsafe addFrame(samples, at: i, &leftSlice, &rightSlice)
            i &+= 1
        }
        unsafe finish(
            leftSlice, rightSlice, of: samples, count: count, pace.weights(next: lane))
    }

    @inline(__always) @_noLocks private func addEights(
        _ samples: StereoSamples, from start: Int, to end: Int, _ left: inout MeterSlice,
        _ right: inout MeterSlice
    ) {
        let kept = pace.keptInEight
        var i = start
        // Both channels in one loop: while one waits for its last sum, the other is computed.
        while i < end {
            unsafe left.addEight(samples.left + i, keptInEight: kept)
            unsafe right.addEight(samples.right + i, keptInEight: kept)
            i &+= 8
        }
    }

    @inline(__always) @_noLocks private mutating func finish(
        _ leftSlice: MeterSlice, _ rightSlice: MeterSlice, of samples: StereoSamples, count: Int,
        _ weights: SIMD8<Float>
    ) {
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
