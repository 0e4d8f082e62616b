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
    @inline(__always) @_noLocks mutating func add(
        _ sample: Float, lane: Int, keptInEight: Float
    ) {
        let magnitude = finite(sample)
        squares[lane] = squares[lane] * keptInEight + magnitude * magnitude
        if magnitude > highest[lane] { highest[lane] = magnitude }
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
