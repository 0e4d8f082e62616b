/// An echo in a plan. Input 0 and output 0 are the same buffers, mono or stereo.
///
/// Of each frame x: d = the line's frame that is one delay old; y = y·(1 − a) + d·a, the tone; into
/// the line goes x + feedback·y, and out x·(1 − mix) + y·mix.
@safe struct DelayKernel: ~Copyable {
    /// Where each parameter's value comes from.
    @unsafe struct Mailboxes {
        /// The delay in frames.
        let time: UnsafePointer<Mailbox>
        let feedback: UnsafePointer<Mailbox>
        /// The a of the tone.
        let tone: UnsafePointer<Mailbox>
        let mix: UnsafePointer<Mailbox>
    }

    private let time: UnsafePointer<Mailbox>
    private var line: DelayLine
    private var feedback: ParameterRamp
    private var tone: ParameterRamp
    private var mix: ParameterRamp
    /// The y of the frame before.
    private var repeats = SIMD2<Float>.zero
    private var isNew = true

    /// - Parameters:
    ///   - longest: the longest delay in frames, at least 1.
    ///   - values: what holds until a value is posted: delay, feedback, tone and mix.
    init(_ mailboxes: Mailboxes, longest: Int, values: SIMD4<Float>) {
        unsafe time = mailboxes.time
        line = DelayLine(longest: longest, tap: Int(values[0]))
        feedback = unsafe ParameterRamp(mailbox: mailboxes.feedback, at: values[1])
        tone = unsafe ParameterRamp(mailbox: mailboxes.tone, at: values[2])
        mix = unsafe ParameterRamp(mailbox: mailboxes.mix, at: values[3])
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
        if let new = unsafe time.pointee.take() {
            unsafe line.aim(at: Int(new.floats[0]), over: isNew ? 0 : new.ramp)
        }
        isNew = false
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
