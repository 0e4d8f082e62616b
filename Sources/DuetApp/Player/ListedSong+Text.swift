import AudioMedia
import SystemSupport

extension ListedSong {
    /// What the song is called: as its tags say, or a playlist; else its file's name or its address.
    var text: String {
        [title == nil ? nil : artist, name].compactMap { $0 }.joined(separator: " – ")
    }

    /// Who sings what, as `Anna · Artist – Title`; what it is called, where nobody is named.
    var turnText: String { singer.map { "\($0) · \(text)" } ?? text }

    /// Its title as its tags say, or what a list calls it; else its file's name or its address.
    var name: String {
        if let title { return title }
        let shown = SafeText.withoutCredentials(location.description)
        return shown.split(separator: "/").last.map(String.init) ?? shown
    }

    /// Why it cannot be played, for people, with the seconds until it is tried again; nil: it can, as
    /// far as is known.
    var trouble: String? {
        guard case .absent(let time, let network) = state else {
            return state.reason ?? fault?.description
        }
        return "\(network); \(Self.retrying(in: time - monotonicSeconds()))"
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

extension ScreenState.List.Song {
    /// - Parameters:
    ///   - key: semitones that are remembered of it; nil: none are.
    ///   - backing: how far its backing is; nil: none is made.
    init(_ song: ListedSong, key: Double?, backing: String?) {
        self.init(
            title: song.name, artist: song.title == nil ? "" : song.artist ?? "",
            singer: song.singer ?? "",
            length: song.duration.map { ClockTime(seconds: $0).description } ?? "",
            key: key.map { $0 == 0 ? "" : ($0 > 0 ? "+" : "") + "\(Int(nearest: $0))" } ?? "",
            trouble: song.trouble, backing: backing)
    }
}
