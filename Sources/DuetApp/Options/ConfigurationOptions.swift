import ArgumentParser

/// How the user's configuration is used, and what it brought.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Also use the lines under [NAME] in duet.conf.", valueName: "name"))
    var profile: String?

    @Flag(help: "Ignore duet.conf and keys.conf.")
    var noConfig = false

    /// What the configuration brought; no option.
    var values = ConfiguredValues()

    func validate() throws {
        guard profile == nil || !noConfig else {
            throw ValidationError("--profile does not go with --no-config")
        }
    }
}
