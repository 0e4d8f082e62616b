import AudioGraph

/// What stands between the source of each bus and the mixer: nothing, unless it was asked for.
///
/// source → voice processor → effects → binaural panner → reverb → mixer. Control thread.
final class SourceChains {
    /// The way of one bus.
    private struct Chain {
        var effects: EffectChain
        var source: AudioNode?
        /// Of the source, those that the bus gets; nil: all.
        var channels: [Int]?
        var processor: VoiceProcessorNode?
        var panner: BinauralPannerNode?
        /// What was set of the place and of the processing, by name.
        var place: [ParameterName: Double] = [:]
        var processing: [ParameterName: Double] = [:]
        /// The nodes that are connected, one to the next.
        var wired: [AudioNode] = []
        /// The panner whose fault was told.
        var toldPanner: ObjectIdentifier?
        /// Frames of the processor that came too late, as far as that was told.
        var lateFrames = 0
    }

    private let graph: Graph
    private let mixer: MixerNode
    private let names: [String]
    private var chains: [Chain]
    /// The song as the loudspeakers play it, without the microphone: a mixer with the values of
    /// `mixer`, which is there while a microphone is processed.
    private(set) var reference: MixerNode?
    /// The song's last node, as it is connected to `reference`.
    private var referenceSource: AudioNode?
    /// The driver's period, in frames, and its round trip, in seconds.
    private var driver = (period: 256, roundTrip: 0.0)
    private var faults: [String] = []
    /// Whether a microphone was processed, and the panners that may have been heard before their file
    /// was read, since `takeDifferences`.
    private var wasProcessed = false
    private var unread: [BinauralPannerNode] = []

    /// - Parameter names: of the buses, for people.
    init(of graph: Graph, mixer: MixerNode, names: [String]) {
        self.graph = graph
        self.mixer = mixer
        self.names = names
        chains = names.map { Chain(effects: EffectChain(of: $0, in: graph)) }
    }

    /// Connects the source of a bus, which is in the graph: all of its channels, or those that
    /// `channels` names.
    func setSource(
        _ source: AudioNode, channels: [Int]? = nil, bus: Int
    ) throws(GraphError) {
        chains[bus].source = source
        chains[bus].channels = channels
        try wire()
    }

    /// The source of a bus, and which of its channels the bus gets; nil: there is none.
    func source(bus: Int) -> (node: AudioNode, channels: [Int]?)? {
        chains[bus].source.map { ($0, chains[bus].channels) }
    }

    /// Sets where a bus is around the head; its azimuth may be `ValueKind.off`.
    func place(_ name: ParameterName, at value: Double, bus: Int) throws {
        chains[bus].place[name] = value
        let isOn = chains[bus].place[.azimuth, default: ValueKind.off] != ValueKind.off
        switch (isOn, chains[bus].panner) {
        case (true, nil):
            let panner = BinauralPannerNode(name: "\(names[bus]) panner")
            for (name, value) in chains[bus].place { try panner.set(name, to: value) }
            try graph.add(panner)
            chains[bus].panner = panner
            unread.append(panner)
            try wire()
        case (true, let panner?): try panner.set(name, to: value)
        case (false, let panner?):
            chains[bus].panner = nil
            try wire()
            try graph.remove(panner)
        case (false, nil): break
        }
    }

    /// Sets a parameter of an effect of a bus: see `EffectChain.set`.
    func set(
        _ effect: SourceEffect, _ place: ParameterAddress, to value: Double, bus: Int
    ) throws(ParameterError) {
        try chains[bus].effects.set(effect, place, to: value)
    }

    /// Puts effects that were turned on in their places, and takes others out, all in one step.
    func settleEffects() throws {
        var (isChanged, released) = (false, [AudioNode]())
        for bus in chains.indices {
            let settled = try chains[bus].effects.settle()
            isChanged = isChanged || settled.isChanged
            released += settled.released
        }
        guard isChanged else { return }
        try wire()
        for node in released { try graph.remove(node) }
    }

    /// Sets how the microphone is processed; `bypass` stands for whether it is, 1, or not, 0.
    func process(_ name: ParameterName, at value: Double, bus: Int) throws {
        if name == .bypass { return try setProcessing(value != 0, bus: bus) }
        chains[bus].processing[name] = value
        try chains[bus].processor?.set(name, to: value)
    }

    private func setProcessing(_ isOn: Bool, bus: Int) throws {
        let old = (processor: chains[bus].processor, reference: reference)
        guard isOn != (old.processor != nil) else { return }
        if isOn {
            reference = try makeReference()
            chains[bus].processor = try makeProcessor(bus: bus)
            chains[bus].lateFrames = 0
            // It takes no sound of this rate.
            if chains[bus].processor == nil, let made = reference {
                try graph.remove(made)
                reference = nil
            }
        } else {
            chains[bus].processor = nil
            reference = nil
        }
        referenceSource = nil
        try wire()
        for node in [old.processor, old.reference] as [AudioNode?] {
            if let node { try graph.remove(node) }
        }
    }

    /// A processor with the values that were set, which hears the reference; nil where it does not
    /// take the graph's rate, which is noted as a fault.
    private func makeProcessor(bus: Int) throws -> VoiceProcessorNode? {
        let processor = VoiceProcessorNode(period: driver.period)
        wasProcessed = true
        for (name, value) in chains[bus].processing { try processor.set(name, to: value) }
        processor.referenceDelay = driver.roundTrip
        do throws(GraphError) { try graph.add(processor) } catch {
            faults.append("the microphone is not processed: \(error)")
            return nil
        }
        if let reference {
            try graph.connect(
                reference, bus: MixerNode.directBus(of: 0), to: processor,
                bus: VoiceProcessorNode.referenceBus)
        }
        return processor
    }

    /// A mixer that gives each bus as `mixer` does.
    private func makeReference() throws(GraphError) -> MixerNode {
        let reference = MixerNode(
            inputs: mixer.inputs.count, panLaw: mixer.panLaw,
            name: "reference")
        for (copy, input) in zip(reference.inputs, mixer.inputs) {
            (copy.volume, copy.pan) = (input.volume, input.pan)
            (copy.isMuted, copy.isSolo) = (input.isMuted, input.isSolo)
        }
        try graph.add(reference)
        return reference
    }

    // MARK: The driver

    func setDriver(period: Int, roundTrip: Double) throws {
        // The thread of a processor needs some time, however short the period.
        driver = (min(max(period, 256), 8192), roundTrip)
        for bus in chains.indices {
            guard let old = chains[bus].processor else { continue }
            old.referenceDelay = roundTrip
            guard old.period != driver.period else { continue }
            chains[bus].processor = try makeProcessor(bus: bus)
            chains[bus].lateFrames = 0
            try wire()
            try graph.remove(old)
        }
    }

    /// By how many frames a bus's source is heard later by the mixer, at most.
    func latency(bus: Int) -> Int {
        let source = chains[bus].source
        return source.flatMap { graph.latency(from: $0, to: mixer, bus: bus)?.upperBound } ?? 0
    }

    /// Whether effects give sound after their sources have ended.
    var ringOn: Bool { chains.contains { $0.effects.ringOn } }

    /// By how much the compressor of a bus turns it down now; nil where there is none.
    func compressorReduction(bus: Int) -> Decibels? { chains[bus].effects.compressorReduction }

    // MARK: Faults

    func waitForFiles(milliseconds: Int) {
        for chain in chains { _ = chain.panner?.waitUntilRead(milliseconds: milliseconds) }
    }

    /// What units cannot do that was asked for, each once, in words.
    func takeFaults() -> [String] {
        for bus in chains.indices {
            // Told again when it has become twice as much.
            if let late = chains[bus].processor?.lateFrames, late > 0,
                late >= 2 * chains[bus].lateFrames
            {
                faults.append(
                    "the microphone was silent for a moment: its processing is too slow here")
                chains[bus].lateFrames = late
            }
            guard let panner = chains[bus].panner, let fault = panner.fault,
                chains[bus].toldPanner != ObjectIdentifier(panner)
            else { continue }
            chains[bus].toldPanner = ObjectIdentifier(panner)
            faults.append("a place around your head is only louder on one side: \(fault)")
        }
        for bus in chains.indices { faults += chains[bus].effects.takeFaults() }
        defer { faults = [] }
        return faults
    }

    /// Why what was heard since the last call cannot be repeated to the bit.
    func takeDifferences() -> Set<Take.Difference> {
        var found: Set<Take.Difference> = []
        if wasProcessed { found.insert(.voiceProcessing) }
        if !unread.isEmpty { found.insert(.headResponses) }
        wasProcessed = chains.contains { $0.processor != nil }
        unread.removeAll { $0.waitUntilRead(milliseconds: 0) }
        return found
    }

    // MARK: Wires

    /// Connects what is to be connected, and disconnects what is not any more.
    private func wire() throws(GraphError) {
        for bus in chains.indices {
            let nodes = nodes(of: bus)
            let new = nodes.isEmpty ? [] : nodes + [mixer]
            let old = chains[bus].wired
            for (from, to) in zip(old, old.dropFirst()) where !joins(from, to, in: new) {
                graph.disconnect(to, bus: to === mixer ? bus : 0)
            }
            for (from, to) in zip(new, new.dropFirst()) where !joins(from, to, in: old) {
                let channels = from === chains[bus].source ? chains[bus].channels : nil
                try graph.connect(
                    from, bus: from.outputBuses.lowerBound, to: to, bus: to === mixer ? bus : 0,
                    channels: channels)
            }
            chains[bus].wired = new
            mixer.inputs[bus].hasMonoPan = isOneSource(bus)
        }
        try wireReference()
    }

    /// The nodes of a bus from its source to the last before the mixer.
    private func nodes(of bus: Int) -> [AudioNode] {
        let chain = chains[bus]
        guard let source = chain.source else { return [] }
        let effects: [AudioNode?] = chain.effects.nodes
        return ([source, chain.processor] + effects + [chain.panner, chain.effects.reverb])
            .compactMap { $0 }
    }

    /// Whether a bus is one source, also with the room of a reverb around it.
    private func isOneSource(_ bus: Int) -> Bool {
        let io = chains[bus].source as? HardwareIO
        let count = chains[bus].channels?.count ?? io?.inputChannelCount
        return count == 1 && chains[bus].panner == nil
    }

    private func joins(_ from: AudioNode, _ to: AudioNode, in nodes: [AudioNode]) -> Bool {
        zip(nodes, nodes.dropFirst()).contains { $0 === from && $1 === to }
    }

    private func wireReference() throws(GraphError) {
        let source = nodes(of: 0).last
        guard let reference, source !== referenceSource else { return }
        graph.disconnect(reference, bus: 0)
        if let source { try graph.connect(source, to: reference, bus: 0) }
        referenceSource = source
    }
}
