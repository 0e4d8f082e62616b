import ArgumentParser

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
