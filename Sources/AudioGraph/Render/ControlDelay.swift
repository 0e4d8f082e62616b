/// A control bus that leads back to a unit which is rendered before: it gives every gain a fixed
/// number of frames later, so that the split into slices makes no difference.
@safe struct ControlDelay: ~Copyable {
    // Safety: only the render thread uses it, and after its last plan whoever frees it.

    private let gains: Samples
    /// By how many frames every gain comes later: the longest slice.
    private let length: Int
    private var place = 0
    /// Frames since the last gain that was not 1; from `length` on there is none in the ring.
    private var restingFrames: Int

    init(frames: Int) {
        length = frames
        restingFrames = frames
        unsafe gains = .allocate(capacity: frames)
        unsafe gains.initialize(repeating: 1, count: frames)
    }

    deinit { unsafe gains.deallocate() }

    @_noLocks private mutating func reset() {
        unsafe gains.update(repeating: 1, count: length)
        restingFrames = length
    }

    /// Gives the gains that came `length` frames ago. Comes before `write` in every slice.
    @_noLocks mutating func read(_ slice: Slice, to out: Bus) {
        if unsafe slice.isReset { reset() }
        out.isAtRest = restingFrames >= length
        guard !out.isAtRest else { return }
        let to = unsafe out.gains
        for i in unsafe 0..<slice.count { unsafe to[i] = gains[(place &+ i) % length] }
    }

    @_noLocks mutating func write(_ slice: Slice, from source: Bus) {
        let (count, isAtRest) = unsafe (slice.count, source.isAtRest)
        if !isAtRest || restingFrames < length {
            for i in 0..<count {
                unsafe gains[(place &+ i) % length] = isAtRest ? 1 : source.gains[i]
            }
        }
        restingFrames = isAtRest ? min(restingFrames &+ count, length) : 0
        place &+= count
        if place >= length { place &-= length }
    }
}
