import CJack
import SystemSupport

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
                capture: latency(of: first, mode: JackCaptureLatency),
                playback: latency(of: last, mode: JackPlaybackLatency),
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

    /// The port that a microphone of one channel would be connected to; nil: none matches. Blocks for 2 s
    /// at most.
    ///
    /// - Throws: `serverSilent`.
    package func microphone(_ selection: PortSelection) throws(JackError) -> String? {
        guard isUsable else { return nil }
        guard let ports = handle.ports(offering: JackPortIsOutput) else {
            throw .serverSilent(name: server)
        }
        return selection.choose(from: ports, channelCount: 1, isMicrophone: true)[0]
    }

    /// The audio ports of other clients that can be a microphone, or can be heard; empty once the
    /// server is gone. Blocks for 2 s at most.
    ///
    /// - Throws: `serverSilent`.
    private func ports(forMicrophone isMicrophone: Bool) throws(JackError) -> [JackPort] {
        guard isUsable else { return [] }
        guard
            let ports = handle.ports(offering: isMicrophone ? JackPortIsOutput : JackPortIsInput)
        else { throw .serverSilent(name: server) }
        return ports.filter { $0.suits(microphone: isMicrophone) }
    }
}

/// A sound card, as the kernel's ALSA lists it.
public struct SoundCard: Sendable, Hashable {
    /// The card's name after `hw:`, such as `PCH`.
    public let id: String
    /// Whether the card is on USB: USB sends packets of 1 ms, so jackd is given three periods.
    public let isUSB: Bool
    /// The number of the first device that plays; nil when none does.
    public let playbackDevice: Int?
    /// The number of the device to record from: the playback device where it can record, else the
    /// first device that can; nil when none can.
    public let captureDevice: Int?

    public init(id: String, isUSB: Bool, playbackDevice: Int?, captureDevice: Int?) {
        self.id = id
        self.isUSB = isUSB
        self.playbackDevice = playbackDevice
        self.captureDevice = captureDevice
    }

    /// The cards of this machine, in the kernel's order.
    public static func all() -> [SoundCard] {
        parse(cards: readText("/proc/asound/cards"), devices: readText("/proc/asound/pcm"))
    }

    /// Reads the texts of /proc/asound/cards and /proc/asound/pcm; skips lines of other shapes.
    ///
    /// - Parameters:
    ///   - cards: lines such as ` 0 [PCH            ]: HDA-Intel - HDA Intel PCH`.
    ///   - devices: lines such as `00-00: ALC257 Analog : ALC257 Analog : playback 1 : capture 1`.
    static func parse(cards: String, devices: String) -> [SoundCard] {
        var playing: [Int: [Int]] = [:]
        var recording: [Int: [Int]] = [:]
        for line in devices.split(separator: "\n") {
            let head = line.prefix { $0 != ":" }.split(separator: "-")
            guard head.count == 2, let card = Int(head[0]), let device = Int(head[1]) else {
                continue
            }
            for field in line.split(separator: ":").dropFirst() {
                let words = field.split(separator: " ")
                guard words.count == 2, Int(words[1]) != nil else { continue }
                if words[0] == "playback" { playing[card, default: []].append(device) }
                if words[0] == "capture" { recording[card, default: []].append(device) }
            }
        }
        return cards.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "[", maxSplits: 1)
            guard parts.count == 2, let number = Int(parts[0].filter { $0 != " " }),
                let end = parts[1].firstIndex(of: "]")
            else { return nil }
            let playback = playing[number]?.first
            let captures = recording[number] ?? []
            return SoundCard(
                id: String(parts[1][..<end].prefix { $0 != " " }),
                isUSB: parts[1][end...].hasPrefix("]: USB-Audio"),
                playbackDevice: playback,
                captureDevice: captures.first { $0 == playback } ?? captures.first)
        }
    }
}
