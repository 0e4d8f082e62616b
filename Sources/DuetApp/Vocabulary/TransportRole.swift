/// This program's role in JACK's transport.
enum TransportRole: String, CaseIterable, Sendable {
    case none
    /// The song is where the transport is.
    case follow
    /// The song is where the transport is, and this program's keys move the transport.
    case lead

    /// Why the songs of each bus have no room in JACK's transport, whose frames count from 0 to the end of
    /// one song, and what to do; nil: they have.
    func obstacle(songs: [[String]], loops: Bool, startsElsewhere: Bool) -> String? {
        guard self != .none else { return nil }
        if songs.contains(where: { $0.count != 1 || $0.contains(where: Self.isPlaylist) }) {
            return "it takes one song at a time; name a single song, no playlist"
        }
        if loops { return "a song that loops has no place in it; leave --loop out" }
        if self == .follow, startsElsewhere {
            return "it says where the song begins; leave --start-at out"
        }
        return nil
    }

    private static func isPlaylist(_ name: String) -> Bool {
        [".m3u", ".m3u8", ".pls", ".xspf"].contains { name.lowercased().hasSuffix($0) }
    }
}
