import ArgumentParser

/// This program's role in JACK's transport.
enum TransportRole: String, CaseIterable, ExpressibleByArgument, Sendable {
    case none
    /// The song is where the transport is.
    case follow
    /// The song is where the transport is, and this program's keys move the transport.
    case lead
}

/// The option `--transport`.
struct TransportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "JACK's transport: follow (it moves the song), or lead (duet's keys move it).",
            valueName: "role"))
    var transport = TransportRole.none
}
