/// Connections that the server was asked for, and that are not known to be there yet.
///
/// A server may take a request and ignore it (`jackd -a e`): it answers that all is well, and
/// nothing happens. Pure: frames are its clock.
struct ConnectionRequests {
    private var open: [(wire: Patchbay.Wire, since: Int)] = []

    /// What was asked for and has not been seen.
    var wires: [Patchbay.Wire] { open.map(\.wire) }

    /// `wire` was asked for when so many frames had been rendered.
    mutating func add(_ wire: Patchbay.Wire, at frame: Int) { open.append((wire, frame)) }

    /// `wire` is there.
    mutating func settle(_ wire: Patchbay.Wire) { open.removeAll { $0.wire == wire } }

    /// Takes out what was asked for `patience` frames before `frame`, or earlier.
    mutating func takeOverdue(at frame: Int, patience: Int) -> [Patchbay.Wire] {
        let overdue = open.filter { frame - $0.since >= patience }
        open.removeAll { frame - $0.since >= patience }
        return overdue.map(\.wire)
    }
}
