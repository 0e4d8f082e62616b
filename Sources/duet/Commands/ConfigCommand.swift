import ArgumentParser

/// The command `config`: prints a configuration to begin with.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print a configuration in which everything has its default.",
        discussion: """
            Every option and every address stands in it as a comment. Write it where it belongs, \
            and change what you want: duet config > ~/.config/duet/duet.conf. With --keys it \
            prints the keys as they are, for a file keys.conf beside it: each line is a key and \
            its command, or none.
            """)

    @Flag(help: "Print the keys as they are, with those of keys.conf.")
    var keys = false

    func run() throws {
        let folder = UserFolder.configuration
        guard keys else {
            let text = ConfigurationText.text(
                path: folder.map { $0 + "/duet.conf" }, commands: ConfiguredCommands.all)
            return Output.standard.write(text)
        }
        let file = KeyFile(in: folder)
        for warning in file.wrong.warnings { Output.error.write("duet: warning: \(warning)\n") }
        Output.standard.write(file.text(with: KeyTable(of: MixPlan(second: .twoMics))))
    }
}
