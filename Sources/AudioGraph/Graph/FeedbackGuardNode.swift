import Synchronization

/// Turns the microphone down when it feeds back through the loudspeakers.
///
/// When a limiter reduces by more than 6 dB for 1 s and the microphone's bus of the mixer is the
/// larger source, that bus goes down to −20 dB, until `answer()`, or until this node has left the
/// graph (`Graph.collect`). Connect it after the limiter: it passes its input on unchanged.
public final class FeedbackGuardNode: AudioNode {
    private let mixer: MixerNode
    private let microphoneBus: Int
    private let limiter: LimiterNode
    private let controls = Shared(FeedbackGuardKernel.Controls())
    private var kernel: Shared<FeedbackGuardKernel>?

    public init(
        mixer: MixerNode, microphoneBus: Int, limiter: LimiterNode, name: String = "feedback guard"
    ) {
        self.mixer = mixer
        self.microphoneBus = microphoneBus
        self.limiter = limiter
        super.init(name: name)
    }

    /// Whether the guard holds the microphone down.
    public var hasTripped: Bool {
        unsafe controls.pointer.pointee.trips.load(ordering: .relaxed)
            > controls.pointer.pointee.answers.load(ordering: .relaxed)
    }

    /// Turns the microphone down as if it had fed back: for a graph that replaces another whose
    /// guard had tripped. Call it before the graph starts.
    public func trip() {
        unsafe controls.pointer.pointee.trips.add(1, ordering: .relaxed)
    }

    /// Brings the microphone back in 10 ms. Does nothing unless the guard has tripped.
    public func answer() {
        let trips = unsafe controls.pointer.pointee.trips.load(ordering: .relaxed)
        unsafe controls.pointer.pointee.answers.store(trips, ordering: .relaxed)
    }

    override var passesInputOn: Bool { true }

    // Drops a kernel of an earlier graph: it counts its frames at that graph's rate.
    override func attach(to graph: Graph) { kernel = nil }

    override func emit(into builder: PlanBuilder) -> Bus {
        let bus = builder.input(of: self, bus: 0)
        guard let inputs = builder.inputs(of: mixer), let mic = inputs.places[microphoneBus],
            let curve = unsafe builder.curve(of: limiter), let limiterKernel = limiter.kernel
        else { return bus }
        let kernel = self.kernel ?? makeKernel(for: builder)
        self.kernel = kernel
        builder.guardInput(mic, of: mixer)
        let view = unsafe FeedbackGuardKernel.View(
            limiter: builder.keep(limiterKernel), curve: curve, inputs: inputs.list, mic: mic)
        _ = unsafe builder.keep(controls)
        unsafe builder.add(.feedbackGuard(builder.keep(kernel), view))
        return bus
    }

    private func makeKernel(for builder: PlanBuilder) -> Shared<FeedbackGuardKernel> {
        unsafe Shared(
            FeedbackGuardKernel(
                controls: controls.pointer, sampleRate: builder.sampleRate,
                maximumFrames: builder.maximumFrames))
    }
}
