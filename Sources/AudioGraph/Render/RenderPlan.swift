/// A graph compiled to the steps of one slice, in order. It owns no state: kernels outlive it.
@safe struct RenderPlan: ~Copyable {
    /// The number of this plan, one higher than that of the graph's plan before.
    let generation: Int
    let steps: UnsafeBufferPointer<RenderStep>
    /// The rings of the songs in the plan, which a driver may wait for.
    let songs: UnsafeBufferPointer<UnsafePointer<SongRing>>

    @_noLocks func render(_ slice: Slice) {
        for i in unsafe 0..<steps.count { unsafe steps[i].run(slice) }
    }
}
