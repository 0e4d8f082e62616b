/// The past of a sound, whole frames back, and a tap on it that moves by a crossfade.
@safe struct DelayLine: ~Copyable {
    /// A power of 2, so that an index is found by a mask.
    private let capacity: Int
    private let ring: UnsafeMutablePointer<SIMD2<Float>>
    /// Frames written, modulo `capacity`.
    private var end = 0
    /// Frames written since the beginning, at most `capacity`: what is farther back is silence. So
    /// nothing needs to be cleared at a reset.
    private var filled = 0
    /// How many of the newest frames are silence, at most `capacity`.
    private var silent: Int
    /// How far back the tap reads, and where it read before, in frames.
    private var tap: Int
    private var lastTap: Int
    /// How far back the tap is to read next, once a crossfade is over, and how long that takes.
    private var nextTap: Int
    private var nextLength: Int32 = 0
    private var clock = RampClock(length: 0)

    /// A silent line with a tap `tap` frames back. `longest`: the most that is read back, in frames.
    init(longest: Int, tap: Int) {
        var capacity = 1
        while capacity <= longest { capacity *= 2 }
        self.capacity = capacity
        unsafe ring = .allocate(capacity: capacity)
        unsafe ring.initialize(repeating: .zero, count: capacity)
        silent = capacity
        self.tap = tap
        lastTap = tap
        nextTap = tap
    }

    deinit { unsafe ring.deallocate() }

    /// Whether silence in is silence out: there is nothing else in the line.
    var isSilent: Bool { @_noLocks get { silent == capacity } }

    /// Forgets the past, and goes to the newest tap at once.
    @_noLocks mutating func reset() {
        filled = 0
        silent = capacity
        tap = nextTap
        clock.end()
    }

    /// Moves the tap to `frames` back, 1…longest, by a crossfade of `length` frames (0: at once),
    /// which begins when the present one is over: only two taps are heard together.
    @_noLocks mutating func aim(at frames: Int, over length: Int32) {
        nextTap = frames
        nextLength = length
        if length == 0 {
            tap = frames
            clock.end()
        } else {
            startNext()
        }
    }

    @_noLocks private mutating func startNext() {
        guard clock.isOver, tap != nextTap else { return }
        lastTap = tap
        tap = nextTap
        clock.restart(length: nextLength)
    }

    /// What the tap reads before the next `write`; then a crossfade moves on by a frame.
    @inline(__always) @_noLocks mutating func read() -> SIMD2<Float> {
        guard !clock.isOver else { return frame(tap) }
        let progress = clock.progress(at: 0)
        let old = frame(lastTap)
        let mixed = old + (frame(tap) - old) * progress
        clock.advance(1)
        startNext()
        return mixed
    }

    @inline(__always) @_noLocks private func frame(_ back: Int) -> SIMD2<Float> {
        back > filled ? .zero : unsafe ring[(end &- back) & (capacity &- 1)]
    }

    /// Appends a frame.
    @inline(__always) @_noLocks mutating func write(_ frame: SIMD2<Float>) {
        unsafe ring[end] = frame
        end = (end &+ 1) & (capacity &- 1)
        filled = min(filled &+ 1, capacity)
        silent = frame == .zero ? min(silent &+ 1, capacity) : 0
    }

    /// Moves on by `count` frames of silence in a silent line, where nothing need be written.
    @_noLocks mutating func skip(_ count: Int) {
        var left = count
        while left > 0, !clock.isOver {
            let part = min(left, clock.remaining)
            clock.advance(part)
            startNext()
            left -= part
        }
    }
}
