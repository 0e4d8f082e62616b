import Synchronization

/// One output bus of a node on its way to one input bus of another.
final class Connection {
    let source: AudioNode
    let sourceBus: Int
    let sink: AudioNode
    let sinkBus: Int
    /// The mixer's bus at the time it was connected; it keeps its gains while it leaves.
    let mixerInput: MixerInput?
    /// Disconnected: on its way to silence, or there.
    private(set) var isLeaving = false
    let controls: Shared<ConnectionFade.Controls>
    let kernel: Shared<ConnectionFade>

    /// `isFadedIn`: it begins silent and comes in; for connections made while the graph runs.
    init(
        from source: AudioNode, bus sourceBus: Int, to sink: AudioNode, bus sinkBus: Int,
        isFadedIn: Bool, sampleRate: Int
    ) {
        self.source = source
        self.sourceBus = sourceBus
        self.sink = sink
        self.sinkBus = sinkBus
        mixerInput = (sink as? MixerNode)?.inputs[sinkBus]
        controls = Shared(
            ConnectionFade.Controls(target: Atomic(1), reached: Atomic(isFadedIn ? -1 : 1)))
        kernel = unsafe Shared(
            ConnectionFade(
                controls: controls.pointer, at: isFadedIn ? 0 : 1, sampleRate: sampleRate))
    }

    /// Sets out for silence.
    func leave() {
        isLeaving = true
        unsafe controls.pointer.pointee.target.store(0, ordering: .relaxed)
    }

    // A slice that is under way may still tell where the fade was before it was sent back: what
    // it tells counts only with what was asked for.

    /// Fully in: its samples pass as they are.
    var isSettled: Bool {
        unsafe !isLeaving && controls.pointer.pointee.reached.load(ordering: .relaxed) == 1
    }
    /// Fully out: nothing of it is heard.
    var isGone: Bool {
        unsafe isLeaving && controls.pointer.pointee.reached.load(ordering: .relaxed) == 0
    }
}
