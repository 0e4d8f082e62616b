/// Keeps harmful samples from every later node: those that are not finite become 0, magnitudes
/// above 2²⁰ are clamped.
public final class GuardNode: EffectNode {
    private static let ownUnit = UnitDescription(
        .effect, "guard",
        "Replaces NaN with silence, and clamps huge samples.",
        inputs: [BusDescription("input", channels: 1...8)],
        outputs: [BusDescription("output", channels: 1...8)],
        parameters: [.onOff(.bypass)])

    public override class var unit: UnitDescription { ownUnit }

    public init(name: String = "guard") { super.init(name: name) }

    override func addSteps(to builder: PlanBuilder, changing bus: Bus) {
        builder.add(.guardSamples, from: [bus], to: [bus])
    }
}
