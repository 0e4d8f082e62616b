/// A connection: from a port that gives sound to one that takes it, by their full names.
public struct JackWire: Hashable, Sendable {
    public let from: String
    public let to: String

    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// The same with `:port` for each port of the client `name`: what stays true under another.
    func nameless(_ name: String) -> JackWire {
        func short(_ port: String) -> String {
            port.hasPrefix(name + ":") ? String(port.dropFirst(name.count)) : port
        }
        return JackWire(from: short(from), to: short(to))
    }

    /// What `nameless` took away, for a client called `name`.
    func named(_ name: String) -> JackWire {
        func long(_ port: String) -> String { port.hasPrefix(":") ? name + port : port }
        return JackWire(from: long(from), to: long(to))
    }
}
