@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// Every unit that the registry knows.
@Suite struct RegistryTests {
    @Test func unitsAreFoundByWhatIsKnownOfThem() {
        let all = UnitRegistry.all()
        #expect(Set(all.map(\.kind)).count == all.count && all.count >= 8)
        #expect(UnitRegistry.first(type: .effect, name: "limiter")?.kind.name == "limiter")
        #expect(UnitRegistry.all(type: .mixer).map(\.kind.name) == ["mixer"])
        #expect(UnitRegistry.all(manufacturer: "duet") == all)
        #expect(UnitRegistry.first(name: "flanger") == nil)
        // By the words of the Audio Unit documents, which are no further units.
        for (type, name, kind) in [
            (UnitKind.UnitType.mixer, "3d-mixer", BinauralPannerNode.unit.kind),
            (.mixer, "multichannel-mixer", MixerNode.unit.kind),
            (.output, "voice-processing", VoiceProcessorNode.unit.kind),
            (.output, "remote-io", HardwareIO.unit.kind),
            (.output, "generic-output", GenericOutput.unit.kind),
            (.converter, "format-converter", Converter.unit.kind),
            (.effect, "ipod-eq", EqualizerNode.unit.kind),
        ] {
            #expect(UnitRegistry.all(type: type, name: name).map(\.kind) == [kind], "\(name)")
            #expect(UnitRegistry.first(name: name)?.kind == kind)
            #expect(UnitRegistry.all(name: name, manufacturer: "others").isEmpty)
            let made = UnitRegistry.make(UnitKind(type: type, name: name), sampleRate: 48_000)
            #expect(made?.unit.kind == kind)
        }
        #expect(UnitRegistry.first(type: .effect, name: "voice-processing") == nil)
        #expect(
            UnitRegistry.make(UnitKind(type: .mixer, name: "limiter"), sampleRate: 48_000) == nil)
    }

    /// A graph of a rate that a unit does not take refuses it, and no other.
    @Test func aUnitMayNotTakeTheRate() throws {
        let taken = [1000, 48_000, 4_000_000]
        for rate in taken + [1, 999, 4_000_001] {
            for unit in [DelayNode.unit, ReverbNode.unit] {
                let made = try #require(UnitRegistry.make(unit.kind, sampleRate: rate))
                let graph = Graph(sampleRate: rate)
                let isTaken = (try? graph.add(made)) != nil
                #expect(isTaken == taken.contains(rate), "\(unit.kind) at \(rate) Hz")
                #expect(
                    made.graph === (isTaken ? graph : nil) && graph.nodes.count == (isTaken ? 1 : 0)
                )
            }
        }
    }

    @Test(arguments: UnitRegistry.all()) func descriptionsAreComplete(unit: UnitDescription) throws
    {
        let node = try #require(UnitRegistry.make(unit.kind, sampleRate: 48_000))
        #expect(node.unit == unit)
        #expect(unit.summary.hasSuffix("."))
        for property in unit.properties {
            let elements = node.elements(in: property.scope)
            #expect(!elements.isEmpty)
            for element in elements {
                let value = try node.value(
                    ofProperty: property.name, scope: property.scope, element: element)
                func set() throws {
                    try node.set(
                        property: property.name, scope: property.scope, element: element, to: value)
                }
                if property.isWritable {
                    try set()
                } else {
                    #expect(throws: ParameterError.self) { try set() }
                }
            }
        }
        #expect(node.property("nothing") == nil)
        for parameter in unit.parameters {
            #expect(parameter.accepts(parameter.defaultValue))
            #expect(
                unit.parameters.count { $0.name == parameter.name && $0.scope == parameter.scope }
                    == 1)
        }
        for preset in unit.presets {
            try node.use(preset: preset.name)
            for (address, value) in preset.values {
                let parameter = try #require(unit.parameter(address.name, scope: address.scope))
                #expect(parameter.accepts(value) && !parameter.isReadOnly)
                #expect(
                    try node.value(
                        of: address.name, scope: address.scope, element: address.element) == value)
            }
        }
        let known = unit.presets.map(\.name)
        #expect(throws: ParameterError.noSuchPreset(unit: node.name, "nothing", known: known)) {
            try node.use(preset: "nothing")
        }
        for bus in unit.outputs where bus.count.lowerBound > 0 {
            #expect(node.kind(ofOutput: bus.first) == bus.kind)
        }
        for bus in unit.inputs where bus.count.lowerBound > 0 {
            #expect(node.kind(ofInput: bus.first) == bus.kind)
        }
        // Every effect can be bypassed.
        #expect(unit.kind.type != .effect || unit.parameter(.bypass, scope: .global) != nil)
    }

    /// Sets every parameter to both ends, the middle, and out of range.
    private func walk(_ node: AudioNode, _ done: () throws -> Void) throws {
        for parameter in node.unit.parameters {
            let middle = (parameter.range.lowerBound + parameter.range.upperBound) / 2
            let name = parameter.name
            for element in 0..<node.elementCount(in: parameter.scope) {
                let address = ParameterAddress(name, scope: parameter.scope, element: element)
                func set(_ value: Double) throws {
                    try node.set(name, scope: parameter.scope, element: element, to: value)
                }
                func value() throws -> Double {
                    try node.value(of: name, scope: parameter.scope, element: element)
                }
                if parameter.isReadOnly {
                    #expect(throws: ParameterError.readOnly(unit: node.name, address)) {
                        try set(middle)
                    }
                    #expect(try parameter.range.contains(value()))
                    continue
                }
                let steps = [
                    parameter.range.lowerBound, parameter.range.upperBound,
                    parameter.accepts(middle) ? middle : middle.rounded(.down),
                    parameter.defaultValue,
                ]
                for step in steps {
                    try set(step)
                    #expect(try value() == step)
                    try done()
                }
                for wrong in [
                    parameter.range.lowerBound - 0.001, parameter.range.upperBound + 0.001,
                    .infinity, -.infinity, .nan,
                ] {
                    #expect(throws: ParameterError.self) { try set(wrong) }
                    #expect(try value() == parameter.defaultValue)
                }
            }
        }
    }

    @Test(arguments: UnitRegistry.all())
    func everyParameterMayBeSetWhileItPlays(unit: UnitDescription) throws {
        let stage = try UnitStage(unit.kind)
        // As long as a ramp takes.
        let noise = Signal.noise(480, seed: 3, amplitude: 0.9)
        try walk(stage.unit) {
            let out = try stage.render(noise)
            #expect(Samples.peak(out) <= 8)
            stage.graph.collect()
        }
        // Silence in gives silence out once what sounds on is over: the repeats of a delay, too.
        let silence = [Float](repeating: 0, count: 16_000)
        let isOver = try (0..<30).contains { _ in
            try Samples.peak(stage.render(silence, period: 4096)) == 0
        }
        #expect(isOver)
        #expect(try Samples.peak(stage.render([Float](silence[..<4800]))) == 0)
    }

    /// A sine has steps of up to 2π·f/rate; more, in a parameter's ramp, is a click.
    @Test(arguments: UnitRegistry.all()) func noParameterClicks(unit: UnitDescription) throws {
        for parameter in unit.parameters where !parameter.isReadOnly {
            let stage = try UnitStage(unit.kind)
            let sine = Signal.sine(6400, frequency: 100, amplitude: 0.2)
            let out = try stage.render(sine) { frame in
                guard frame % 1600 == 0 else { return }
                let value =
                    frame / 1600 % 2 == 0 ? parameter.range.upperBound : parameter.range.lowerBound
                try stage.unit.set(parameter.name, scope: parameter.scope, to: value)
                stage.graph.collect()
            }
            // At most 4 times two inputs of 0.2, and a ramp over that in 240 frames.
            for channel in out {
                #expect(Samples.largestStep(channel) < 0.035, "\(parameter.name)")
            }
        }
    }

    @Test(arguments: UnitRegistry.all()) func theSplitMakesNoDifference(unit: UnitDescription)
        throws
    {
        var noise = Signal.noise(6000, seed: 4, amplitude: 1)
        for frame in 2500..<4500 { noise[frame] = 0 }
        func render(_ period: Int) throws -> [[Float]] {
            let stage = try UnitStage(unit.kind)
            // Changes at the same frames, whatever the periods.
            for (number, parameter) in unit.parameters.enumerated() where !parameter.isReadOnly {
                for (value, frame, ramp) in [
                    (parameter.range.upperBound, 700, nil), (parameter.range.lowerBound, 2011, nil),
                    (parameter.defaultValue, 4600, 350 * (number % 4)),
                ] {
                    let ramp = stage.unit.takesRamp(parameter.name) ? ramp : nil
                    do {
                        try stage.unit.schedule(
                            parameter.name, scope: parameter.scope, to: value,
                            at: frame + 13 * number, ramp: ramp)
                    } catch ParameterError.notSchedulable {}
                }
            }
            return try stage.render(noise, period: period)
        }
        let whole = try render(6000)
        for period in [1, 37, 1000] {
            #expect(firstDifference(try render(period), whole) == nil, "period \(period)")
        }
    }

    /// What a unit heard before a reset, and what was set, leaves nothing behind.
    @Test(arguments: UnitRegistry.all()) func aResetIsAFreshStart(unit: UnitDescription) throws {
        let noise = Signal.noise(3000, seed: 5, amplitude: 0.9)
        let stage = try UnitStage(unit.kind)
        let fresh = try stage.render(noise)
        for parameter in unit.parameters where !parameter.isReadOnly && parameter.name != .bypass {
            for value in [parameter.range.upperBound, parameter.defaultValue] {
                try stage.unit.set(parameter.name, scope: parameter.scope, to: value)
                _ = try stage.render(Signal.noise(700, seed: 6, amplitude: 3))
            }
        }
        stage.graph.reset()
        #expect(firstDifference(try stage.render(noise), fresh) == nil)
    }

    /// Noise that is long enough for the second repeat of a delay. It becomes soft, and loud again at
    /// the end, so that what closes and opens by the level is heard, too. Most is heard in the first
    /// part.
    private static let parts: [[Float]] = {
        var noise = Signal.noise(36_000, seed: 7, amplitude: 0.9)
        for frame in 4000..<33_000 {
            noise[frame] *= frame < 8000 ? pow(10, Float(4000 - frame) / 1000) : 0.0001
        }
        return stride(from: 0, to: 36_000, by: 3000).map { Array(noise[$0..<$0 + 3000]) }
    }()

    /// Bypass is the same for all effects (`ParameterTests`), and the registry's song is empty. What
    /// does nothing while the others are at their defaults, as the frequency of a filter that is
    /// off, is heard while they are at their upper ends.
    @Test(arguments: UnitRegistry.all()) func everyParameterIsHeard(unit: UnitDescription) throws {
        let audible = unit.parameters.filter {
            !$0.isReadOnly && ![.bypass, .pause].contains($0.name)
        }
        for parameter in audible {
            func isHeard(among others: [ParameterDescription]) throws -> Bool {
                let (low, high) = (parameter.range.lowerBound, parameter.range.upperBound)
                let stages = try [low, high, parameter.defaultValue].map { value in
                    let stage = try UnitStage(unit.kind)
                    for other in others {
                        try stage.unit.set(
                            other.name, scope: other.scope, to: other.range.upperBound)
                    }
                    try stage.unit.set(parameter.name, scope: parameter.scope, to: value)
                    return stage
                }
                return try Self.parts.contains { part in
                    let outputs = try stages.map { try $0.render(part, period: 4096) }
                    return outputs[0] != outputs[1] || outputs[0] != outputs[2]
                }
            }
            #expect(
                try isHeard(among: []) || isHeard(among: audible.filter { $0 != parameter }),
                "\(parameter.name)")
        }
    }

    /// What the render thread may still use outlives a unit that is freed; and not longer than that.
    @Test(
        arguments: UnitRegistry.all().filter {
            $0.kind.type != .output && $0.outputs.first?.kind == .audio
        })
    func aPlanKeepsWhatItUses(unit: UnitDescription) throws {
        let (graph, io) = (Graph(sampleRate: 48_000), HardwareIO(inputChannels: 1))
        var node = UnitRegistry.make(unit.kind, sampleRate: 48_000)
        try graph.add(io)
        try graph.add(node!)
        for bus in 0..<node!.inputBusCount { try graph.connect(io, bus: 1, to: node!, bus: bus) }
        try graph.connect(node!, to: io)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph, period: 64)
        renderer.patience = 0
        _ = renderer.render(frames: 64)
        // A unit without a kernel leaves nothing behind.
        let used = node!.rendering!.kernel == nil ? [] : [Weak(node!.rendering!)]
        // Without a fade, which would hold the unit.
        graph.stop()
        try graph.remove(node!)
        node = nil
        #expect(used.allSatisfy { $0.object != nil })
        try graph.start()
        for _ in 0..<2 {
            _ = renderer.render(frames: 6400)
            graph.collect()
        }
        _ = renderer.render(frames: 64)
        graph.collect()
        // A tap lets go when its thread has ended.
        #expect(poll { used.allSatisfy { $0.object == nil } })
    }

    private struct Weak {
        weak var object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }

    /// The control thread changes all parameters, and adds and removes the unit, while another
    /// renders.
    @Test(arguments: UnitRegistry.all().filter { $0.kind.type != .output })
    func everyParameterMayBeSetFromAnotherThread(unit: UnitDescription) throws {
        let stage = try UnitStage(unit.kind)
        let thread = RenderThread(stage.graph, period: 64)
        defer { thread.stop() }
        for round in 0..<3 {
            thread.wait(frames: 640)
            try walk(stage.unit) { stage.graph.collect() }
            for parameter in unit.parameters where !parameter.isReadOnly {
                try? stage.unit.schedule(
                    parameter.name, scope: parameter.scope, to: parameter.defaultValue,
                    at: stage.graph.renderedFrames + 64 * round)
            }
            try stage.graph.remove(stage.unit)
            try stage.graph.add(stage.unit)
            if stage.unit.inputBusCount > 0, stage.unit.kind(ofInput: 0) == .audio {
                try stage.graph.connect(stage.io, bus: 1, to: stage.unit)
            }
            if stage.unit.kind(ofOutput: 0) == .audio {
                try stage.graph.connect(stage.unit, to: stage.io)
            }
        }
    }
}
