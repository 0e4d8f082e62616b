import Synchronization

/// A connection from an output bus of one node to an input bus of another.
final class Connection {
    let source: AudioNode
    let sourceBus: Int
    let sink: AudioNode
    let sinkBus: Int
    let kind: BusKind
    /// Whether it leads back to a node that is rendered before its source.
    let leadsBack: Bool
    /// The mixer's bus that was connected, when the sink is a mixer: its gains hold until the
    /// connection has faded out, even if the bus is removed from the mixer.
    let mixerInput: MixerInput?
    /// Whether it was disconnected: it is fading out, or silent.
    private(set) var isDisconnected = false
    let controls: Shared<ConnectionFade.Controls>
    let kernel: Shared<ConnectionFade>
    private var ownDelay: Shared<ControlDelay>?

    /// - Parameter isFadedIn: whether it begins silent and fades in, as a connection does that is
    ///   made while the graph runs.
    init(
        from source: AudioNode, bus sourceBus: Int, to sink: AudioNode, bus sinkBus: Int,
        kind: BusKind, leadsBack: Bool, isFadedIn: Bool, sampleRate: Int
    ) {
        self.source = source
        self.sourceBus = sourceBus
        self.sink = sink
        self.sinkBus = sinkBus
        self.kind = kind
        self.leadsBack = leadsBack
        mixerInput = (sink as? MixerNode)?.input(ofBus: sinkBus)
        controls = Shared(
            ConnectionFade.Controls(target: Atomic(1), reached: Atomic(isFadedIn ? -1 : 1)))
        kernel = unsafe Shared(
            ConnectionFade(
                controls: controls.pointer, at: isFadedIn ? 0 : 1, isControl: kind == .control,
                sampleRate: sampleRate))
    }

    /// The delay of a connection that leads back, for slices of at most `frames` frames.
    func delay(frames: Int) -> Shared<ControlDelay> {
        let delay = ownDelay ?? Shared(ControlDelay(frames: frames))
        ownDelay = delay
        return delay
    }

    /// Disconnects it: the render thread fades it out.
    func fadeOut() {
        isDisconnected = true
        unsafe controls.pointer.pointee.target.store(0, ordering: .relaxed)
    }

    // A slice under way may still report that a fade has ended which the control thread has just
    // reversed. So `reached` counts only together with `isDisconnected`.

    /// Whether it has faded in fully, so that its samples pass unchanged.
    var isSettled: Bool {
        unsafe !isDisconnected && controls.pointer.pointee.reached.load(ordering: .relaxed) == 1
    }
    /// Whether it has faded out fully, so that nothing of it is heard.
    var isGone: Bool {
        unsafe isDisconnected && controls.pointer.pointee.reached.load(ordering: .relaxed) == 0
    }
}
