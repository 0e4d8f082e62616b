/// Makes its input louder or softer.
public final class GainNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "gain", "Makes its input louder or softer.",
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)],
        parameters: [
            ParameterDescription(.gain, .gain, 0...4, default: 1, curve: .decibel, ramp: 10),
            .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private let mailbox = Shared(Mailbox(count: 1))
    private var kernel: Shared<GainKernel>?

    public override init(name: String = "gain") { super.init(name: name) }

    /// The factor, 0…4; 1 by default. A change takes 10 ms.
    public var gain: Volume {
        get { Volume(gain: parameters[ParameterAddress(.gain)]) }
        set { parameters.change(ParameterAddress(.gain), to: newValue.gain) }
    }

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        guard address.name == .gain else { return [] }
        return [ParameterDelivery(mailbox, [Float(value(address))])]
    }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(GainKernel(mailbox: mailbox.pointer), keeping: mailbox)
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        guard let kernel else { return }
        unsafe builder.add(.gain(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
