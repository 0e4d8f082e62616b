import Synchronization

/// What the feed wants of the render thread, read once per slice.
struct QueueState {
    let drops: Int
    let dropBefore: Int
    let endsAt: Int
    let written: Int
    let runs: Int
    let startFrame: Int
    let stoppedRun: Int

    /// Whether no more buffers come in this run.
    var isComplete: Bool { @_noLocks get { endsAt <= written } }

    @_noLocks init(_ ring: UnsafePointer<QueueRing>) {
        // The number of buffers is read after the numbers that it bounds.
        runs = unsafe ring.pointee.runs.load(ordering: .acquiring)
        startFrame = unsafe ring.pointee.startFrame.load(ordering: .relaxed)
        stoppedRun = unsafe ring.pointee.stoppedRun.load(ordering: .acquiring)
        drops = unsafe ring.pointee.drops.load(ordering: .acquiring)
        dropBefore = unsafe ring.pointee.dropBefore.load(ordering: .acquiring)
        endsAt = unsafe ring.pointee.endsAt.load(ordering: .acquiring)
        written = unsafe ring.pointee.written.load(ordering: .acquiring)
    }
}
