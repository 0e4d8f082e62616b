/// An echo in a plan. Input 0 and output 0 are the same buffers, mono or stereo.
///
/// Of each frame x: d = the line's frame that is one delay old; y = y·(1 − a) + d·a, the tone; into
/// the line goes x + feedback·y, and out x·(1 − mix) + y·mix.
@safe struct DelayKernel: ~Copyable {
    private var line: DelayLine
    /// The delay in frames, which the line fades to.
    private var time: ParameterRamp
    private var feedback: ParameterRamp
    /// The a of the tone.
    private var tone: ParameterRamp
    private var mix: ParameterRamp
    /// The y of the frame before.
    private var repeats = SIMD2<Float>.zero

    /// - Parameters:
    ///   - parameters: time, feedback, tone and mix.
    ///   - longest: the longest delay in frames, at least 1.
    init(_ parameters: [ParameterRamp], longest: Int) {
        time = parameters[0]
        feedback = parameters[1]
        tone = parameters[2]
        mix = parameters[3]
        line = DelayLine(longest: longest, tap: Int(time.ramp.target))
    }

    @_noLocks mutating func reset() {
        takeTime()
        line.reset()
        feedback.reset()
        tone.reset()
        mix.reset()
        repeats = .zero
    }

    @_noLocks private mutating func takeTime() {
        if let length = time.take() { line.aim(at: Int(time.ramp.target), over: length) }
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        takeTime()
        feedback.take()
        tone.take()
        mix.take()
        let (out, count) = unsafe (outputs[0], slice.count)
        if out.isAtRest, line.isSilent, repeats == .zero {
            line.skip(count)
        } else {
            unsafe process(out.stereo, count: count)
            out.isAtRest = false
        }
        feedback.ramp.advance(count)
        tone.ramp.advance(count)
        mix.ramp.advance(count)
    }

    @_noLocks private mutating func process(_ samples: StereoSamples, count: Int) {
        let (left, right) = unsafe (samples.left, samples.right)
        for i in 0..<count {
            let x = unsafe SIMD2(left[i], right[i])
            let wet = mix.ramp.value(at: i)
            let a = tone.ramp.value(at: i)
            repeats = audible(repeats * (1 - a) + line.read() * a)
            line.write(audible(x + repeats * feedback.ramp.value(at: i)))
            let heard = x * (1 - wet) + repeats * wet
            unsafe left[i] = heard.x
            unsafe right[i] = heard.y
        }
    }

    /// Silence in place of a frame whose sides are below −140 dBFS (their mean square is below
    /// 10⁻¹⁴), so that repeats end, and of one that is not finite or beyond 2²⁰, which would be
    /// repeated for ever.
    @inline(__always) @_noLocks private func audible(_ frame: SIMD2<Float>) -> SIMD2<Float> {
        let energy = (frame * frame).sum()
        // NaN is in no range.
        return energy >= 2e-14 && energy <= 0x1p40 ? frame : .zero
    }
}
