import AudioMedia

// The files that songs were taken apart into.
extension Event {
    /// The files that a song's voice is known by, for scripts.
    static func stems(_ known: KnownVoice?) -> JSONValue {
        known.map { .text($0.rawValue) } ?? .null
    }

    /// The song was taken apart, and its voice is known by that from now on.
    static func stemsFound(bus: Int, _ known: KnownVoice, from origin: StemOrigin) -> Event {
        Event(
            "stems",
            [
                ("bus", .count(bus)), ("stems", stems(known)), ("reason", .null),
            ], text: "the song goes over to its backing: v removes the vocals by it")
    }

    /// A file that the song was taken apart into is not used, or not any more; `left`: those that still
    /// are.
    static func stemLost(bus: Int, _ error: SongError, left: KnownVoice?) -> Event {
        let hint = DuetError(ofStem: error).hint
        let rest = left == nil ? "duet ignores this file" : "duet uses the other one"
        return Event(
            "stems",
            [
                ("bus", .count(bus)), ("stems", stems(left)),
                ("reason", safe(error.description)),
            ],
            text: "warning: \(error); \(rest): \(hint)", logLevel: .warning)
    }
}

extension StemOrigin {
    /// Where a song's voice is known from, for people.
    var words: String {
        switch self {
        case .user: "from file"
        case .separated: "separated"
        }
    }
}
