/// How far a ramp of a fixed length has come, in frames; the same for any split into slices.
struct RampClock: BitwiseCopyable {
    /// The longest ramp, in frames: frames of a slice can be added to it.
    static var longest: Int32 { @_noLocks get { 1 << 30 } }

    private(set) var length: Int32
    private var frame: Int32

    /// A clock at its end. `length` is in frames, at most `longest`.
    @_noLocks init(length: Int32) {
        self.length = min(length, Self.longest)
        frame = self.length
    }

    /// How long a change of volume or pan takes, in frames: 10 ms. Control thread.
    static func parameterLength(sampleRate: Int) -> Int32 {
        Ramp.length(milliseconds: 10, sampleRate: sampleRate)
    }

    /// How long a declick takes, in frames: 5 ms. Control thread.
    static func declickLength(sampleRate: Int) -> Int32 {
        Ramp.length(milliseconds: 5, sampleRate: sampleRate)
    }

    var isOver: Bool { @_noLocks get { frame >= length } }

    /// Frames until the end.
    var remaining: Int { @_noLocks get { Int(length) - Int(frame) } }

    /// Begins anew, `delay` frames from now.
    @_noLocks mutating func restart(delay: Int = 0) { frame = Int32(truncatingIfNeeded: -delay) }

    /// Begins anew with another length, at most `longest`.
    @_noLocks mutating func restart(length: Int32) {
        self.length = min(length, Self.longest)
        frame = 0
    }

    @_noLocks mutating func end() { frame = length }

    /// The part n/N of the ramp that is done `offset` frames from now; 0 before it begins, 1 after.
    @_noLocks func progress(at offset: Int) -> Float {
        guard length > 0 else { return 1 }
        let n = min(max(frame &+ Int32(truncatingIfNeeded: offset), 0), length)
        return Float(n) / Float(length)
    }

    @_noLocks mutating func advance(_ frames: Int) {
        frame = Int32(truncatingIfNeeded: min(Int(frame) &+ frames, Int(length)))
    }
}

/// A gain that moves linearly to a target: g(n) = a + (b − a)·n/N, exactly b at n = N.
///
/// Belongs to one thread. Realtime-safe.
package struct Ramp: BitwiseCopyable {
    private var start: Float
    private(set) var target: Float
    private var clock: RampClock

    /// `milliseconds` at `sampleRate` Hz in whole frames, rounded; 0 to `Int32.max`, whatever is
    /// declared and whatever rate a server names. Control thread.
    package static func length(milliseconds: Int, sampleRate: Int) -> Int32 {
        let (milliseconds, rate) = (min(max(0, milliseconds), 1 << 31), min(sampleRate, 1 << 31))
        return Int32(clamping: (milliseconds * rate + 500) / 1000)
    }

    /// A ramp at rest at `value`; later ramps take `length` frames.
    @_noLocks package init(at value: Float, length: Int32) {
        start = value
        target = value
        clock = RampClock(length: length)
    }

    /// A ramp from `start` to `target` over `length` frames that begins at once.
    @_noLocks package init(from start: Float, to target: Float, length: Int32) {
        self.start = start
        self.target = target
        clock = RampClock(length: length)
        clock.restart()
    }

    /// Frames that a whole ramp takes.
    var length: Int32 { @_noLocks get { clock.length } }
    /// Frames until the target is reached.
    package var remaining: Int { @_noLocks get { clock.remaining } }
    /// Whether the gain rests at 1, so that nothing need be multiplied.
    package var isUnity: Bool { @_noLocks get { clock.isOver && target == 1 } }
    /// Whether the gain rests at 0, so that nothing is heard.
    package var isSilent: Bool { @_noLocks get { clock.isOver && target == 0 } }

    /// The gain `offset` frames from now.
    @_noLocks package func value(at offset: Int) -> Float {
        let progress = clock.progress(at: offset)
        return progress >= 1 ? target : start + (target - start) * progress
    }

    /// Starts a ramp from the present gain to `value`, `delay` frames from now. Does nothing if
    /// `value` is the target already.
    @_noLocks mutating func aim(at value: Float, delay: Int = 0) {
        guard value != target else { return }
        start = self.value(at: 0)
        target = value
        clock.restart(delay: delay)
    }

    /// Starts a ramp of `length` frames from the present gain to `value`; with a length of 0 the gain
    /// is `value` at once. A ramp to `value` that is over sooner goes on.
    @_noLocks mutating func aim(at value: Float, over length: Int32) {
        guard value != target || Int(length) < remaining || length == 0 else { return }
        start = self.value(at: 0)
        target = value
        clock.restart(length: length)
    }

    /// Multiplies both channels, or the one of a mono bus, and moves on by `count` frames.
    @_noLocks mutating func apply(to samples: StereoSamples, count: Int) {
        let (left, right) = unsafe (samples.left, samples.right)
        let isStereo = unsafe !samples.isMono
        if clock.isOver {
            guard target != 1 else { return }
            unsafe scaleChannel(left, by: target, count: count)
            if isStereo { unsafe scaleChannel(right, by: target, count: count) }
        } else {
            for i in 0..<count {
                let gain = value(at: i)
                unsafe left[i] *= gain
                if isStereo { unsafe right[i] *= gain }
            }
            clock.advance(count)
        }
    }

    /// Writes `count` frames of one channel, multiplied, to `destination`, which may be `source`.
    /// Does not move on, so that every channel of a frame gets the same gain.
    @_noLocks package func apply(
        _ source: UnsafePointer<Float>, to destination: UnsafeMutablePointer<Float>, count: Int
    ) {
        for i in 0..<count { unsafe destination[i] = source[i] * value(at: i) }
    }

    /// Goes to the target at once.
    @_noLocks mutating func end() { clock.end() }

    /// Moves on by `count` frames.
    @_noLocks package mutating func advance(_ count: Int) { clock.advance(count) }
}

/// Eight values that move linearly to their targets, all in step.
struct LaneRamp: BitwiseCopyable {
    private var start: SIMD8<Float>
    private(set) var target: SIMD8<Float>
    private var clock = RampClock(length: 0)

    /// A ramp at rest at `values`.
    @_noLocks init(at values: SIMD8<Float>) {
        start = values
        target = values
    }

    /// Whether the targets are reached.
    var isOver: Bool { @_noLocks get { clock.isOver } }

    /// The values `offset` frames from now.
    @inline(__always) @_noLocks func values(at offset: Int) -> SIMD8<Float> {
        let progress = clock.progress(at: offset)
        return progress >= 1 ? target : start + (target - start) * progress
    }

    /// Starts a ramp of `length` frames from the present values to `values`; with a length of 0 it
    /// is there at once.
    @_noLocks mutating func aim(at values: SIMD8<Float>, over length: Int32) {
        start = self.values(at: 0)
        target = values
        clock.restart(length: length)
    }

    /// Goes to the targets at once.
    @_noLocks mutating func end() { clock.end() }

    /// Moves on by `count` frames.
    @_noLocks mutating func advance(_ count: Int) { clock.advance(count) }
}
