extension Witness {
    /// A cable from outputs back to a microphone, with ports that look like hardware: what goes to
    /// `NAME:in_1` and `NAME:in_2` comes out of `NAME:out_1` and `NAME:out_2`, to the client that
    /// plays it `delay` frames and a period later. JACK reports just that. `end` ends it.
    public convenience init(cable name: String, delay: Int, server: JackServer) throws {
        try self.init(
            [
                "--name", name, "--pass", "2", "--delay", "\(delay)", "--declare", "--physical",
                "--frames", "1", "--wait",
            ], server: server)
    }

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
