import Synchronization

/// Keeps its input at or below a ceiling, with one gain for both sides and without latency.
public final class LimiterNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "limiter",
        "Keeps peaks below a ceiling, by the same gain on both sides and without latency.",
        of: LimiterNode(),
        inputs: [BusDescription("input")],
        outputs: [
            BusDescription("output"), BusDescription("gain", kind: .control, first: gainBus),
        ],
        presets: [
            Preset("full", [ParameterAddress(.ceiling): -0.3]),
            Preset("streaming", [ParameterAddress(.ceiling): -1]),
            Preset("headroom", [ParameterAddress(.ceiling): -6]),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// The output bus with the limiter's gain of every frame, a control bus.
    public static let gainBus = 1

    private let controls = Shared(LimiterKernel.Controls())

    public init(ceiling: Decibels = Decibels(-0.3), name: String = "limiter") {
        super.init(name: name)
        self.ceiling = ceiling
    }

    /// The largest magnitude of the output, −60…0 dBFS; −0.3 by default. Values outside are brought
    /// to the nearest end. A change takes 10 ms.
    @Parameter(
        .ceiling, .decibels, -60...0, default: -0.3, ramp: 10,
        as: { value, _ in Double(LimiterNode.gain(of: Decibels(value))) })
    public var ceiling: Decibels

    /// The limiter's present gain in dB, at most 0; 0 while it is bypassed.
    @Reading(.gainReduction, .decibels, -120...0, default: 0) public var gainReduction: Decibels

    override func reading(of address: ParameterAddress) -> Double {
        guard !isBypassed else { return 0 }
        let gain = unsafe controls.pointer.pointee.gain.load(ordering: .relaxed)
        return Decibels(gain: Double(gain)).value
    }

    /// 10^(dB/20), rounded down, so that no sample exceeds the ceiling.
    fileprivate static func gain(of ceiling: Decibels) -> Float {
        let exact = ceiling.gain
        let nearest = Float(exact)
        return Double(nearest) > exact ? nearest.nextDown : nearest
    }

    public override var outputBuses: Range<Int> { 0..<2 }

    override func kind(ofOutput bus: Int) -> BusKind? {
        bus == Self.gainBus ? .control : super.kind(ofOutput: bus)
    }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        bus == Self.gainBus ? 1 : graph.inputChannelCount(of: self, bus: 0)
    }

    override func makeKernel(_ rendering: Rendering) -> RenderStep.Kernel {
        unsafe .limiter(
            rendering.own(
                LimiterKernel(
                    ceiling: rendering.single(.ceiling), controls: controls.pointer,
                    sampleRate: rendering.sampleRate),
                keeping: controls))
    }

    override func addSteps(to compiler: Compiler, changing bus: Bus) {
        let gains = compiler.bus(.control)
        compiler.add(kernelOf: self, from: [bus], to: [bus, gains])
        compiler.set(gains, output: Self.gainBus, of: self)
    }
}

/// A limiter in a plan. Input 0 and output 0 are the same buffers; output 1 is a control bus with
/// the limiter's gains.
@safe struct LimiterKernel {
    /// What the render thread tells the control thread.
    struct Controls: ~Copyable {
        let gain = Atomic<Float>(1)
    }

    private let controls: UnsafePointer<Controls>
    private var limiter: Limiter
    private var ceiling: ParameterRamp

    init(ceiling: ParameterRamp, controls: UnsafePointer<Controls>, sampleRate: Int) {
        unsafe self.controls = controls
        self.ceiling = ceiling
        limiter = Limiter(sampleRate: sampleRate)
    }

    @_noLocks private mutating func reset() {
        ceiling.reset()
        limiter.reset()
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        ceiling.take()
        let isIdle = limiter.gain == 1 && inputs[0].isAtRest
        let isActive =
            unsafe !isIdle
            && process(outputs[0].stereo, curve: outputs[1].gains, count: slice.count)
        unsafe ceiling.ramp.advance(slice.count)
        outputs[1].isAtRest = !isActive
        unsafe controls.pointee.gain.store(limiter.gain, ordering: .relaxed)
    }

    /// Returns whether any frame was limited; where not, no gain is written.
    @inline(__always) @_noLocks private mutating func process(
        _ samples: StereoSamples, curve: Samples, count: Int
    ) -> Bool {
        ceiling.ramp.remaining == 0
            ? unsafe limiter.process(
                samples, ceiling: ceiling.ramp.target, curve: curve, count: count)
            : unsafe processFrames(samples, curve: curve, count: count)
    }

    /// As `process` while the ceiling moves: every frame has its own.
    @inline(never) @_noLocks private mutating func processFrames(
        _ samples: StereoSamples, curve: Samples, count: Int
    ) -> Bool {
        for i in 0..<count {
            let frame = unsafe StereoSamples(left: samples.left + i, right: samples.right + i)
            let ceiling = ceiling.ramp.value(at: i)
            if unsafe !limiter.process(frame, ceiling: ceiling, curve: curve + i, count: 1) {
                unsafe curve[i] = 1
            }
        }
        return true
    }
}

/// Keeps both channels at or below a ceiling, with one gain for both and without latency.
///
/// Per frame m = max|x|; t = m > C ? C/m : 1; g = min(t, g + 1/(0.2·rate));
/// y = g < 1 ? clamp(x·g, −C, C) : x. So |y| ≤ C, and y is x, bit for bit, while g is 1.
struct Limiter: BitwiseCopyable {
    /// How much the gain recovers per frame: from 0 to 1 in 0.2 s.
    private let recovery: Float
    private(set) var gain: Float = 1

    init(sampleRate: Int) { recovery = Float(1 / (0.2 * Double(sampleRate))) }

    /// Recovers at once.
    @_noLocks mutating func reset() { gain = 1 }

    /// Limits `count` frames to ±`ceiling` and writes each frame's gain to `curve`.
    ///
    /// - Returns: false when no frame needed limiting; `curve` is then not written.
    @_noLocks mutating func process(
        _ samples: StereoSamples, ceiling: Float, curve: Samples, count: Int
    ) -> Bool {
        let (left, right) = unsafe (samples.left, samples.right)
        if gain == 1, unsafe !anyExceeds(ceiling, in: left, count: count),
            unsafe !anyExceeds(ceiling, in: right, count: count)
        {
            return false
        }
        // Three loops: only the middle one depends on the frame before, so the compiler can use
        // vectors in the others. A ternary is a single instruction; min and max, which order equal
        // values, are four.
        for i in 0..<count {
            let (l, r) = unsafe (abs(left[i]), abs(right[i]))
            let peak = l > r ? l : r
            unsafe curve[i] = peak > ceiling ? ceiling / peak : 1
        }
        let recovery = recovery
        var g = gain
        for i in 0..<count {
            let wanted = unsafe curve[i]
            let recovered = g + recovery
            g = wanted < recovered ? wanted : recovered
            unsafe curve[i] = g
        }
        unsafe apply(curve, to: left, ceiling: ceiling, count: count)
        if unsafe !samples.isMono { unsafe apply(curve, to: right, ceiling: ceiling, count: count) }
        gain = g
        return true
    }

    @_noLocks private func apply(
        _ curve: Samples, to samples: Samples, ceiling: Float, count: Int
    ) {
        for i in 0..<count {
            let (x, g) = unsafe (samples[i], curve[i])
            let scaled = x * g
            let above = scaled > -ceiling ? scaled : -ceiling
            let limited = above < ceiling ? above : ceiling
            unsafe samples[i] = g < 1 ? limited : x
        }
    }
}
