/// Owns the memory of one plan and everything that its steps point at: buffers of samples, lists,
/// kernels. Freed on the control thread, after the render thread has taken a newer plan.
@safe final class CompiledPlan {
    let pointer: UnsafeMutablePointer<RenderPlan>
    private var blocks: [UnsafeMutableRawPointer] = unsafe []
    /// Kernels, and what they share with their nodes.
    private var kept: [AnyObject] = []

    init() {
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(
            to: RenderPlan(steps: UnsafeBufferPointer(start: nil, count: 0)))
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
        for i in unsafe blocks.indices { unsafe blocks[i].deallocate() }
    }

    /// Makes `steps` the plan's steps.
    func finish(_ steps: [RenderStep]) {
        unsafe pointer.pointee = RenderPlan(steps: UnsafeBufferPointer(list(steps)))
    }

    /// Keeps `object` alive for as long as the plan is in use.
    func keep(_ object: AnyObject) { kept.append(object) }

    /// Room for `values`, which are plain: they own nothing.
    func list<Value>(_ values: [Value]) -> UnsafeMutableBufferPointer<Value> {
        let block = UnsafeMutableBufferPointer<Value>.allocate(capacity: max(values.count, 1))
        unsafe blocks.append(UnsafeMutableRawPointer(block.baseAddress!))
        _ = unsafe block.initialize(from: values)
        return unsafe UnsafeMutableBufferPointer(rebasing: block[..<values.count])
    }

    /// A buffer of samples, all `value`.
    func samples(_ count: Int, value: Float) -> Samples {
        unsafe list([Float](repeating: value, count: count)).baseAddress!
    }
}
