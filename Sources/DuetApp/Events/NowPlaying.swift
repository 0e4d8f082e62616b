/// The song that plays, as other programs show it. Texts are safe to show.
struct NowPlaying: Sendable, Equatable {
    /// Without user name and password.
    let url: String
    /// Nil if the song's tags name none, and its file has no name.
    var title: String?
    /// Nil if not known.
    var artist: String?
    /// Nil if not known.
    var album: String?
    /// In seconds; nil if not known.
    var duration: Double?
    /// The station whose stream it is; nil for a song, and for a station without a name.
    let station: String?
    let isLive: Bool
}

extension Event {
    /// Another song plays, or more is known of it; nil if none does.
    static func nowPlaying(bus: Int, _ song: NowPlaying?) -> Event {
        Event(
            "nowPlaying",
            [("bus", .count(bus))]
                + [
                    ("url", safe(song?.url)), ("title", safe(song?.title)),
                    ("artist", safe(song?.artist)), ("album", safe(song?.album)),
                    ("duration", .optional(song?.duration)),
                    ("station", safe(song?.station)), ("live", .boolean(song?.isLive ?? false)),
                ])
    }
}
