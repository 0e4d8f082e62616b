import ArgumentParser

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

/// The option `--transport`.
struct TransportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Follow JACK's transport, or lead it with duet's keys: none, follow or lead (default: none).",
            valueName: "role"),
        completion: .choices(TransportRole.self), transform: choiceArgument)
    var transport = TransportRole.none

    /// Refuses options that do not go together, so that a line of the configuration gives way to the
    /// command line. `songs`: of each bus; empty where a session brings them.
    func check(beside songs: [[String]], _ time: TimeOptions) throws {
        let obstacle = transport.obstacle(
            songs: songs, loops: time.loop, startsElsewhere: time.startAt != nil)
        guard let obstacle, !songs.joined().isEmpty else { return }
        throw ValidationError("cannot \(transport) JACK's transport: \(obstacle)")
    }
}
