import AudioGraph
import SystemSupport

/// An event as one line of JSON.
enum EventLine {
    /// `{"event":…,"time":…,…}` and a line feed. `time`: seconds since the start, monotonic.
    static func text(_ event: Event, time: Double) -> String {
        let head = [
            (name: "event", value: JSONValue.text(event.name)),
            (name: "time", value: .number(time)),
        ]
        return JSONValue.object(head + fields(event)).encoded + "\n"
    }

    /// The event's name and fields for a log: `connected from="…" to="…"`.
    static func words(_ event: Event) -> String {
        ([event.name] + fields(event).map { "\($0.name)=\($0.value.encoded)" })
            .joined(separator: " ")
    }

    private typealias Field = (name: String, value: JSONValue)

    private static func fields(_ event: Event) -> [Field] {
        switch event {
        case .ready(let client, let server, let rate, let period, let latency):
            [
                ("client", text(client)), ("server", text(server)), ("rate", .count(rate)),
                ("period", .count(period)), ("micLatencyFrames", .count(latency)),
            ]
        case .latency(let capture, let playback, let milliseconds):
            [
                ("captureFrames", .count(capture)), ("playbackFrames", .count(playback)),
                ("ms", .number(milliseconds)),
            ]
        case .period(let frames): [("frames", .count(frames))]
        case .source(let facts): source(facts)
        case .tags(let bus, let title, let artist, let lyrics):
            [
                ("bus", .count(bus)), ("title", text(title)), ("artist", text(artist)),
                ("lyrics", text(lyrics)),
            ]
        case .playing(let bus), .paused(let bus): [("bus", .count(bus))]
        case .seeked(let bus, let seconds):
            [("bus", .count(bus)), ("seconds", .number(seconds))]
        case .position(let bus, let seconds, let duration, let buffered, let exact):
            [
                ("bus", .count(bus)), ("seconds", .number(seconds)),
                ("duration", .optional(duration)), ("buffered", .number(buffered)),
                ("exact", .boolean(exact)),
            ]
        case .levels(let song, let mic, let out):
            [("song", level(song)), ("mic", mic.map(level) ?? .null), ("out", level(out))]
        case .title(let bus, let title): [("bus", .count(bus)), ("text", text(title))]
        case .parameter(let address, let value):
            [("address", .text(address)), ("value", value)]
        case .underrun(let bus, let frames), .ended(let bus, let frames):
            [("bus", .count(bus)), ("frames", .integer(frames))]
        case .recovered(let bus, let seconds):
            [("bus", .count(bus)), ("seconds", .number(seconds))]
        case .reconnecting(let bus, let attempt, let reason, let delay):
            [
                ("bus", .count(bus)), ("attempt", .count(attempt)), ("reason", text(reason)),
                ("delay", .number(delay)),
            ]
        case .xrun(let microseconds): [("microseconds", .number(microseconds))]
        case .rate(let rate): [("rate", .integer(Int64(rate)))]
        case .serverLost: [("state", .text("lost"))]
        case .serverBack(let rate, let period):
            [
                ("state", .text("back")), ("rate", .integer(Int64(rate))),
                ("period", .integer(Int64(period))),
            ]
        case .connected(let from, let to, _), .disconnected(let from, let to, _):
            [("from", text(from)), ("to", text(to))]
        case .warning(let message), .notice(let message): [("message", text(message))]
        case .error(let code, let message, let hint):
            [("code", .integer(Int64(code))), ("message", text(message)), ("hint", text(hint))]
        case .bye(let frames, let xruns, let underruns):
            [
                ("frames", .integer(frames)), ("xruns", .count(xruns)),
                ("underruns", .count(underruns)),
            ]
        case .dropped(let events): [("events", .count(events))]
        }
    }

    private static func source(_ facts: Event.SourceFacts) -> [Field] {
        [
            ("bus", .count(facts.bus)), ("url", text(facts.url)), ("codec", text(facts.codec)),
            ("rate", .count(facts.rate)), ("channels", .count(facts.channels)),
            ("bitrate", .count(facts.bitrate)), ("duration", .optional(facts.duration)),
            ("seekable", .boolean(facts.seekable)), ("live", .boolean(facts.live)),
            ("gain", .number(facts.gain)), ("station", text(facts.station)),
        ]
    }

    /// dBFS per side, −120 or more.
    private static func level(_ levels: Levels) -> JSONValue {
        .object([
            ("peak", .array([decibels(levels.peak.left), decibels(levels.peak.right)])),
            ("rms", .array([decibels(levels.rms.left), decibels(levels.rms.right)])),
        ])
    }

    /// Rounded to a tenth of a decibel, which is finer than a meter shows.
    private static func decibels(_ value: Decibels) -> JSONValue {
        .number((value.value * 10).rounded() / 10)
    }

    /// Text from outside, made as safe as on the screen: a script may log it to a terminal.
    private static func text(_ value: String) -> JSONValue {
        .text(SafeText.withoutCredentials(value))
    }

    private static func text(_ value: String?) -> JSONValue {
        value.map { text($0) } ?? .null
    }
}
