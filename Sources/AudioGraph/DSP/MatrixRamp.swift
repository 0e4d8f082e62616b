/// A pan matrix that moves linearly to a target, all four gains in step.
struct MatrixRamp: BitwiseCopyable {
    private var start: SIMD4<Float>
    private var target: SIMD4<Float>
    private var clock: RampClock

    /// A ramp at rest at `matrix`.
    init(at matrix: PanMatrix) {
        start = matrix.lanes
        target = start
        clock = RampClock(length: 0)
    }

    @_noLocks func value(at offset: Int) -> SIMD4<Float> {
        let progress = clock.progress(at: offset)
        return progress >= 1 ? target : start + (target - start) * progress
    }

    /// Starts a ramp of `length` frames from the present gains to `lanes`; with a length of 0 it
    /// is there at once.
    @_noLocks mutating func aim(at lanes: SIMD4<Float>, over length: Int32) {
        start = value(at: 0)
        target = lanes
        clock.restart(length: length)
    }

    /// Goes to the target at once.
    @_noLocks mutating func end() { clock.end() }

    /// Moves on by `count` frames of silence.
    @_noLocks mutating func skip(_ count: Int) { clock.advance(count) }

    /// Writes `source` times the gains to both sides of `out`, and moves on by `count` frames.
    @_noLocks mutating func render(_ source: StereoSamples, to out: StereoSamples, count: Int) {
        let isMono = unsafe source.isMono
        if !clock.isOver {
            for i in 0..<count {
                let gains = value(at: i)
                let left = unsafe source.left[i]
                let right = unsafe source.right[i]
                unsafe out.left[i] = left * gains.x + right * gains.y
                unsafe out.right[i] = left * gains.z + right * gains.w
            }
            clock.advance(count)
        } else if isMono {
            unsafe spread(source.left, to: out, gains: target, count: count)
        } else {
            unsafe mix(source, to: out, gains: target, count: count)
        }
    }
}

@_noLocks private func spread(
    _ source: Samples, to out: StereoSamples, gains: SIMD4<Float>, count: Int
) {
    let (left, right) = unsafe (out.left, out.right)
    for i in 0..<count {
        let sample = unsafe source[i]
        unsafe left[i] = sample * gains.x
        unsafe right[i] = sample * gains.z
    }
}

@_noLocks private func mix(
    _ source: StereoSamples, to out: StereoSamples, gains: SIMD4<Float>, count: Int
) {
    let (left, right) = unsafe (source.left, source.right)
    let (outLeft, outRight) = unsafe (out.left, out.right)
    for i in 0..<count {
        let l = unsafe left[i]
        let r = unsafe right[i]
        unsafe outLeft[i] = l * gains.x + r * gains.y
        unsafe outRight[i] = l * gains.z + r * gains.w
    }
}

extension PanMatrix {
    /// The gains in this order: left from left, left from right, right from left, right from right.
    var lanes: SIMD4<Float> {
        SIMD4(leftFromLeft, leftFromRight, rightFromLeft, rightFromRight)
    }
}
