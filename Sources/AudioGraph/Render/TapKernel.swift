/// A tap in a plan: hands a copy of input 0 to another thread.
@safe struct TapKernel {
    private let ring: UnsafePointer<TapRing>

    init(ring: UnsafePointer<TapRing>) { unsafe self.ring = ring }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        unsafe ring.pointee.push(
            inputs, frame: slice.frame, count: slice.count, values: SIMD8())
    }
}
