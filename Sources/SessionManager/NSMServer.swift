/// The session manager that has accepted this program.
public struct NSMServer: Sendable, Equatable {
    /// The session manager's name, such as `New Session Manager`; safe to show.
    public var name: String
    /// The session manager's welcome text; safe to show.
    public var welcome: String
    /// The session manager's optional features: `server-control`, `broadcast`, `optional-gui`.
    public var capabilities: Set<String>

    public init(name: String, welcome: String, capabilities: Set<String>) {
        self.name = name
        self.welcome = welcome
        self.capabilities = capabilities
    }
}

/// The optional features of this program, sent when it announces itself.
///
/// Features that are not listed here are never sent: this module has no `switch`, `progress` or
/// `optional-gui`.
public struct NSMCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Knows when it has unsaved changes: `NSMClient.setDirty`.
    public static let dirty = NSMCapabilities(rawValue: 1)
    /// Can send lines of text: `NSMClient.show`.
    public static let message = NSMCapabilities(rawValue: 2)

    /// The capabilities as the protocol writes them: `:dirty:message:`; empty when there are none.
    var text: String {
        let names = [(Self.dirty, "dirty"), (.message, "message")]
            .filter { contains($0.0) }.map(\.1)
        return names.isEmpty ? "" : ":" + names.joined(separator: ":") + ":"
    }
}
