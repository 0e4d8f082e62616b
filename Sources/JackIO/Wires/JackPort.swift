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
}

/// The order in which ports are tried. Ports of one client are sorted by their places in JACK's
/// metadata, else by the numbers in their names, so that `playback_2` comes before `playback_10`.
///
/// Places count only where each port of a client has a different place: every jackd numbers its
/// ports from 1, so a place may have been set for the port of another server.
///
/// Clients stay in the server's order, which names hardware and the default device first. So do
/// ports whose names differ in more than numbers: the alphabet would put FC before FL.
enum PortOrder {
    /// `ports`, sorted.
    static func sorted(_ ports: [JackPort]) -> [JackPort] {
        let clients = ranks(ports.map(\.client))
        let shapes = ranks(ports.map { shape(of: $0.name) })
        var places = [Set<Int?>](repeating: [], count: clients.count)
        var counts = [Int](repeating: 0, count: clients.count)
        for (client, port) in zip(clients, ports) {
            places[client].insert(port.order)
            counts[client] += 1
        }
        let keys = ports.indices.map { index in
            let client = clients[index]
            let isOrdered =
                places[client].count == counts[client] && !places[client].contains(nil)
            return Key(
                client: client, place: isOrdered ? ports[index].order ?? 0 : 0,
                shape: shapes[index],
                numbers: numbers(in: ports[index].name), index: index)
        }
        return keys.sorted().map { ports[$0.index] }
    }

    private struct Key: Comparable {
        let client: Int
        let place: Int
        let shape: Int
        let numbers: [Int]
        let index: Int

        static func < (a: Key, b: Key) -> Bool {
            let left = (a.client, a.place, a.shape)
            let right = (b.client, b.place, b.shape)
            if left != right { return left < right }
            if a.numbers != b.numbers { return a.numbers.lexicographicallyPrecedes(b.numbers) }
            return a.index < b.index
        }
    }

    /// The rank of each text: different texts are numbered in the order of their first appearance.
    private static func ranks(_ texts: [String]) -> [Int] {
        var known: [String: Int] = [:]
        return texts.map { text in
            if let rank = known[text] { return rank }
            known[text] = known.count
            return known.count - 1
        }
    }

    /// The name with a `0` in place of each number.
    private static func shape(of name: String) -> String {
        var shape = ""
        for character in name {
            if !isDigit(character) {
                shape.append(character)
            } else if shape.last != "0" {
                shape.append("0")
            }
        }
        return shape
    }

    private static func numbers(in name: String) -> [Int] {
        name.split { !isDigit($0) }.map { Int($0) ?? .max }
    }

    private static func isDigit(_ character: Character) -> Bool {
        ("0"..."9").contains(character)
    }
}
