/// Takes the voice out of a song, in the plain way: what is the same on both sides goes, and with the
/// voice so do bass, kick and the width of the rest.
public final class VocalRemoverNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "vocal-remover",
        "Takes away what is the same on both sides, as most voices are: left minus right.",
        inputs: [BusDescription("input", channels: 2...2)],
        outputs: [BusDescription("output", channels: 2...2)],
        parameters: [
            ParameterDescription(.amount, .percent, 0...100, default: 100, ramp: 10),
            .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private static let amount = ParameterAddress(.amount)

    private let mailbox = Shared(Mailbox(count: 1))
    private var kernel: Shared<VocalRemoverKernel>?

    public override init(name: String = "vocal remover") { super.init(name: name) }

    /// How much is taken away, 0…100 %; 100 by default: both sides are then half of left minus
    /// right, and at 0 the input to the bit. Values outside are brought to the nearest end, what is
    /// no number to 100. A change takes 10 ms. Control thread.
    public var amount: Double {
        get { parameters[Self.amount] }
        set { parameters.change(Self.amount, toNearest: newValue) }
    }

    override func deliveries(
        for address: ParameterAddress, _ value: (ParameterAddress) -> Double
    ) -> [ParameterDelivery] {
        guard address == Self.amount else { return [] }
        return [ParameterDelivery(mailbox, [Float(value(address) / 100)])]
    }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(VocalRemoverKernel(mailbox: mailbox.pointer), keeping: mailbox)
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        guard let kernel else { return }
        unsafe builder.add(.vocalRemover(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
