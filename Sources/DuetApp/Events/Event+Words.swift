import AudioMedia

extension Event {
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
