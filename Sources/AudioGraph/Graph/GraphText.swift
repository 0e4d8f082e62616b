/// A graph in words, for people and for Graphviz.
struct GraphText {
    private let graph: Graph

    init(_ graph: Graph) { self.graph = graph }

    /// A line for the graph, for each node, and for each of its inputs.
    var lines: String {
        var lines = [
            "graph, \(graph.sampleRate) Hz, at most \(graph.sliceFrames) frames a slice, "
                + (graph.isRunning ? "running" : "stopped")
        ]
        for node in graph.nodes {
            let isBypassed = (try? node.value(of: .bypass)) == 1
            lines.append(
                "  \(node.name) (latency \(node.latency) frames"
                    + (isBypassed ? ", bypassed)" : ")"))
            let audio = (0..<node.inputBusCount).filter { node.kind(ofInput: $0) == .audio }
            for bus in audio + node.controlInputs {
                let found = graph.wiring.connection(to: node, bus: bus)
                if let found {
                    let source = "\(found.source.name) bus \(found.sourceBus)"
                    lines.append(
                        "    bus \(bus) <- \(source), \(format(of: found))\(way(to: found))")
                } else if audio.contains(bus) {
                    lines.append("    bus \(bus) <- nothing")
                }
            }
        }
        return lines.joined(separator: "\n")
    }

    /// How late an output of the hardware gives what is captured.
    private func way(to end: Connection) -> String {
        guard let hardware = graph.hardware, end.sink === hardware,
            let latency = graph.latency(from: hardware, to: hardware, bus: end.sinkBus)
        else { return "" }
        let frames =
            latency.count == 1
            ? "\(latency.lowerBound)" : "\(latency.lowerBound)–\(latency.upperBound)"
        return ", its input \(frames) frames later"
    }

    /// A directed graph; gains are dashed. The output and the input of the hardware are two nodes.
    var dot: String {
        var lines = ["digraph duet {", "  rankdir=LR;", "  node [shape=box];"]
        for (number, node) in graph.nodes.enumerated() {
            if let io = node as? HardwareIO {
                lines.append("  out [label=\(quoted("\(io.name) out"))];")
                guard io.inputChannelCount > 0 else { continue }
                lines.append("  in [label=\(quoted("\(io.name) in"))];")
            } else {
                lines.append("  n\(number) [label=\(quoted(node.name))];")
            }
        }
        for connection in graph.wiring.made {
            let labels = "taillabel=\(connection.sourceBus), headlabel=\(connection.sinkBus)"
            let style = connection.kind == .audio ? "" : ", style=dashed, constraint=false"
            lines.append(
                "  \(name(of: connection.source, isSource: true)) -> "
                    + "\(name(of: connection.sink, isSource: false)) "
                    + "[\(labels), label=\(quoted(format(of: connection)))\(style)];")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func name(of node: AudioNode, isSource: Bool) -> String {
        if node is HardwareIO { return isSource ? "in" : "out" }
        return "n\(graph.nodes.firstIndex { $0 === node } ?? 0)"
    }

    private func quoted(_ text: String) -> String {
        let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    }

    private func format(of connection: Connection) -> String {
        guard connection.kind == .audio else {
            return "gains" + (connection.leadsBack ? ", \(graph.sliceFrames) frames later" : "")
        }
        // Only where the connection names them.
        let named = connection.channels.map { numbers in
            (numbers.count == 1 ? "channel " : "channels ")
                + numbers.map { "\($0)" }.joined(separator: " and ") + ", "
        }
        return "\(named ?? "")\(graph.format(of: connection))"
    }
}

extension Graph: CustomStringConvertible {
    /// The nodes, where each input comes from, and in which format.
    public var description: String { GraphText(self).lines }

    /// The nodes and connections in the language of Graphviz: `dot -Tsvg` draws it.
    public var dot: String { GraphText(self).dot }
}
