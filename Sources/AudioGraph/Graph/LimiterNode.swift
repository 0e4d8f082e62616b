import Synchronization

/// Keeps its input at or below a ceiling, with one gain for both sides and without latency.
public final class LimiterNode: AudioNode {
    /// The largest magnitude of the output, −60…0 dBFS; −0.3 by default.
    public var ceiling: Decibels {
        didSet {
            ceiling = min(max(ceiling, Decibels(-60)), Decibels(0))
            unsafe controls.pointer.pointee.ceiling.store(
                Self.gain(of: ceiling), ordering: .relaxed)
        }
    }
    private let controls: Shared<LimiterKernel.Controls>
    private(set) var kernel: Shared<LimiterKernel>?

    public init(ceiling: Decibels = Decibels(-0.3), name: String = "limiter") {
        self.ceiling = min(max(ceiling, Decibels(-60)), Decibels(0))
        controls = Shared(LimiterKernel.Controls(ceiling: Atomic(Self.gain(of: self.ceiling))))
        super.init(name: name)
    }

    /// The limiter's present gain in dB, at most 0.
    public var gainReduction: Decibels {
        Decibels(
            gain: Double(unsafe controls.pointer.pointee.gain.load(ordering: .relaxed)))
    }

    /// 10^(dB/20), rounded down, so that no sample exceeds the ceiling.
    private static func gain(of ceiling: Decibels) -> Float {
        let exact = ceiling.gain
        let nearest = Float(exact)
        return Double(nearest) > exact ? nearest.nextDown : nearest
    }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(
            LimiterKernel(controls: controls.pointer, sampleRate: graph.sampleRate))
    }

    override func emit(into builder: PlanBuilder) -> Bus {
        let bus = builder.changeableInput(of: self, bus: 0)
        guard let kernel else { return bus }
        let curve = unsafe builder.channel()
        unsafe builder.setCurve(curve, of: self)
        _ = unsafe builder.keep(controls)
        unsafe builder.add(.limiter(builder.keep(kernel), bus.samples, curve: curve))
        return bus
    }
}
