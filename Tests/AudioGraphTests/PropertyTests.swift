import TestSupport
import Testing

@testable import AudioGraph

/// Properties by scope and element, and who listens to them.
@Suite struct PropertyTests {
    @Test func propertiesAreReadAndSetByScopeAndElement() throws {
        let mixer = MixerNode(inputs: 2)
        #expect(try mixer.value(ofProperty: "latency") == .number(0))
        #expect(try mixer.value(ofProperty: "inputs") == .number(2))
        try mixer.set(property: "mono-pan", scope: .input, element: 1, to: .switch(true))
        #expect(mixer.inputs[1].hasMonoPan && !mixer.inputs[0].hasMonoPan)
        #expect(
            try mixer.value(ofProperty: "mono-pan", scope: .input, element: 1) == .switch(true))
        try mixer.set(property: "inputs", to: .number(5))
        #expect(mixer.inputs.count == 5)
        try mixer.set(property: "inputs", to: .number(0))
        #expect(mixer.inputs.isEmpty)
    }

    @Test func whatCannotBeSetIsSaid() throws {
        let mixer = MixerNode(inputs: 1)
        func refuses(
            _ text: String, _ name: String, _ scope: Scope = .global, _ element: Int = 0,
            _ value: PropertyValue = .switch(true)
        ) {
            do throws(ParameterError) {
                try mixer.set(property: name, scope: scope, element: element, to: value)
                Issue.record("\(name) was set")
            } catch {
                #expect(error.description == text)
            }
        }
        refuses("mixer has no nothing", "nothing")
        refuses("mixer has no mono-pan", "mono-pan")
        refuses("mixer has no input 1", "mono-pan", .input, 1)
        refuses("mixer has no input -1", "mono-pan", .input, -1)
        refuses("latency of mixer can be read only", "latency", value: 3)
        for count in [-1, 257, .max, .min] as [Int64] {
            refuses("inputs of mixer cannot be \(count)", "inputs", .global, 0, .number(count))
        }
        refuses("inputs of mixer cannot be true", "inputs")
        refuses("mono-pan of input 0 of mixer cannot be left", "mono-pan", .input, 0, .text("left"))
        #expect(mixer.inputs.count == 1)
        #expect(throws: ParameterError.self) {
            try mixer.value(ofProperty: "mono-pan", scope: .input, element: 1)
        }

        func refuses(_ text: String, _ name: String, value: Int64) {
            refuses(text, name, .global, 0, .number(value))
        }
    }

    @Test func aPropertyIsAStepOfAnEdit() throws {
        struct Mistake: Error {}
        let graph = Graph(sampleRate: 48_000)
        let mixer = MixerNode(inputs: 1)
        try graph.chain(graph.inputNode, mixer, graph.outputNode)
        try graph.prepare()
        #expect(throws: Mistake.self) {
            try graph.edit {
                try mixer.set(property: "inputs", to: .number(3))
                try mixer.set(property: "mono-pan", scope: .input, to: .switch(true))
                throw Mistake()
            }
        }
        #expect(mixer.inputs.count == 1 && !mixer.inputs[0].hasMonoPan)
    }

    @Test func listenersHearOfWhatHasChanged() throws {
        let graph = Graph(sampleRate: 48_000)
        let mixer = graph.mainMixer
        let effect = unsafe CallbackEffect(latency: 9) { _, _, _, _, _, _, _, _ in 0 }
        try graph.insert(effect, between: mixer, and: graph.outputNode)
        var (all, some): ([String], [String]) = ([], [])
        var listener: PropertyListener? = graph.addPropertyListener { change in
            all.append("\(change.unit.name) \(change.name) \(change.element) \(change.value)")
        }
        let monoPan = graph.addPropertyListener("mono-pan", of: mixer) { change in
            some.append("\(change.scope) \(change.element) \(change.value)")
        }
        graph.collect()
        #expect(all.isEmpty)
        try mixer.set(property: "inputs", to: .number(2))
        effect.isBypassed = true
        graph.collect()
        #expect(all == ["main mixer inputs 0 2", "callback latency 0 0"] && some.isEmpty)
        mixer.inputs[1].hasMonoPan = true
        graph.collect()
        graph.collect()
        #expect(all.last == "main mixer mono-pan 1 true" && all.count == 3)
        #expect(some == ["input 1 true"])
        // There and back is no change.
        mixer.inputs[1].hasMonoPan = false
        mixer.inputs[1].hasMonoPan = true
        listener = nil
        graph.collect()
        mixer.inputs[1].hasMonoPan = false
        monoPan.cancel()
        graph.collect()
        #expect(all.count == 3 && some.count == 1 && listener == nil)
    }

    /// What a unit reports by itself, and a listener that edits the graph.
    @Test func aListenerHearsOfWhatChangesByItself() throws {
        let graph = Graph(sampleRate: 48_000)
        let source = unsafe CallbackSource { _, _, _, _, _, _, _, _ in 7 }
        try graph.chain(source, graph.outputNode)
        try graph.prepare()
        try graph.start()
        var errors: [PropertyValue] = []
        let listener = graph.addPropertyListener("errors") { change in
            errors.append(change.value)
            try? graph.remove(source)
        }
        let renderer = try OfflineRenderer(graph)
        _ = renderer.render(frames: 64)
        graph.collect()
        _ = renderer.render(frames: 64)
        graph.collect()
        #expect(errors == [.number(1)] && source.graph == nil)
        listener.cancel()
    }
}
