/// Connections that the server was asked for, and that are not known to be there yet.
///
/// A server may take a request and ignore it (`jackd -a e`): it answers that all is well, and
/// nothing happens. Pure: frames are its clock, so that a server that has died makes nothing
/// overdue.
struct ConnectionRequests {
    struct Request {
        let wire: JackWire
        fileprivate let since: Int
        /// Whether the server refused it at once.
        fileprivate(set) var isRefused = false
        /// Whether it is given no more time, and not asked for again either.
        fileprivate var isHeld = false
    }

    private var all: [Request] = []

    /// What was asked for and has not been seen.
    var wires: [JackWire] { all.map(\.wire) }

    /// What may come any moment.
    var awaited: [JackWire] { all.filter { !$0.isRefused && !$0.isHeld }.map(\.wire) }

    /// `wire` is asked for when so many frames have been rendered; false: it was already.
    mutating func add(_ wire: JackWire, at frame: Int) -> Bool {
        guard !wires.contains(wire) else { return false }
        all.append(Request(wire: wire, since: frame))
        return true
    }

    /// The server said no to `wire`.
    mutating func refuse(_ wire: JackWire) { change(wire) { $0.isRefused = true } }

    /// `wire` stays asked for, and is never overdue again.
    mutating func hold(_ wire: JackWire) { change(wire) { $0.isHeld = true } }

    /// Those that `isOver` are asked for no more.
    mutating func remove(where isOver: (JackWire) -> Bool) { all.removeAll { isOver($0.wire) } }

    /// What was asked for `patience` frames before `frame`, or earlier.
    func overdue(at frame: Int, patience: Int) -> [Request] {
        all.filter { !$0.isHeld && frame - $0.since >= patience }
    }

    private mutating func change(_ wire: JackWire, _ body: (inout Request) -> Void) {
        guard let index = all.firstIndex(where: { $0.wire == wire }) else { return }
        body(&all[index])
    }
}
