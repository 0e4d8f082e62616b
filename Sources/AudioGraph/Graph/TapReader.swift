import Synchronization
import SystemSupport

/// Gets a tap's frames in their order: the graph's frame of the first (`Graph.renderedFrames`,
/// counted at the tap's rate where it has one of its own), and an array of samples for each channel.
/// Called on the tap's thread, within some 10 ms.
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
                while !isStopped.load(ordering: .acquiring), readSlice(body) {}
                _ = wakeFlag?.wait(milliseconds: 10)
            }
            // No more than is there now: a graph that plays on always brings some.
            for _ in 0..<(unsafe ring.pointer.pointee.count) { readSlice(body) }
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

    /// Hands the oldest slice over; false when there is none.
    @discardableResult private func readSlice(_ body: TapCallback) -> Bool {
        let ring = unsafe ring.pointer
        guard let record = unsafe ring.pointee.first() else { return false }
        let channels = unsafe (0..<ring.pointee.channelCount).map { channel in
            unsafe Array(
                UnsafeBufferPointer(
                    start: ring.pointee.samples(channel: channel), count: record.count))
        }
        body(record.frame, channels)
        unsafe ring.pointee.pop()
        return true
    }
}
