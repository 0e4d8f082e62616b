import Glibc

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
    /// How long each line is, in frames.
    private var taps: Crossfade
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
        self.taps = Crossfade(at: SIMD8(truncatingIfNeeded: SIMD8<Int32>(taps)))
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
        taps.end()
        gains.end()
        poles.end()
    }

    /// Makes the lines `taps` frames long, by a crossfade of `length` frames (0: at once), which
    /// begins when the present one is over: only two lengths are heard together.
    @_noLocks mutating func aim(at taps: SIMD8<Float>, over length: Int32) {
        var frames = SIMD8<Int32>.zero
        for i in 0..<Self.count { frames[i] = Int32(taps[i]) }
        self.taps.aim(at: frames, over: length)
    }

    /// Moves a crossfade on by `count` frames, while the lines are empty.
    @_noLocks mutating func skip(_ count: Int) { taps.advance(count) }

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
                taps.isOver && gains.isOver && poles.isOver && taps.present.max() <= Int32(filled)
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
            let place = (end &- Int(taps.present[i])) & (capacity &- 1)
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
        var oldest = read(taps.present)
        if !taps.isOver {
            let old = read(taps.last)
            oldest = old + (oldest - old) * taps.progress(at: 0)
            taps.advance(1)
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

/// What the lines of a reverb do, for its parameters: a line of d frames makes its sound softer by
/// 60·d/(T60·rate) dB, so that all lines together fade by 60 dB in T60 (Jot and Chaigne, AES 90th
/// convention, 1991).
struct ReverbDesign {
    /// Metres that sound goes in a second.
    private static let speedOfSound = 343.0
    /// How long the lines are, relative to the way from wall to wall: no two of them have a common
    /// part, so that few of their echoes meet.
    private static let ratios = [0.613, 0.702, 0.787, 0.893, 1.019, 1.163, 1.311, 1.487]
    /// Where the time to fade is the one that is set, in Hz: in the middle of the voice's range.
    private static let centre = 750.0
    /// Where damping halves the time to fade when it is at its most, in Hz.
    private static let damped = 4000.0

    /// The frames of the lines.
    let taps: SIMD8<Float>
    /// The b and the a of y(n) = b·x(n) + a·y(n − 1), the filter of each line.
    let gains: SIMD8<Float>
    let poles: SIMD8<Float>
    /// How loud what comes in goes into the lines: noise then comes out as loud as it came in.
    let level: Float

    /// - Parameters:
    ///   - size: metres from wall to wall, above 0.
    ///   - decay: seconds until a sound is 60 dB softer, above 0.
    ///   - damping: how much shorter that is for high frequencies, 0…1: at 4 kHz, half of it at 1.
    ///   - rate: the sample rate in Hz.
    init(size: Double, decay: Double, damping: Double, sampleRate rate: Int) {
        var (taps, gains, poles) = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
        var power = 0.0
        for (i, ratio) in Self.ratios.enumerated() {
            let frames = Self.frames(ratio, size: size, sampleRate: rate)
            let gain = pow(10, -3 * frames / (decay * Double(rate)))
            let pole = Self.pole(gain: gain, damping: damping, sampleRate: rate)
            let w = Self.angle(Self.centre, sampleRate: rate)
            taps[i] = Float(frames)
            poles[i] = Float(pole)
            gains[i] = Float(gain * (1 - 2 * pole * cos(w) + pole * pole).squareRoot())
            power += gain * gain / Double(Self.ratios.count)
        }
        (self.taps, self.gains, self.poles) = (taps, gains, poles)
        // Of a power of 1 in every line, p = `power` is left after them, p² after the next round …
        // All eight are heard, p/(1 − p) of each.
        level = Float(((1 - power) / (power * Double(Self.ratios.count))).squareRoot())
    }

    /// The most frames that a line has for sizes up to `size`.
    static func longest(size: Double, sampleRate: Int) -> Int {
        Int(frames(ratios.max() ?? 1, size: size, sampleRate: sampleRate))
    }

    /// The delays of the diffuser's filters in frames: short, and without a common part.
    static func diffusion(sampleRate: Int) -> [Int] {
        [0.00216, 0.00286, 0.00559, 0.00764].map {
            max(1, Int(($0 * Double(sampleRate)).rounded()))
        }
    }

    private static func frames(_ ratio: Double, size: Double, sampleRate: Int) -> Double {
        max(1, (ratio * size / speedOfSound * Double(sampleRate)).rounded())
    }

    private static func angle(_ frequency: Double, sampleRate: Int) -> Double {
        min(2 * .pi * frequency / Double(sampleRate), .pi)
    }

    /// The a that makes the filter's gain at 4 kHz what it is to be, relative to its gain g at the
    /// centre: with T60 shorter by the factor s, that is g^(1/s − 1). From
    /// |1/(1 − a·z⁻¹)|² = 1/(1 − 2a·cos ω + a²) at both frequencies.
    private static func pole(gain: Double, damping: Double, sampleRate: Int) -> Double {
        let w = angle(damped, sampleRate: sampleRate)
        let (low, high) = (cos(angle(centre, sampleRate: sampleRate)), cos(w))
        guard damping > 0, low > high else { return 0 }
        // The filter's loss grows as 1 − cos ω, about ω²/2. Where 4 kHz is much of the rate it is
        // less than that: with this, low frequencies are damped alike at every rate.
        let exponent = (1 / (1 - damping / 2) - 1) * (1 - high) / (w * w / 2)
        // Less is out of a first-order filter's reach: it would change the decay at 250 Hz, too.
        let ratio = max(pow(gain, exponent), 0.4)
        // The least damping is none by rounding.
        guard ratio < 1 else { return 0 }
        let p = max((low - ratio * ratio * high) / (1 - ratio * ratio), 1)
        return p - (p * p - 1).squareRoot()
    }
}
