import AudioGraph
import JackIO
import SystemSupport

/// Warns of a microphone that gives no sound, or hardly any, while a song is heard, and says what to do.
///
/// Main thread. Other ports are listened to by a client of their own, on another thread, when a microphone
/// has no sound; as long as all is well, only a meter is read.
final class MicrophoneCheck: LivePart {
    /// Seconds between two looks: for so long a meter holds its peak.
    private static let interval = 0.5
    /// How long other ports are listened to, in seconds.
    private static let listeningTime = 1.0

    private struct Watched {
        let bus: Int
        /// The option that chooses its port.
        let option: String
        /// The names of its own ports, without the client's.
        let ports: [String]
        var watch = MicrophoneWatch()
        /// The ports that it is connected to.
        var sources: [String] = []
    }

    private let mix: LiveMix
    private let server: ServerConnection
    private let journal: Journal
    private let disk: DiskWorker
    private var microphones: [Watched]
    /// When the next look is due, in seconds of the clock.
    private var dueTime = 0.0
    /// Seconds of output at the last look, if a song was heard then.
    private var heard: Double?

    /// - Parameter buses: those of the microphones that are to give sound.
    init(
        of buses: [Int], mix: LiveMix, server: ServerConnection, journal: Journal, disk: DiskWorker
    ) {
        (self.mix, self.server, self.journal, self.disk) = (mix, server, journal, disk)
        let ports = server.client.microphonePorts.map { port in
            String(port.split(separator: ":").last ?? "")
        }
        let counts = mix.plan.microphones
        microphones = buses.map { bus in
            let first = counts.prefix(bus - 1).reduce(0, +)
            return Watched(
                bus: bus, option: "--\(Microphone.all[bus - 1].option)",
                ports: Array(ports.dropFirst(first).prefix(counts[bus - 1])))
        }
    }

    var secondsLeft: Double { microphones.isEmpty ? .infinity : dueTime - Clock.seconds }

    func update() throws(DuetError) {
        guard !microphones.isEmpty, Clock.seconds >= dueTime else { return }
        dueTime = Clock.seconds + Self.interval
        let now = isSongHeard ? mix.renderedSeconds : nil
        let seconds = now.flatMap { now in heard.map { max(0, now - $0) } } ?? 0
        heard = now
        let isSung = isSung
        for place in microphones.indices { try look(at: place, seconds, isSung) }
    }

    private var isSongHeard: Bool {
        server.isConnected && !server.hangs && mix.songs.isSongHeard
    }

    /// Whether words are to be sung now; nil if that is not known.
    private var isSung: Bool? {
        let lyrics = mix.songs.shownLyrics
        guard lyrics.isTimed else { return nil }
        return lyrics.view.map { $0.pause == nil && !($0.present ?? "").isEmpty } ?? false
    }

    private func look(at place: Int, _ seconds: Double, _ isSung: Bool?) throws(DuetError) {
        let bus = microphones[place].bus
        guard let peak = mix.microphonePeak(bus: bus) else { return }
        if MicrophoneLevel(peak) == .silent || MicrophoneLevel(peak) == .tooSoft {
            let sources = sources(of: microphones[place])
            let isOther = sources != microphones[place].sources
            microphones[place].sources = sources
            // Nobody sings into it, and the screen says what is not connected.
            guard !isOther, !sources.isEmpty, !mix.isOff(bus: bus) else {
                if microphones[place].watch.forget() { journal.settle(.microphone(bus: bus)) }
                return
            }
        }
        switch microphones[place].watch.look(peak, seconds: seconds, isSung: isSung) {
        case .silent: ask(for: place)
        case .tooSoft(let peak):
            try journal.warn(
                "\(microphones[place].sources.listed("and")) is very soft: peaks at "
                    + "\(fixed(peak.value, digits: 0)) dBFS; raise the gain of the card or microphone",
                about: .microphone(bus: bus))
        case .heard: journal.settle(.microphone(bus: bus))
        case nil: break
        }
    }

    /// The ports that a microphone is connected to.
    private func sources(of microphone: Watched) -> [String] {
        server.wires.filter { wire in microphone.ports.contains { wire.to == ":\($0)" } }
            .map(\.from).sorted()
    }

    /// Listens to the other ports, and then warns.
    private func ask(for place: Int) {
        let sources = microphones[place].sources
        disk.run(
            on: .microphone, isAwaited: false,
            { [server = server.client.server, time = Self.listeningTime] in
                (try? LevelProbe.listen(on: server, seconds: time) { ports in
                    ports.filter { $0.captures && !sources.contains($0.name) }.map(\.name)
                }) ?? []
            },
            then: { [unowned self] levels throws(DuetError) in
                let others = (try? levels.get()) ?? []
                try warn(of: place, sources, MicrophoneLevel.moving(in: others, besides: []))
            })
    }

    private func warn(
        of place: Int, _ sources: [String], _ moving: String?
    ) throws(DuetError) {
        let microphone = microphones[place]
        // It was heard, muted or connected elsewhere meanwhile.
        guard microphone.watch.isSilenceTold, microphone.sources == sources else { return }
        let seconds = fixed(MicrophoneWatch.patience, digits: 0)
        try journal.warn(
            "no sound from \(sources.listed("and")) for \(seconds) s; "
                + MicrophoneLevel.advice(moving: moving, option: microphone.option),
            about: .microphone(bus: microphone.bus))
    }
}
