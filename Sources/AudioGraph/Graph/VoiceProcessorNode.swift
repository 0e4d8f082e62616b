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
        inputs: [BusDescription("microphone"), BusDescription("reference", first: referenceBus)],
        outputs: [BusDescription("output")],
        parameters: [
            ParameterDescription(.echoCancellation, .switch, 0...1, default: 1),
            ParameterDescription(.noiseReduction, .decibels, 0...40, default: 0),
            .onOff(.gainControl, ramp: 0),
            ParameterDescription(
                .referenceDelay, .seconds, 0...VoiceWorker.longestDelay, default: 0),
            .onOff(.bypass),
        ],
        properties: [PropertyDescription("late", .frames, changesByItself: true)])

    public override class var unit: UnitDescription { ownUnit }

    /// The input bus for what the loudspeakers play.
    public static let referenceBus = 1

    /// The longest period of the driver, in frames, that the thread has time for.
    public let period: Int
    private let echoCancellation = Shared(Mailbox(count: 1))
    private let noiseReductionMailbox = Shared(Mailbox(count: 1))
    private let gainControl = Shared(Mailbox(count: 1))
    private let referenceDelayMailbox = Shared(Mailbox(count: 1))
    private var worker: VoiceWorker?
    private var kernel: Shared<VoiceKernel>?

    /// - Parameters:
    ///   - period: the longest period of the driver, in frames, 64…8192 (values outside are brought
    ///     to the nearest end); 1024 by default. The thread has one period to do its work, so the
    ///     sound is so much later.
    ///   - name: the node's name.
    public init(period: Int = 1024, name: String = "voice processor") {
        self.period = min(max(period, 64), 8192)
        super.init(name: name)
    }

    deinit { worker?.stop() }

    /// Whether the echo of the reference is taken away; true by default. A change takes one frame of
    /// libspeexdsp, some 5 ms.
    public var cancelsEcho: Bool {
        get { parameters[isOn: .echoCancellation] }
        set { parameters[isOn: .echoCancellation] = newValue }
    }

    /// By how much noise is reduced, 0…40 dB, in whole dB; 0, not at all, by default.
    public var noiseReduction: Decibels {
        get { Decibels(parameters[ParameterAddress(.noiseReduction)]) }
        set {
            let value = newValue.value.isNaN ? 0 : min(max(newValue.value, 0), 40)
            parameters.change(ParameterAddress(.noiseReduction), to: value)
        }
    }

    /// Whether a soft voice is made louder and a loud one softer; false by default.
    public var controlsGain: Bool {
        get { parameters[isOn: .gainControl] }
        set { parameters[isOn: .gainControl] = newValue }
    }

    /// How long the reference takes from the graph to the loudspeaker and back from the microphone
    /// into the graph, 0…1 s: the driver's round trip, never more; 0 by default.
    public var referenceDelay: Double {
        get { parameters[ParameterAddress(.referenceDelay)] }
        set {
            let value = newValue.isNaN ? 0 : min(max(newValue, 0), VoiceWorker.longestDelay)
            parameters.change(ParameterAddress(.referenceDelay), to: value)
        }
    }

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

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        let mailbox: Shared<Mailbox>
        switch address.name {
        case .echoCancellation: mailbox = echoCancellation
        case .noiseReduction: mailbox = noiseReductionMailbox
        case .gainControl: mailbox = gainControl
        case .referenceDelay: mailbox = referenceDelayMailbox
        default: return []
        }
        return [ParameterDelivery(mailbox, [Float(value(address))])]
    }

    // MARK: Buses

    public override var inputBusCount: Int { 2 }

    override var longestCycle: Int { period }

    /// The reference is not heard.
    override func passes(input: Int, to output: Int) -> Bool { input == 0 }

    override func attach(to graph: Graph) throws(GraphError) {
        let rate = graph.sampleRate
        guard VoiceWorker.rates.contains(rate) else {
            throw .rateNotTaken(node: name, rate: rate, accepted: VoiceWorker.rates)
        }
        let frame = Self.frame(sampleRate: rate)
        let delay = frame + period
        guard let worker = VoiceWorker(sampleRate: rate, frame: frame, delay: delay) else {
            throw .noDescriptors(node: name)
        }
        guard worker.start() else { throw .noThread(node: name) }
        let mailboxes = unsafe Shared(
            VoiceSettings.Mailboxes(
                echoCancellation: echoCancellation.pointer,
                noiseReduction: noiseReductionMailbox.pointer,
                gainControl: gainControl.pointer, referenceDelay: referenceDelayMailbox.pointer),
            keeping: echoCancellation, noiseReductionMailbox, gainControl, referenceDelayMailbox)
        kernel = unsafe Shared(
            VoiceKernel(
                feed: worker.feed.pointer, results: worker.results.pointer,
                mailboxes: mailboxes.pointer, delay: delay, sampleRate: rate),
            keeping: worker.feed, worker.results, mailboxes)
        self.worker = worker
    }

    override func addWet(to builder: PlanBuilder, beside dry: Bus?) -> Bus {
        let source = dry ?? builder.input(of: self, bus: 0)
        let reference = builder.input(of: self, bus: Self.referenceBus)
        guard let kernel else { return source }
        let out = builder.bus(.audio, channelCount: source.channelCount)
        unsafe builder.add(.voice(builder.keep(kernel)), from: [source, reference], to: [out])
        return out
    }
}
