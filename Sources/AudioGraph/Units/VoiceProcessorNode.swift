#if Speech
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
    private var worker: VoiceWorker?

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
        worker.map { unsafe $0.results.pointer.pointee.late.load(ordering: .relaxed) } ?? 0
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
        guard let worker = VoiceWorker(sampleRate: rate, frame: frame, delay: delay) else {
            throw .noDescriptors(node: name)
        }
        guard worker.start() else { throw .noThread(node: name) }
        self.worker = worker
        return unsafe .voice(
            rendering.own(
                VoiceKernel(
                    rendering, feed: worker.feed.pointer, results: worker.results.pointer,
                    delay: delay),
                keeping: worker.feed, worker.results))
    }

    override func end() {
        super.end()
        worker?.stop()
        worker = nil
    }

    override func addWet(to compiler: Compiler, beside dry: Bus?) -> Bus {
        let source = dry ?? compiler.input(of: self, bus: 0)
        let reference = compiler.input(of: self, bus: Self.referenceBus)
        let out = compiler.bus(.audio, channelCount: source.channelCount)
        compiler.add(kernelOf: self, from: [source, reference], to: [out])
        return out
    }
}
#endif
