/// An input bus of a mixer: its volume, its pan, and how loud it is after both.
///
/// Every change takes 10 ms; each of volume, pan, mute and solo, and law moves by itself, and the
/// law holds all the way. Control thread.
public final class MixerInput: ParameterOwner {
    /// The bus's number.
    public let number: Int
    private weak var mixer: MixerNode?
    private let levelStore = Shared(LevelStore())
    private var made: (kernel: Shared<MixerInputKernel>, rendering: Rendering)?

    init(number: Int, of mixer: MixerNode) {
        self.number = number
        self.mixer = mixer
    }

    /// How long a change takes, in frames.
    package static func ramp(at sampleRate: Int) -> Int {
        Int(RampClock.parameterLength(sampleRate: sampleRate))
    }

    /// The bus's volume, 0…4; 1 by default.
    @Parameter(.volume, .gain, 0...4, default: 1, curve: .decibel, ramp: 10)
    public var volume: Volume

    /// The bus's pan, −1…1; 0 by default.
    @Parameter(.pan, .pan, -1...1, default: 0, ramp: 10) public var pan: Pan

    /// Whether the bus is silent whatever its volume; false by default.
    @Parameter(.mute, .switch, 0...1, default: 0, ramp: 10) public var isMuted: Bool

    /// Whether only this bus is heard, and others that are solo too; false by default. A muted bus
    /// stays silent.
    @Parameter(.solo, .switch, 0...1, default: 0, ramp: 10) public var isSolo: Bool

    @Reading(.peakLeft, .decibels, -120...120, default: -120) var peakLeft: Decibels
    @Reading(.peakRight, .decibels, -120...120, default: -120) var peakRight: Decibels
    @Reading(.rmsLeft, .decibels, -120...120, default: -120) var rmsLeft: Decibels
    @Reading(.rmsRight, .decibels, -120...120, default: -120) var rmsRight: Decibels

    /// Levels of the bus after volume and pan.
    public var levels: Levels { unsafe Levels(levelStore.pointer.pointee) }

    /// Whether two channels are one source with a room around it, as a voice with a reverb: they are
    /// panned as a mono bus, so that the source is where and as loud as it would be by itself; false
    /// by default. Without effect on a mono bus. A change takes 10 ms.
    public var hasMonoPan: Bool {
        get { isPannedAsMono }
        set {
            let old = isPannedAsMono
            guard newValue != old else { return }
            isPannedAsMono = newValue
            guard let graph = unitOfParameters?.graph else { return }
            graph.edit { graph.changePlan { [self] in isPannedAsMono = old } }
        }
    }

    private var isPannedAsMono = false

    /// What is panned; as was rendered last.
    private var source: PanLaw.Source?

    // MARK: Parameters

    public var unitOfParameters: AudioNode? { mixer?.has(self) ?? false ? mixer : nil }
    public var parameterScope: Scope { .input }
    public var parameterElement: Int { number }

    func address(_ name: ParameterName) -> ParameterAddress {
        ParameterAddress(name, scope: .input, element: number)
    }

    private var sourceSlot: ParameterAddress { address("source") }

    // MARK: Rendering

    /// The kernel in the graph that `rendering` is for; a new one for a bus that has none there.
    func kernel(in rendering: Rendering?) -> Shared<MixerInputKernel>? {
        if let made, made.rendering === rendering { return made.kernel }
        guard let rendering, let mixer else { return nil }
        // They live as long as the kernel: a bus that comes later under this number has its own.
        let news = Shared(true)
        let values: [(ParameterAddress, [Float])] = [
            (address(.volume), volume.gain.halves), (address(.pan), pan.position.halves),
            (address(.mute), [mixer.isHeard(self) ? 1 : 0]),
            (address(.panLaw), [Float(mixer.panLaw.parameterValue)]),
            (sourceSlot, [Float(PanLaw.Source.stereo.number)]),
        ]
        let slots = values.map { rendering.passingSlot($0, $1, news: news) }
        let kernel = unsafe Shared(
            MixerInputKernel(
                levels: levelStore.pointer, volume: slots[0].pointer, pan: slots[1].pointer,
                isHeard: slots[2].pointer, law: slots[3].pointer, source: slots[4].pointer,
                news: news.pointer, sampleRate: rendering.sampleRate),
            keepingAll: [levelStore, rendering] + slots)
        made = (kernel, rendering)
        return kernel
    }

    /// Says how many channels are connected, for the plan that is compiled.
    func setChannels(_ count: Int, in compiler: Compiler) {
        // Where a fade is over, one source sounds as before, though by another of its laws.
        guard compiler.isEdit || !hasMonoPan || source == nil else { return }
        let new: PanLaw.Source = count == 1 ? .mono : hasMonoPan ? .spacious : .stereo
        guard new != source, let rendering = made?.rendering,
            let slot = rendering.slots[sourceSlot]
        else { return }
        source = new
        compiler.deliver(
            ParameterDelivery(
                slot: slot, floats: [Float(new.number)],
                ramp: RampClock.parameterLength(sampleRate: rendering.sampleRate)))
    }

    func leave() { (made, source) = (nil, nil) }
}

/// One input bus of a mixer: its volume and pan, a gain from another unit, and its meter.
///
/// Input 0: the source, mono or stereo. Input 1: a control bus. Output 0: the bus after volume,
/// pan and gain, stereo.
@safe struct MixerInputKernel {
    /// How the bus is panned: by which law, and what.
    private struct Style {
        let law: PanLaw
        let source: PanLaw.Source

        /// Their numbers.
        @_noLocks init(_ numbers: Crossfade.Value) {
            law = PanLaw(number: Int(numbers[0]))
            source = PanLaw.Source(number: Int(numbers[1]))
        }

        @_noLocks func gains(volume: Double, pan: Double) -> SIMD4<Double> {
            law.gains(volume: volume, pan: pan, of: source)
        }
    }

    // What every slice needs comes first, in few lines of the processor's cache.
    private let levels: UnsafePointer<LevelStore>
    /// Whether any slot has a new value: one look instead of five, in every slice.
    private let news: UnsafeMutablePointer<Bool>
    private var isResting = false
    /// The gains while nothing moves, in the order of `PanLaw.gains`.
    private var resting = SIMD4<Float>.zero
    private var meter: Meter
    private var volume: WideRamp
    private var pan: WideRamp
    private var isHeard: ParameterRamp
    private let lawSlot: UnsafeMutablePointer<ParameterSlot>
    private let sourceSlot: UnsafeMutablePointer<ParameterSlot>
    /// A `Style`.
    private var style = Crossfade(at: .zero)

    init(
        levels: UnsafePointer<LevelStore>, volume: UnsafeMutablePointer<ParameterSlot>,
        pan: UnsafeMutablePointer<ParameterSlot>, isHeard: UnsafeMutablePointer<ParameterSlot>,
        law: UnsafeMutablePointer<ParameterSlot>, source: UnsafeMutablePointer<ParameterSlot>,
        news: UnsafeMutablePointer<Bool>, sampleRate: Int
    ) {
        unsafe self.news = news
        unsafe self.levels = levels
        self.volume = unsafe WideRamp(volume)
        self.pan = unsafe WideRamp(pan)
        self.isHeard = unsafe ParameterRamp(isHeard)
        unsafe lawSlot = law
        unsafe sourceSlot = source
        meter = Meter(sampleRate: sampleRate)
    }

    @_noLocks private mutating func reset() {
        volume.reset()
        pan.reset()
        isHeard.reset()
        takeStyle()
        style.end()
        isResting = false
        meter.reset()
    }

    @_noLocks private mutating func takeStyle() {
        var (new, length) = (style.next, nil as Int32?)
        if let law = unsafe lawSlot.pointee.take() {
            new[0] = unsafe Int32(law.floats[0])
            length = unsafe law.ramp
        }
        if let source = unsafe sourceSlot.pointee.take() {
            new[1] = unsafe Int32(source.floats[0])
            length = unsafe max(source.ramp, length ?? 0)
        }
        if let length { style.aim(at: new, over: length) }
    }

    /// Begins a slice.
    @inline(__always) @_noLocks private mutating func take() {
        guard unsafe !isResting || news.pointee else { return }
        unsafe news.pointee = false
        let isChanged = volume.take()
        let isMoved = pan.take()
        let isSwitched = isHeard.take() != nil
        let wasStyle = style.present
        takeStyle()
        if isChanged || isMoved || isSwitched || !style.isOver || style.present != wasStyle {
            isResting = false
        }
    }

    /// The gains `offset` frames from now.
    @_noLocks private func gains(at offset: Int) -> SIMD4<Float> {
        let level = volume.value(at: offset) * Double(isHeard.value(at: offset))
        let position = pan.value(at: offset)
        let gains = Style(style.present).gains(volume: level, pan: position)
        let progress = style.progress(at: offset)
        guard progress < 1 else { return rounded(gains) }
        let old = Style(style.last).gains(volume: level, pan: position)
        let part = Double(progress)
        return rounded(old * (1 - part) + gains * part)
    }

    @_noLocks private func rounded(_ gains: SIMD4<Double>) -> SIMD4<Float> {
        SIMD4(Float(gains.x), Float(gains.y), Float(gains.z), Float(gains.w))
    }

    /// Whether anything moves.
    private var isMoving: Bool {
        @_noLocks get {
            volume.isMoving || pan.isMoving || isHeard.isMoving || !style.isOver
        }
    }

    @_noLocks private mutating func advance(_ count: Int) {
        volume.advance(count)
        pan.advance(count)
        isHeard.ramp.advance(count)
        style.advance(count)
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        let (source, out, count) = unsafe (inputs[0], outputs[0], slice.count)
        take()
        if source.isAtRest {
            if !isResting { advance(count) }
            out.clear(count: count)
        } else {
            let sides = unsafe out.stereo
            unsafe pan(source.stereo, to: sides, count: count)
            if !inputs[1].isAtRest {
                unsafe multiplyChannel(sides.left, by: inputs[1].gains, count: count)
                unsafe multiplyChannel(sides.right, by: inputs[1].gains, count: count)
            }
            out.isAtRest = false
        }
        unsafe meter.process(out.stereo, isSilent: out.isAtRest, count: count)
        unsafe levels.pointee.publish(meter)
    }

    /// Writes `source` times the gains to both sides of `out`, and moves on.
    @inline(__always) @_noLocks private mutating func pan(
        _ source: StereoSamples, to out: StereoSamples, count: Int
    ) {
        if !isResting {
            if isMoving { return unsafe panMoving(source, to: out, count: count) }
            (resting, isResting) = (gains(at: 0), true)
        }
        if unsafe source.isMono, resting.y == 0, resting.w == 0 {
            unsafe spread(source.left, to: out, gains: resting, count: count)
        } else {
            unsafe mix(source, to: out, gains: resting, count: count)
        }
    }

    /// As `pan`, while every frame has its own gains.
    @inline(never) @_noLocks private mutating func panMoving(
        _ source: StereoSamples, to out: StereoSamples, count: Int
    ) {
        var done = 0
        while done < count {
            // One crossfade of the law at a time.
            let part = style.isOver ? count - done : min(style.remaining, count - done)
            for i in 0..<part {
                let gains = gains(at: i)
                let left = unsafe source.left[done + i]
                let right = unsafe source.right[done + i]
                unsafe out.left[done + i] = left * gains.x + right * gains.y
                unsafe out.right[done + i] = left * gains.z + right * gains.w
            }
            advance(part)
            done += part
        }
    }
}

/// A parameter of one number in Double on the render thread, which reaches the kernel by its bits.
@safe private struct WideRamp {
    private let slot: UnsafeMutablePointer<ParameterSlot>
    private var start = 0.0
    private var target = 0.0
    private var clock = RampClock(length: 0)

    init(_ slot: UnsafeMutablePointer<ParameterSlot>) { unsafe self.slot = slot }

    /// Whether the value moves.
    var isMoving: Bool { @_noLocks get { !clock.isOver } }

    /// Begins a slice: takes a new value; false where there is none.
    @inline(__always) @_noLocks mutating func take() -> Bool {
        guard let new = unsafe slot.pointee.take() else { return false }
        let value = unsafe Double(halves: new.floats[0], new.floats[1])
        guard unsafe value != target || Int(new.ramp) < clock.remaining || new.ramp == 0 else {
            return false
        }
        start = self.value(at: 0)
        target = value
        clock.restart(length: unsafe new.ramp)
        return true
    }

    @inline(__always) @_noLocks func value(at offset: Int) -> Double {
        let progress = clock.progress(at: offset)
        return progress >= 1 ? target : start + (target - start) * Double(progress)
    }

    @_noLocks mutating func advance(_ count: Int) { clock.advance(count) }

    @_noLocks mutating func reset() {
        _ = take()
        clock.end()
    }
}

extension Double {
    /// The two halves of its bits, for a slot.
    var halves: [Float] {
        [
            Float(bitPattern: UInt32(truncatingIfNeeded: bitPattern)),
            Float(bitPattern: UInt32(truncatingIfNeeded: bitPattern >> 32)),
        ]
    }

    /// The number of which `halves` were made.
    @inline(__always) @_noLocks fileprivate init(halves low: Float, _ high: Float) {
        self.init(bitPattern: UInt64(low.bitPattern) | UInt64(high.bitPattern) << 32)
    }
}

@_noLocks private func spread(
    _ source: Samples, to out: StereoSamples, gains: SIMD4<Float>, count: Int
) {
    let (left, right) = unsafe (out.left, out.right)
    for i in 0..<count {
        let sample = unsafe source[i]
        unsafe left[i] = sample * gains.x
        unsafe right[i] = sample * gains.z
    }
}

@_noLocks private func mix(
    _ source: StereoSamples, to out: StereoSamples, gains: SIMD4<Float>, count: Int
) {
    let (left, right) = unsafe (source.left, source.right)
    let (outLeft, outRight) = unsafe (out.left, out.right)
    for i in 0..<count {
        let l = unsafe left[i]
        let r = unsafe right[i]
        unsafe outLeft[i] = l * gains.x + r * gains.y
        unsafe outRight[i] = l * gains.z + r * gains.w
    }
}
