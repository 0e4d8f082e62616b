/// A graph compiled to the steps of one slice, in order. Owns no state: kernels outlive it.
@safe struct RenderPlan: ~Copyable {
    /// Grows by one with every plan of a graph.
    let generation: Int
    let steps: UnsafeBufferPointer<RenderStep>
    /// The rings that a driver may wait for.
    let songs: UnsafeBufferPointer<UnsafePointer<SongRing>>

    @_noLocks func render(_ slice: Slice) {
        for i in unsafe 0..<steps.count { unsafe steps[i].run(slice) }
    }
}
