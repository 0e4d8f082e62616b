import Glibc

/// Peak and RMS of two channels, the same for any split into slices.
///
/// Peak: taken per frame, held 0.5 s, then falling 10.5 dB/s. RMS: a one-pole mean square with
/// τ = 0.3 s, so that a full-scale sine reads −3.01 dBFS.
struct Meter: BitwiseCopyable {
    private let holdFrames: Int32
    /// What a peak keeps per frame when it falls: 10^(−10.5/20/rate).
    private let fall: Float
    /// 1 − e^(−1/(τ·rate)).
    private let weight: Float

    private(set) var left = Channel()
    private(set) var right = Channel()

    /// What is known of one channel.
    struct Channel: BitwiseCopyable {
        var peak: Float = 0
        var meanSquare: Float = 0
        fileprivate var hold: Int32 = 0
    }

    init(sampleRate: Int) {
        let rate = Double(sampleRate)
        holdFrames = Int32((0.5 * rate).rounded())
        fall = Float(pow(10, -10.5 / 20 / rate))
        weight = Float(-expm1(-1 / (0.3 * rate)))
    }

    // Both channels in one loop: each mean square waits for its own last value, and two such
    // chains beside each other take the time of one.
    @_noLocks mutating func process(_ samples: StereoSamples, count: Int) {
        let kept = 1 - weight
        var (l, r) = (left, right)
        var means = SIMD2(l.meanSquare, r.meanSquare)
        for i in 0..<count {
            let x = unsafe finite(samples.left[i])
            let y = unsafe finite(samples.right[i])
            let squares = SIMD2(x * x, y * y)
            means = means * kept + squares * weight
            follow(&l, x)
            follow(&r, y)
        }
        l.meanSquare = means.x
        r.meanSquare = means.y
        (left, right) = (l, r)
    }

    @_noLocks private func follow(_ channel: inout Channel, _ magnitude: Float) {
        if magnitude >= channel.peak {
            channel.peak = magnitude
            channel.hold = holdFrames
        } else if channel.hold > 0 {
            channel.hold &-= 1
        } else {
            channel.peak *= fall
        }
    }

    /// The magnitude, at most 2²⁰: one NaN must not stay in the mean for ever.
    @_noLocks private func finite(_ sample: Float) -> Float {
        let magnitude = abs(sample)
        return magnitude < 0x1p20 ? magnitude : 0x1p20
    }
}
