/// Owns the memory of one plan and everything that its steps point at.
///
/// Freed on the control thread, after the render thread has taken a newer plan.
@safe final class CompiledPlan {
    let generation: Int
    let pointer: UnsafeMutablePointer<RenderPlan>
    private let samples: [Samples]
    private let inputLists: [UnsafeMutableBufferPointer<MixerKernel.Input>]
    /// Kernels, and the controls that they share with their nodes.
    private let kept: [AnyObject]

    init(_ builder: PlanBuilder, generation: Int) {
        self.generation = generation
        unsafe samples = unsafe builder.samples
        unsafe inputLists = unsafe builder.inputLists
        kept = builder.kept
        let steps = UnsafeMutableBufferPointer<RenderStep>.allocate(capacity: builder.steps.count)
        _ = unsafe steps.initialize(from: builder.steps)
        let songs = unsafe UnsafeMutableBufferPointer<UnsafePointer<SongRing>>.allocate(
            capacity: builder.songs.count)
        _ = unsafe songs.initialize(from: builder.songs)
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(
            to: RenderPlan(
                generation: generation, steps: UnsafeBufferPointer(steps),
                songs: UnsafeBufferPointer(songs)))
    }

    deinit {
        unsafe pointer.pointee.steps.deallocate()
        unsafe pointer.pointee.songs.deallocate()
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
        for i in unsafe samples.indices { unsafe samples[i].deallocate() }
        for i in unsafe inputLists.indices { unsafe inputLists[i].deallocate() }
    }
}
