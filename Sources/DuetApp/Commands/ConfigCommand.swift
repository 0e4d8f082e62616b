import AudioMedia

/// The command `config`: prints a configuration to begin with.
struct ConfigCommand: ProgramCommand {
    static let summary = "Print a configuration file to start with."
    static let usage = "[--keys]"
    static let discussion = """
        Prints every option and address as a comment, with its default. Save it and edit it:

          duet config > ~/.config/duet/duet.conf

        --keys prints the keys for keys.conf in the same folder. Write them to a new file first, \
        since the shell empties keys.conf before duet can read it:

          duet config --keys > keys.new && mv keys.new keys.conf
        """

    let options: OptionValues

    init(_ options: OptionValues) { self.options = options }

    func run() throws {
        let folder = UserFolder.configuration
        guard options[.keys] else {
            let path = (folder.map { $0 + "/duet.conf" })?.description
            return Output.standard.write(ConfigurationText.text(path: path))
        }
        let path = folder.map { $0 + "/keys.conf" }
        let file = KeyFile(SettingsFile.read([path ?? ""])[0])
        for warning in file.wrong.warnings { Output.error.write("duet: warning: \(warning)\n") }
        let name = path?.description ?? "$XDG_CONFIG_HOME/duet/keys.conf"
        let head = """
            # duet's keys. Save this file as \(name)
            # Each line is a key and its command, or none. To print the file again with your changes,
            # write to a new file first, since the shell empties this one before duet can read it:
            # duet config --keys > keys.new && mv keys.new \(name)

            """
        func comments(_ rows: [KeyTable.Row]) -> String {
            rows.map { "# \($0.text)\n" }.joined()
        }
        Output.standard.write(
            head + file.text(with: KeyTable(of: MixPlan(second: .mics(Microphone.all.count))))
                + "\n# These keys act on the open song list and cannot be changed:\n"
                + comments(KeyTable.list.rows)
                + "\n# These on the page of the words, and on the one that times them:\n"
                + comments(KeyTable.lyrics.rows + KeyTable.tap.rows)
                + "\n# These keys act while a take is played:\n" + comments(KeyTable.take))
    }
}
