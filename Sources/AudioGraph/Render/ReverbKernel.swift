/// A reverb in a plan. Input 0: mono or stereo. Output 0: stereo, in buffers of its own.
///
/// Of each frame x: what came the pre-delay earlier goes through the diffuser into the lines, which
/// give y; out goes x·(1 − wet) + y·wet.
@safe struct ReverbKernel: ~Copyable {
    /// Where each value comes from.
    @unsafe struct Mailboxes {
        /// The pre-delay in frames.
        let preDelay: UnsafePointer<Mailbox>
        let taps: UnsafePointer<Mailbox>
        let gains: UnsafePointer<Mailbox>
        let poles: UnsafePointer<Mailbox>
        let level: UnsafePointer<Mailbox>
        let wet: UnsafePointer<Mailbox>
    }

    /// After so many frames the kernel looks whether all is over. Counted from the first frame, so
    /// that it is the same for any split into slices.
    private static var pace: Int { @_noLocks get { 64 } }

    private let mailboxes: Mailboxes
    private var past: DelayLine
    private var diffuser: Diffuser
    private var lines: ReverbLines
    private var level: ParameterRamp
    private var wet: ParameterRamp
    /// At most `pace` frames on their way.
    private let frames: UnsafeMutablePointer<SIMD2<Float>>
    private var untilLook = Self.pace
    /// Frames since something could be heard, and how many of them empty all that sounds on.
    private var quietFrames = 0
    private let longest: Int
    /// Whether nothing sounds on: all was emptied, and nothing has come in since.
    private var isSilent = true
    /// Whether nothing was rendered yet: the first values then hold at once, without a ramp.
    private var isNew = true

    /// - Parameters:
    ///   - longestPreDelay: in frames.
    ///   - longestLine: in frames.
    ///   - diffusion: the delays of the diffuser, in frames.
    ///   - design: what holds until values are posted.
    ///   - preDelay: the pre-delay until then, in frames.
    ///   - wet: the wet part until then, 0…1.
    init(
        _ mailboxes: Mailboxes, longestPreDelay: Int, longestLine: Int, diffusion: [Int],
        design: ReverbDesign, preDelay: Float, wet: Float
    ) {
        unsafe self.mailboxes = mailboxes
        past = DelayLine(longest: longestPreDelay + 1, tap: Int(preDelay) + 1)
        diffuser = Diffuser(delays: diffusion)
        lines = ReverbLines(
            longest: longestLine, taps: design.taps, gains: design.gains, poles: design.poles)
        level = unsafe ParameterRamp(mailbox: mailboxes.level, at: design.level)
        self.wet = unsafe ParameterRamp(mailbox: mailboxes.wet, at: wet)
        unsafe frames = .allocate(capacity: Self.pace)
        unsafe frames.initialize(repeating: .zero, count: Self.pace)
        longest = longestLine + diffusion.reduce(0, +)
    }

    deinit { unsafe frames.deallocate() }

    @_noLocks mutating func reset() {
        take()
        past.reset()
        empty()
        lines.reset()
        level.reset()
        wet.reset()
        untilLook = Self.pace
    }

    @_noLocks private mutating func empty() {
        diffuser.reset()
        lines.empty()
        quietFrames = 0
        isSilent = true
    }

    @_noLocks private mutating func take() {
        if let new = unsafe mailboxes.preDelay.pointee.take() {
            // Written before it is read: the newest frame is one back.
            unsafe past.aim(at: Int(new.floats[0]) + 1, over: isNew ? 0 : new.ramp)
        }
        if let new = unsafe mailboxes.taps.pointee.take() {
            unsafe lines.aim(at: Self.lanes(new.floats), over: isNew ? 0 : new.ramp)
        }
        if let new = unsafe mailboxes.gains.pointee.take() {
            unsafe lines.gains.aim(at: Self.lanes(new.floats), over: isNew ? 0 : new.ramp)
        }
        if let new = unsafe mailboxes.poles.pointee.take() {
            unsafe lines.poles.aim(at: Self.lanes(new.floats), over: isNew ? 0 : new.ramp)
        }
        isNew = false
    }

    @_noLocks private static func lanes(_ floats: UnsafePointer<Float>) -> SIMD8<Float> {
        var lanes = SIMD8<Float>.zero
        for i in 0..<ReverbLines.count { lanes[i] = unsafe floats[i] }
        return lanes
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        take()
        level.take()
        wet.take()
        let (source, out, total) = unsafe (inputs[0], outputs[0], slice.count)
        let isIdle = isSilent && source.isAtRest
        if isIdle {
            out.clear(count: total)
            past.skip(total)
            lines.skip(total)
        } else {
            out.isAtRest = false
        }
        var done = 0
        while done < total {
            let part = min(total - done, untilLook)
            if !isIdle {
                unsafe process(source.stereo, to: out.stereo, from: done, count: part)
            }
            done += part
            untilLook -= part
            if untilLook == 0 {
                untilLook = Self.pace
                if !isIdle { look() }
            }
        }
        level.ramp.advance(total)
        wet.ramp.advance(total)
        lines.gains.advance(total)
        lines.poles.advance(total)
    }

    /// Empties everything when nothing of it could be heard for as long as a sound stays anywhere.
    @_noLocks private mutating func look() {
        let isQuiet = lines.isQuiet()
        quietFrames = isQuiet && past.isSilent ? quietFrames + Self.pace : 0
        if quietFrames > longest { empty() }
    }

    /// At most `pace` frames.
    @_noLocks private mutating func process(
        _ source: StereoSamples, to out: StereoSamples, from start: Int, count: Int
    ) {
        // Also after a look, in the middle of a slice, that has found nothing left.
        isSilent = false
        let (left, right) = unsafe (source.left + start, source.right + start)
        for i in 0..<count {
            past.write(Self.bounded(unsafe SIMD2(left[i], right[i])))
            unsafe frames[i] = past.read() * level.ramp.value(at: start + i)
        }
        unsafe diffuser.process(frames, count: count)
        unsafe lines.process(frames, count: count, at: start)
        let (outLeft, outRight) = unsafe (out.left + start, out.right + start)
        for i in 0..<count {
            let wet = wet.ramp.value(at: start + i)
            let heard = unsafe SIMD2(left[i], right[i]) * (1 - wet) + frames[i] * wet
            unsafe outLeft[i] = heard.x
            unsafe outRight[i] = heard.y
        }
    }

    /// Silence in place of a frame that is not finite or beyond 2²⁰, which would go round for ever.
    @inline(__always) @_noLocks private static func bounded(_ frame: SIMD2<Float>) -> SIMD2<Float> {
        // NaN is in no range.
        (frame * frame).sum() <= 0x1p40 ? frame : .zero
    }
}
