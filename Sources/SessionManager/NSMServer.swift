/// The session manager that has taken this program in.
public struct NSMServer: Sendable, Equatable {
    /// As `New Session Manager`; safe to show.
    public var name: String
    /// Its words of welcome; safe to show.
    public var welcome: String
    /// What it can do beyond the minimum: `server-control`, `broadcast`, `optional-gui`.
    public var capabilities: Set<String>

    public init(name: String, welcome: String, capabilities: Set<String>) {
        self.name = name
        self.welcome = welcome
        self.capabilities = capabilities
    }
}

/// What this program can do beyond the minimum, told when it announces itself.
///
/// Nothing that is not named here is ever sent: `switch`, `progress` and `optional-gui` are not in
/// this module.
public struct NSMCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Knows when it has unsaved changes: `NSMClient.setDirty`.
    public static let dirty = NSMCapabilities(rawValue: 1)
    /// Can send lines of text: `NSMClient.show`.
    public static let message = NSMCapabilities(rawValue: 2)

    /// As the protocol writes them: `:dirty:message:`; empty when there are none.
    var text: String {
        let names = [(Self.dirty, "dirty"), (.message, "message")]
            .filter { contains($0.0) }.map(\.1)
        return names.isEmpty ? "" : ":" + names.joined(separator: ":") + ":"
    }
}
