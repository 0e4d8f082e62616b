import Synchronization
import SystemSupport

/// Gets a tap's frames in their order: the graph's frame of the first (`Graph.renderedFrames`,
/// counted at the tap's rate where it has one of its own), and an array of samples for each channel. Called on the tap's thread, within some 10 ms.
public typealias TapCallback = @Sendable (_ frame: Int, _ channels: [[Float]]) -> Void

/// The thread that reads a tap: looks a hundred times a second for what the render thread, which
/// can wake nobody, has put into the ring.
@safe final class TapReader: @unchecked Sendable {
    // Safety: the ring says which thread uses what; what `start` is given is called on the reader's
    // thread alone.
    private let ring: Shared<TapRing>
    private let wakeFlag = EventFlag()
    private let isStopped = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)

    init(_ ring: Shared<TapRing>) { self.ring = ring }

    /// Whether the eventfd exists by which the thread is woken.
    var hasEvents: Bool { wakeFlag != nil }

    /// Whether all was read after `stop`.
    var hasEnded: Bool { isOver.load(ordering: .acquiring) }

    /// Starts the thread; false when the system has none left. `end` is called after the last frames.
    func start(
        _ name: String, end: @escaping @Sendable () -> Void = {}, _ body: @escaping TapCallback
    ) -> Bool {
        DetachedThread.start(name) { [self] in
            while !isStopped.load(ordering: .acquiring) {
                wakeFlag?.clear()
                drain(body)
                _ = wakeFlag?.wait(milliseconds: 10)
            }
            drain(body)
            end()
            isOver.store(true, ordering: .releasing)
        } == 0
    }

    /// Makes the thread look at once.
    func wake() { wakeFlag?.set() }

    /// Ends the thread, after it has read what is in the ring.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        wake()
    }

    private func drain(_ body: TapCallback) {
        let ring = unsafe ring.pointer
        while let record = unsafe ring.pointee.first() {
            let channels = unsafe (0..<ring.pointee.channelCount).map { channel in
                unsafe Array(
                    UnsafeBufferPointer(
                        start: ring.pointee.samples(channel: channel), count: record.count))
            }
            body(record.frame, channels)
            unsafe ring.pointee.pop()
        }
    }
}
