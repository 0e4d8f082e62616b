#if Speech
import Synchronization

/// Takes the song's echo out of a microphone that hears the loudspeakers, and if asked its noise, by
/// libspeexdsp.
///
/// Input bus 0 is the microphone, input bus 1 the reference: what the loudspeakers play, without any
/// microphone (with the microphone in it the canceller would take the singer away). A thread of
/// the node's does the work with 16-bit samples, a constant number of frames later (`latency`); what
/// it makes too late is silence, and is counted (`lateFrames`).
public final class VoiceProcessorNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "voice-processor",
        "Removes noise and the echo of a reference from a microphone, with some latency.",
        of: VoiceProcessorNode(),
        inputs: [BusDescription("microphone"), BusDescription("reference", first: referenceBus)],
        outputs: [BusDescription("output")],
        properties: [PropertyDescription("late", .frames, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    /// The input bus for what the loudspeakers play.
    public static let referenceBus = 1

    /// The longest period of the driver, in frames, that the thread has time for.
    public let period: Int
    var worker: VoiceWorker? { rendering?.inUse() }

    /// - Parameters:
    ///   - period: the longest period of the driver, in frames, 64…8192 (values outside are brought
    ///     to the nearest end); 1024 by default. The thread has one period to do its work, so the
    ///     sound is so much later.
    ///   - name: the node's name.
    public init(period: Int = 1024, name: String = "voice processor") {
        self.period = min(max(period, 64), 8192)
        super.init(name: name)
    }

    /// Whether the echo of the reference is taken away; true by default. A change takes one frame of
    /// libspeexdsp, some 5 ms.
    @Parameter(.echoCancellation, .switch, 0...1, default: 1)
    public var cancelsEcho: Bool

    /// By how much noise is reduced, 0…40 dB, in whole dB; 0, not at all, by default.
    @Parameter(.noiseReduction, .decibels, 0...40, default: 0)
    public var noiseReduction: Decibels

    /// Whether a soft voice is made louder and a loud one softer; false by default.
    @Parameter(.gainControl, .switch, 0...1, default: 0)
    public var controlsGain: Bool

    /// How long the reference takes from the graph to the loudspeaker and back from the microphone
    /// into the graph, 0…1 s: the driver's round trip, never more; 0 by default.
    @Parameter(.referenceDelay, .seconds, 0...VoiceWorker.longestDelay, default: 0)
    public var referenceDelay: Double

    /// Frames that the thread made too late; silence was played instead.
    public var lateFrames: Int {
        worker.map { unsafe $0.results.pointer.pointee.missed.load(ordering: .relaxed) } ?? 0
    }

    /// By how many frames the microphone is later: two frames of libspeexdsp and the period; 0 before
    /// the node is in a graph, and while it is bypassed.
    public override var latency: Int {
        guard let graph, !isBypassed else { return 0 }
        return 2 * Self.frame(sampleRate: graph.sampleRate) + period
    }

    /// Frames that libspeexdsp processes at once: a power of two, some 5 ms.
    private static func frame(sampleRate: Int) -> Int {
        var frame = 64
        while frame * 188 < sampleRate { frame *= 2 }
        return frame
    }

    override func takesRamp(_ name: ParameterName) -> Bool { false }

    public override func property(_ name: String) -> PropertyValue? {
        name == "late" ? .number(Int64(lateFrames)) : super.property(name)
    }

    // MARK: Buses

    public override var inputBusCount: Int { 2 }

    override var longestCycle: Int { period }

    /// The reference is not heard.
    override func passes(input: Int, to output: Int) -> Bool { input == 0 }

    override func makeKernel(_ rendering: Rendering) throws(GraphError) -> RenderStep.Kernel? {
        try rendering.require(VoiceWorker.rates)
        let rate = rendering.sampleRate
        let frame = Self.frame(sampleRate: rate)
        let delay = frame + period
        let worker = VoiceWorker(sampleRate: rate, frame: frame, delay: delay)
        guard unsafe worker.supply.pointer.pointee.hasEvents else {
            throw .noDescriptors(node: name)
        }
        guard worker.start() else { throw .noThread(node: name) }
        rendering.use(worker) { worker.stop() }
        return unsafe .voice(
            rendering.own(
                VoiceKernel(
                    rendering, feed: worker.feed.ring.pointer, results: worker.results.pointer,
                    supply: worker.supply.pointer, delay: delay),
                keeping: worker.feed, worker.results, worker.supply))
    }

    override func addWet(to compiler: Compiler, beside dry: Bus?) -> Bus {
        let source = dry ?? compiler.input(of: self, bus: 0)
        let reference = compiler.input(of: self, bus: Self.referenceBus)
        let out = compiler.bus(.audio, channelCount: source.channelCount)
        compiler.add(kernelOf: self, from: [source, reference], to: [out])
        return out
    }
}

/// Hands the microphone and the reference to the voice processor's thread, and plays what that
/// thread makes of them, a constant number of frames later.
///
/// Input 0: the microphone, 1 or 2 channels. Input 1: the reference. Output 0: as many channels as
/// the microphone has. Frames are numbered here: what begins anew has numbers far behind all others,
/// which tells the thread to begin anew, too.
@safe struct VoiceKernel {
    /// A beginning has a number that is a multiple of this.
    private static var stride: Int { @_noLocks get { 1 << 20 } }

    private let feed: UnsafePointer<FrameRing>
    private let results: UnsafePointer<FrameRing>
    private let supply: UnsafePointer<Supply>
    private let echoCancellation, noiseReduction, gainControl: RampedParameter
    /// In seconds.
    private let referenceDelay: RampedParameter
    private let parameters: ParameterRamps
    /// How many frames after a frame of the microphone the thread's frame of that number is played.
    private let delay: Int
    /// The number of the next frame, and of the first since the beginning.
    private var position = 0
    private var beginning = 0
    /// The graph's frame that follows the last slice; another one is a beginning.
    private var nextFrame = -1
    /// 1 while frames are there in time; 0 from 5 ms after the first that was late.
    private var presence: Ramp
    /// The last frame before the frames were late.
    private var held = SIMD2<Float>.zero
    /// The last frame that was played, and the last one before the beginning.
    private var last = SIMD2<Float>.zero
    private var ended = SIMD2<Float>.zero
    /// From 1 at a beginning to 0 within 5 ms, in which `ended` fades out.
    private var ending: Ramp
    /// Whether the thread has lost frames of the last slice.
    private var hasLost = false

    init(
        _ made: Rendering, feed: UnsafePointer<FrameRing>, results: UnsafePointer<FrameRing>,
        supply: UnsafePointer<Supply>, delay: Int
    ) {
        unsafe self.feed = feed
        unsafe self.results = results
        unsafe self.supply = supply
        (echoCancellation, noiseReduction) = (made[.echoCancellation], made[.noiseReduction])
        (gainControl, referenceDelay) = (made[.gainControl], made[.referenceDelay])
        parameters = made.ramps
        self.delay = delay
        let length = RampClock.declickLength(sampleRate: made.sampleRate)
        presence = Ramp(at: 1, length: length)
        // It is over when the first frame is there.
        ending = Ramp(at: 0, length: min(length, Int32(clamping: delay)))
    }

    /// Waits until the thread has made all that it can of what was rendered, or until `end`. Blocks.
    func wait(until limit: Supply.Limit) -> Bool {
        unsafe supply.pointee.wait(until: limit) { unsafe feed.pointee.waiting() == 0 }
    }

    @_noLocks private mutating func reset() {
        parameters.reset()
        nextFrame = -1
    }

    @_noLocks mutating func render(_ slice: Slice, _ inputs: Buses, _ outputs: Buses) {
        if unsafe slice.isReset { reset() }
        let count = unsafe slice.count
        let isNext = unsafe slice.frame == nextFrame
        if !isNext || hasLost { begin(after: isNext ? last : .zero) }
        unsafe nextFrame = slice.frame + count
        parameters.take()
        let isTaken = unsafe feed.pointee.push(
            inputs, frame: position, count: count,
            values: values(channelCount: inputs[0].channelCount), isMarked: true)
        unsafe play(to: outputs[0].stereo, count: count)
        outputs[0].isAtRest = false
        position += count
        // The thread has lost frames, and begins anew.
        hasLost = !isTaken
    }

    /// Begins anew, after a frame that was played right before, or silence.
    @_noLocks private mutating func begin(after frame: SIMD2<Float>) {
        position = (position / Self.stride + 1) * Self.stride
        beginning = position
        ended = frame
        ending = Ramp(from: 1, to: 0, length: ending.length)
        // What was late before is of no account.
        presence = Ramp(at: 1, length: presence.length)
        held = .zero
    }

    /// What the thread is to do, with every slice, so that a change takes effect at the same frame
    /// whatever the driver's periods.
    @_noLocks private func values(channelCount: Int) -> SIMD8<Float> {
        var values = SIMD8<Float>()
        values[0] = echoCancellation.target
        values[1] = noiseReduction.target
        values[2] = gainControl.target
        values[3] = referenceDelay.target
        values[4] = Float(channelCount)
        return values
    }

    @_noLocks private mutating func play(to out: StereoSamples, count: Int) {
        let first = position - delay
        let silent = min(max(beginning - first, 0), count)
        // Both sides of a mono bus are its one channel, whose frames are on the left.
        let (left, right) = unsafe (out.left, out.right)
        for i in 0..<silent {
            last = ended * ending.value(at: i)
            unsafe right[i] = last.y
            unsafe left[i] = last.x
        }
        ending.advance(silent)
        guard silent < count else { return }
        let isThere = unsafe results.pointee.written.load(ordering: .acquiring) >= first + count
        if !isThere { unsafe results.pointee.miss(count &- silent) }
        // Once frames were late the fade goes to its end.
        presence.aim(at: isThere && (presence.target == 1 || presence.isSilent) ? 1 : 0)
        if presence.target == 1 {
            unsafe results.pointee.copy(
                channel: 1, from: first + silent, count: count - silent, to: right + silent)
            unsafe results.pointee.copy(
                channel: 0, from: first + silent, count: count - silent, to: left + silent)
        }
        for i in silent..<count {
            if presence.target == 1 { held = unsafe SIMD2(left[i], right[i]) }
            last = held * presence.value(at: i - silent)
            unsafe right[i] = last.y
            unsafe left[i] = last.x
        }
        presence.advance(count - silent)
    }
}
#endif
