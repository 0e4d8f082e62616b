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
    /// How far back the tap reads, in frames.
    private var tap: Crossfade

    /// A silent line with a tap `tap` frames back. `longest`: the most that is read back, in frames.
    init(longest: Int, tap: Int) {
        var capacity = 1
        while capacity <= longest { capacity *= 2 }
        self.capacity = capacity
        unsafe ring = .allocate(capacity: capacity)
        unsafe ring.initialize(repeating: .zero, count: capacity)
        silent = capacity
        self.tap = Crossfade(at: SIMD8(repeating: Int32(tap)))
    }

    deinit { unsafe ring.deallocate() }

    /// Whether silence in is silence out: there is nothing else in the line.
    var isSilent: Bool { @_noLocks get { silent == capacity } }

    /// Forgets the past, and goes to the newest tap at once.
    @_noLocks mutating func reset() {
        filled = 0
        silent = capacity
        tap.end()
    }

    /// Moves the tap to `frames` back, 1…longest, by a crossfade of `length` frames (0: at once),
    /// which begins when the present one is over: only two taps are heard together.
    @_noLocks mutating func aim(at frames: Int, over length: Int32) {
        tap.aim(at: SIMD8(repeating: Int32(truncatingIfNeeded: frames)), over: length)
    }

    /// What the tap reads before the next `write`; then a crossfade moves on by a frame.
    @inline(__always) @_noLocks mutating func read() -> SIMD2<Float> {
        guard !tap.isOver else { return frame(tap.present[0]) }
        let old = frame(tap.last[0])
        let mixed = old + (frame(tap.present[0]) - old) * tap.progress(at: 0)
        tap.advance(1)
        return mixed
    }

    @inline(__always) @_noLocks private func frame(_ back: Int32) -> SIMD2<Float> {
        Int(back) > filled ? .zero : unsafe ring[(end &- Int(back)) & (capacity &- 1)]
    }

    /// Appends a frame.
    @inline(__always) @_noLocks mutating func write(_ frame: SIMD2<Float>) {
        unsafe ring[end] = frame
        end = (end &+ 1) & (capacity &- 1)
        filled = min(filled &+ 1, capacity)
        silent = frame == .zero ? min(silent &+ 1, capacity) : 0
    }

    /// Moves on by `count` frames of silence in a silent line, where nothing need be written.
    @_noLocks mutating func skip(_ count: Int) { tap.advance(count) }
}

/// The last samples of one channel, always in one piece, as a filter needs them.
@safe struct SampleHistory: ~Copyable {
    /// Frames between two moves of the samples to the beginning of the memory.
    private static var spare: Int { @_noLocks get { 4096 } }

    /// How many samples before the newest are kept.
    private let reach: Int
    private let samples: UnsafeMutablePointer<Float>
    /// The place after the newest sample.
    private var end: Int

    /// Silence; `reach` is at least 1.
    init(reach: Int) {
        self.reach = reach
        end = reach
        unsafe samples = .allocate(capacity: reach + Self.spare)
        unsafe samples.initialize(repeating: 0, count: reach + Self.spare)
    }

    deinit { unsafe samples.deallocate() }

    /// Adds `count` samples, 0…256.
    @_noLocks mutating func append(_ new: UnsafePointer<Float>, count: Int) {
        if end + count > reach + Self.spare {
            for i in 0..<reach { unsafe samples[i] = samples[end - reach + i] }
            end = reach
        }
        unsafe copyChannel(new, to: samples + end, count: count)
        end += count
    }

    /// The `length` samples, at most `reach`, of which the last is `back` samples before the newest
    /// (0…255).
    @_noLocks func window(_ length: Int, back: Int) -> UnsafePointer<Float> {
        unsafe UnsafePointer(samples + (end - back - length))
    }

    /// Forgets everything.
    @_noLocks mutating func reset() {
        unsafe clearChannel(samples, count: reach)
        end = reach
    }
}

/// Makes many echoes of each sample, all frequencies as loud as before: four allpass filters in a
/// row, y(n) = g·x(n) + x(n − d) − g·y(n − d) (Schroeder 1962), for both sides alike.
@safe struct Diffuser: ~Copyable {
    static var count: Int { @_noLocks get { 4 } }

    /// The g of every filter.
    private static var gain: Float { @_noLocks get { 0.7 } }

    /// The past of each filter, one after the other.
    private let memory: UnsafeMutablePointer<SIMD2<Float>>
    /// Where each filter's past begins and ends in `memory`, and where it is read and written next.
    private let starts: SIMD4<Int32>
    private let ends: SIMD4<Int32>
    private var places: SIMD4<Int32>

    /// - Parameter delays: the d of each filter in frames, at least 1.
    init(delays: [Int]) {
        precondition(delays.count == Self.count && delays.allSatisfy { $0 >= 1 })
        var (starts, ends) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero)
        var total: Int32 = 0
        for (i, delay) in delays.enumerated() {
            starts[i] = total
            total += Int32(delay)
            ends[i] = total
        }
        (self.starts, self.ends, places) = (starts, ends, starts)
        unsafe memory = .allocate(capacity: Int(total))
        unsafe memory.initialize(repeating: .zero, count: Int(total))
    }

    deinit { unsafe memory.deallocate() }

    /// Forgets the past.
    @_noLocks mutating func reset() {
        for i in 0..<Int(ends[3]) { unsafe memory[i] = .zero }
        places = starts
    }

    /// Changes `count` frames in place.
    @_noLocks mutating func process(_ frames: UnsafeMutablePointer<SIMD2<Float>>, count: Int) {
        for i in 0..<Self.count {
            var (place, done) = (Int(places[i]), 0)
            while done < count {
                let part = min(count - done, Int(ends[i]) - place)
                unsafe Self.filter(frames + done, memory + place, count: part)
                done += part
                place += part
                if place == Int(ends[i]) { place = Int(starts[i]) }
            }
            places[i] = Int32(truncatingIfNeeded: place)
        }
    }

    @_noLocks private static func filter(
        _ frames: UnsafeMutablePointer<SIMD2<Float>>, _ memory: UnsafeMutablePointer<SIMD2<Float>>,
        count: Int
    ) {
        for n in 0..<count {
            let past = unsafe memory[n]
            let kept = unsafe frames[n] - past * gain
            unsafe memory[n] = kept
            unsafe frames[n] = past + kept * gain
        }
    }
}
