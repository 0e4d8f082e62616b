import AudioMedia

/// How far words are that are fetched.
enum WordsFetchState: String, Sendable {
    case asking, found, choice, none, instrumental, failed
}

extension Event {
    /// The words of the song on bus 0 are fetched from a server.
    ///
    /// - Parameters:
    ///   - detail: what is known of times: `words`, `lines` or `text`; nil without words.
    ///   - file: where they are kept; nil: nowhere.
    ///   - choices: what may be the song.
    ///   - text: for people; may hold text from outside.
    static func wordsFetch(
        _ state: WordsFetchState, title: String, artist: String?, server: String, detail: String?,
        file: String?, choices: [JSONValue], text: String?
    ) -> Event {
        Event(
            "wordsFetch",
            [
                ("bus", .count(0)), ("state", .text(state.rawValue)), ("title", safe(title)),
                ("artist", safe(artist)), ("server", safe(server)), ("detail", safe(detail)),
                ("file", safe(file)), ("choices", .array(choices)),
                ("reason", state == .failed ? safe(text) : .null),
            ], text: text, about: .words)
    }

    /// All lyrics of a song; nil if it has none.
    static func words(bus: Int, _ lyrics: Lyrics?) -> Event {
        let singers = lyrics?.singerNames.sorted { $0.key.rawValue < $1.key.rawValue } ?? []
        return Event(
            "words",
            [
                ("bus", .count(bus)), ("timed", .boolean(lyrics?.isTimed ?? false)),
                ("cut", .boolean(lyrics?.isCut ?? false)),
                ("singers", .object(singers.map { ($0.key.rawValue, safe($0.value)) })),
                ("lines", .array((lyrics?.lines ?? []).map(json))),
            ], urgency: .newest(5 + bus), logLevel: .trace)
    }

    private static func json(_ line: Lyrics.Line) -> JSONValue {
        let words = line.words.map {
            JSONValue.object([("text", safe($0.text)), ("delay", .number($0.delay))])
        }
        return .object([
            ("text", safe(line.text)), ("seconds", .optional(line.start)),
            ("length", .optional(line.length)), ("singer", safe(line.singer?.rawValue)),
            ("translation", safe(line.translation)), ("words", .array(words)),
        ])
    }

    /// All that is known of a run: its values, and what the events of these names say now.
    static func snapshot(
        values: [(address: String, value: JSONValue)], state: String, events: [Event]
    ) -> Event {
        Event(
            "snapshot",
            [("values", .object(values.map { ($0.address, $0.value) })), ("server", .text(state))]
                + events.map { ($0.name, $0.object) },
            logLevel: .trace)
    }
}
