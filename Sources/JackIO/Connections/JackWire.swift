/// A connection from a port that gives sound to a port that takes it, by their full names.
public struct JackWire: Hashable, Sendable {
    public let from: String
    public let to: String

    public init(from: String, to: String) {
        self.from = from
        self.to = to
    }

    /// This connection with `:port` for each port of the client `name`, which stays right when the
    /// client gets another name.
    func nameless(_ name: String) -> JackWire {
        func short(_ port: String) -> String {
            port.hasPrefix(name + ":") ? String(port.dropFirst(name.count)) : port
        }
        return JackWire(from: short(from), to: short(to))
    }

    /// This connection with `name:port` for each `:port`: the reverse of `nameless`.
    func named(_ name: String) -> JackWire {
        func long(_ port: String) -> String { port.hasPrefix(":") ? name + port : port }
        return JackWire(from: long(from), to: long(to))
    }
}
