/// A filter of second order in its state-variable form, which can be any biquad.
///
/// With the gain g and the damping k of the two integrators (Zavalishin, "The Art of VA Filter
/// Design", 2018, chapter 4: trapezoidal integration):
///
///     H = m0 + (m1·g·(1 − z⁻²) + m2·g²·(1 + z⁻¹)²) / D
///     D = (1 − z⁻¹)² + k·g·(1 − z⁻²) + g²·(1 + z⁻¹)²
///
/// At low frequencies g is small and exact in Float, where the coefficients of a direct form are
/// almost 2 and 1 and lose what makes the filter.
struct FilterCoefficients: BitwiseCopyable {
    /// g, k, m0, m1 and m2; three zeros.
    var lanes: SIMD8<Double>

    /// The gain of the integrators, above 0: tan(ω/2) of the poles' frequency.
    var g: Double { @_noLocks get { lanes[0] } }
    /// The damping, above 0: 1/Q of the poles.
    var k: Double { @_noLocks get { lanes[1] } }
    /// The parts of the input, of the band-pass and of the low-pass in the output.
    var m0: Double { @_noLocks get { lanes[2] } }
    var m1: Double { @_noLocks get { lanes[3] } }
    var m2: Double { @_noLocks get { lanes[4] } }

    @_noLocks init(lanes: SIMD8<Double>) { self.lanes = lanes }

    @_noLocks init(g: Double, k: Double, m0: Double, m1: Double, m2: Double) {
        lanes = .zero
        lanes[0] = g
        lanes[1] = k
        lanes[2] = m0
        lanes[3] = m1
        lanes[4] = m2
    }

    /// Whether the output is the input.
    var isFlat: Bool { @_noLocks get { m0 == 1 && m1 == 0 && m2 == 0 } }

    /// A filter with these poles whose output is its input.
    var flattened: FilterCoefficients {
        @_noLocks get { FilterCoefficients(g: g, k: k, m0: 1, m1: 0, m2: 0) }
    }

    /// A filter whose output is its input.
    static var flat: FilterCoefficients {
        @_noLocks get { FilterCoefficients(g: 1, k: 1, m0: 1, m1: 0, m2: 0) }
    }

    /// The filter with a gain behind it. Control thread.
    func amplified(by gain: Double) -> FilterCoefficients {
        FilterCoefficients(g: g, k: k, m0: gain * m0, m1: gain * m1, m2: gain * m2)
    }

    /// How many floats `floats` has.
    static var floatCount: Int { @_noLocks get { 5 } }

    /// The five coefficients, as a slot carries them. Control thread.
    var floats: [Float] { (0..<Self.floatCount).map { Float(lanes[$0]) } }
}

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

/// A filter of second order at work: its coefficients as a loop needs them, and its state.
///
/// The trapezoidal state-variable filter with the solved loop (Zavalishin, "The Art of VA Filter
/// Design", 2018, 4.2): with a1 = 1/(1 + g·(g + k)), a2 = g·a1, a3 = g·a2 and d = x − s2
///
///     band = a1·s1 + a2·d, low = s2 + a2·s1 + a3·d
///     s1 ← 2·band − s1, s2 ← 2·low − s2, y = m0·x + m1·band + m2·low
///
/// multiplied out, so that the way from one frame's state to the next is short.
struct FilterStep: BitwiseCopyable {
    /// What the two integrators hold, for the left and the right channel.
    private(set) var first: SIMD2<Double>
    private(set) var second: SIMD2<Double>
    private let kept: SIMD2<Double>
    private let crossed: SIMD2<Double>
    private let taken: SIMD2<Double>
    private let fromInput: SIMD2<Double>
    private let fromFirst: SIMD2<Double>
    private let fromSecond: SIMD2<Double>

    @inline(__always) @_noLocks
    init(_ c: FilterCoefficients, _ first: SIMD2<Double>, _ second: SIMD2<Double>) {
        self.first = first
        self.second = second
        let a1 = 1 / (1 + c.g * (c.g + c.k))
        let a2 = c.g * a1
        let a3 = c.g * a2
        kept = SIMD2(repeating: 2 * a1 - 1)
        crossed = SIMD2(repeating: 2 * a2)
        taken = SIMD2(repeating: 2 * a3)
        fromInput = SIMD2(repeating: c.m0 + c.m1 * a2 + c.m2 * a3)
        fromFirst = SIMD2(repeating: c.m1 * a1 + c.m2 * a2)
        fromSecond = SIMD2(repeating: c.m2 - c.m1 * a2 - c.m2 * a3)
    }

    /// Filters one frame.
    @inline(__always) @_noLocks mutating func step(_ x: SIMD2<Double>) -> SIMD2<Double> {
        let y = fromInput * x + (fromFirst * first + fromSecond * second)
        let rest = x - second
        second = (second + crossed * first) + taken * rest
        first = kept * first + crossed * rest
        return y
    }
}
