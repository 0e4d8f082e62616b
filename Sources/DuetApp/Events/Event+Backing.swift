import AudioMedia

/// How far a song's backing is.
enum BackingState: Sendable, Equatable {
    case waiting, reading
    /// In per cent; nil: the separator does not say.
    case separating(Int?)
    case fitting, made
    /// It was there.
    case had
    case failed, cancelled

    /// For scripts.
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .reading: "reading"
        case .separating: "separating"
        case .fitting: "fitting"
        case .made: "made"
        case .had: "had"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    /// What stands at the song in the list; nil: nothing.
    var mark: String? {
        switch self {
        case .waiting: "backing: waits"
        case .reading, .separating(nil): "backing …"
        case .separating(let percent?): "backing \(percent) %"
        case .fitting: "backing 100 %"
        case .made, .had: "backing"
        case .failed: "no backing"
        case .cancelled: nil
        }
    }
}

extension Event {
    /// How far the backing of a song of bus 0 is.
    ///
    /// - Parameters:
    ///   - file: the folder that it is kept in.
    ///   - reason: why there is none.
    static func backing(
        of song: ListedSong, _ state: BackingState, file: FileName?, reason: String?
    ) -> Event {
        var progress: JSONValue = .null
        if case .separating(let percent?) = state { progress = .number(Double(percent) / 100) }
        let text: String? =
            switch state {
            case .made: "the backing of \(song.text) is made"
            case .had: "\(song.text) has a backing already"
            case .failed: "no backing of \(song.text): \(reason ?? "")"
            default: nil
            }
        return Event(
            "backing",
            [
                ("bus", .count(0)), ("url", safe(song.location.reference)),
                ("state", .text(state.name)), ("progress", progress),
                ("folder", safe(file.map { "\($0)" })), ("reason", safe(reason)),
            ], text: text, logLevel: state == .failed ? .warning : .info)
    }
}
