import SystemSupport

/// The folder of the user's in which this program looks for files, as the XDG Base Directory
/// Specification says where it is.
enum UserFolder {
    /// Where the user keeps the configuration: `$XDG_CONFIG_HOME/duet`, by default `~/.config/duet`.
    /// Nil for a user without a home.
    static var configuration: String? { path("XDG_CONFIG_HOME", default: ".config") }

    private static func path(_ variable: String, default folder: String) -> String? {
        // The specification: a path that does not begin at the root is to be ignored.
        if let path = environmentValue(variable), path.hasPrefix("/") { return path + "/duet" }
        guard let home = environmentValue("HOME"), home.hasPrefix("/") else { return nil }
        return "\(home)/\(folder)/duet"
    }
}
