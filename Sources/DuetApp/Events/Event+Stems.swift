import AudioMedia

// The files that songs were taken apart into.
extension Event {
    /// The files that a song's voice is known by, for scripts.
    static func stems(_ known: KnownVoice?) -> JSONValue {
        known.map { .text($0.rawValue) } ?? .null
    }

    /// A file that the song was taken apart into is not used, or not any more; `left`: those that still
    /// are.
    static func stemLost(bus: Int, _ error: SongError, left: KnownVoice?) -> Event {
        let rest = left == nil ? "duet ignores this file" : "duet uses the other one"
        return Event(
            "stems",
            [
                ("bus", .count(bus)), ("stems", stems(left)),
                ("reason", safe(error.description)),
            ],
            text: "warning: \(error); \(rest): \(error.stemHint)", logLevel: .warning)
    }
}

extension DuetError {
    /// The error for a file that was named as a part of a song and cannot be used.
    init(ofStem error: SongError) {
        self.init(error)
        hint = error.stemHint
    }
}

extension SongError {
    /// What to do where this is about a file that a song was taken apart into.
    fileprivate var stemHint: String {
        if case .notOpened(_, nil) = fault { "check its name" } else { fault.hint }
    }
}
