import AudioGraph
import AudioMedia
import JackIO

/// Gathers what the screen shows of a live run.
///
/// Main thread.
final class LiveScreen {
    private let server: ServerConnection
    private let mix: LiveMix
    private let vocabulary: Vocabulary
    private let leftOpen: Set<String>
    /// Whether the values of the mix are as `strips` and `changes` say.
    private var isCurrent = false
    private var strips: [ScreenState.Strip] = []
    private var changes: [String] = []
    /// Of the transport's role: nil if it has none.
    private let transport: String?
    /// Of each strip the highest peaks, left and right.
    private var holds: [(left: PeakHold, right: PeakHold)] = []
    private var hasClipped: [Bool] = []
    /// The lyrics that were shown last, and their lines.
    private var lastLyrics: Lyrics?
    private var lyricsLines: [ScreenState.Lyrics.Line] = []
    private var singersTogether: [Lyrics.Singer] = []
    private var connections = ConnectionText()
    /// When the connections are looked at again, in seconds of the clock.
    private var connectionsEnd = 0.0

    /// The name of the key that plays on.
    private let playKey: String

    /// - Parameter leftOpen: as in `LivePlan`.
    init(server: ServerConnection, mix: LiveMix, leftOpen: Set<String>, playKey: String) {
        (self.leftOpen, self.playKey) = (leftOpen, playKey)
        self.server = server
        self.mix = mix
        vocabulary = mix.plan.vocabulary
        transport =
            switch mix.songs.shown.plan.rules.transport {
            case .none: nil
            case .follow: "follows transport"
            case .lead: "leads transport"
            }
    }

    /// Values of the mix have changed.
    func takeChanges() { isCurrent = false }

    /// Takes back the marks of strips that were at full scale.
    func clearClips() { hasClipped = [] }

    /// What the screen shows now.
    ///
    /// - Parameters:
    ///   - isSilent: of each strip, whether nothing of it can be heard.
    ///   - selected: the number of the strip that keys change.
    ///   - now: in seconds of the clock.
    func state(
        _ status: Status, isSilent: [Bool], selected: Int, now: Double
    ) -> ScreenState {
        if !isCurrent { takeValues() }
        var state = ScreenState()
        state.status = status
        state.title = mix.songs.shown.title.text
        state.lyrics = takeLyrics()
        state.picture = mix.takePicture(server.ear, now: now)
        state.list = mix.songs.list.view
        state.next = mix.songs.list.nextText
        if mix.songs.waitsForSinger {
            state.turn = mix.songs.list.turn(startedBy: playKey)
            // It is said below who is next.
            state.next = ""
        }
        state.changes = changes + (mix.songs.loop.part == nil ? [] : [mix.songs.loop.text])
        if mix.songs.shown.plan.rules.loops { state.changes.append("repeats") }
        state.loop = (mix.songs.loop.start, mix.songs.loop.end)
        (state.station, state.transport) = (
            mix.songs.shown.nowPlaying.flatMap { $0.isLive ? $0.station ?? "" : nil }, transport
        )
        if let origin = mix.songs.shown.stemOrigin {
            state.changes.append("vocals: \(origin.words)")
        }
        if mix.songs.voiceOffset != 0 {
            state.changes.append(PlayedTake.text(ofOffset: mix.songs.voiceOffset))
        }
        state.strips = strips
        for bus in mix.heldMicrophones where strips.indices.contains(bus) {
            state.strips[bus].isHeld = true
        }
        state.selected = selected
        addLevels(to: &state, isSilent: isSilent, now: now)
        state.cycle =
            server.isConnected
            ? ScreenState.Cycle(rate: server.client.sampleRate, period: server.client.period) : nil
        addConnections(to: &state, now: now)
        state.details = details(status)
        return state
    }

    /// What is shown of the song's lyrics; nil where it has none.
    private func takeLyrics() -> ScreenState.Lyrics? {
        let shown = mix.songs.shownLyrics
        guard let lyrics = shown.lyrics else { return nil }
        if lyrics != lastLyrics {
            lastLyrics = lyrics
            singersTogether = lyrics.singersTogether
            lyricsLines = lyrics.lines.map {
                ScreenState.Lyrics.Line(
                    text: $0.text, singer: $0.singer, isTimed: $0.start != nil,
                    translation: $0.translation ?? "")
            }
        }
        return ScreenState.Lyrics(
            lines: lyricsLines, singerNames: lyrics.singerNames, together: singersTogether,
            isTimed: lyrics.isTimed,
            present: shown.view?.number,
            sung: shown.view?.sung ?? 0, passed: shown.view?.passed ?? 0,
            others: (shown.view?.others ?? []).map { .init(number: $0.number, sung: $0.sung) },
            pause: shown.view?.pause)
    }

    private func addLevels(to state: inout ScreenState, isSilent: [Bool], now: Double) {
        let levels = mix.levels + [mix.outputLevels]
        if holds.count != levels.count {
            holds = Array(repeating: (PeakHold(), PeakHold()), count: levels.count)
        }
        if hasClipped.count != levels.count {
            hasClipped = Array(repeating: false, count: levels.count)
        }
        for index in state.strips.indices where index < levels.count {
            // Silence shows at once: a meter that falls for seconds would look like sound.
            guard !isSilent[index] else {
                holds[index] = (PeakHold(), PeakHold())
                state.strips[index].hasClipped = hasClipped[index]
                continue
            }
            let (peak, rms) = (levels[index].peak, levels[index].rms)
            // Full scale: 0 dBFS.
            if max(peak.left, peak.right) >= Decibels(0) { hasClipped[index] = true }
            state.strips[index].left = ScreenState.Level(
                peak: peak.left, hold: holds[index].left.take(peak.left, now: now), rms: rms.left)
            state.strips[index].right = ScreenState.Level(
                peak: peak.right, hold: holds[index].right.take(peak.right, now: now),
                rms: rms.right)
            state.strips[index].hasClipped = hasClipped[index]
        }
        for bus in mix.plan.buses.indices where state.strips.indices.contains(bus) {
            state.strips[bus].compression = mix.compressorReduction(bus: bus)
        }
        if !state.strips.isEmpty {
            state.strips[state.strips.count - 1].reduction = mix.limiterReduction
        }
    }

    // MARK: Values

    /// Makes anew what depends on the values of the mix alone.
    private func takeValues() {
        let plan = mix.plan
        func value(_ address: String) -> Double? {
            vocabulary.parameter(address).map { plan[$0] }
        }
        strips = (plan.buses + ["out"]).map { name in
            ScreenState.Strip(
                name: name, volume: text("/\(name)/volume") ?? "", pan: value("/\(name)/pan"),
                isMuted: value("/\(name)/mute") == 1, isSolo: value("/\(name)/solo") == 1,
                preset: preset("/\(name)/preset"), place: plan.place(ofBus: name))
        }
        changes = Self.changeNames.compactMap { name, address in
            guard let parameter = vocabulary.parameter(address),
                plan[parameter] != parameter.kind.defaultValue
            else { return nil }
            return "\(name) \(parameter.kind.text(plan[parameter]))"
        }
        isCurrent = true
    }

    /// The name of the preset at an address; nil if none is chosen.
    private func preset(_ address: String) -> String? {
        guard let preset = vocabulary.parameter(address),
            mix.plan[preset] != preset.kind.defaultValue
        else { return nil }
        return preset.kind.text(mix.plan[preset])
    }

    private func text(_ address: String) -> String? {
        vocabulary.parameter(address).map { $0.kind.text(mix.plan[$0]) }
    }

    /// What of the song is told beside its place, and where its value is.
    private static let changeNames = [
        ("key", "/song/key"), ("tempo", "/song/tempo"), ("speed", "/song/varispeed"),
        ("vocals removed", "/song/vocals/remove"), ("vocals mode", "/song/vocals/mode"),
        ("vocals at", "/song/vocals/at"), ("vocals only", "/song/vocals/only"),
        ("eq", "/song/eq/preset"), ("duck", "/song/duck"),
    ]

    // MARK: JACK

    /// Adds what is connected, which is looked at once a second.
    private func addConnections(to state: inout ScreenState, now: Double) {
        if now >= connectionsEnd {
            func short(_ port: String) -> String { String(port.split(separator: ":").last ?? "") }
            connections = ConnectionText(
                of: server.wires, client: server.client.name,
                inputs: server.client.microphonePorts.map(short),
                outputs: server.client.outputPorts.map(short), leftOpen: leftOpen)
            connectionsEnd = now + 1
        }
        let location = mix.songs.shown.title.location
        let song =
            location.isEmpty ? [] : [ScreenState.Line(text: "song ← \(location)")]
        state.connections = song + (server.isConnected ? connections.lines : [])
        guard server.isConnected else { return }
        for index in state.strips.indices {
            state.strips[index].isUnconnected = connections.silent.contains(
                state.strips[index].name)
        }
    }

    private func details(_ status: Status) -> [String] {
        let client = server.client
        var lines = ["client \(client.name) on JACK server \(client.server)"]
        if let latency = server.latency {
            lines.append(
                "latency: microphone \(latency.capture.maximum), outputs "
                    + "\(latency.playback.maximum), effects \(latency.graph.maximum) frames")
        }
        lines.append("xruns \(status.xruns), buffer underruns \(mix.songs.underruns)")
        lines.append(LiveLoudness.line(mix.loudness))
        return lines
    }
}
