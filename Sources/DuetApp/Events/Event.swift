import AudioGraph
import AudioMedia
import JackIO
import Logging
import SystemSupport

/// Something that happened: for scripts a name and fields, which keep their names and meanings
/// (docs/interface.md); for people a line, where there is one.
///
/// Each event is spelt in one function, here or in a file `Event+….swift`, and nowhere else.
struct Event: Sendable {
    typealias Field = (name: String, value: JSONValue)

    let name: String
    private let fields: [Field]
    /// For people, safe to show; nil for an event that the status line shows or that only scripts
    /// are told.
    let text: String?
    /// What the status would show of it, for people who see no status; nil: nothing.
    let statusText: String?
    /// What is said when the screen is gone, where that matters still; nil: nothing.
    var farewell: Farewell?

    struct Farewell: Sendable {
        /// What it is about: it takes the place of what was to be said of that before.
        let of: String
        let lines: [String]
    }

    /// How it waits for a slow reader.
    let urgency: Urgency
    let logLevel: Logger.Level
    /// What it is about, where it takes back what was reported of that before; nil: nothing.
    let topic: Topic?

    /// - Parameters:
    ///   - text: may hold text from outside.
    ///   - status: may, too.
    init(
        _ name: String, _ fields: [Field], text: String? = nil, status: String? = nil,
        about topic: Topic? = nil, urgency: Urgency = .ordered,
        logLevel: Logger.Level = .debug
    ) {
        self.topic = topic
        self.name = name
        self.fields = fields
        self.text = text.map { SafeText.withoutCredentials($0) }
        statusText = status.map { SafeText.withoutCredentials($0) }
        self.urgency = urgency
        self.logLevel = logLevel
    }

    /// One line of JSON: `{"event":…,"time":…,…}` and a line feed. `time`: seconds since the start,
    /// monotonic.
    func json(time: Double) -> String {
        let head: [Field] = [("event", .text(name)), ("time", .number(time))]
        return JSONValue.object(head + fields).encoded + "\n"
    }

    /// The fields alone.
    var object: JSONValue { .object(fields) }

    /// The event's name and fields for a log: `connected from="…" to="…"`.
    var words: String {
        ([name] + fields.map { "\($0.name)=\($0.value.encoded)" }).joined(separator: " ")
    }

    /// Text from outside, made as safe as on the screen: a script may log it to a terminal.
    static func safe(_ value: String?) -> JSONValue {
        value.map { .text(SafeText.withoutCredentials($0)) } ?? .null
    }

    /// The name of the song on a bus.
    private static func song(_ bus: Int) -> String { bus == 0 ? "song" : "second song" }

    /// The state of the song on a bus, and its place in seconds.
    private static func status(
        _ state: Status.State, bus: Int, at seconds: Double, of duration: Double?
    ) -> String {
        (bus == 0 ? "" : song(bus) + ": ") + Status.text(state, at: seconds, of: duration)
    }
}

// MARK: The client and its server

extension Event {
    /// The client is on the server. Frames of latency are 0 without a microphone.
    static func ready(
        client: String, server: String, rate: Int, period: Int, micLatencyFrames: Int
    ) -> Event {
        Event(
            "ready",
            [
                ("client", safe(client)), ("server", safe(server)), ("rate", .count(rate)),
                ("period", .count(period)), ("micLatencyFrames", .count(micLatencyFrames)),
            ],
            text: "JACK client \(client) on server \(server): \(rate) Hz, \(period) frames a period"
        )
    }

    /// The latency of microphone and output, in frames, and in milliseconds that from the microphone
    /// to the ear, with what the graph adds.
    static func latency(captureFrames: Int, playbackFrames: Int, milliseconds: Double) -> Event {
        Event(
            "latency",
            [
                ("captureFrames", .count(captureFrames)),
                ("playbackFrames", .count(playbackFrames)), ("ms", .number(milliseconds)),
            ])
    }

    /// The server's period changed.
    static func period(frames: Int) -> Event {
        Event(
            "period", [("frames", .count(frames))], text: "the period is now \(frames) frames")
    }

    /// So many dropouts, the last of about `microseconds`.
    static func xrun(count: Int, microseconds: Double) -> Event {
        Event("xrun", [("count", .count(count)), ("microseconds", .number(microseconds))])
    }

    /// The server has another rate, in Hz.
    static func rate(_ rate: Int) -> Event {
        Event(
            "rate", [("rate", .count(rate))],
            text: "the JACK server's sample rate is \(rate) Hz now")
    }

    /// - Parameter isAwaited: this program does not end, and goes on when the server is back.
    static func serverLost(isAwaited: Bool) -> Event {
        Event(
            "server", [("state", .text("lost"))],
            text: isAwaited
                ? "lost the JACK server; the song is paused until it is back"
                : "lost the JACK server", about: .server)
    }

    /// The server is back, with a sample rate of `rate` Hz.
    static func serverBack(rate: Int, period: Int) -> Event {
        Event(
            "server",
            [("state", .text("back")), ("rate", .count(rate)), ("period", .count(period))],
            text: "the JACK server is back: \(rate) Hz, periods of \(period) frames",
            about: .server)
    }

    /// A port of this client was connected.
    ///
    /// - Parameter isOurs: this program asked for it. A user sees in other programs what these
    ///   connect; only scripts are told then.
    static func connected(from: String, to: String, isOurs: Bool) -> Event {
        Event(
            "connected", [("from", safe(from)), ("to", safe(to))],
            text: isOurs ? "connected \(from) to \(to)" : nil,
            about: .wire(JackWire(from: from, to: to)))
    }

    /// A port of this client was disconnected; see `connected`.
    static func disconnected(from: String, to: String, isOurs: Bool) -> Event {
        Event(
            "disconnected", [("from", safe(from)), ("to", safe(to))],
            text: isOurs ? "disconnected \(from) from \(to)" : nil)
    }
}

// MARK: Songs

extension Event {
    /// What is known of a song once it is open.
    struct SourceFacts: Sendable {
        var bus: Int
        /// Without user name and password.
        var url: String
        /// As `MPEG 1 layer III`.
        var codec: String
        /// Frames a second in the file.
        var rate: Int
        var channels: Int
        /// In kbit/s, the mean where it varies.
        var bitrate: Int
        /// Seconds; nil: not known.
        var duration: Double?
        var seekable: Bool
        var live: Bool
        /// The linear gain applied by the track's own tags.
        var gain: Double
        /// The station's name, as a live stream gives it; nil for a song, and for a stream that
        /// gives none.
        var station: String?
        /// The files that its voice is known by; nil: by none.
        var knownVoice: KnownVoice?
        /// Where these are from; nil: there are none.
        var stemOrigin: StemOrigin?

        /// As `song: http://host/x.mp3: MPEG 1 layer III, 44100 Hz, stereo, 128 kbit/s, 3:45`.
        fileprivate var text: String {
            let parts = [
                "\(codec)", "\(rate) Hz", channels == 1 ? "mono" : "stereo",
                bitrate > 0 ? "\(bitrate) kbit/s" : nil,
                duration.map { ClockTime(seconds: $0).description },
                gain > 0 && gain != 1 ? "\(Decibels(gain: gain)) by its tags" : nil,
                stemOrigin.map { "vocals \($0.words)" },
            ]
            return "\(Event.song(bus)): " + (station.map { $0 + ", " } ?? "")
                + (live ? "live, " : "") + "\(Location.shown(url)): "
                + parts.compactMap { $0 }.joined(separator: ", ")
        }
    }

    /// A song was opened.
    static func source(_ facts: SourceFacts) -> Event {
        Event(
            "source",
            [
                ("bus", .count(facts.bus)), ("url", safe(facts.url)), ("codec", safe(facts.codec)),
                ("rate", .count(facts.rate)), ("channels", .count(facts.channels)),
                ("bitrate", .count(facts.bitrate)), ("duration", .optional(facts.duration)),
                ("seekable", .boolean(facts.seekable)), ("live", .boolean(facts.live)),
                ("gain", .number(facts.gain)), ("station", safe(facts.station)),
                ("stems", Event.stems(facts.knownVoice)),
                ("stemsFrom", safe(facts.stemOrigin?.rawValue)),
            ],
            text: facts.text, about: .song(bus: facts.bus))
    }

    /// What a song's tags say.
    static func tags(
        bus: Int, title: String?, artist: String?, album: String? = nil, lyrics: String?
    ) -> Event {
        let words = [artist, title].compactMap { $0 }
        return Event(
            "tags",
            [
                ("bus", .count(bus)), ("title", safe(title)), ("artist", safe(artist)),
                ("album", safe(album)), ("lyrics", safe(lyrics)),
            ],
            text: words.isEmpty ? nil : words.joined(separator: ": "))
    }

    /// A title that a live stream has sent.
    static func title(bus: Int, text: String) -> Event {
        Event("title", [("bus", .count(bus)), ("text", safe(text))], text: text)
    }

    /// Another line, or word of it, is heard `seconds` from the beginning of the song, whose lyrics
    /// are seen as `view`.
    ///
    /// - Parameter lines: those that begin.
    static func lyrics(
        bus: Int, _ view: LyricsView, seconds: Double, lines: [String] = []
    ) -> Event {
        func number(_ value: Int?) -> JSONValue { value.map { .count($0) } ?? .null }
        return Event(
            "lyrics",
            [
                ("bus", .count(bus)), ("line", safe(view.present)), ("word", safe(view.word)),
                ("lineNumber", number(view.number)), ("wordNumber", number(view.wordNumber)),
                ("singer", safe(view.singer?.rawValue)),
                ("singerName", safe(view.singerName)), ("translation", safe(view.translation)),
                ("seconds", .number(seconds)),
            ], status: bus == 0 && !lines.isEmpty ? lines.joined(separator: " / ") : nil)
    }

    /// The song has a moving picture of so many seconds.
    static func picture(bus: Int, duration: Double) -> Event {
        Event("picture", [("bus", .count(bus)), ("duration", .number(duration))])
    }

    /// The list of songs has changed, or another of them is heard: of all `count` of them `songs`,
    /// which begin with the number `first`. Numbers count from 0 here, and from 1 for scripts.
    static func list(
        bus: Int, count: Int, playing: Int?, first: Int, songs: some Sequence<ListedSong>
    ) -> Event {
        /// Text of which scripts get 500 scalars at most.
        func short(_ text: String?) -> JSONValue {
            safe(text.map { String($0.unicodeScalars.prefix(500)) })
        }
        /// The current song's entry plays, as far as it can.
        func state(_ number: Int, _ song: ListedSong) -> String {
            number == playing && song.state == .waiting ? "playing" : song.state.name
        }
        let told = zip(first..., songs).map { number, song in
            JSONValue.object([
                ("url", short(song.location.reference)), ("title", short(song.title)),
                ("artist", short(song.artist)), ("singer", short(song.singer)),
                ("duration", .optional(song.duration)),
                ("state", .text(state(number, song))), ("reason", short(song.state.reason)),
            ])
        }
        return Event(
            "list",
            [
                ("bus", .count(bus)), ("count", .count(count)),
                ("playing", playing.map { .count($0 + 1) } ?? .null), ("first", .count(first + 1)),
                ("songs", .array(told)),
            ],
            urgency: .newest(3 + bus), logLevel: .trace)
    }

    /// A song that is to begin is not open a second after it was asked for. The status says so to
    /// people.
    static func opening(bus: Int, url: String, waitsFor awaited: SongEvent.Awaited) -> Event {
        Event(
            "opening",
            [
                ("bus", .count(bus)), ("url", safe(url)), ("waitsFor", .text(awaited.rawValue)),
            ])
    }

    static func playing(bus: Int, at place: SongPosition? = nil) -> Event {
        Event(
            "playing", [("bus", .count(bus))],
            status: place.map { status(.playing, bus: bus, at: $0.seconds, of: $0.duration) },
            about: .network(bus: bus))
    }

    static func paused(bus: Int, at place: SongPosition? = nil) -> Event {
        Event(
            "paused", [("bus", .count(bus))],
            status: place.map { status(.paused, bus: bus, at: $0.seconds, of: $0.duration) })
    }

    /// - Parameter state: that of the song there; nil: another event tells it.
    static func seeked(
        bus: Int, seconds: Double, duration: Double? = nil, state: Status.State? = nil
    ) -> Event {
        Event(
            "seeked", [("bus", .count(bus)), ("seconds", .number(seconds))],
            status: state.map { status($0, bus: bus, at: seconds, of: duration) })
    }

    /// Once a second. `duration` nil: not known. `exact` false: after a jump by estimate.
    static func position(
        bus: Int, seconds: Double, duration: Double?, buffered: Double, exact: Bool
    ) -> Event {
        Event(
            "position",
            [
                ("bus", .count(bus)), ("seconds", .number(seconds)),
                ("duration", .optional(duration)), ("buffered", .number(buffered)),
                ("exact", .boolean(exact)),
            ],
            urgency: .newest(1 + bus), logLevel: .trace)
    }

    /// The song's ring ran dry; `frames` is the frame of the song at which it stopped.
    static func underrun(bus: Int, frames: Int64) -> Event {
        Event(
            "underrun", [("bus", .count(bus)), ("frames", .integer(frames))],
            text: "\(song(bus)): buffering…", about: .network(bus: bus))
    }

    /// The song plays again after so many seconds of silence.
    static func recovered(bus: Int, seconds: Double) -> Event {
        Event(
            "recovered", [("bus", .count(bus)), ("seconds", .number(seconds))],
            text: "\(song(bus)): playing again after \(fixed(seconds, digits: 1)) s",
            about: .network(bus: bus))
    }

    static func reconnecting(bus: Int, attempt: Int, reason: String, delay: Double) -> Event {
        Event(
            "reconnecting",
            [
                ("bus", .count(bus)), ("attempt", .count(attempt)), ("reason", safe(reason)),
                ("delay", .number(delay)),
            ],
            text: "\(song(bus)): \(reason); \(ListedSong.retrying(in: delay))",
            about: .network(bus: bus))
    }

    /// From `frame` of the song on, at the server's rate, it sounds so.
    static func effects(bus: Int, frame: Int64, _ effects: SongEffects) -> Event {
        let (tuning, vocals) = (effects.tuning, effects.vocals)
        return Event(
            "effects",
            [
                ("bus", .count(bus)), ("frame", .integer(frame)), ("key", .number(tuning.key)),
                ("tempo", .number(tuning.tempo)), ("varispeed", .number(tuning.varispeed)),
                (
                    "vocals",
                    .object([
                        ("remove", .number(vocals.amount)), ("mode", .text(vocals.mode.rawValue)),
                        ("at", .number(vocals.place.position)),
                        ("only", .boolean(vocals.leavesOnlyVoice)),
                    ])
                ),
            ], about: .vocals(bus: bus))
    }

    /// What is remembered of a song, or of a singer and a song, was set, by the addresses of `SongStore`.
    static func remembered(
        bus: Int, url: String, singer: String?,
        values: [(address: String, parameter: MixParameter, value: Double)]
    ) -> Event {
        let fields = values.map { _, parameter, value in
            JSONValue.object([
                ("address", .text(parameter.address)), ("value", parameter.kind.json(value)),
                ("text", .text(parameter.kind.text(value))),
            ])
        }
        let words = values.map { address, parameter, value in
            let text = parameter.kind.text(value)
            return switch address {
            case "/song/vocals/remove": "vocals removed \(text)"
            case "/lyrics/offset": "lyrics \(text)"
            default: address.split(separator: "/").dropFirst().joined(separator: " ") + " \(text)"
            }
        }
        return Event(
            "remembered",
            [
                ("bus", .count(bus)), ("url", safe(url)), ("singer", singer.map(safe) ?? .null),
                ("values", .array(fields)),
            ],
            text: "remembered for \(singer.map { "\($0) and " } ?? "")"
                + "\(bus == 0 ? "this song" : "the second song"): "
                + words.joined(separator: ", ") + " (--forget forgets it)")
    }

    /// A song is over, after `frames` frames of it were played.
    static func ended(bus: Int, frames: Int64) -> Event {
        Event("ended", [("bus", .count(bus)), ("frames", .integer(frames))])
    }
}

// MARK: Messages and the end

extension Event {
    static func warning(message: String, about topic: Topic? = nil) -> Event {
        Event(
            "warning", [("message", safe(message))], text: "warning: \(message)", about: topic,
            logLevel: .warning)
    }

    /// Something worth knowing that is no fault; scripts read it as a `warning`.
    static func notice(message: String, about topic: Topic? = nil) -> Event {
        Event("warning", [("message", safe(message))], text: message, about: topic)
    }

    /// The list of a run that ends is kept.
    static func listKept(count: Int) -> Event {
        var event = notice(
            message: "the list of \(count) songs is kept: 'duet --resume' goes on with it")
        event.farewell = Farewell(of: "list", lines: event.text.map { [$0] } ?? [])
        return event
    }

    /// The last event before `bye`.
    static func error(code: Int32, message: String, hint: String) -> Event {
        Event(
            "error",
            [("code", .count(Int(code))), ("message", safe(message)), ("hint", safe(hint))],
            urgency: .last, logLevel: .error)
    }

    /// The last event.
    static func bye(frames: Int64, xruns: Int, underruns: Int) -> Event {
        Event(
            "bye",
            [
                ("frames", .integer(frames)), ("xruns", .count(xruns)),
                ("underruns", .count(underruns)),
            ],
            urgency: .last)
    }

    /// `events` events are missing at this place: the reader was too slow for them.
    static func dropped(events: Int) -> Event { Event("dropped", [("events", .count(events))]) }
}

extension DuetError {
    /// The error as an event, the last before `bye`.
    var event: Event { .error(code: status.rawValue, message: message, hint: hint) }
}
