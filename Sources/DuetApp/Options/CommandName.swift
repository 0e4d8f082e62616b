/// The names of the commands, as users type them, in the order of the help.
enum CommandName: String, CaseIterable, Sendable, CustomStringConvertible {
    case sing, play, mix, add, stage, render, separate, takes, demo, doctor
    case presets, addresses, config, forget, graph, units

    var description: String { rawValue }
}

extension Set<CommandName> {
    /// They play songs.
    static let players: Set<CommandName> = [.sing, .play, .mix]
    /// They run until their songs are over, with keys and a screen.
    static let live: Set<CommandName> = players.union([.demo])
    /// They mix songs.
    static let mixing: Set<CommandName> = live.union([.render, .graph])
    /// They mix a microphone, or a voice in its place.
    static let withMicrophone: Set<CommandName> = [.sing, .render, .demo, .graph]
    /// What duet.conf is for.
    static let configured: Set<CommandName> = mixing.union([.doctor, .takes, .separate])
}
