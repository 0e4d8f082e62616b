import CJack

/// A port that some client offers, as it was when JACK was asked.
public struct JackPort: Sendable, Hashable {
    /// `client:port`.
    public let name: String
    /// Other full names, at most two.
    public let aliases: [String]
    /// Whether it belongs to hardware.
    public let isPhysical: Bool
    /// Where it wants to stand among its client's, by JACK's metadata; nil: it does not say.
    public let order: Int?

    public init(
        name: String, aliases: [String] = [], isPhysical: Bool = false, order: Int? = nil
    ) {
        self.name = name
        self.aliases = aliases
        self.isPhysical = isPhysical
        self.order = order
    }

    /// The client: what stands before the first colon, for a port's own name may hold more.
    public var client: String { String(name.prefix { $0 != ":" }) }

    /// The audio ports of `client`'s server that give sound (`offering` output) or take it, in
    /// `PortOrder`, without the client's own. Never MIDI ports. May block.
    static func list(
        _ client: OpaquePointer, _ handle: ClientHandle, offering direction: JackPortFlags
    ) -> [JackPort] {
        guard
            let names = unsafe jack_get_ports(
                client, nil, JACK_DEFAULT_AUDIO_TYPE, UInt(direction.rawValue))
        else { return [] }
        defer { unsafe jack_free(names) }
        var found: [OpaquePointer] = unsafe []
        var index = 0
        while let name = unsafe names[index] {
            index += 1
            if let port = unsafe jack_port_by_name(client, name),
                unsafe jack_port_is_mine(client, port) == 0
            {
                unsafe found.append(port)
            }
        }
        let orders = JackMetadata.orders(
            of: unsafe found.map { unsafe jack_port_uuid($0) }, by: handle)
        let ports = unsafe found.indices.compactMap { index in
            unsafe Self(found[index], order: orders[index])
        }
        return PortOrder.sorted(ports)
    }

    /// As `port` is now; nil when it is gone.
    private init?(_ port: OpaquePointer, order: Int?) {
        guard let name = unsafe jack_port_name(port) else { return nil }
        let flags = unsafe UInt32(bitPattern: jack_port_flags(port))
        self.init(
            name: unsafe String(cString: name), aliases: unsafe Self.aliases(of: port),
            isPhysical: flags & JackPortIsPhysical.rawValue != 0, order: order)
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
