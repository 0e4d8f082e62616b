/// One filter of a chain: its coefficients, which move linearly to new ones, and its state, both in
/// Double.
///
/// Coefficients in Float and state in Double keep a filter at 31 Hz and 192 kHz more than 128 dB
/// above its own noise. The filter stays stable while its coefficients move, since every g and k on
/// the way is above 0 and the state is that of the integrators.
struct FilterSection: BitwiseCopyable {
    private var start = FilterCoefficients.flat
    private var target = FilterCoefficients.flat
    private var clock = RampClock(length: 0)
    /// What the two integrators hold, for the left and the right channel.
    private var first = SIMD2<Double>.zero
    private var second = SIMD2<Double>.zero

    // Written out, since the implicit initialiser is not `@_noLocks`.
    @_noLocks init() {}

    /// Whether the output is the input, and stays so.
    var isFlat: Bool { @_noLocks get { clock.isOver && target.isFlat } }

    /// Whether silence in is silence out.
    var isSilent: Bool { @_noLocks get { first == .zero && second == .zero } }

    /// Starts a ramp of `length` frames from the present coefficients to `new`; with a length of 0
    /// they hold at once.
    @_noLocks mutating func aim(at new: FilterCoefficients, over length: Int32) {
        if isFlat {
            // Nothing sounds on, so only the parts in the output need to move.
            start = new.flattened
            target = new
            if new.isFlat { return }
        } else {
            start = coefficients(at: 0)
            target = new
        }
        clock.restart(length: length)
        if isFlat { forget() }
    }

    /// Goes to the target at once, and forgets what sounds on.
    @_noLocks mutating func reset() {
        clock.end()
        forget()
    }

    @_noLocks private mutating func forget() {
        first = .zero
        second = .zero
    }

    /// Ends what sounds on when it is below −200 dBFS, and what is not finite or enormous, which
    /// would never end. To be called at the same frames whatever the slices are.
    @_noLocks mutating func settle() {
        let energy = (first * first + second * second).sum()
        // NaN is in no range.
        if !(energy >= 1e-20 && energy < 1e60) { forget() }
    }

    @inline(__always) @_noLocks
    private func coefficients(at offset: Int) -> FilterCoefficients {
        let progress = clock.progress(at: offset)
        guard progress < 1 else { return target }
        return FilterCoefficients(
            lanes: start.lanes + (target.lanes - start.lanes) * Double(progress))
    }

    /// Moves on by `count` frames of silence.
    @_noLocks mutating func skip(_ count: Int) { clock.advance(count) }

    /// Filters `count` frames in place.
    @_noLocks mutating func process(_ frames: UnsafeMutablePointer<SIMD2<Double>>, count: Int) {
        var done = 0
        if !clock.isOver {
            done = min(count, clock.remaining)
            unsafe filterWhileMoving(frames, count: done)
            clock.advance(done)
            if isFlat { forget() }
        }
        guard done < count, !target.isFlat else { return }
        unsafe filter(frames + done, count: count - done, by: target)
    }

    /// One frame of the trapezoidal state-variable filter with the solved loop (Zavalishin, 4.2).
    @inline(never) @_noLocks private mutating func filter(
        _ frames: UnsafeMutablePointer<SIMD2<Double>>, count: Int, by c: FilterCoefficients
    ) {
        let (m0, m1, m2) = (c.m0, c.m1, c.m2)
        let a1 = 1 / (1 + c.g * (c.g + c.k))
        let a2 = c.g * a1
        let a3 = c.g * a2
        var (s1, s2) = (first, second)
        for i in 0..<count {
            let x = unsafe frames[i]
            let rest = x - s2
            let band = a1 * s1 + a2 * rest
            let low = s2 + a2 * s1 + a3 * rest
            s1 = 2 * band - s1
            s2 = 2 * low - s2
            unsafe frames[i] = m0 * x + m1 * band + m2 * low
        }
        (first, second) = (s1, s2)
    }

    /// As `filter` while the coefficients move: every frame has its own.
    @inline(never) @_noLocks private mutating func filterWhileMoving(
        _ frames: UnsafeMutablePointer<SIMD2<Double>>, count: Int
    ) {
        for i in 0..<count { unsafe filter(frames + i, count: 1, by: coefficients(at: i)) }
    }
}
