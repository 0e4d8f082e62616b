import Glibc

/// An echo: repeats its input after a time, each repeat softer and duller than the one before.
///
/// Adds no latency: the input itself passes at once. Control thread.
public final class DelayNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "delay",
        "Repeats its input after a time, each repeat softer and duller than the one before.",
        inputs: [BusDescription("input")],
        outputs: [BusDescription("output")],
        parameters: [
            ParameterDescription(
                .time, .seconds, 0.001...2, default: 0.3, curve: .logarithmic, ramp: 20),
            ParameterDescription(.feedback, .percent, 0...95, default: 30, ramp: 10),
            ParameterDescription(
                .tone, .hertz, 200...20_000, default: 5000, curve: .logarithmic, ramp: 10),
            ParameterDescription(.mix, .percent, 0...100, default: 25, ramp: 10),
            .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    /// The parameters that are handed to the kernel, in the order of its values.
    private static let names: [ParameterName] = [.time, .feedback, .tone, .mix]

    /// The rates that it takes: every number of frames is at least 1, and exact in Float.
    static let rates = 1000...4_000_000

    private let rate: Int
    private let mailboxes = names.map { _ in Shared(Mailbox(count: 1)) }
    private var kernel: Shared<DelayKernel>?

    /// - Parameters:
    ///   - sampleRate: the graph's rate in Hz, 1000…4,000,000.
    ///   - name: the node's name.
    public init(sampleRate: Int, name: String = "delay") {
        precondition(Self.rates.contains(sampleRate))
        rate = sampleRate
        super.init(name: name)
    }

    /// When the first repeat comes, 0.001…2 s, rounded to whole frames; 0.3 by default. What is no
    /// number counts as 0.3; values outside a range are brought to its nearest end, here and below.
    /// A change is a crossfade of 20 ms, with no change of pitch.
    public var time: Double {
        get { value(.time) }
        set { change(.time, to: newValue) }
    }

    /// How loud each repeat is, relative to the one before, 0…95 %; 30 by default. A change takes
    /// 10 ms.
    public var feedback: Double {
        get { value(.feedback) }
        set { change(.feedback, to: newValue) }
    }

    /// Above which frequency each repeat loses 6 dB per octave, once more than the one before,
    /// 200…20,000 Hz; 5000 by default. At 20,000 repeats lose nothing. A change takes 10 ms.
    public var tone: Double {
        get { value(.tone) }
        set { change(.tone, to: newValue) }
    }

    /// The part of the repeats in the output, 0…100 %; 25 by default. The input has the rest. A
    /// change takes 10 ms.
    public var mix: Double {
        get { value(.mix) }
        set { change(.mix, to: newValue) }
    }

    override var sampleRate: Int? { rate }

    private func value(_ name: ParameterName) -> Double { parameters[ParameterAddress(name)] }

    private func change(_ name: ParameterName, to value: Double) {
        parameters.change(ParameterAddress(name), toNearest: value)
    }

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        guard let place = Self.names.firstIndex(of: address.name) else { return [] }
        return [ParameterDelivery(mailboxes[place], [rendered(address.name, value(address))])]
    }

    /// A parameter's value as the kernel uses it.
    private func rendered(_ name: ParameterName, _ value: Double) -> Float {
        switch name {
        case .time: Float((value * Double(rate)).rounded())
        case .tone: Float(smoothing(value))
        default: Float(value / 100)
        }
    }

    /// The a of y = y·(1 − a) + x·a that has its −3 dB at `frequency`: with c = 1 − cos ω,
    /// a = √(c² + 2c) − c, from |a/(1 − (1 − a)·z⁻¹)|² = ½. Exactly 1, no filter, at 20 kHz.
    private func smoothing(_ frequency: Double) -> Double {
        guard frequency < 20_000 else { return 1 }
        let w = min(2 * Double.pi * frequency / Double(rate), Double.pi)
        let c = 1 - cos(w)
        return (c * c + 2 * c).squareRoot() - c
    }

    override func attach(to graph: Graph) {
        let defaults = Self.names.map { name in
            rendered(name, Self.unit.defaultValue(of: name))
        }
        let (time, feedback) = unsafe (mailboxes[0].pointer, mailboxes[1].pointer)
        let (tone, mix) = unsafe (mailboxes[2].pointer, mailboxes[3].pointer)
        kernel = unsafe Shared(
            DelayKernel(
                .init(time: time, feedback: feedback, tone: tone, mix: mix), longest: 2 * rate,
                values: SIMD4(defaults)),
            keepingAll: mailboxes)
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        guard let kernel else { return }
        unsafe builder.add(.delay(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
