/// A room around the sound: echoes without number, which fade away.
///
/// Its output is stereo, also of a mono input. Adds no latency: the input itself passes at once.
/// Control thread.
public final class ReverbNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "reverb", "Adds the reverb of a room.",
        of: ReverbNode(),
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output", channels: 2...2)])

    public override class var unit: UnitDescription { ownUnit }

    /// The parameters from which the lines are designed.
    private static let ofLines: [ParameterName] = [.size, .decay, .damping]

    /// The rates that it takes: every number of frames is exact in Float.
    private static let rates = 1000...4_000_000

    public override init(name: String = "reverb") { super.init(name: name) }

    /// How far sound goes from wall to wall, 2…16 m; 8 by default. The smaller the room, the sooner
    /// its echoes come, and the denser they are. What is no number counts as the default; values
    /// outside a range are brought to its nearest end, here and below. A change is a crossfade of
    /// 50 ms, with no change of pitch.
    @Parameter(.size, .metres, 2...16, default: 8, curve: .logarithmic, ramp: 50)
    public var size: Double

    /// In how many seconds a sound of up to 1 kHz becomes 60 dB softer (T60), 0.3…20; 1.5 by default.
    /// How loud the reverb is does not depend on it. A change takes 50 ms. In a large room that fades
    /// as soon as this can be, damped as much as can be, low sounds take a sixth longer.
    @Parameter(.decay, .seconds, 0.3...20, default: 1.5, curve: .logarithmic, ramp: 50)
    public var decay: Double

    /// How much sooner high sounds fade than low ones, 0…100 %; 50 by default. At 0 all fade alike,
    /// at 100 sounds of 4 kHz in about half the time, higher ones sooner still. A change takes 50 ms.
    @Parameter(.damping, .percent, 0...100, default: 50, ramp: 50)
    public var damping: Double

    /// How much later the reverb begins than the sound itself, 0…0.25 s, rounded to whole frames;
    /// 0.01 by default. A change is a crossfade of 20 ms.
    @Parameter(
        .preDelay, .seconds, 0...0.25, default: 0.01, ramp: 20,
        as: { value, rate in (value * Double(rate)).rounded() })
    public var preDelay: Double

    /// The part of the reverb in the output, 0…100 %; 25 by default. The input has the rest. A
    /// change takes 10 ms.
    @Parameter(.wet, .percent, 0...100, default: 25, ramp: 10, as: { value, _ in value / 100 })
    public var wet: Double

    /// What the lines get is designed from all of their parameters.
    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [(slot: ParameterAddress, floats: [Float])] {
        guard let rendering, Self.ofLines.contains(address.name) else {
            return super.deliveries(for: address, value)
        }
        let design = design(sampleRate: rendering.sampleRate) { value(ParameterAddress($0)) }
        return Self.lines(of: design).filter {
            address.name == .size || $0.slot != ParameterAddress("taps")
        }
    }

    /// The values of the slots that a design fills.
    private static func lines(
        of design: ReverbDesign
    ) -> [(slot: ParameterAddress, floats: [Float])] {
        func floats(_ lanes: SIMD8<Float>) -> [Float] { lanes.indices.map { lanes[$0] } }
        return [
            (ParameterAddress("taps"), floats(design.taps)),
            (ParameterAddress("gains"), floats(design.gains)),
            (ParameterAddress("poles"), floats(design.poles)),
            (ParameterAddress("level"), [design.level]),
        ]
    }

    private func design(sampleRate: Int, _ value: (ParameterName) -> Double) -> ReverbDesign {
        ReverbDesign(
            size: value(.size), decay: value(.decay), damping: value(.damping) / 100,
            sampleRate: sampleRate)
    }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        isBypassed ? super.outputChannelCount(bus: bus, in: graph) : 2
    }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel {
        try rendering.require(Self.rates)
        func most(_ name: ParameterName) -> Double {
            unit.parameter(name, scope: .global)?.range.upperBound ?? 0
        }
        let rate = rendering.sampleRate
        let design = design(sampleRate: rate) { parameters[ParameterAddress($0)] }
        let slots = unsafe Self.lines(of: design).map { unsafe rendering.slot($0.slot, $0.floats) }
        return unsafe .reverb(
            rendering.own(
                ReverbKernel(
                    preDelay: rendering.single(.preDelay), wet: rendering.single(.wet),
                    taps: slots[0], gains: slots[1], poles: slots[2], level: slots[3],
                    longestPreDelay: Int((most(.preDelay) * Double(rate)).rounded()),
                    longestLine: ReverbDesign.longest(size: most(.size), sampleRate: rate),
                    diffusion: ReverbDesign.diffusion(sampleRate: rate), design: design)))
    }

    override func addWet(to compiler: Compiler, beside dry: Bus?) -> Bus {
        let out = compiler.bus(.audio, channelCount: 2)
        compiler.add(kernelOf: self, from: [dry ?? compiler.input(of: self, bus: 0)], to: [out])
        return out
    }
}

/// A reverb in a plan. Input 0: mono or stereo. Output 0: stereo, in buffers of its own.
///
/// Of each frame x: what came the pre-delay earlier goes through the diffuser into the lines, which
/// give y; out goes x·(1 − wet) + y·wet.
@safe struct ReverbKernel: ~Copyable {
    /// After so many frames the kernel looks whether all is over. Counted from the first frame, so
    /// that it is the same for any split into slices.
    private static var pace: Int { @_noLocks get { 64 } }

    /// In frames.
    private var preDelay: ParameterRamp
    private let taps, gains, poles: UnsafeMutablePointer<ParameterSlot>
    private var past: DelayLine
    private var diffuser: Diffuser
    private var lines: ReverbLines
    private var level: ParameterRamp
    private var wet: ParameterRamp
    /// At most `pace` frames on their way.
    private let frames: UnsafeMutablePointer<SIMD2<Float>>
    private var untilLook = Self.pace
    /// Frames since something could be heard, and how many of them empty all that sounds on.
    private var quietFrames = 0
    private let longest: Int
    /// Whether nothing sounds on: all was emptied, and nothing has come in since.
    private var isSilent = true

    /// - Parameters:
    ///   - taps, gains, poles, level: slots of the lines' design.
    ///   - longestPreDelay: in frames.
    ///   - longestLine: in frames.
    ///   - diffusion: the delays of the diffuser, in frames.
    ///   - design: the design at first.
    init(
        preDelay: ParameterRamp, wet: ParameterRamp, taps: UnsafeMutablePointer<ParameterSlot>,
        gains: UnsafeMutablePointer<ParameterSlot>, poles: UnsafeMutablePointer<ParameterSlot>,
        level: UnsafeMutablePointer<ParameterSlot>, longestPreDelay: Int, longestLine: Int,
        diffusion: [Int], design: ReverbDesign
    ) {
        (self.preDelay, self.wet) = (preDelay, wet)
        unsafe (self.taps, self.gains, self.poles) = unsafe (taps, gains, poles)
        self.level = unsafe ParameterRamp(level)
        past = DelayLine(longest: longestPreDelay + 1, tap: Int(preDelay.target) + 1)
        diffuser = Diffuser(delays: diffusion)
        lines = ReverbLines(
            longest: longestLine, taps: design.taps, gains: design.gains, poles: design.poles)
        unsafe frames = .allocate(capacity: Self.pace)
        unsafe frames.initialize(repeating: .zero, count: Self.pace)
        longest = longestLine + diffusion.reduce(0, +)
    }

    deinit { unsafe frames.deallocate() }

    @_noLocks private mutating func reset() {
        take()
        past.reset()
        empty()
        lines.reset()
        level.reset()
        wet.reset()
        untilLook = Self.pace
    }

    @_noLocks private mutating func empty() {
        diffuser.reset()
        lines.empty()
        quietFrames = 0
        isSilent = true
    }

    @_noLocks private mutating func take() {
        if let length = preDelay.take() {
            // Written before it is read: the newest frame is one back.
            past.aim(at: Int(preDelay.target) + 1, over: length)
        }
        if let new = unsafe taps.pointee.take() {
            unsafe lines.aim(at: Self.lanes(new.floats), over: new.ramp)
        }
        if let new = unsafe gains.pointee.take() {
            unsafe lines.gains.aim(at: Self.lanes(new.floats), over: new.ramp)
        }
        if let new = unsafe poles.pointee.take() {
            unsafe lines.poles.aim(at: Self.lanes(new.floats), over: new.ramp)
        }
    }

    @_noLocks private static func lanes(_ floats: UnsafePointer<Float>) -> SIMD8<Float> {
        var lanes = SIMD8<Float>.zero
        for i in 0..<ReverbLines.count { lanes[i] = unsafe floats[i] }
        return lanes
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        take()
        level.take()
        wet.take()
        let (source, out, total) = unsafe (inputs[0], outputs[0], slice.count)
        let isIdle = isSilent && source.isAtRest
        if isIdle {
            out.clear(count: total)
            past.skip(total)
            lines.skip(total)
        } else {
            out.isAtRest = false
        }
        var done = 0
        while done < total {
            let part = min(total - done, untilLook)
            if !isIdle {
                unsafe process(source.stereo, to: out.stereo, from: done, count: part)
            }
            done += part
            untilLook -= part
            if untilLook == 0 {
                untilLook = Self.pace
                if !isIdle { look() }
            }
        }
        level.ramp.advance(total)
        wet.ramp.advance(total)
        lines.gains.advance(total)
        lines.poles.advance(total)
    }

    /// Empties everything when nothing of it could be heard for as long as a sound stays anywhere.
    @_noLocks private mutating func look() {
        let isQuiet = lines.isQuiet()
        quietFrames = isQuiet && past.isSilent ? quietFrames + Self.pace : 0
        if quietFrames > longest { empty() }
    }

    /// At most `pace` frames.
    @_noLocks private mutating func process(
        _ source: StereoSamples, to out: StereoSamples, from start: Int, count: Int
    ) {
        // Also after a look, in the middle of a slice, that has found nothing left.
        isSilent = false
        let (left, right) = unsafe (source.left + start, source.right + start)
        for i in 0..<count {
            past.write(Self.bounded(unsafe SIMD2(left[i], right[i])))
            unsafe frames[i] = past.read() * level.ramp.value(at: start + i)
        }
        unsafe diffuser.process(frames, count: count)
        unsafe lines.process(frames, count: count, at: start)
        let (outLeft, outRight) = unsafe (out.left + start, out.right + start)
        for i in 0..<count {
            let wet = wet.ramp.value(at: start + i)
            let heard = unsafe SIMD2(left[i], right[i]) * (1 - wet) + frames[i] * wet
            unsafe outLeft[i] = heard.x
            unsafe outRight[i] = heard.y
        }
    }

    /// Silence in place of a frame that is not finite or beyond 2²⁰, which would go round for ever.
    @inline(__always) @_noLocks private static func bounded(_ frame: SIMD2<Float>) -> SIMD2<Float> {
        // NaN is in no range.
        (frame * frame).sum() <= 0x1p40 ? frame : .zero
    }
}
