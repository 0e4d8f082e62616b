/// A connection from an output bus of one node to an input bus of another.
final class Connection {
    let source: AudioNode
    let sourceBus: Int
    let sink: AudioNode
    let sinkBus: Int
    let kind: BusKind
    /// The channels of the source that the sink gets; nil: as many as it takes.
    let channels: [Int]?
    /// Whether it leads back to a node that is rendered before its source.
    let leadsBack: Bool
    /// The mixer's bus that was connected, when the sink is a mixer: its gains hold until the
    /// connection has faded out, even if the bus is removed from the mixer.
    let mixerInput: MixerInput?
    let fade: Fade
    private var ownDelay: Shared<ControlDelay>?

    /// - Parameter isFadedIn: whether it begins silent and fades in, as a connection does that is
    ///   made while the graph runs.
    init(
        from source: AudioNode, bus sourceBus: Int, to sink: AudioNode, bus sinkBus: Int,
        kind: BusKind, channels: [Int]? = nil, leadsBack: Bool = false, isFadedIn: Bool,
        sampleRate: Int
    ) {
        self.source = source
        self.sourceBus = sourceBus
        self.sink = sink
        self.sinkBus = sinkBus
        self.kind = kind
        self.channels = channels
        self.leadsBack = leadsBack
        mixerInput = (sink as? MixerNode)?.input(ofBus: sinkBus)
        fade = Fade(at: isFadedIn ? 0 : 1, kind: kind, sampleRate: sampleRate)
        if isFadedIn { fade.go(to: 1) }
    }

    /// The delay of a connection that leads back, for slices of at most `frames` frames.
    func delay(frames: Int) -> Shared<ControlDelay> {
        let delay = ownDelay ?? Shared(ControlDelay(frames: frames))
        ownDelay = delay
        return delay
    }

    /// Of `count` channels of the source, those that the sink gets; nil: all of them.
    func channels(of count: Int) -> [Int]? {
        if let channels { return channels.map { min($0, count - 1) } }
        let most = sink.channels(ofInput: sinkBus).upperBound
        return count > most ? Array(0..<most) : nil
    }

    /// Whether it has faded in fully, so that its samples pass unchanged.
    var isSettled: Bool { fade.rests(at: 1) }
    /// Whether it was disconnected and has faded out fully, so that nothing of it is heard.
    var isGone: Bool { fade.rests(at: 0) }
}
