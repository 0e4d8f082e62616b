/// A room around the sound: echoes without number, which fade away.
///
/// Its output is stereo, also of a mono input. Adds no latency: the input itself passes at once.
/// Control thread.
public final class ReverbNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "reverb", "Adds the reverb of a room.",
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output", channels: 2...2)],
        parameters: [
            ParameterDescription(
                .size, .metres, 2...16, default: 8, curve: .logarithmic, ramp: 50),
            ParameterDescription(
                .decay, .seconds, 0.3...20, default: 1.5, curve: .logarithmic, ramp: 50),
            ParameterDescription(.damping, .percent, 0...100, default: 50, ramp: 50),
            ParameterDescription(.preDelay, .seconds, 0...0.25, default: 0.01, ramp: 20),
            ParameterDescription(.wet, .percent, 0...100, default: 25, ramp: 10),
            .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// The parameters from which the lines are designed.
    private static let ofLines: [ParameterName] = [.size, .decay, .damping]

    /// The rates that it takes: every number of frames is exact in Float.
    static let rates = 1000...4_000_000

    private let rate: Int
    private let preDelayMailbox = Shared(Mailbox(count: 1))
    private let tapMailbox = Shared(Mailbox(count: ReverbLines.count))
    private let gainMailbox = Shared(Mailbox(count: ReverbLines.count))
    private let poleMailbox = Shared(Mailbox(count: ReverbLines.count))
    private let levelMailbox = Shared(Mailbox(count: 1))
    private let wetMailbox = Shared(Mailbox(count: 1))
    private var kernel: Shared<ReverbKernel>?

    /// - Parameters:
    ///   - sampleRate: the graph's rate in Hz, 1000…4,000,000.
    ///   - name: the node's name.
    public init(sampleRate: Int, name: String = "reverb") {
        precondition(Self.rates.contains(sampleRate))
        rate = sampleRate
        super.init(name: name)
    }

    /// How far sound goes from wall to wall, 2…16 m; 8 by default. The smaller the room, the sooner
    /// its echoes come, and the denser they are. What is no number counts as the default; values
    /// outside a range are brought to its nearest end, here and below. A change is a crossfade of
    /// 50 ms, with no change of pitch.
    public var size: Double {
        get { parameters[.size] }
        set { parameters[.size] = newValue }
    }

    /// In how many seconds a sound of up to 1 kHz becomes 60 dB softer (T60), 0.3…20; 1.5 by default.
    /// How loud the reverb is does not depend on it. A change takes 50 ms. In a large room that fades
    /// as soon as this can be, damped as much as can be, low sounds take a sixth longer.
    public var decay: Double {
        get { parameters[.decay] }
        set { parameters[.decay] = newValue }
    }

    /// How much sooner high sounds fade than low ones, 0…100 %; 50 by default. At 0 all fade alike,
    /// at 100 sounds of 4 kHz in about half the time, higher ones sooner still. A change takes 50 ms.
    public var damping: Double {
        get { parameters[.damping] }
        set { parameters[.damping] = newValue }
    }

    /// How much later the reverb begins than the sound itself, 0…0.25 s, rounded to whole frames;
    /// 0.01 by default. A change is a crossfade of 20 ms.
    public var preDelay: Double {
        get { parameters[.preDelay] }
        set { parameters[.preDelay] = newValue }
    }

    /// The part of the reverb in the output, 0…100 %; 25 by default. The input has the rest. A
    /// change takes 10 ms.
    public var wet: Double {
        get { parameters[.wet] }
        set { parameters[.wet] = newValue }
    }

    override var sampleRate: Int? { rate }

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        switch address.name {
        case .wet: return [ParameterDelivery(wetMailbox, [Float(value(address) / 100)])]
        case .preDelay:
            return [ParameterDelivery(preDelayMailbox, [frames(value(address))])]
        case let name where Self.ofLines.contains(name):
            let design = design { value(ParameterAddress($0)) }
            let ofLines =
                [
                    (gainMailbox, design.gains), (poleMailbox, design.poles),
                ] + (name == .size ? [(tapMailbox, design.taps)] : [])
            return ofLines.map { mailbox, lanes in
                ParameterDelivery(mailbox, lanes.indices.map { lanes[$0] })
            } + [ParameterDelivery(levelMailbox, [design.level])]
        default: return []
        }
    }

    private func frames(_ seconds: Double) -> Float { Float((seconds * Double(rate)).rounded()) }

    private func design(_ value: (ParameterName) -> Double) -> ReverbDesign {
        ReverbDesign(
            size: value(.size), decay: value(.decay), damping: value(.damping) / 100,
            sampleRate: rate)
    }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        isBypassed ? super.outputChannelCount(bus: bus, in: graph) : 2
    }

    override func attach(to graph: Graph) {
        func first(_ name: ParameterName) -> Double { unit.defaultValue(of: name) }
        func most(_ name: ParameterName) -> Double {
            unit.parameter(name, scope: .global)?.range.upperBound ?? 0
        }
        let (preDelay, taps) = unsafe (preDelayMailbox.pointer, tapMailbox.pointer)
        let (gains, poles) = unsafe (gainMailbox.pointer, poleMailbox.pointer)
        let (level, wet) = unsafe (levelMailbox.pointer, wetMailbox.pointer)
        kernel = unsafe Shared(
            ReverbKernel(
                .init(
                    preDelay: preDelay, taps: taps, gains: gains, poles: poles, level: level,
                    wet: wet),
                longestPreDelay: Int(frames(most(.preDelay))),
                longestLine: ReverbDesign.longest(size: most(.size), sampleRate: rate),
                diffusion: ReverbDesign.diffusion(sampleRate: rate), design: design(first),
                preDelay: frames(first(.preDelay)), wet: Float(first(.wet) / 100)),
            keepingAll: [
                preDelayMailbox, tapMailbox, gainMailbox, poleMailbox, levelMailbox, wetMailbox,
            ])
    }

    override func addWet(to builder: PlanBuilder, beside dry: Bus?) -> Bus {
        let source = dry ?? builder.input(of: self, bus: 0)
        guard let kernel else { return source }
        let out = builder.bus(.audio, channelCount: 2)
        unsafe builder.add(.reverb(builder.keep(kernel)), from: [source], to: [out])
        return out
    }
}
