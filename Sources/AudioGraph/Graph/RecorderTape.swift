/// The frames that a `RecorderNode` has recorded, for one thread that reads them.
///
/// Any thread may be that reader, one at a time; none of its calls waits. The tape outlives its node,
/// so that what was recorded before the node's removal can still be read.
@safe public final class RecorderTape: @unchecked Sendable {
    // Safety: nothing here changes; the ring says which thread uses what in it.

    /// Frames that follow each other without a gap.
    public struct Piece: Sendable {
        /// The first frame, counted as `Graph.renderedFrames`.
        public let frame: Int
        /// The samples of each channel of each bus, equally many for all.
        public let buses: [[[Float]]]
        /// How many frames there are, at least 1.
        public var frameCount: Int { buses[0][0].count }
    }

    /// The channels of each bus.
    public let channelCounts: [Int]
    /// The most frames that wait for the reader.
    public let capacity: Int
    let ring: Shared<RecorderRing>

    init(channelCounts: [Int], capacity: Int) {
        self.channelCounts = channelCounts
        self.capacity = capacity
        ring = Shared(RecorderRing(channelCounts: channelCounts, capacity: capacity))
    }

    /// Takes the oldest frames; nil when there are none. A piece ends at a gap, and the next piece's
    /// `frame` shows how long it was.
    ///
    /// - Parameter frames: the most frames of the piece, at least 1.
    public func read(atMost frames: Int = .max) -> Piece? {
        precondition(frames > 0)
        let ring = unsafe ring.pointer
        let count = min(unsafe ring.pointee.waiting, frames)
        guard count > 0 else { return nil }
        var channel = 0
        let buses = channelCounts.map { channelCount in
            (0..<channelCount).map { _ in
                defer { channel += 1 }
                return unsafe Array(unsafeUninitializedCapacity: count) { target, filled in
                    unsafe ring.pointee.copy(
                        channel: channel, count: count, to: target.baseAddress!)
                    filled = count
                }
            }
        }
        let piece = Piece(frame: unsafe ring.pointee.firstFrame(), buses: buses)
        unsafe ring.pointee.pop(count)
        return piece
    }

    /// Frames that wait for the reader. Any thread.
    public var waitingFrames: Int { unsafe ring.pointer.pointee.waiting }

    /// Frames that were not recorded, because the reader was late. Any thread.
    public var droppedFrames: Int {
        unsafe ring.pointer.pointee.dropped.load(ordering: .relaxed)
    }
}
