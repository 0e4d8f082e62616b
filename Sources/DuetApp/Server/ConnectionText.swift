import JackIO

/// The connections of a client in words: `mic ← system:capture_1`, `out → system:playback_1,
/// playback_2`.
enum ConnectionText {
    /// A line for each input, and one for the outputs together.
    ///
    /// - Parameters:
    ///   - wires: the client's own ports are written `:port`; where one is connected to another of
    ///     them, that is written with the client's name.
    ///   - client: the client's name.
    ///   - ports: the client's, without its name.
    static func lines(
        of wires: Set<JackWire>, client: String, ports: (inputs: [String], outputs: [String])
    ) -> [String] {
        func names(_ ports: [String]) -> String {
            Self.names(ports.map { $0.hasPrefix(":") ? client + $0 : $0 })
        }
        let inputs = ports.inputs.map { port in
            let sources = wires.filter { $0.to == ":\(port)" }.map(\.from)
            return "\(port) ← \(names(sources))"
        }
        let outputs = Set(ports.outputs.map { ":\($0)" })
        let targets = wires.filter { outputs.contains($0.from) }.map(\.to)
        return inputs + ["out → \(names(targets))"]
    }

    /// Names in their order, a client's own once.
    private static func names(_ ports: [String]) -> String {
        var last: Substring?
        let names = Set(ports).sorted().map { port in
            let client = port.prefix { $0 != ":" }
            defer { last = client }
            return client == last ? String(port.dropFirst(client.count + 1)) : port
        }
        return names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }
}
