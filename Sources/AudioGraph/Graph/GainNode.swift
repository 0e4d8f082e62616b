/// Makes its input louder or softer.
public final class GainNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "gain", "Changes the level of its input.",
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)],
        parameters: [
            ParameterDescription(.gain, .gain, 0...4, default: 1, curve: .decibel, ramp: 10),
            .onOff(.bypass),
        ])

    public override class var unit: UnitDescription { ownUnit }

    private lazy var kernel = Shared(GainKernel(ramps), keepingAll: numbers.all)

    public init(name: String = "gain") { super.init(name: name, numbers: [.gain]) }

    /// The factor, 0…4; 1 by default. A change takes 10 ms.
    public var gain: Volume {
        get { Volume(gain: parameters[.gain]) }
        set { parameters[.gain] = newValue.gain }
    }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        unsafe builder.add(.gain(builder.keep(kernel)), from: [bus], to: [bus])
    }
}
