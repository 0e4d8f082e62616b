/// Makes room for a voice: turns another sound down while the voice is heard.
///
/// It stands beside the sound's way, listens to the voice, and gives the gain of the other sound on a
/// control bus; `duck` connects it. While the loudest sample of 12.5 ms is above the threshold, the gain
/// goes to `depth` and stays there, `hold` after the last such sample it comes back, both ways linear
/// in decibels. Values outside a range are brought to its nearest end, what is no number to the
/// default. Control thread.
public final class DuckerNode: AudioNode {
    private static let ownUnit = UnitDescription(
        .effect, "ducker",
        "Turns the song down while a voice is heard.",
        inputs: [BusDescription("voice")],
        outputs: [BusDescription("gain", kind: .control)],
        parameters: [
            ParameterDescription(.depth, .decibels, -40...0, default: -9),
            ParameterDescription(.threshold, .decibels, -60...0, default: -40),
            ParameterDescription(
                .attack, .seconds, 0.04...2, default: 0.1, curve: .logarithmic),
            ParameterDescription(.hold, .seconds, 0.02...5, default: 0.5, curve: .logarithmic),
            ParameterDescription(
                .release, .seconds, 0.04...5, default: 1, curve: .logarithmic),
            .reduction, .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private let rate: Int
    private let reading = Shared(ReductionReading())
    private lazy var kernel = unsafe Shared(
        DuckerKernel(ramps, reading: reading.pointer, sampleRate: rate),
        keepingAll: numbers.all + [reading])

    /// - Parameters:
    ///   - sampleRate: the graph's rate in Hz, above 0.
    ///   - name: the node's name.
    public init(sampleRate: Int, name: String = "ducker") {
        precondition(sampleRate > 0)
        rate = sampleRate
        super.init(
            name: name, numbers: [.threshold, .depth, .attack, .hold, .release, .bypass])
    }

    /// Connects the node, which is in the same graph: its input to the input `voice` of `mixer` after
    /// volume and pan, its output to the gain of the input `other`.
    ///
    /// Throws what `Graph.connect` throws; then neither connection is made.
    public func duck(_ other: Int, by voice: Int, of mixer: MixerNode) throws(GraphError) {
        guard let graph else { throw .notInGraph(node: name) }
        try graph.connect(mixer, bus: MixerNode.directBus(of: voice), to: self)
        do throws(GraphError) {
            try graph.connectBack(self, bus: 0, to: mixer, bus: MixerNode.gainBus(of: other))
        } catch {
            graph.disconnect(self)
            throw error
        }
    }

    /// Above which level the voice counts, −60…0 dBFS; −40 by default.
    public var threshold: Decibels {
        get { parameters[decibels: .threshold] }
        set { parameters[decibels: .threshold] = newValue }
    }

    /// How loud the other sound is beside the voice, −40…0 dB; −9 by default, and 0 changes nothing. A
    /// change beside the voice takes as long as `attack` or `release`.
    public var depth: Decibels {
        get { parameters[decibels: .depth] }
        set { parameters[decibels: .depth] = newValue }
    }

    /// How long it takes from the voice's first sample until the other sound is as soft as it shall be,
    /// 0.04…2 s, with the 256 frames that the way back into the mixer takes; 0.1 by default.
    public var attack: Double {
        get { parameters[.attack] }
        set { parameters[.attack] = newValue }
    }

    /// How long the other sound stays soft after the voice's last sample, 0.02…5 s; 0.5 by default.
    public var hold: Double {
        get { parameters[.hold] }
        set { parameters[.hold] = newValue }
    }

    /// How long the other sound takes to come back, 0.04…5 s; 1 by default.
    public var release: Double {
        get { parameters[.release] }
        set { parameters[.release] = newValue }
    }

    /// By how much the other sound is turned down now, in dB, at most 0.
    public var gainReduction: Decibels { Decibels(unsafe reading.pointer.pointee.decibels) }

    /// Whether the node gives no gain, whatever it hears; false by default. A change takes 10 ms.
    public var isBypassed: Bool {
        get { parameters[isOn: .bypass] }
        set { parameters[isOn: .bypass] = newValue }
    }

    override var sampleRate: Int? { rate }

    override func reading(of address: ParameterAddress) -> Double { gainReduction.value }

    override func rendered(_ name: ParameterName, _ value: Double) -> Float {
        let frames = (value * Double(rate)).rounded()
        return switch name {
        case .threshold: Float(Decibels(value).gain)
        case .depth: Float(-value / BinaryLogarithm.decibels)
        case .attack, .release: Float(max(1, frames - Double(TapRing.sliceFrames)))
        case .hold: PeakWindow.frames(afterTheLast: value, sampleRate: rate)
        default: Float(value)
        }
    }

    override func kind(ofOutput bus: Int) -> BusKind? { bus == 0 ? .control : nil }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int { 1 }

    override func emit(into builder: PlanBuilder) {
        let voice = builder.input(of: self, bus: 0)
        let gains = builder.bus(.control)
        unsafe builder.add(.ducker(builder.keep(kernel)), from: [voice], to: [gains])
        builder.set(gains, output: 0, of: self)
    }
}
