extension QueueFeed {
    /// A buffer in the ring.
    struct Entry {
        let number: Int
        let buffer: AudioBuffer
        let completion: Completion?
        let isOurs: Bool
    }

    /// What changes, under the feed's lock.
    struct State {
        /// What the ring holds, the oldest first.
        var entries: [Entry] = []
        /// What the ring still holds when the node is gone.
        var kept: [AudioBuffer] = []
        /// Buffers to be filled.
        var free: [AudioBuffer] = []
        /// The number of the next frame that is queued.
        var position = 0
        /// Whether the next buffer begins another stream.
        var beginsAnew = false
        /// Whether buffers are to be filled.
        var fills = false
        /// Whether a buffer is being filled, for which a place is kept.
        var isFilling = false
        /// Whether the user had no more to fill.
        var isAtEnd = false
        /// The place to move to, and what the user does for that.
        var seek: (number: Int, position: Int, move: @Sendable () -> Void)?
        var seekCount = 0
    }
}
