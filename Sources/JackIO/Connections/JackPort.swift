import CJack

/// A port of any client, as JACK described it when asked.
public struct JackPort: Sendable, Hashable {
    /// The full name, `client:port`.
    public let name: String
    /// Other full names of the port, at most two.
    public let aliases: [String]
    /// Whether the port belongs to hardware.
    public let isPhysical: Bool
    /// The port's place among the ports of its client, by JACK's metadata; nil when metadata name
    /// none.
    public let order: Int?

    public init(
        name: String, aliases: [String] = [], isPhysical: Bool = false, order: Int? = nil
    ) {
        self.name = name
        self.aliases = aliases
        self.isPhysical = isPhysical
        self.order = order
    }

    /// The client's name: the text before the first colon, as a port's short name may hold colons.
    public var client: String { String(name.prefix { $0 != ":" }) }

    /// The audio ports of the server of `client` that give sound (`offering` output) or take it, in
    /// `PortOrder`, without the client's own. Never MIDI ports. Nil when the server hangs. Takes
    /// 1 s at most, and another second for the order.
    static func list(
        by client: ClientHandle, offering direction: JackPortFlags
    ) -> [JackPort]? {
        guard let found = unsafe client.ask({ unsafe all(of: $0, offering: direction) }) else {
            return nil
        }
        let orders = JackMetadata.orders(of: found.map(\.subject), by: client)
        let ports = zip(found, orders).map { found, order in
            Self(
                name: found.port.name, aliases: found.port.aliases,
                isPhysical: found.port.isPhysical, order: order)
        }
        return PortOrder.sorted(ports)
    }

    private static func all(
        of client: OpaquePointer, offering direction: JackPortFlags
    ) -> [(port: JackPort, subject: jack_uuid_t)] {
        guard
            let names = unsafe jack_get_ports(
                client, nil, JACK_DEFAULT_AUDIO_TYPE, UInt(direction.rawValue))
        else { return [] }
        defer { unsafe jack_free(names) }
        var found: [(JackPort, jack_uuid_t)] = []
        var index = 0
        while let name = unsafe names[index] {
            index += 1
            if let port = unsafe jack_port_by_name(client, name),
                unsafe jack_port_is_mine(client, port) == 0, let seen = unsafe Self(port)
            {
                found.append((seen, unsafe jack_port_uuid(port)))
            }
        }
        return found
    }

    /// The port of that full name, without its order, which would take a question to the server; nil
    /// when there is no such port.
    static func named(_ name: String, by client: OpaquePointer) -> JackPort? {
        unsafe jack_port_by_name(client, name).flatMap { unsafe Self($0) }
    }

    /// Describes `port` as it is now; nil when the port is gone.
    private init?(_ port: OpaquePointer) {
        guard let name = unsafe jack_port_name(port) else { return nil }
        let flags = unsafe UInt32(bitPattern: jack_port_flags(port))
        self.init(
            name: unsafe String(cString: name), aliases: unsafe Self.aliases(of: port),
            isPhysical: flags & JackPortIsPhysical.rawValue != 0)
    }

    private static func aliases(of port: OpaquePointer) -> [String] {
        let size = Int(jack_port_name_size())
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: 2 * size)
        defer { unsafe text.deallocate() }
        unsafe text.initialize(repeating: 0, count: 2 * size)
        var slots: [UnsafeMutablePointer<CChar>?] = unsafe [text, text + size]
        let count = unsafe jack_port_get_aliases(port, &slots)
        return (0..<max(0, min(Int(count), 2))).map {
            unsafe String(cString: text + $0 * size)
        }
    }
}
