/// Keeps samples that are not finite, or beyond 2²⁰, from all that follows.
public final class GuardNode: AudioNode {
    public override init(name: String = "guard") { super.init(name: name) }

    override func emit(into builder: PlanBuilder) -> Bus {
        let bus = builder.changeableInput(of: self, bus: 0)
        unsafe builder.add(.guardSamples(bus.samples))
        return bus
    }
}
