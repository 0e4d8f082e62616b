/// A unit in a graph: the control half of what renders.
///
/// Nodes have numbered input and output buses. They are used on one thread, the control thread,
/// together with their graph.
public class AudioNode {
    /// What `AudioGraph.description` calls it.
    public let name: String
    /// The graph it was added to.
    public internal(set) weak var graph: AudioGraph?
    /// The graph that it was added to first. It stays this one's while that lives, removed or not:
    /// the graph's driver may still render it, and two drivers must not.
    weak var home: AudioGraph?

    init(name: String) { self.name = name }

    /// How many input buses it has, numbered from 0.
    public var inputBusCount: Int { 1 }
    /// The numbers of its output buses.
    public var outputBuses: Range<Int> { 0..<1 }
    /// Frames that it delays what passes.
    public var latency: Int { 0 }

    /// Channels of an output bus, 1 or 2, by what is connected to its inputs.
    func outputChannelCount(bus: Int, in graph: AudioGraph) -> Int {
        graph.inputChannelCount(of: self, bus: 0)
    }

    /// Whether its output is its input's buffers, unchanged.
    var passesInputOn: Bool { false }

    /// Makes the kernel, when the node is first added to a graph; it keeps that kernel when it is
    /// removed and added again.
    func attach(to graph: AudioGraph) throws(GraphError) {}

    /// Adds the node's steps behind its inputs' ones.
    ///
    /// - Returns: the buffers of its first output bus.
    func emit(into builder: PlanBuilder) -> Bus {
        builder.input(of: self, bus: 0)
    }
}
