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

    /// Takes the result of `slice`, made of `samples`; the next frame belongs to the lane `next`.
    @inline(__always) @_noLocks mutating func finish(
        _ slice: MeterSlice, of samples: Samples, count: Int, next: Int, pace: MeterPace
    ) {
        squares = slice.squares
        readMeanSquare(next: next, pace: pace)
        unsafe follow(samples, highest: slice.highest, count: count, pace: pace)
    }

    /// Sets `meanSquare` to the weighted sum of the lanes; the newest frame is in the lane before
    /// `next`.
    @inline(__always) @_noLocks private mutating func readMeanSquare(next: Int, pace: MeterPace) {
        var weighted = squares
        if next == 0 {
            weighted *= pace.weights
        } else {
            for age in 0..<8 { weighted[(next &- 1 &- age) & 7] *= pace.weights[7 &- age] }
        }
        let four = weighted.lowHalf + weighted.highHalf
        meanSquare = (four.x + four.y) + (four.z + four.w)
    }

    /// Updates the peak by a slice whose highest magnitude is known. Only if that magnitude reaches
    /// the peak must the slice be read frame by frame.
    @_noLocks private mutating func follow(
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
    private var highestOfLanes = SIMD8<Float>()
    private var highestOfFrames: Float = 0

    @_noLocks init(squares: SIMD8<Float>) { self.squares = squares }

    /// Adds a single frame to its lane.
    @inline(__always) @_noLocks mutating func add(
        _ sample: Float, lane: Int, keptInEight: Float
    ) {
        let magnitude = finite(sample)
        squares[lane] = squares[lane] * keptInEight + magnitude * magnitude
        if magnitude > highestOfFrames { highestOfFrames = magnitude }
    }

    /// Adds eight frames, one to every lane.
    @inline(__always) @_noLocks mutating func addEight(
        _ samples: Samples, keptInEight: Float
    ) {
        let bits =
            unsafe UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<UInt32>.self) & 0x7fff_ffff
        let sizes = unsafe unsafeBitCast(bits, to: SIMD8<Float>.self)
        let magnitudes = SIMD8<Float>(repeating: 0x1p20).replacing(
            with: sizes, where: sizes .< 0x1p20)
        squares = squares * keptInEight + magnitudes * magnitudes
        highestOfLanes = highestOfLanes.replacing(
            with: magnitudes, where: magnitudes .> highestOfLanes)
    }

    /// The highest magnitude so far.
    var highest: Float {
        @inline(__always) @_noLocks get {
            // A ternary is a single instruction; max, which orders equal values, is four.
            let (low, high) = (highestOfLanes.lowHalf, highestOfLanes.highHalf)
            let four = low.replacing(with: high, where: high .> low)
            let left = four.x > four.y ? four.x : four.y
            let right = four.z > four.w ? four.z : four.w
            let largest = left > right ? left : right
            return largest > highestOfFrames ? largest : highestOfFrames
        }
    }
}

/// The magnitude, at most 2²⁰: one NaN must not stay in the mean for ever.
@inline(__always) @_noLocks private func finite(_ sample: Float) -> Float {
    let magnitude = abs(sample)
    return magnitude < 0x1p20 ? magnitude : 0x1p20
}
