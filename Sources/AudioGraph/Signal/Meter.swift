import Glibc
import Synchronization

/// Peak and RMS of two channels, the same for any split into slices.
///
/// Peak: taken per frame, held 0.5 s, then falling 10.5 dB/s. RMS: a one-pole mean square with
/// τ = 0.3 s, so that a full-scale sine reads −3.01 dBFS.
struct Meter: BitwiseCopyable {
    private let pace: MeterPace
    /// The lane of `MeterChannel` that the next frame belongs to, 0…7.
    private var lane = 0

    private(set) var left = MeterChannel()
    private(set) var right = MeterChannel()

    init(sampleRate: Int) { pace = MeterPace(sampleRate: sampleRate) }

    /// Forgets what was heard.
    @_noLocks mutating func reset() { (left, right) = (MeterChannel(), MeterChannel()) }

    /// As `process(_:count:)`; of samples that are all 0, which changes nothing once both channels
    /// have fallen below the lowest level that is told, only the number.
    @_noLocks mutating func process(_ samples: StereoSamples, isSilent: Bool, count: Int) {
        guard isSilent, left.isBelowFloor, right.isBelowFloor else {
            return unsafe process(samples, count: count)
        }
        reset()
        lane = (lane &+ count) & 7
    }

    @_noLocks mutating func process(_ samples: StereoSamples, count: Int) {
        // Most slices are whole eights of frames, and need none of what others need.
        guard lane == 0, count & 7 == 0 else { return unsafe processUneven(samples, count: count) }
        var (leftSlice, rightSlice) = (left.begin(), right.begin())
        unsafe addEights(samples, from: 0, to: count, &leftSlice, &rightSlice)
        unsafe finish(leftSlice, rightSlice, of: samples, count: count, pace.weights)
    }

    /// As `process(_:count:)`, where the frames before the first and after the last whole eight
    /// are added one by one.
    @inline(never) @_noLocks private mutating func processUneven(
        _ samples: StereoSamples, count: Int
    ) {
        var (leftSlice, rightSlice) = (left.begin(), right.begin())
        var i = 0
        while lane != 0, i < count {
            unsafe addFrame(samples, at: i, &leftSlice, &rightSlice)
            i &+= 1
        }
        let end = i &+ ((count &- i) & ~7)
        unsafe addEights(samples, from: i, to: end, &leftSlice, &rightSlice)
        i = end
        while i < count {
            unsafe addFrame(samples, at: i, &leftSlice, &rightSlice)
            i &+= 1
        }
        unsafe finish(leftSlice, rightSlice, of: samples, count: count, pace.weights(next: lane))
    }

    @inline(__always) @_noLocks private func addEights(
        _ samples: StereoSamples, from start: Int, to end: Int, _ left: inout MeterSlice,
        _ right: inout MeterSlice
    ) {
        let kept = pace.keptInEight
        var i = start
        // Both channels in one loop: while one waits for its last sum, the other is computed.
        while i < end {
            unsafe left.addEight(samples.left + i, keptInEight: kept)
            unsafe right.addEight(samples.right + i, keptInEight: kept)
            i &+= 8
        }
    }

    @inline(__always) @_noLocks private mutating func finish(
        _ leftSlice: MeterSlice, _ rightSlice: MeterSlice, of samples: StereoSamples, count: Int,
        _ weights: SIMD8<Float>
    ) {
        unsafe left.finish(leftSlice, of: samples.left, count: count, weights, pace: pace)
        unsafe right.finish(rightSlice, of: samples.right, count: count, weights, pace: pace)
    }

    @inline(__always) @_noLocks private mutating func addFrame(
        _ samples: StereoSamples, at i: Int, _ left: inout MeterSlice, _ right: inout MeterSlice
    ) {
        unsafe left.add(samples.left[i], lane: lane, keptInEight: pace.keptInEight)
        unsafe right.add(samples.right[i], lane: lane, keptInEight: pace.keptInEight)
        lane = (lane &+ 1) & 7
    }
}

/// The state of a meter for one channel.
struct MeterChannel: BitwiseCopyable {
    private(set) var peak: Float = 0
    private(set) var meanSquare: Float = 0
    private var hold: Int32 = 0
    /// One-pole sums of the squared samples: each lane sums every eighth frame. A single sum would
    /// have to wait for its last value at every frame. A frame's lane follows from its number and
    /// not from its slice, so the split into slices makes no difference.
    private var squares = SIMD8<Float>()

    /// Written out, since the implicit initialiser is not `@_noLocks`.
    @_noLocks init() {}

    /// Whether both readings are below −120 dB, the lowest level that is told.
    var isBelowFloor: Bool { @_noLocks get { peak < 1e-6 && meanSquare < 1e-12 } }

    /// A slice to add frames to; `finish` then takes its result.
    @inline(__always) @_noLocks func begin() -> MeterSlice { MeterSlice(squares: squares) }

    /// Takes the result of `slice`, made of `samples`, whose lanes have `weights` in the mean square.
    @inline(__always) @_noLocks mutating func finish(
        _ slice: MeterSlice, of samples: Samples, count: Int, _ weights: SIMD8<Float>,
        pace: MeterPace
    ) {
        squares = slice.squares
        meanSquare = sum(of: squares * weights)
        let highest = largest(of: slice.highest)
        if highest < peak, count <= hold {
            hold &-= Int32(truncatingIfNeeded: count)
        } else {
            unsafe follow(samples, highest: highest, count: count, pace: pace)
        }
    }

    /// Updates the peak by a slice whose highest magnitude is known. Only if that magnitude reaches
    /// the peak must the slice be read frame by frame.
    @inline(never) @_noLocks private mutating func follow(
        _ samples: Samples, highest: Float, count: Int, pace: MeterPace
    ) {
        let held = min(Int(hold), count)
        if highest < peak {
            var fallen = peak
            for _ in held..<count { fallen *= pace.fall }
            if highest < fallen {
                peak = fallen
                hold &-= Int32(truncatingIfNeeded: held)
                return
            }
        }
        var (peak, hold) = (peak, hold)
        for i in 0..<count {
            let magnitude = unsafe finite(samples[i])
            if magnitude >= peak {
                peak = magnitude
                hold = pace.holdFrames
            } else if hold > 0 {
                hold &-= 1
            } else {
                peak *= pace.fall
            }
        }
        (self.peak, self.hold) = (peak, hold)
    }
}

/// What a meter gathers of one channel within a slice.
struct MeterSlice: BitwiseCopyable {
    private(set) var squares: SIMD8<Float>
    /// The highest magnitude of the frames in each lane.
    private(set) var highest = SIMD8<Float>()

    @_noLocks init(squares: SIMD8<Float>) { self.squares = squares }

    /// Adds a single frame to its lane.
    @inline(__always) @_noLocks mutating func add(_ sample: Float, lane: Int, keptInEight: Float) {
        let magnitude = finite(sample)
        squares[lane] = squares[lane] * keptInEight + magnitude * magnitude
        if magnitude > highest[lane] { highest[lane] = magnitude }
    }

    /// Adds eight frames, one to every lane.
    @inline(__always) @_noLocks mutating func addEight(_ samples: Samples, keptInEight: Float) {
        let bits =
            unsafe UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<UInt32>.self) & 0x7fff_ffff
        let sizes = unsafe unsafeBitCast(bits, to: SIMD8<Float>.self)
        let magnitudes = SIMD8<Float>(repeating: 0x1p20).replacing(
            with: sizes, where: sizes .< 0x1p20)
        squares = squares * keptInEight + magnitudes * magnitudes
        // In this order the highest stay in their register.
        highest = magnitudes.replacing(with: highest, where: highest .> magnitudes)
    }
}

/// The magnitude, at most 2²⁰: one NaN must not stay in the mean for ever.
@inline(__always) @_noLocks private func finite(_ sample: Float) -> Float {
    let magnitude = abs(sample)
    return magnitude < 0x1p20 ? magnitude : 0x1p20
}

@inline(__always) @_noLocks private func sum(of lanes: SIMD8<Float>) -> Float {
    let four = lanes.lowHalf + lanes.highHalf
    let two = four.lowHalf + four.highHalf
    return two.x + two.y
}

@inline(__always) @_noLocks private func largest(of lanes: SIMD8<Float>) -> Float {
    let (a, b) = (lanes.lowHalf, lanes.highHalf)
    return larger(
        larger(larger(a.x, b.x), larger(a.y, b.y)), larger(larger(a.z, b.z), larger(a.w, b.w)))
}

/// A ternary is a single instruction; `max`, which orders equal values, is four.
@inline(__always) @_noLocks private func larger(_ a: Float, _ b: Float) -> Float {
    a > b ? a : b
}

/// How fast a meter's readings change at a sample rate.
struct MeterPace: BitwiseCopyable {
    let holdFrames: Int32
    /// Factor of a falling peak per frame: 10^(−10.5/20/rate).
    let fall: Float
    /// Factor by which a mean square decays in eight frames: e^(−8/(τ·rate)).
    let keptInEight: Float
    /// Weight of each lane in the mean square when the newest frame is in the last lane: for that
    /// frame 1 − e^(−1/(τ·rate)), for each older one e^(−1/(τ·rate)) of the next newer one's.
    let weights: SIMD8<Float>

    init(sampleRate: Int) {
        let rate = Double(sampleRate)
        let kept = exp(-1 / (0.3 * rate))
        // 2³² Hz and more count as less: a hold is a count of 32 bits.
        holdFrames = Int32(clamping: sampleRate / 2 + sampleRate % 2)
        fall = Float(pow(10, -10.5 / 20 / rate))
        keptInEight = Float(pow(kept, 8))
        var weights = SIMD8<Float>()
        for lane in 0..<8 { weights[lane] = Float((1 - kept) * pow(kept, Double(7 - lane))) }
        self.weights = weights
    }

    /// The weights when the newest frame is in the lane before `next`.
    @inline(never) @_noLocks func weights(next: Int) -> SIMD8<Float> {
        var turned = SIMD8<Float>()
        for age in 0..<8 { turned[(next &- 1 &- age) & 7] = weights[7 &- age] }
        return turned
    }
}

/// A meter's last readings, handed from the render thread to the control thread.
struct LevelStore: ~Copyable {
    let leftPeak = Atomic<Float>(0)
    let rightPeak = Atomic<Float>(0)
    let leftMeanSquare = Atomic<Float>(0)
    let rightMeanSquare = Atomic<Float>(0)

    @_noLocks func publish(_ meter: Meter) {
        leftPeak.store(meter.left.peak, ordering: .relaxed)
        rightPeak.store(meter.right.peak, ordering: .relaxed)
        leftMeanSquare.store(meter.left.meanSquare, ordering: .relaxed)
        rightMeanSquare.store(meter.right.meanSquare, ordering: .relaxed)
    }
}

/// A meter's readings of the left and the right side, in dBFS, at least −120.
///
/// Peak: taken per frame, held 0.5 s, then falling 10.5 dB/s. RMS: over about 0.3 s; a
/// full-scale sine reads −3.01.
public struct Levels: Sendable, Hashable {
    public var peak: (left: Decibels, right: Decibels) { (leftPeak, rightPeak) }
    public var rms: (left: Decibels, right: Decibels) { (leftRMS, rightRMS) }

    private let leftPeak: Decibels
    private let rightPeak: Decibels
    private let leftRMS: Decibels
    private let rightRMS: Decibels

    init(_ store: borrowing LevelStore) {
        leftPeak = Self.level(store.leftPeak.load(ordering: .relaxed))
        rightPeak = Self.level(store.rightPeak.load(ordering: .relaxed))
        leftRMS = Self.level(store.leftMeanSquare.load(ordering: .relaxed).squareRoot())
        rightRMS = Self.level(store.rightMeanSquare.load(ordering: .relaxed).squareRoot())
    }

    private static func level(_ amplitude: Float) -> Decibels { Decibels(gain: Double(amplitude)) }
}
