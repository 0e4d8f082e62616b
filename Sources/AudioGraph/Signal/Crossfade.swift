/// Up to eight numbers that are replaced by others together, in a crossfade: taps of delay lines, a
/// law. What comes meanwhile waits until the present crossfade is over, so that only two are heard
/// together. Not generic: the compiler could not prove such a type free of locks.
struct Crossfade: BitwiseCopyable {
    typealias Value = SIMD8<Int32>

    /// What is heard, or comes up.
    private(set) var present: Value
    /// What goes, while `progress` is below 1.
    private(set) var last: Value
    /// What was aimed at last.
    private(set) var next: Value
    private var length: Int32 = 0
    private var clock = RampClock(length: 0)

    @_noLocks init(at value: Value) { (present, last, next) = (value, value, value) }

    var isOver: Bool { @_noLocks get { clock.isOver } }

    /// Frames until the present crossfade is over.
    var remaining: Int { @_noLocks get { clock.remaining } }

    /// The part of `present` in the sum, `offset` frames from now; 1 where nothing goes.
    @inline(__always) @_noLocks func progress(at offset: Int) -> Float {
        clock.progress(at: offset)
    }

    /// Goes to `value` in a crossfade of `length` frames; with a length of 0 at once.
    @_noLocks mutating func aim(at value: Value, over length: Int32) {
        (next, self.length) = (value, length)
        if length == 0 { end() } else { start() }
    }

    @_noLocks private mutating func start() {
        guard clock.isOver, present != next else { return }
        (last, present) = (present, next)
        clock.restart(length: length)
    }

    /// Moves on by `frames` frames.
    @_noLocks mutating func advance(_ frames: Int) {
        var left = frames
        while left > 0, !clock.isOver {
            let part = min(left, clock.remaining)
            clock.advance(part)
            start()
            left -= part
        }
    }

    /// Goes to the newest value at once.
    @_noLocks mutating func end() {
        present = next
        clock.end()
    }
}
