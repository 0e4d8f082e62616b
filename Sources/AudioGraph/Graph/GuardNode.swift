/// Keeps harmful samples from every later node: those that are not finite become 0, magnitudes
/// above 2²⁰ are clamped.
public final class GuardNode: AudioNode {
    public override init(name: String = "guard") { super.init(name: name) }

    override func emit(into builder: PlanBuilder) -> Bus {
        let bus = builder.changeableInput(of: self, bus: 0)
        unsafe builder.add(.guardSamples(bus.samples))
        return bus
    }
}
