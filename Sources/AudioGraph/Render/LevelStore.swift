import Synchronization

/// A meter's last readings, handed from the render thread to the control thread.
struct LevelStore: ~Copyable {
    let leftPeak = Atomic<Float>(0)
    let rightPeak = Atomic<Float>(0)
    let leftMeanSquare = Atomic<Float>(0)
    let rightMeanSquare = Atomic<Float>(0)

    @_noLocks func publish(_ meter: Meter) {
        leftPeak.store(meter.left.peak, ordering: .relaxed)
        rightPeak.store(meter.right.peak, ordering: .relaxed)
        leftMeanSquare.store(meter.left.meanSquare, ordering: .relaxed)
        rightMeanSquare.store(meter.right.meanSquare, ordering: .relaxed)
    }
}
