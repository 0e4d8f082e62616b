import TestSupport

extension Witness {
    /// A recorder of both outputs of the client `duet`; one that does not connect itself waits
    /// for duet to do it.
    convenience init(
        recording frames: Int, of duet: String, as name: String? = nil, connects: Bool = true,
        server: JackServer
    ) throws {
        let wires =
            connects
            ? ["left:0", "right:1"].flatMap { ["--connect-from", "\(duet):out_\($0)"] } : []
        try self.init(
            ["--name", name ?? DuetProgram.clientName(), "--frames", "\(frames)"] + wires,
            server: server, record: 2)
    }
}
