/// What a meter knows of one channel.
struct MeterChannel: BitwiseCopyable {
    private(set) var peak: Float = 0
    private(set) var meanSquare: Float = 0
    private var hold: Int32 = 0
    /// The squares of every eighth frame, each lane the one-pole sum of its own. A single sum would
    /// wait for its last value at every frame; and lanes belong to frames, not to slices, so that
    /// the split into slices makes no difference.
    private var squares = SIMD8<Float>()

    /// Takes `count` frames, the first of which belongs to `lane`.
    @_noLocks mutating func process(
        _ samples: Samples, count: Int, lane: Int, pace: MeterPace
    ) {
        var highest: Float = 0
        var highestOfLanes = SIMD8<Float>()
        var squares = squares
        let kept = pace.keptInEight
        var i = 0
        if lane != 0 { i = min(8 &- lane, count) }
        for frame in 0..<i {
            let magnitude = unsafe finite(samples[frame])
            squares[lane &+ frame] = squares[lane &+ frame] * kept + magnitude * magnitude
            if magnitude > highest { highest = magnitude }
        }
        while i &+ 8 <= count {
            let magnitudes = unsafe eight(samples + i)
            squares = squares * kept + magnitudes * magnitudes
            highestOfLanes = highestOfLanes.replacing(
                with: magnitudes, where: magnitudes .> highestOfLanes)
            i &+= 8
        }
        for frame in 0..<(count &- i) {
            let magnitude = unsafe finite(samples[i &+ frame])
            squares[frame] = squares[frame] * kept + magnitude * magnitude
            if magnitude > highest { highest = magnitude }
        }
        self.squares = squares
        readMeanSquare(next: (lane &+ count) & 7, pace: pace)
        // Ternaries: single instructions, where max, which orders equal values, is four.
        let (low, high) = (highestOfLanes.lowHalf, highestOfLanes.highHalf)
        let four = low.replacing(with: high, where: high .> low)
        let left = four.x > four.y ? four.x : four.y
        let right = four.z > four.w ? four.z : four.w
        let largest = left > right ? left : right
        highest = largest > highest ? largest : highest
        unsafe follow(samples, highest: highest, count: count, pace: pace)
    }

    /// The lanes' sum as of the newest frame, which lies before the lane `next`.
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

    /// The peak's way through a slice whose highest magnitude is known: only where that reaches
    /// the peak does it have to be gone frame by frame.
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

/// The magnitude, at most 2²⁰: one NaN must not stay in the mean for ever.
@inline(__always) @_noLocks private func finite(_ sample: Float) -> Float {
    let magnitude = abs(sample)
    return magnitude < 0x1p20 ? magnitude : 0x1p20
}

/// The same of eight samples.
@inline(__always) @_noLocks private func eight(_ samples: Samples) -> SIMD8<Float> {
    let raw = UnsafeRawPointer(samples)
    let bits = unsafe raw.loadUnaligned(as: SIMD8<UInt32>.self) & 0x7fff_ffff
    let magnitudes = unsafe unsafeBitCast(bits, to: SIMD8<Float>.self)
    return SIMD8<Float>(repeating: 0x1p20).replacing(
        with: magnitudes, where: magnitudes .< 0x1p20)
}
