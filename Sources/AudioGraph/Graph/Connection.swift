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
    /// Nil: it rests at its full gain.
    private var fade: Fade?
    private let sampleRate: Int
    private var ownDelay: Shared<ControlDelay>?

    init(
        from source: AudioNode, bus sourceBus: Int, to sink: AudioNode, bus sinkBus: Int,
        kind: BusKind, channels: [Int]? = nil, leadsBack: Bool = false, sampleRate: Int
    ) {
        self.source = source
        self.sourceBus = sourceBus
        self.sink = sink
        self.sinkBus = sinkBus
        self.kind = kind
        self.channels = channels
        self.leadsBack = leadsBack
        self.sampleRate = sampleRate
        mixerInput = (sink as? MixerNode)?.input(ofBus: sinkBus)
    }

    /// Whether it connects the same as another.
    func isLike(_ other: Connection) -> Bool {
        source === other.source && sourceBus == other.sourceBus && sink === other.sink
            && sinkBus == other.sinkBus && channels == other.channels
            && mixerInput === other.mixerInput
    }

    // MARK: Fades

    /// Begins silent, and fades in.
    func fadeIn() { fade = Fade(from: 0, to: 1, kind: kind, sampleRate: sampleRate) }

    /// Begins to fade out; returns what the render thread gets for that.
    func fadeOut() -> [ParameterDelivery] {
        if let fade { return [fade.go(to: 0)] }
        fade = Fade(from: 1, to: 0, kind: kind, sampleRate: sampleRate)
        return []
    }

    /// Rests at its full gain at once.
    func endFade() { fade = nil }

    /// The fade, for a sum of several connections.
    var fadeInSum: Fade {
        let fade = self.fade ?? Fade(from: 1, to: 1, kind: kind, sampleRate: sampleRate)
        self.fade = fade
        return fade
    }

    /// Whether it has faded in fully, so that its samples pass unchanged.
    var isSettled: Bool { fade?.rests(at: 1) ?? true }
    /// Whether it was disconnected and has faded out fully, so that nothing of it is heard.
    var isGone: Bool { fade?.rests(at: 0) ?? false }

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
}
