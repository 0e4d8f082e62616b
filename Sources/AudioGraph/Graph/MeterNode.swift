/// Tells how loud the first two channels of its input are, and passes it on unchanged.
public final class MeterNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "meter", "Measures the peak and RMS of its input, and passes it on unchanged.",
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)],
        parameters: ParameterDescription.meter(scope: .global) + [.onOff(.bypass)])

    public override class var unit: UnitDescription { ownUnit }

    private let levelStore = Shared(LevelStore())
    private var kernel: Shared<MeterKernel>?

    public init(name: String = "meter") { super.init(name: name) }

    /// The readings; they stand still while the node is bypassed.
    public var levels: Levels { unsafe Levels(levelStore.pointer.pointee) }

    override var changesInput: Bool { false }

    override func reading(of address: ParameterAddress) -> Double { levels.value(address.name) }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(
            MeterKernel(levels: levelStore.pointer, sampleRate: graph.sampleRate),
            keeping: levelStore)
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        guard let kernel else { return }
        unsafe builder.add(.meter(builder.keep(kernel)), from: [bus], to: [])
    }
}
