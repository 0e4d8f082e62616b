/// A graph compiled to the steps of one slice, in order. It owns no state: kernels outlive it.
@safe struct RenderPlan: ~Copyable {
    let steps: UnsafeBufferPointer<RenderStep>

    @_noLocks func render(_ slice: Slice) {
        for i in unsafe 0..<steps.count { unsafe steps[i].run(slice) }
    }

    /// Whether every unit could begin at `frame` of a transport in the next cycle.
    @_noLocks func isReady(at frame: Int64) -> Bool {
        var isReady = true
        for i in unsafe 0..<steps.count { isReady = unsafe isReady && steps[i].isReady(at: frame) }
        return isReady
    }

    /// Waits until every unit has what it needs for `frames` frames, or until the limit; false when that
    /// came first. Blocks.
    func wait(frames: Int, transport: Int64, until limit: Supply.Limit) -> Bool {
        var isReady = true
        // Every unit is asked, even after the limit.
        for i in unsafe 0..<steps.count {
            isReady =
                unsafe steps[i].wait(frames: frames, transport: transport, until: limit) && isReady
        }
        return isReady
    }
}
