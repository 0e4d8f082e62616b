import ArgumentParser

/// The role of this program in JACK's transport.
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
            "JACK's transport: follow (it moves the song), or lead (the song moves it).",
            valueName: "role"))
    var transport = TransportRole.none
}
