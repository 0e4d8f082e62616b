import ArgumentParser

/// How the user's configuration is used, and what it brought.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Use a part of the configuration too: the lines below [NAME].", valueName: "name"))
    var profile: String?

    @Flag(help: "Leave the configuration out: duet.conf and keys.conf.")
    var noConfig = false

    /// What the configuration brought; no option.
    var values = ConfiguredValues()

    func validate() throws {
        guard profile == nil || !noConfig else {
            throw ValidationError("--profile names a part of what --no-config leaves out")
        }
    }
}
