import CJack

/// Facts about the server and this machine that a singer should know before singing.
public struct SystemReport: Sendable {
    /// The server's name.
    public let server: String
    /// Whether the server is PipeWire.
    public let isPipeWire: Bool
    /// The version text of the loaded libjack.
    public let libjackVersion: String
    /// The server's sample rate in Hz.
    public let sampleRate: Int
    /// Frames in a cycle.
    public let period: Int
    /// Whether the server asks for realtime scheduling, and whether the client's process thread
    /// has it; the latter is defined after the first cycle.
    public let scheduling: ThreadScheduling
    /// What this user may have.
    public let rights: RealtimeRights
    /// Bytes that this process keeps from being swapped out, JACK's memory among them.
    public let lockedMemory: Int
    /// Bytes that this process may keep from being swapped out; nil: no limit.
    public let lockedMemoryLimit: Int?
    /// Physical audio ports that give sound.
    public let capturePorts: [JackPort]
    /// Audio ports of programs that give sound; a microphone may be behind one of them.
    public let otherSources: [JackPort]
    /// Physical audio ports that take sound.
    public let playbackPorts: [JackPort]
    /// Whether the server plays through jackd's dummy driver, so that nothing is heard.
    public let isDummy: Bool
    /// Whether this machine has a sound card that can play.
    public let hasSoundCard: Bool
    /// The latency from the first capture port to the first playback port, through a client that
    /// adds none, as ours; nil where one of the two ports is missing.
    public let roundTrip: JackLatency?
}

extension JackClient {
    /// Gathers the facts about the server and this machine. Blocks for 5 s at most.
    ///
    /// - Throws: `serverSilent`.
    public func report() throws(JackError) -> SystemReport {
        let sources = try ports(forMicrophone: true)
        let capture = sources.filter(\.isPhysical)
        let playback = try ports(forMicrophone: false).filter(\.isPhysical)
        var roundTrip: JackLatency?
        if let first = capture.first, let last = playback.first {
            roundTrip = JackLatency(
                capture: facts?.latency(of: first, mode: JackCaptureLatency) ?? .zero,
                playback: facts?.latency(of: last, mode: JackPlaybackLatency) ?? .zero,
                sampleRate: sampleRate)
        }
        return SystemReport(
            server: server, isPipeWire: Libjack.isPipeWire, libjackVersion: Libjack.version,
            sampleRate: sampleRate, period: period, scheduling: scheduling,
            rights: .ofThisUser(),
            lockedMemory: RealtimeRights.lockedMemory,
            lockedMemoryLimit: RealtimeRights.lockedMemoryLimit, capturePorts: capture,
            otherSources: sources.filter { !$0.isPhysical }, playbackPorts: playback,
            // jackd names the driver in the ports' aliases: dummy_pcm:dummy:in1.
            isDummy: playback.contains { $0.aliases.contains { $0.hasPrefix("dummy_pcm:") } },
            hasSoundCard: SoundCard.all().contains { $0.playbackDevice != nil },
            roundTrip: roundTrip)
    }

    /// The audio ports of other clients that can be a microphone, or can be heard; empty once the
    /// server is gone. Blocks for 2 s at most.
    ///
    /// - Throws: `serverSilent`.
    private func ports(forMicrophone isMicrophone: Bool) throws(JackError) -> [JackPort] {
        guard let facts else { return [] }
        guard
            let ports = facts.ports(offering: isMicrophone ? JackPortIsOutput : JackPortIsInput)
        else { throw .serverSilent(name: server) }
        return ports.filter { $0.suits(microphone: isMicrophone) }
    }
}
