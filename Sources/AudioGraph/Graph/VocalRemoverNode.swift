/// Takes the voice out of a song, in the plain way: what is the same on both sides goes, and with the
/// voice so do bass, kick and the width of the rest.
public final class VocalRemoverNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "vocal-remover",
        "Removes the centre, where most vocals are, by subtracting left from right.",
        inputs: [BusDescription("input", channels: 2...2)],
        outputs: [BusDescription("output", channels: 2...2)],
        parameters: [
            ParameterDescription(.amount, .percent, 0...100, default: 100, ramp: 10),
            .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private lazy var kernel = Shared(VocalRemoverKernel(ramps), keepingAll: numbers.all)

    public init(name: String = "vocal remover") { super.init(name: name, numbers: [.amount]) }

    /// How much is taken away, 0…100 %; 100 by default: both sides are then half of left minus
    /// right, and at 0 the input to the bit. Values outside are brought to the nearest end, what is
    /// no number to 100. A change takes 10 ms. Control thread.
    public var amount: Double {
        get { parameters[.amount] }
        set { parameters[.amount] = newValue }
    }

    override func rendered(_ name: ParameterName, _ value: Double) -> Float { Float(value / 100) }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        unsafe builder.add(.vocalRemover(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
