import Synchronization

/// Keeps its input at or below a ceiling, with one gain for both sides and without latency.
public final class LimiterNode: AudioNode {
    /// The output bus with the limiter's gain of every frame, a control bus.
    public static let gainBus = 1

    /// The largest magnitude of the output, −60…0 dBFS; −0.3 by default.
    public var ceiling: Decibels {
        didSet {
            ceiling = min(max(ceiling, Decibels(-60)), Decibels(0))
            unsafe controls.pointer.pointee.ceiling.store(
                Self.gain(of: ceiling), ordering: .relaxed)
        }
    }
    private let controls: Shared<LimiterKernel.Controls>
    private var kernel: Shared<LimiterKernel>?

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

    public override var outputBuses: Range<Int> { 0..<2 }

    override func kind(ofOutput bus: Int) -> BusKind? {
        bus == Self.gainBus ? .control : super.kind(ofOutput: bus)
    }

    override func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        bus == Self.gainBus ? 1 : graph.inputChannelCount(of: self, bus: 0)
    }

    override func attach(to graph: Graph) {
        kernel = unsafe Shared(
            LimiterKernel(controls: controls.pointer, sampleRate: graph.sampleRate))
    }

    override func emit(into builder: PlanBuilder) {
        guard let kernel else { return }
        let bus = builder.changeableInput(of: self, bus: 0)
        let gains = builder.bus(.control)
        _ = unsafe builder.keep(controls)
        unsafe builder.add(.limiter(builder.keep(kernel)), from: [bus], to: [bus, gains])
        builder.set(bus, output: 0, of: self)
        builder.set(gains, output: Self.gainBus, of: self)
    }
}
