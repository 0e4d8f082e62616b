import AudioGraph

/// An effect between a source and the mixer, in the order in which the sound passes them.
enum SourceEffect: String, Sendable, CaseIterable {
    case highPass = "highpass"
    case gate
    case compressor
    case deEsser = "de-esser"
    case equalizer = "eq"
    case echo
    case reverb

    /// The beginning of its addresses, without the slash, as `mic/reverb`.
    func stripName(of bus: String) -> String { "\(bus)/\(rawValue)" }

    var description: UnitDescription {
        switch self {
        case .highPass: HighPassNode.unit
        case .gate: GateNode.unit
        case .compressor: CompressorNode.unit
        case .deEsser: DeEsserNode.unit
        case .equalizer: EqualizerNode.unit
        case .echo: DelayNode.unit
        case .reverb: ReverbNode.unit
        }
    }

    /// How many elements a scope has: the bands and filters of an equalizer.
    private func elementCount(in scope: Scope) -> Int {
        switch (self, scope) {
        case (_, .global): 1
        case (.equalizer, .band): EqualizerNode.bandCount
        case (.equalizer, .filter): EqualizerNode.filterCount
        default: 0
        }
    }

    /// Its parameters with their names in addresses: `wet`, `band/1` (the only parameter of a band),
    /// `filter/1/frequency`. An effect is there or not, so it has no bypass.
    var parameters: [(name: String, place: ParameterAddress, description: ParameterDescription)] {
        let settable = description.parameters.filter { !$0.isReadOnly && $0.name != .bypass }
        return settable.flatMap { found in
            let isAlone = settable.count { $0.scope == found.scope } == 1
            return (0..<elementCount(in: found.scope)).map { element in
                let part = "\(found.scope.rawValue)/\(element + 1)"
                let name =
                    switch found.scope {
                    case .global: "\(found.name)"
                    default: isAlone ? part : "\(part)/\(found.name)"
                    }
                let place = ParameterAddress(found.name, scope: found.scope, element: element)
                return (name, place, found)
            }
        }
    }
}
