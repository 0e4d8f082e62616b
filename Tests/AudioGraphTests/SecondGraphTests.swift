import TestSupport
import Testing

@testable import AudioGraph

/// A node that comes from one graph into another of another rate begins anew there, with its values.
@Suite struct SecondGraphTests {
    @Test(arguments: UnitRegistry.all(type: .effect) + UnitRegistry.all(type: .mixer))
    func aNodeBeginsAnew(unit: UnitDescription) throws {
        let noise = Signal.noise(6000, seed: 17, amplitude: 0.7)
        func made() throws -> AudioNode {
            try #require(UnitRegistry.make(unit.kind, sampleRate: 48_000))
        }
        func values(_ node: AudioNode) throws -> [Double] {
            try unit.parameters.filter { !$0.isReadOnly }.map {
                try node.value(of: $0.name, scope: $0.scope)
            }
        }
        func change(_ node: AudioNode) throws {
            for parameter in unit.parameters
            where !parameter.isReadOnly && parameter.name != .bypass {
                let value =
                    0.4 * parameter.range.lowerBound + 0.6 * parameter.range.upperBound
                try node.set(
                    parameter.name, scope: parameter.scope,
                    to: parameter.accepts(value) ? value : value.rounded())
            }
        }
        let fresh = try made()
        try change(fresh)
        let expected = try UnitStage(fresh).render(noise)
        for removes in [false, true] {
            let node = try made()
            do {
                guard let first = try? UnitStage(node, sampleRate: 44_100) else { continue }
                _ = try first.render(noise)
                try change(node)
                _ = try first.render(noise)
                if removes {
                    if unit.parameter(.bypass, scope: .global) != nil {
                        try node.set(.bypass, to: 1)
                        _ = try first.render([Float](noise[..<100]))
                    }
                    try first.graph.remove(node)
                    _ = try first.render([Float](noise[..<960]))
                    first.graph.collect()
                    // In no graph it has its values, and takes others.
                    if unit.parameter(.bypass, scope: .global) != nil {
                        try node.set(.bypass, to: 0)
                    }
                }
            }
            #expect(node.graph == nil && (!removes || node.rendering == nil))
            #expect(try values(node) == values(fresh))
            let heard = try UnitStage(node).render(noise)
            #expect(firstDifference(heard, expected) == nil, "removed: \(removes)")
        }
    }

    /// Values that were set in no graph are those that it begins with.
    @Test func aMixerHasItsValues() throws {
        let mixer = MixerNode(inputs: 1, panLaw: .balance)
        for gain in [0.5, 0.25] {
            mixer.inputs[0].volume = Volume(gain: gain)
            mixer.inputs[0].pan = .left
            mixer.addInput().isMuted = true
            let stage = try UnitStage(mixer, sampleRate: gain == 0.5 ? 44_100 : 48_000)
            let out = try stage.render([1, 1, 1])
            #expect(out == [[Float](repeating: Float(gain), count: 3), [0, 0, 0]])
            mixer.removeLastInput()
        }
    }
}
