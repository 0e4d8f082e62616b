/// Keeps harmful samples from every later node: those that are not finite become 0, magnitudes
/// above 2²⁰ are clamped.
public final class GuardNode: AudioNode {
    public override init(name: String = "guard") { super.init(name: name) }

    override func emit(into builder: PlanBuilder) {
        let bus = builder.changeableInput(of: self, bus: 0)
        builder.add(.guardSamples, from: [bus], to: [bus])
        builder.set(bus, output: 0, of: self)
    }
}
