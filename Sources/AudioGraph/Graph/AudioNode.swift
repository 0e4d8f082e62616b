/// A unit in a graph. The control thread uses the node; a kernel does its rendering.
///
/// Nodes have numbered input and output buses. They are used on one thread, the control thread,
/// together with their graph.
public class AudioNode {
    /// The node's name in `Graph.description` and in errors.
    public let name: String
    /// The graph it was added to.
    public internal(set) weak var graph: Graph?
    /// The graph that the node was first added to. While that graph lives, no other takes the node,
    /// even after its removal: the graph's driver may still render it, and two drivers must not.
    weak var home: Graph?

    init(name: String) { self.name = name }

    /// The number of audio input buses; they are numbered from 0.
    public var inputBusCount: Int { 1 }
    /// The numbers of the output buses.
    public var outputBuses: Range<Int> { 0..<1 }
    /// By how many frames the node delays its input.
    public var latency: Int { 0 }

    /// What flows on an input bus; nil: there is no such bus.
    func kind(ofInput bus: Int) -> BusKind? { 0..<inputBusCount ~= bus ? .audio : nil }

    /// What flows on an output bus; nil: there is no such bus.
    func kind(ofOutput bus: Int) -> BusKind? { outputBuses.contains(bus) ? .audio : nil }

    /// The input buses that take gains; empty for most nodes.
    var controlInputs: [Int] { [] }

    /// Channels of an output bus, 1 or 2; it may depend on what is connected to the inputs.
    func outputChannelCount(bus: Int, in graph: Graph) -> Int {
        graph.inputChannelCount(of: self, bus: 0)
    }

    /// Makes the kernel when the node is first added to a graph. The node keeps that kernel when it
    /// is removed and added again.
    func attach(to graph: Graph) throws(GraphError) {}

    /// Adds the node's steps to a plan, after those of the nodes that feed it, and tells the
    /// builder the buffers of the output buses.
    func emit(into builder: PlanBuilder) {}
}

/// What flows on a bus: sound, or the gains that one unit gives another for every frame.
enum BusKind {
    case audio
    case control
}
