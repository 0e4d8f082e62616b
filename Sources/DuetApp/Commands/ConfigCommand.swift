import ArgumentParser
import AudioMedia

/// The command `config`: prints a configuration to begin with.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print a configuration in which everything has its default.",
        discussion: """
            Every option and every address stands in it as a comment. Write it where it belongs, \
            and change what you want: duet config > ~/.config/duet/duet.conf. With --keys it \
            prints the keys as they are, for a file keys.conf beside it: each line is a key and \
            its command, or none. Do not write that onto keys.conf itself, which a shell empties \
            before duet reads it: duet config --keys > keys.new && mv keys.new keys.conf
            """)

    @Flag(help: "Print the keys as they are, with those of keys.conf.")
    var keys = false

    func run() throws {
        let folder = UserFolder.configuration
        guard keys else {
            let text = ConfigurationText.text(
                path: (folder.map { $0 + "/duet.conf" })?.description,
                commands: ConfiguredCommands.all)
            return Output.standard.write(text)
        }
        let path = folder.map { $0 + "/keys.conf" }
        let file = KeyFile(SettingsFile.read([path ?? ""])[0])
        for warning in file.wrong.warnings { Output.error.write("duet: warning: \(warning)\n") }
        let name = path?.description ?? "$XDG_CONFIG_HOME/duet/keys.conf"
        let head = """
            # The keys of duet. Their place: \(name)
            # A line is a key and its command, or none. To print them anew, with what you have changed,
            # write another file and put that in the place of this one, which a shell would empty
            # before duet reads it:
            # duet config --keys > keys.new && mv keys.new \(name)

            """
        Output.standard.write(head + file.text(with: KeyTable(of: MixPlan(second: .twoMics))))
    }
}
