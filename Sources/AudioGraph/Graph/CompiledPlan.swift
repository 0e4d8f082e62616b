/// Owns the memory of one plan and everything that its steps point at.
///
/// Freed on the control thread, after the render thread has taken a newer plan.
@safe final class CompiledPlan {
    let generation: Int
    let pointer: UnsafeMutablePointer<RenderPlan>
    private let memory: PlanMemory
    /// Kernels, and the controls that they share with their nodes.
    private let kept: [AnyObject]

    init(_ steps: [RenderStep], in memory: PlanMemory, keeping kept: [AnyObject], generation: Int) {
        self.generation = generation
        self.memory = memory
        self.kept = kept
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(
            to: RenderPlan(
                generation: generation,
                steps: UnsafeBufferPointer(memory.list(steps))))
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
    }
}
