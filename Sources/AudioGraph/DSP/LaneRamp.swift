/// Eight values that move linearly to their targets, all in step.
struct LaneRamp: BitwiseCopyable {
    private var start: SIMD8<Float>
    private(set) var target: SIMD8<Float>
    private var clock = RampClock(length: 0)

    /// A ramp at rest at `values`.
    @_noLocks init(at values: SIMD8<Float>) {
        start = values
        target = values
    }

    /// Whether the targets are reached.
    var isOver: Bool { @_noLocks get { clock.isOver } }

    /// The values `offset` frames from now.
    @inline(__always) @_noLocks func values(at offset: Int) -> SIMD8<Float> {
        let progress = clock.progress(at: offset)
        return progress >= 1 ? target : start + (target - start) * progress
    }

    /// Starts a ramp of `length` frames from the present values to `values`; with a length of 0 it
    /// is there at once.
    @_noLocks mutating func aim(at values: SIMD8<Float>, over length: Int32) {
        start = self.values(at: 0)
        target = values
        clock.restart(length: length)
    }

    /// Goes to the targets at once.
    @_noLocks mutating func end() { clock.end() }

    /// Moves on by `count` frames.
    @_noLocks mutating func advance(_ count: Int) { clock.advance(count) }
}
