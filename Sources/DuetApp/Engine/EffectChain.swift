import AudioGraph

/// The effects of a bus, in the order of `SourceEffect`: nodes only for those that are on.
/// Control thread.
struct EffectChain {
    private struct Slot {
        var isOn = false
        /// What was set, whether the effect is on or not.
        var values: [ParameterAddress: Double] = [:]
        var node: AudioNode?
    }

    private let graph: Graph
    /// Of the bus, for people.
    private let name: String
    private var slots: [SourceEffect: Slot] = [:]
    private var faults: [String] = []

    init(of name: String, in graph: Graph) {
        self.name = name
        self.graph = graph
    }

    /// The effects that are there, in their order, without the reverb.
    var nodes: [AudioNode] {
        SourceEffect.allCases.filter { $0 != .reverb }.compactMap { slots[$0]?.node }
    }

    /// The reverb, if it is there: after the place around the head, since a room is all around.
    var reverb: AudioNode? { slots[.reverb]?.node }

    /// Whether effects give sound after their source has ended.
    var ringOn: Bool { [.echo, .reverb].contains { slots[$0]?.node != nil } }

    /// By how much the compressor turns the bus down now; nil where there is none.
    var compressorReduction: Decibels? {
        (slots[.compressor]?.node as? CompressorNode)?.gainReduction
    }

    /// Sets a parameter; `bypass` stands for whether the effect is on, 1, or not, 0, which holds
    /// from the next `settle`.
    mutating func set(
        _ effect: SourceEffect, _ place: ParameterAddress, to value: Double
    ) throws(ParameterError) {
        var slot = slots[effect] ?? Slot()
        defer { slots[effect] = slot }
        guard place.name != .bypass else {
            slot.isOn = value != 0
            return
        }
        slot.values[place] = value
        try slot.node?.set(place.name, scope: place.scope, element: place.element, to: value)
    }

    /// Adds the nodes of effects that were turned on to the graph, and lets go of those that were
    /// turned off, which are returned: they can be removed when nothing is connected to them.
    mutating func settle() throws -> (isChanged: Bool, released: [AudioNode]) {
        var (isChanged, released) = (false, [AudioNode]())
        for effect in SourceEffect.allCases {
            guard var slot = slots[effect], slot.isOn != (slot.node != nil) else { continue }
            if let node = slot.node {
                released.append(node)
                slot.node = nil
            } else {
                slot.node = try make(effect, slot.values)
                slot.isOn = slot.node != nil
            }
            slots[effect] = slot
            isChanged = true
        }
        return (isChanged, released)
    }

    private mutating func make(
        _ effect: SourceEffect, _ values: [ParameterAddress: Double]
    ) throws -> AudioNode? {
        let kind = effect.description.kind
        guard let node = UnitRegistry.make(kind, sampleRate: graph.sampleRate) else { return nil }
        for (place, value) in values {
            try node.set(place.name, scope: place.scope, element: place.element, to: value)
        }
        do throws(GraphError) { try graph.add(node) } catch {
            guard case .rateNotTaken = error else { throw error }
            faults.append("\(name) has no \(kind.name) at \(graph.sampleRate) Hz")
            return nil
        }
        return node
    }

    /// What cannot be done that was asked for, each once, in words.
    mutating func takeFaults() -> [String] {
        defer { faults = [] }
        return faults
    }
}
