extension Witness {
    /// A recorder of both outputs of the client `duet`; with `connects` false it waits for duet to
    /// make the connections.
    public convenience init(
        recording frames: Int, of duet: String, as name: String? = nil, connects: Bool = true,
        server: JackServer
    ) throws {
        let wires =
            connects
            ? ["left:0", "right:1"].flatMap { ["--connect-from", "\(duet):out_\($0)"] } : []
        try self.init(
            ["--name", name ?? Duet.clientName(), "--frames", "\(frames)"] + wires,
            server: server, record: 2)
    }
}
