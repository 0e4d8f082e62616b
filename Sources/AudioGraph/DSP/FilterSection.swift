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

    @_noLocks private func coefficients(at offset: Int) -> FilterCoefficients {
        let progress = clock.progress(at: offset)
        guard progress < 1 else { return target }
        return FilterCoefficients(
            lanes: start.lanes + (target.lanes - start.lanes) * Double(progress))
    }

    /// Moves on by `count` frames of silence.
    @_noLocks mutating func skip(_ count: Int) { clock.advance(count) }

    /// Takes `count` frames through this filter and then through `next`, in place.
    ///
    /// Two at once take little longer than one: the second computes while the first waits for its
    /// own last result. Each frame's result is the same as through one after the other.
    @_noLocks mutating func process(
        _ frames: UnsafeMutablePointer<SIMD2<Double>>, count: Int, then next: inout FilterSection
    ) {
        guard clock.isOver, next.clock.isOver, !isFlat, !next.isFlat else {
            unsafe process(frames, count: count)
            unsafe next.process(frames, count: count)
            return
        }
        var own = FilterStep(target, first, second)
        var other = FilterStep(next.target, next.first, next.second)
        for i in 0..<count { unsafe frames[i] = other.step(own.step(frames[i])) }
        (first, second) = (own.first, own.second)
        (next.first, next.second) = (other.first, other.second)
    }

    /// Filters `count` frames in place.
    @_noLocks mutating func process(_ frames: UnsafeMutablePointer<SIMD2<Double>>, count: Int) {
        var done = 0
        while done < count, !clock.isOver {
            // While the coefficients move, every frame has its own.
            unsafe filter(frames + done, count: 1, by: coefficients(at: 0))
            clock.advance(1)
            done += 1
            if isFlat { forget() }
        }
        guard done < count, !target.isFlat else { return }
        unsafe filter(frames + done, count: count - done, by: target)
    }

    @_noLocks private mutating func filter(
        _ frames: UnsafeMutablePointer<SIMD2<Double>>, count: Int,
        by coefficients: FilterCoefficients
    ) {
        var own = FilterStep(coefficients, first, second)
        for i in 0..<count { unsafe frames[i] = own.step(frames[i]) }
        (first, second) = (own.first, own.second)
    }
}
