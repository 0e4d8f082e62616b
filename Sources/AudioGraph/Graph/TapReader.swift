import Glibc
import Synchronization
import SystemSupport

/// Gets a tap's frames in their order: the graph's frame of the first (`Graph.renderedFrames`), and
/// an array of samples for each channel. Called on the tap's thread, within some 10 ms.
public typealias TapCallback = @Sendable (_ frame: Int, _ channels: [[Float]]) -> Void

/// The thread that reads a tap: looks a hundred times a second for what the render thread, which
/// can wake nobody, has put into the ring.
@safe final class TapReader: @unchecked Sendable {
    // Safety: the ring says which thread uses what; `body` is called on the reader's thread alone.
    private let ring: Shared<TapRing>
    private let body: TapCallback
    private let isStopped = Atomic<Bool>(false)

    init(_ ring: Shared<TapRing>, _ body: @escaping TapCallback) {
        self.ring = ring
        self.body = body
    }

    /// Starts the thread; false when the system has none left.
    func start(_ name: String) -> Bool {
        DetachedThread.start(name) { [self] in
            while !isStopped.load(ordering: .acquiring) {
                drain()
                usleep(10_000)
            }
            drain()
        } == 0
    }

    /// Ends the thread, after it has read what is in the ring.
    func stop() { isStopped.store(true, ordering: .releasing) }

    private func drain() {
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
