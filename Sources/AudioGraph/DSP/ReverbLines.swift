/// Eight delay lines that feed one another: a feedback delay network (Jot and Chaigne, AES 90th
/// convention, 1991).
///
/// Of each frame: every line gives its oldest sample d, a filter makes it softer and duller,
/// y = b·d + a·y; an orthogonal matrix (Hadamard's), which loses and adds no energy, mixes the eight;
/// and what comes in is added on the way back into the lines. Two of the mixed eight are the output.
@safe struct ReverbLines: ~Copyable {
    static var count: Int { @_noLocks get { 8 } }

    /// What the magnitude of a sample is to be at least, to be heard: −150 dBFS.
    private static var audible: Float { @_noLocks get { 3e-8 } }

    /// Frames of a line; a power of 2, so that an index is found by a mask.
    private let capacity: Int
    /// One line after the other.
    private let memory: UnsafeMutablePointer<Float>
    /// Where the lines are read next.
    private let places: UnsafeMutablePointer<Int>
    /// Frames written, modulo `capacity`.
    private var end = 0
    /// Frames written since the lines were empty, at most `capacity`: what is farther back is
    /// silence. So nothing needs to be cleared.
    private var filled = 0
    /// How long each line is, in frames, and how long it was before.
    private var taps: SIMD8<Int32>
    private var lastTaps: SIMD8<Int32>
    /// How long the lines are to be next, once a crossfade is over, and how long that takes.
    private var nextTaps: SIMD8<Int32>
    private var nextLength: Int32 = 0
    private var clock = RampClock(length: 0)
    /// The b and the a of each line.
    var gains: LaneRamp
    var poles: LaneRamp
    /// The y of the frame before.
    private var filtered = SIMD8<Float>.zero
    /// The largest magnitudes since `isQuiet` was asked for.
    private var peaks = SIMD8<Float>.zero

    /// Silent lines. `longest`: the most frames of a line.
    init(longest: Int, taps: SIMD8<Float>, gains: SIMD8<Float>, poles: SIMD8<Float>) {
        var capacity = 1
        while capacity <= longest { capacity *= 2 }
        self.capacity = capacity
        unsafe memory = .allocate(capacity: Self.count * capacity)
        unsafe memory.initialize(repeating: 0, count: Self.count * capacity)
        unsafe places = .allocate(capacity: Self.count)
        unsafe places.initialize(repeating: 0, count: Self.count)
        self.taps = SIMD8(truncatingIfNeeded: SIMD8<Int32>(taps))
        lastTaps = self.taps
        nextTaps = self.taps
        self.gains = LaneRamp(at: gains)
        self.poles = LaneRamp(at: poles)
    }

    deinit {
        unsafe memory.deallocate()
        unsafe places.deallocate()
    }

    /// Forgets the past.
    @_noLocks mutating func empty() {
        filled = 0
        filtered = .zero
        peaks = .zero
    }

    /// Forgets the past, and goes to the newest values at once.
    @_noLocks mutating func reset() {
        empty()
        taps = nextTaps
        clock.end()
        gains.end()
        poles.end()
    }

    /// Makes the lines `taps` frames long, by a crossfade of `length` frames (0: at once), which
    /// begins when the present one is over: only two lengths are heard together.
    @_noLocks mutating func aim(at taps: SIMD8<Float>, over length: Int32) {
        var frames = SIMD8<Int32>.zero
        for i in 0..<Self.count { frames[i] = Int32(taps[i]) }
        nextTaps = frames
        nextLength = length
        if length == 0 {
            self.taps = frames
            clock.end()
        } else {
            startNext()
        }
    }

    @_noLocks private mutating func startNext() {
        guard clock.isOver, taps != nextTaps else { return }
        lastTaps = taps
        taps = nextTaps
        clock.restart(length: nextLength)
    }

    /// Moves a crossfade on by `count` frames, while the lines are empty.
    @_noLocks mutating func skip(_ count: Int) {
        var left = count
        while left > 0, !clock.isOver {
            let part = min(left, clock.remaining)
            clock.advance(part)
            startNext()
            left -= part
        }
    }

    /// Whether all that went round since the last call was too soft to be heard.
    @_noLocks mutating func isQuiet() -> Bool {
        let isQuiet = peaks.max() < Self.audible
        peaks = .zero
        return isQuiet
    }

    /// Takes `count` frames in, and puts what is heard in their place. `offset`: how many frames the
    /// ramps of `gains` and `poles` have gone on already.
    @_noLocks mutating func process(
        _ frames: UnsafeMutablePointer<SIMD2<Float>>, count: Int, at offset: Int
    ) {
        var done = 0
        while done < count {
            let left = count - done
            let isSteady =
                clock.isOver && gains.isOver && poles.isOver && taps.max() <= Int32(filled)
            let part = isSteady ? min(left, framesToWrap()) : 1
            if isSteady {
                unsafe run(frames + done, count: part)
            } else {
                unsafe frames[done] = move(frames[done], at: offset + done)
            }
            done += part
        }
    }

    /// Finds where every line is read next, and returns how many frames can be read and written
    /// until a line begins anew.
    @_noLocks private func framesToWrap() -> Int {
        var frames = capacity &- end
        for i in 0..<Self.count {
            let place = (end &- Int(taps[i])) & (capacity &- 1)
            unsafe places[i] = i &* capacity &+ place
            frames = min(frames, capacity &- place)
        }
        return frames
    }

    /// As many frames as `framesToWrap` says, while nothing but the sound moves.
    @_noLocks private mutating func run(_ frames: UnsafeMutablePointer<SIMD2<Float>>, count: Int) {
        let (gain, pole) = (gains.target, poles.target)
        var (filtered, peaks) = (filtered, peaks)
        for n in 0..<count {
            var oldest = SIMD8<Float>.zero
            for i in 0..<Self.count { oldest[i] = unsafe memory[places[i] &+ n] }
            filtered = oldest * gain + filtered * pole
            let mixed = Self.mixed(filtered)
            let next = unsafe Self.joined(mixed, frames[n])
            peaks = Self.larger(peaks, next)
            for i in 0..<Self.count { unsafe memory[i &* capacity &+ end &+ n] = next[i] }
            unsafe frames[n] = Self.heard(mixed)
        }
        self.filtered = filtered
        self.peaks = peaks
        end = (end &+ count) & (capacity &- 1)
        filled = min(filled &+ count, capacity)
    }

    /// A single frame, while the lines fill up, or a parameter moves.
    @_noLocks private mutating func move(_ frame: SIMD2<Float>, at offset: Int) -> SIMD2<Float> {
        var oldest = read(taps)
        if !clock.isOver {
            let old = read(lastTaps)
            oldest = old + (oldest - old) * clock.progress(at: 0)
            clock.advance(1)
            startNext()
        }
        filtered = oldest * gains.values(at: offset) + filtered * poles.values(at: offset)
        let mixed = Self.mixed(filtered)
        let next = Self.joined(mixed, frame)
        peaks = Self.larger(peaks, next)
        for i in 0..<Self.count { unsafe memory[i &* capacity &+ end] = next[i] }
        end = (end &+ 1) & (capacity &- 1)
        filled = min(filled &+ 1, capacity)
        return Self.heard(mixed)
    }

    /// What the lines give; silence where they are not filled yet.
    @_noLocks private func read(_ taps: SIMD8<Int32>) -> SIMD8<Float> {
        var samples = SIMD8<Float>.zero
        for i in 0..<Self.count where Int(taps[i]) <= filled {
            let place = (end &- Int(taps[i])) & (capacity &- 1)
            samples[i] = unsafe memory[i &* capacity &+ place]
        }
        return samples
    }

    /// What goes into the lines: `mixed`, made orthogonal, and the left side of what comes in for
    /// every other line, the right side for the rest.
    @inline(__always) @_noLocks private static func joined(
        _ mixed: SIMD8<Float>, _ frame: SIMD2<Float>
    ) -> SIMD8<Float> {
        let two = SIMD4(lowHalf: frame, highHalf: frame)
        return mixed * 0.353_553_39 + SIMD8(lowHalf: two, highHalf: two)
    }

    /// Two of the mixed sums, which have nothing in common.
    @inline(__always) @_noLocks private static func heard(_ mixed: SIMD8<Float>) -> SIMD2<Float> {
        SIMD2(mixed[3], mixed[5])
    }

    @inline(__always) @_noLocks private static func larger(
        _ peaks: SIMD8<Float>, _ lanes: SIMD8<Float>
    ) -> SIMD8<Float> {
        let magnitudes = lanes.replacing(with: -lanes, where: lanes .< 0)
        return peaks.replacing(with: magnitudes, where: magnitudes .> peaks)
    }

    /// √8 times the orthogonal matrix: sums and differences of pairs, three times over.
    @inline(__always) @_noLocks private static func mixed(_ lanes: SIMD8<Float>) -> SIMD8<Float> {
        var lanes = lanes
        for _ in 0..<3 {
            let (even, odd) = (lanes.evenHalf, lanes.oddHalf)
            lanes = SIMD8(lowHalf: even + odd, highHalf: even - odd)
        }
        return lanes
    }
}
