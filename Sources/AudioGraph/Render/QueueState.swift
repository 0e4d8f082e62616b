import Synchronization

/// What the feed wants of the render thread, read once per slice.
struct QueueState {
    private(set) var drops = 0
    private(set) var dropBefore = 0
    private(set) var endsAt = 0
    private(set) var written = 0
    private(set) var runs = 0
    private(set) var startFrame = 0
    private(set) var stoppedRun = 0

    /// Whether no more buffers come in this run.
    var isComplete: Bool { @_noLocks get { endsAt <= written } }

    @_noLocks init(_ ring: UnsafePointer<QueueRing>) {
        // Again where the feed has dropped or stopped meanwhile: buffers that came after a drop are
        // not to be seen without it. The feed does not do so four times within these few loads.
        for _ in 0..<4 {
            unsafe read(ring)
            let isUnchanged =
                unsafe ring.pointee.drops.load(ordering: .relaxed) == drops
                && ring.pointee.stoppedRun.load(ordering: .relaxed) == stoppedRun
            if isUnchanged { return }
        }
    }

    @_noLocks private mutating func read(_ ring: UnsafePointer<QueueRing>) {
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
