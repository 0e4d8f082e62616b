import TestSupport
import Testing

@testable import AudioGraph

/// What a test's unit saw.
private struct Witness {
    var made = 0
    var freed = 0
    var resets = 0
    var rate: Int32 = 0
    var result: Int32 = 0
    var frames = 0
    var isInOrder = true
}

/// A unit's state: one for each `make`.
private struct State {
    let witness: UnsafeMutablePointer<Witness>
    var sum: Float = 0
}

/// Units that are made of functions of the user's.
@Suite struct CustomUnitTests {
    private static func withWitness(
        _ body: (UnsafeMutablePointer<Witness>) throws -> Void
    ) rethrows {
        let witness = UnsafeMutablePointer<Witness>.allocate(capacity: 1)
        witness.initialize(to: Witness())
        defer { witness.deallocate() }
        try body(witness)
    }

    /// Output 0: input 0 times "gain" plus "offset". Output 1: input 1, and the sum of all of it.
    private static let functions = UnitFunctions(
        make: { context, rate, most in
            let witness = unsafe context!.assumingMemoryBound(to: Witness.self)
            guard unsafe witness.pointee.result >= 0 else { return nil }
            unsafe witness.pointee.made += 1
            unsafe witness.pointee.rate = rate
            unsafe witness.pointee.isInOrder = most >= 1
            unsafe witness.pointee.frames = 0
            let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
            unsafe state.initialize(to: State(witness: witness))
            return UnsafeMutableRawPointer(state)
        },
        render: { state, slice in
            let state = unsafe state!.assumingMemoryBound(to: State.self)
            let (slice, witness) = unsafe (slice.pointee, state.pointee.witness)
            unsafe witness.pointee.isInOrder =
                witness.pointee.isInOrder && slice.frame == Int64(witness.pointee.frames)
                && slice.host_time > 0
            unsafe witness.pointee.frames += Int(slice.frames)
            let (gain, offset) = unsafe (slice.parameters[0], slice.parameters[1])
            for bus in 0..<Int(slice.output_count) {
                let out = unsafe slice.outputs[bus]
                for channel in 0..<Int(out.channel_count) {
                    let source = unsafe slice.inputs[min(bus, Int(slice.input_count) - 1)].channels[
                        0]
                    for n in 0..<Int(slice.frames) {
                        if bus == 0 {
                            unsafe out.channels[channel][n] =
                                source[n] * gain.values[n] + offset.values[n]
                        } else {
                            unsafe state.pointee.sum += source[n]
                            unsafe out.channels[channel][n] = state.pointee.sum
                        }
                    }
                }
            }
            return unsafe witness.pointee.result
        },
        reset: { state in
            let state = unsafe state!.assumingMemoryBound(to: State.self)
            unsafe state.pointee.witness.pointee.resets += 1
            unsafe state.pointee.sum = 0
        },
        free: { state in
            let state = unsafe state!.assumingMemoryBound(to: State.self)
            unsafe state.pointee.witness.pointee.freed += 1
            unsafe state.deallocate()
        })

    private static func unit(
        _ witness: UnsafeMutablePointer<Witness>, inputs: Int = 1, outputs: Int = 1
    ) -> CustomUnit {
        unsafe CustomUnit(
            functions, name: "own", inputs: inputs, outputs: outputs, channelCount: 1,
            parameters: [
                ParameterDescription("gain", .number, 0...2, default: 1, ramp: 10),
                ParameterDescription("offset", .number, -1...1, default: 0),
            ], context: UnsafeMutableRawPointer(witness))
    }

    @Test func itsParametersAreDeclaredAndChecked() throws {
        try Self.withWitness { witness in
            let unit = unsafe Self.unit(witness)
            #expect(unit.unit.kind == UnitKind(type: .effect, name: "own", manufacturer: "custom"))
            #expect(unit.unit.parameters.map(\.name) == ["gain", "offset", .bypass])
            let gain = try unit.value(of: "gain")
            #expect(gain == 1)
            #expect(throws: ParameterError.self) { try unit.set("gain", to: 2.5) }
            #expect(throws: ParameterError.self) { try unit.set("rate", to: 1) }
            // Of one of other parameters nothing is known here.
            let other = unsafe CustomUnit(Self.functions, name: "other", inputs: 2, outputs: 2)
            #expect(other.unit.parameters.isEmpty)
            #expect(throws: ParameterError.self) { try other.value(of: "gain") }
        }
    }

    @Test(arguments: [1, 37, 256, 3000]) func itGetsItsRampsFrameByFrame(period: Int) throws {
        try Self.withWitness { witness in
            let unit = unsafe Self.unit(witness)
            try unit.set("gain", to: 0.5)
            let stage = try UnitStage(unit)
            try unit.schedule("gain", to: 1.5, at: 1000)
            try unit.schedule("offset", to: 0.25, at: 2001)
            let out = try stage.render([Float](repeating: 1, count: 3000), period: period)[0]
            let wanted: [Float] = (0..<3000).map { (frame: Int) -> Float in
                let moved = Float(min(max(frame - 1000, 0), 480)) / 480
                return 0.5 + moved + (frame < 2001 ? 0 : 0.25)
            }
            #expect(zip(out, wanted).allSatisfy { abs($0 - $1) < 1e-6 })
            #expect(unsafe witness.pointee.isInOrder && witness.pointee.frames == 3000)
            #expect(unsafe witness.pointee.rate == 48_000 && witness.pointee.made == 1)
        }
    }

    @Test func itHasSeveralBusesAndAReset() throws {
        try Self.withWitness { witness in
            let unit = unsafe Self.unit(witness, inputs: 2, outputs: 2)
            let graph = Graph(sampleRate: 48_000)
            try graph.add(HardwareIO(inputChannels: 2, directOutputs: 1))
            try graph.add(unit)
            for bus in 0..<2 {
                try graph.connect(graph.inputNode, bus: 1, to: unit, bus: bus, channels: [bus])
                try graph.connect(unit, bus: bus, to: graph.outputNode, bus: bus)
            }
            try graph.prepare()
            try graph.start()
            let renderer = try OfflineRenderer(graph)
            let input: [[Float]] = [[0.5, 0.5, 0.5], [1, 2, 3]]
            let out = renderer.render(frames: 3, inputs: input)
            #expect(out == [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [1, 3, 6], [1, 3, 6]])
            #expect(renderer.render(frames: 3, inputs: input)[2] == [7, 9, 12])
            // There is nothing in whose place its first input could be heard.
            unit.isBypassed = true
            #expect(renderer.render(frames: 3, inputs: input)[2] == [13, 15, 18])
            graph.reset()
            #expect(renderer.render(frames: 3, inputs: input)[2] == [1, 3, 6])
            #expect(unsafe witness.pointee.resets == 1)
        }
    }

    @Test func itsStateBeginsAnewAndIsFreed() throws {
        try Self.withWitness { witness in
            let unit = unsafe Self.unit(witness)
            do {
                let stage = try UnitStage(unit)
                _ = try stage.render([1, 2, 3])
                try stage.graph.remove(unit)
                for _ in 0..<3 {
                    _ = try stage.render([Float](repeating: 0, count: 1000))
                    stage.graph.collect()
                }
                #expect(unsafe witness.pointee.made == 1 && witness.pointee.freed == 1)
                #expect(unsafe witness.pointee.frames < 3000)
            }
            do {
                let stage = try UnitStage(unit, sampleRate: 44_100)
                _ = try stage.render([1, 2, 3])
                #expect(unsafe witness.pointee.made == 2 && witness.pointee.rate == 44_100)
            }
            #expect(unsafe witness.pointee.freed == 2 && unit.errors.count == 0)
        }
    }

    @Test func whatFailsIsSilentAndSaysSo() throws {
        try Self.withWitness { witness in
            let unit = unsafe Self.unit(witness)
            unsafe witness.pointee.result = -1
            let graph = Graph(sampleRate: 48_000)
            #expect(throws: GraphError.notMade(node: "own")) { try graph.add(unit) }
            #expect(graph.nodes.isEmpty && unit.graph == nil)
            unsafe witness.pointee.result = 7
            let stage = try UnitStage(unit)
            #expect(try stage.render([1, 1, 1])[0] == [0, 0, 0])
            #expect(unit.errors == CallbackErrors(count: 1, last: 7))
            #expect(try unit.value(ofProperty: "errors") == .number(1))
        }
    }

    @Test func bypassPassesTheFirstInputOn() throws {
        try Self.withWitness { witness in
            let unit = unsafe Self.unit(witness)
            try unit.set("gain", to: 0)
            let stage = try UnitStage(unit, channels: 2)
            let input = [
                [Float](repeating: 0.25, count: 2000), [Float](repeating: 0.5, count: 2000),
            ]
            _ = try stage.render(channels: input)
            #expect(unit.format(ofOutput: 0)?.channelCount == 1)
            unit.isBypassed = true
            let fading = try stage.render(channels: input)
            #expect(Samples.largestStep(fading[0]) < 0.01)
            #expect(fading[0].last == 0.25 && fading[1].last == 0.5)
            #expect(unit.format(ofOutput: 0)?.channelCount == 2)
        }
    }

    @Test func aUnitMayBeASourceOrAnEnd() throws {
        let source = unsafe CustomUnit(
            UnitFunctions(
                make: nil,
                render: { _, slice in
                    for n in 0..<Int(unsafe slice.pointee.frames) {
                        unsafe slice.pointee.outputs[0].channels[0][n] = 1
                    }
                    unsafe slice.pointee.outputs[1].is_silent = true
                    return 0
                }, reset: nil, free: nil),
            name: "source", inputs: 0, outputs: 2, channelCount: 1)
        try Self.withWitness { witness in
            let end = unsafe Self.unit(witness, outputs: 0)
            let graph = Graph(sampleRate: 48_000)
            let mixer = MixerNode(inputs: 2)
            try graph.chain(mixer, graph.outputNode)
            try graph.add(source)
            try graph.add(end)
            for bus in 0..<2 {
                try graph.connect(source, bus: bus, to: mixer, bus: bus)
                mixer.inputs[bus].pan = .left
            }
            try graph.connect(source, to: end)
            try graph.prepare()
            try graph.start()
            #expect(try OfflineRenderer(graph).render(frames: 2) == [[1, 1], [0, 0]])
            #expect(unsafe witness.pointee.frames == 2)
            #expect(source.unit.kind.type == .generator && end.unit.kind.type == .output)
        }
    }
}
