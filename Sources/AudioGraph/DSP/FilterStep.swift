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
