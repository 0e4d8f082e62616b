import AudioMedia
import SystemSupport

extension ListedSong {
    /// What the song is called: as its tags say, or a playlist; else its file's name or its address.
    var text: String {
        if let title { return [artist, title].compactMap { $0 }.joined(separator: " – ") }
        let shown = SafeText.withoutCredentials(location.description)
        return shown.split(separator: "/").last.map(String.init) ?? shown
    }

    /// Why it cannot be played, for people, with the seconds until it is tried again; nil: it can, as
    /// far as is known.
    var trouble: String? {
        guard case .absent(let time, let fault) = state else { return state.reason }
        return "\(fault); \(Self.retrying(in: time - monotonicSeconds()))"
    }

    /// When a song is tried again, for people: `retrying in 3 s`.
    static func retrying(in seconds: Double) -> String {
        let left = Int(nearest: (seconds - 0.05).rounded(.up))
        return "retrying " + (left > 0 ? "in \(left) s" : "now")
    }
}

extension ListedSong.State {
    /// What scripts are told.
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .absent: "absent"
        case .refused: "refused"
        }
    }

    /// Why it is not played; nil: it is when its turn comes.
    var reason: String? {
        switch self {
        case .waiting: nil
        case .absent(_, let fault): fault.description
        case .refused(let error): error.fault.description
        }
    }
}
