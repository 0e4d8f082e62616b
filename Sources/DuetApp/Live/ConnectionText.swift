import JackIO

/// The connections of a client in words: `mic ← system:capture_1`, `left → system:playback_1`.
struct ConnectionText: Sendable, Equatable {
    /// A line for each input and for each side of the outputs; a warning where nothing is connected.
    private(set) var lines: [ScreenState.Line] = []
    /// Microphones to which nothing is connected, as the screen calls them.
    private(set) var silent: Set<String> = []

    init() {}

    /// - Parameters:
    ///   - wires: the client's own ports are written `:port`; where one is connected to another of
    ///     them, that is written with the client's name.
    ///   - client: the client's name.
    ///   - inputs: the client's, without its name.
    ///   - outputs: the client's, without its name, left and right.
    ///   - leftOpen: channels and sides that need no connection.
    init(
        of wires: Set<JackWire>, client: String, inputs: [String], outputs: [String],
        leftOpen: Set<String> = []
    ) {
        func line(
            _ name: String, _ arrow: String, _ ports: [String], of place: String
        ) -> ScreenState.Line {
            guard !ports.isEmpty else {
                return .init(
                    text: "\(name): not connected", isWarning: !leftOpen.contains(place))
            }
            let names = Self.names(ports.map { $0.hasPrefix(":") ? client + $0 : $0 })
            return .init(text: "\(name) \(arrow) \(names)")
        }
        var heard: Set<String> = []
        for port in inputs {
            let sources = wires.filter { $0.to == ":\(port)" }.map(\.from)
            // Port `mic_2` is of the channel that is called mic2.
            let name = Microphone.all.first { $0.port == port }?.name ?? port
            let strip = String(name.prefix { $0 != "_" })
            lines.append(line(name, "←", sources, of: strip))
            if !leftOpen.contains(strip) { silent.insert(strip) }
            if !sources.isEmpty { heard.insert(strip) }
        }
        silent.subtract(heard)
        for (side, port) in zip(["left", "right"], outputs) {
            let targets = wires.filter { $0.from == ":\(port)" }.map(\.to)
            lines.append(line(side, "→", targets, of: side))
        }
    }

    /// Names in their order, a client's own once.
    private static func names(_ ports: [String]) -> String {
        var last: Substring?
        return Set(ports).sorted().map { port in
            let client = port.prefix { $0 != ":" }
            defer { last = client }
            return client == last ? String(port.dropFirst(client.count + 1)) : port
        }.joined(separator: ", ")
    }
}
