import ArgumentParser

/// What this program has to do with JACK's transport.
enum TransportRole: String, CaseIterable, ExpressibleByArgument, Sendable {
    case none
    /// The song is where the transport is.
    case follow
    /// So it is, and the keys move the transport.
    case lead
}

struct TransportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "JACK's transport: follow (it moves the song), or lead (the song moves it).",
            valueName: "role"))
    var transport = TransportRole.none
}
