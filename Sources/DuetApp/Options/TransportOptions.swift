import ArgumentParser

/// This program's role in JACK's transport.
enum TransportRole: String, CaseIterable, Sendable {
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
            "Follow JACK's transport, or lead it with duet's keys: none, follow or lead (default: none).",
            valueName: "role"),
        completion: .choices(TransportRole.self), transform: choiceArgument)
    var transport = TransportRole.none
}
