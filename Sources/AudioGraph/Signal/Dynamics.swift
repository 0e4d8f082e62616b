import Glibc
import Synchronization

/// Logarithms and powers of 2 by series, for levels in decibels on the render thread: plain
/// arithmetic without a branch, so that the compiler can use vectors. 1 is a factor of 2, 6.02 dB.
enum BinaryLogarithm {
    /// The decibels of a factor of 2.
    static var decibels: Double { @_noLocks get { 6.020_599_913_279_624 } }

    /// The logarithm of a number above 0 that is no denormal, to 4·10⁻⁷; exactly 0 of 1.
    ///
    /// x = m·2^e with m in √½…√2, and ln m = 2·artanh s with s = (m − 1)/(m + 1), of which four terms
    /// are used.
    @inline(__always) @_noLocks static func of(_ x: Float) -> Float {
        let bits = Int32(bitPattern: x.bitPattern)
        // √½ is the first number of each e.
        let e = (bits &- 0x3f35_04f3) &>> 23
        let m = Float(bitPattern: UInt32(bitPattern: bits &- (e &<< 23)))
        let s = (m - 1) / (m + 1)
        let q = s * s
        // 2/ln 2, and that through 3, 5 and 7.
        let series = 2.885_390_1 + q * (0.961_796_7 + q * (0.577_078 + q * 0.412_198_6))
        return Float(e) + s * series
    }

    /// 2 to the power of x, −100…100, to 3·10⁻⁷ of it; exactly 1 of 0.
    ///
    /// The nearest whole number becomes the exponent, and the rest, at most ½, e^(rest·ln 2) with the
    /// terms up to the sixth power.
    @inline(__always) @_noLocks static func power(_ x: Float) -> Float {
        // Beyond 2²³ a Float has no fraction: adding 1.5·2²³ rounds, and its lowest bits count.
        let moved = x + 0x1.8p23
        let z = (x - (moved - 0x1.8p23)) * 0.693_147_2
        let series: Float =
            1 + z
            * (1 + z * (1 / 2 + z * (1 / 6 + z * (1 / 24 + z * (1 / 120 + z * (1 / 720))))))
        let exponent = (moved.bitPattern &- 0x4b40_0000 &+ 127) &<< 23
        return series * Float(bitPattern: exponent)
    }
}

/// Gains for each frame of a slice, as the exponents of 2.
enum GainCurve {
    /// Multiplies each frame of both channels by 2^(`offset` − `reductions`), and by exactly 1 where
    /// that is 0.
    @_noLocks static func apply(
        _ reductions: Samples, offset: Float, to samples: StereoSamples, count: Int
    ) {
        for i in 0..<count {
            unsafe reductions[i] = BinaryLogarithm.power(offset - reductions[i])
        }
        unsafe multiplyChannel(samples.left, by: reductions, count: count)
        if unsafe !samples.isMono {
            unsafe multiplyChannel(samples.right, by: reductions, count: count)
        }
    }
}

/// Follows a value at one speed upwards and at another downwards: the smooth branching detector of
/// D. Giannoulis, M. Massberg, J. D. Reiss, "Digital Dynamic Range Compressor Design" (Journal of the
/// Audio Engineering Society 60, 2012), equation 17. In Double, so that it arrives, however slow.
struct BranchingSmoother: BitwiseCopyable {
    private(set) var value: Double

    @_noLocks init(at value: Double) { self.value = value }

    /// One-pole coefficient that reaches 63 % in `seconds`: 1 − e^(−1/(seconds·rate)). Control thread.
    static func speed(seconds: Double, sampleRate: Int) -> Float {
        Float(-expm1(-1 / (seconds * Double(sampleRate))))
    }

    /// Moves one frame towards `target` with the coefficient `up` or `down`; jumps to it from less
    /// than 10⁻⁶ away.
    @inline(__always) @_noLocks mutating func follow(_ target: Double, up: Double, down: Double) {
        let way = target - value
        let next = value + (way > 0 ? up * way : down * way)
        value = way > 1e-6 || way < -1e-6 ? next : target
    }

    /// Replaces each of `count` values by the one that follows it.
    @_noLocks mutating func process(_ values: Samples, up: Float, down: Float, count: Int) {
        var follower = self
        for i in 0..<count {
            unsafe follower.follow(Double(values[i]), up: Double(up), down: Double(down))
            unsafe values[i] = Float(follower.value)
        }
        self = follower
    }
}

/// Decides for every frame whether a gate is open: it opens when the level exceeds a threshold, and
/// closes when the level has been below a lower one for a while.
struct GateDetector: BitwiseCopyable {
    private(set) var isOpen = false
    /// For how many frames the level has been too low, at most as many as the gate stays open.
    private var quietFrames: Int32 = 0

    // Written out, since the implicit initialiser is not `@_noLocks`.
    @_noLocks init() {}

    /// Takes the level of the next frame; returns whether the gate is open in it.
    ///
    /// - Parameters:
    ///   - opening: the level above which it opens, linear.
    ///   - closing: the level below which it closes, at most `opening`.
    ///   - hold: for how many frames it stays open below that.
    @inline(__always) @_noLocks mutating func hears(
        _ level: Float, opening: Float, closing: Float, hold: Int32
    ) -> Bool {
        if level > opening {
            isOpen = true
            quietFrames = 0
        } else if isOpen {
            quietFrames = level < closing ? quietFrames &+ 1 : 0
            if quietFrames > hold { isOpen = false }
        }
        return isOpen
    }
}

/// The loudest frame of the last 12.5 ms: the level by which a gain is chosen.
///
/// Over a wave or more a steady sound has a steady level, so that a gain which follows it does not
/// distort. Exact for every frame and every split into slices, with two comparisons a frame
/// (M. van Herk, "A fast algorithm for local minimum and maximum filters", 1992): frames are taken in
/// blocks as long as the window, which therefore covers the end of one block and the beginning of the
/// next.
@safe struct PeakWindow: ~Copyable {
    /// A level for each frame of the present slice, linear; whoever uses them may write there.
    let levels: Samples
    /// At first the frames of the block, then, from the end on, the largest of what follows.
    private let block: Samples
    private let length: Int
    private var place = 0
    /// The largest frame of this block so far.
    private var largest: Float = 0

    /// A window in which nothing was heard, for slices of at most `sliceFrames`.
    init(sampleRate: Int, sliceFrames: Int) {
        length = max(1, Int((Self.seconds * Double(sampleRate)).rounded()))
        unsafe levels = .allocate(capacity: sliceFrames)
        unsafe levels.initialize(repeating: 0, count: sliceFrames)
        unsafe block = .allocate(capacity: length)
        unsafe block.initialize(repeating: 0, count: length)
    }

    deinit {
        unsafe levels.deallocate()
        unsafe block.deallocate()
    }

    /// How long the window is: a wave of 80 Hz, which is as low as anybody sings.
    static var seconds: Double { 0.0125 }

    /// In how many frames after the last loud level it is `seconds` since the last loud sample, which
    /// the window keeps for its own length. Control thread.
    static func frames(afterTheLast seconds: Double, sampleRate: Int) -> Float {
        Float(max(0, ((seconds - Self.seconds) * Double(sampleRate)).rounded()))
    }

    /// Whether all frames in the window were silent.
    var isSilent: Bool { @_noLocks get { unsafe largest == 0 && block[place] == 0 } }

    @_noLocks mutating func reset() {
        unsafe block.update(repeating: 0, count: length)
        place = 0
        largest = 0
    }

    /// Writes to `levels`, for each frame, the largest magnitude of the window that ends with it, of
    /// both channels. A sample that is no number, or beyond 2²⁰, counts as silence.
    @_noLocks mutating func process(_ samples: StereoSamples, count: Int) {
        let (left, right) = unsafe (samples.left, samples.right)
        for i in 0..<count {
            let (l, r) = unsafe (abs(left[i]), abs(right[i]))
            // NaN is not below anything.
            let (a, b): (Float, Float) = (l < 0x1p20 ? l : 0, r < 0x1p20 ? r : 0)
            unsafe levels[i] = a > b ? a : b
        }
        for i in 0..<count {
            let level = unsafe levels[i]
            largest = level > largest ? level : largest
            unsafe block[place] = level
            place &+= 1
            if place == length {
                unsafe levels[i] = largest
                turn()
            } else {
                let before = unsafe block[place]
                unsafe levels[i] = before > largest ? before : largest
            }
        }
    }

    /// Begins the next block.
    @_noLocks private mutating func turn() {
        var after: Float = 0
        var i = length
        while i > 0 {
            i &-= 1
            let level = unsafe block[i]
            after = level > after ? level : after
            unsafe block[i] = after
        }
        place = 0
        largest = 0
    }
}

/// Present gain reduction of a unit, for the control thread.
struct ReductionReading: ~Copyable {
    /// In log₂ of the gain, 0 or more.
    private let reduction = Atomic<Float>(0)

    /// Render thread. Realtime-safe.
    @_noLocks func publish(_ value: Double) {
        reduction.store(Float(value), ordering: .relaxed)
    }

    /// In decibels, −120…0. Control thread.
    var decibels: Double {
        max(-120, -Double(reduction.load(ordering: .relaxed)) * BinaryLogarithm.decibels)
    }
}
