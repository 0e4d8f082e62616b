import AudioGraph
import Foundation
import JackIO
import TestSupport
import Testing

extension LiveTests {
    /// Units, parameters and edits in a graph that a JACK server renders. The server waits for its
    /// clients, so that no period is lost and every frame can be compared; PipeWire has no such way
    /// of running.
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct LiveUnitsTests {
        private let server: JackServer
        private let client: JackClient
        private let graph: Graph
        private let io: HardwareIO

        init() throws {
            server = try JackServer(period: 64)
            client = try JackClient(
                .init(
                    name: "duet", microphone: .none, outputs: .none, directOutputs: ["song"]),
                server: server.name)
            graph = Graph(sampleRate: client.sampleRate)
            io = HardwareIO(inputChannels: 1, directOutputs: 1)
            try graph.add(io)
            // Code that is not optimised makes what generic functions need in their first call, which
            // may allocate: so that is not the server's.
            var sample = Float(0)
            withUnsafeMutablePointer(to: &sample) { pointer in
                var buffer: UnsafeMutablePointer<Float>? = pointer
                for callback in [Self.frameNumbers, Self.one] {
                    _ = callback(nil, nil, 0, 0, 0, 1, 1, &buffer)
                }
            }
        }

        /// Starts, and waits until the outputs have faded in.
        private func start() throws {
            try graph.prepare()
            try graph.start()
            try client.activate(rendering: graph)
            try wait(frames: graph.sampleRate / 10)
        }

        /// Waits until `frames` more frames have been rendered.
        private func wait(frames: Int) throws {
            let end = graph.renderedFrames + frames
            try #require(poll { graph.renderedFrames >= end })
        }

        private func witness(_ wires: [String], seconds: Int) throws -> Witness {
            try Witness(
                wires.flatMap { ["--connect-from", $0] }
                    + ["--frames", "\(seconds * graph.sampleRate)", "--wait"],
                server: server, record: wires.count)
        }

        /// Plays the number of every frame.
        private static let frameNumbers: RenderCallback = { _, _, frame, _, _, count, _, buffers in
            for n in 0..<Int(count) { buffers![0]![n] = Float((frame + Int64(n)) % (1 << 24)) }
            return 0
        }

        private static let one: RenderCallback = { _, _, _, _, _, count, _, buffers in
            for n in 0..<Int(count) { buffers![0]![n] = 1 }
            return 0
        }

        @Test func aScheduledChangeIsMadeAtItsFrame() throws {
            let numbers = CallbackSource(channelCount: 1, Self.frameNumbers)
            let (source, gain) = (CallbackSource(channelCount: 1, Self.one), GainNode())
            for node in [numbers, source, gain] as [AudioNode] { try graph.add(node) }
            try graph.connect(numbers, to: io)
            try graph.connect(source, to: gain)
            try graph.connect(gain, to: io, bus: 1)
            try start()
            let witness = try witness(["duet:out_left:0", "duet:song_out_left:1"], seconds: 2)
            try witness.begin()
            // Not at the edge of a period, and with a ramp.
            let frame = graph.renderedFrames + graph.sampleRate / 2 + 77
            try gain.schedule(.gain, to: 0.25, at: frame, ramp: 0)
            try gain.schedule(.gain, to: 1, at: frame + 1001, ramp: 300)
            let heard = try witness.finish().channels
            let first = try #require(heard[1].firstIndex { $0 != 1 })
            #expect(heard[0][first] == Float(frame % (1 << 24)) && heard[1][first] == 0.25)
            let ramp = heard[1][(first + 1001)...].prefix(301)
            #expect(heard[1][first..<first + 1001].allSatisfy { $0 == 0.25 })
            let expected: [Float] = (0...300).map { n in
                n == 300 ? 1 : 0.25 + 0.75 * (Float(n) / 300)
            }
            #expect(firstDifference(ramp, expected) == nil)
            #expect(try gain.value(of: .gain) == 1)
            #expect(client.close())
        }

        /// 100 Hz at −14 dB.
        private static let sine: RenderCallback = { _, _, frame, _, _, count, _, buffers in
            for n in 0..<Int(count) {
                let phase = Double((frame + Int64(n)) % 480) / 480
                buffers![0]![n] = 0.2 * Float(sin(2 * .pi * phase))
            }
            return 0
        }

        /// Connections, units and values, changed in every period for two seconds.
        @Test func editsDoNotClick() throws {
            let source = CallbackSource(channelCount: 1, Self.sine)
            let mixer = MixerNode(inputs: 2)
            let (gain, limiter) = (GainNode(), LimiterNode())
            for node in [source, mixer, gain, limiter] as [AudioNode] { try graph.add(node) }
            try graph.connect(source, to: mixer, bus: 0)
            try graph.connect(source, to: gain)
            try graph.connect(gain, to: mixer, bus: 1)
            try graph.connect(mixer, to: limiter)
            try graph.connect(limiter, to: io)
            try start()
            let witness = try witness(["duet:out_left:0", "duet:out_right:1"], seconds: 2)
            try witness.begin()
            let (begin, count) = (graph.renderedFrames, 1500)
            for edit in 0..<count {
                while graph.renderedFrames < begin + 64 * edit { sched_yield() }
                switch edit % 5 {
                case 0: graph.disconnect(mixer, bus: 1)
                case 1: try graph.connect(gain, to: mixer, bus: 1)
                case 2: mixer.inputs[0].pan = Pan(Double(edit % 21) / 10 - 1)
                case 3: gain.isBypassed.toggle()
                default:
                    try graph.edit {
                        try graph.remove(limiter)
                        try graph.connect(mixer, to: io)
                    }
                    graph.disconnect(io)
                    try graph.add(limiter)
                    try graph.connect(mixer, to: limiter)
                    try graph.connect(limiter, to: io)
                }
            }
            let heard = try witness.finish().channels
            // Two inputs of 0.2 at 100 Hz: 0.0053 a frame, and all of their fades at once.
            for channel in heard {
                let steps = zip(channel, channel.dropFirst()).map { abs($0 - $1) }
                #expect(steps.max()! < 0.02 && channel.contains { abs($0) > 0.1 })
            }
            #expect(client.close())
        }

        /// Every unit at once, all of their parameters at both ends and in the middle.
        @Test func everyUnitPlays() throws {
            let units = UnitRegistry.all().filter { $0.kind.type != .output }.map {
                UnitRegistry.make($0.kind, sampleRate: graph.sampleRate)!
            }
            let mixer = try #require(units.first { $0 is MixerNode } as? MixerNode)
            let limiter = try #require(units.first { $0 is LimiterNode } as? LimiterNode)
            let feedbackGuard = try #require(
                units.first { $0 is FeedbackGuardNode } as? FeedbackGuardNode)
            let ducker = try #require(units.first { $0 is DuckerNode } as? DuckerNode)
            for unit in units { try graph.add(unit) }
            var voice: (unit: AudioNode, bus: Int) = (io, 1)
            for unit in units where unit is EffectNode && unit !== limiter {
                try graph.connect(voice.unit, bus: voice.bus, to: unit)
                voice = (unit, 0)
            }
            try graph.connect(voice.unit, bus: voice.bus, to: mixer, bus: 1)
            let sources = units.filter { $0.unit.kind.type == .generator }
            try graph.connect(sources[0], to: mixer, bus: 0)
            try graph.connect(sources[1], to: io, bus: 1)
            try graph.connect(mixer, to: limiter)
            try graph.connect(limiter, to: io)
            try feedbackGuard.watch(microphone: 1, of: mixer, limiter: limiter)
            try ducker.duck(0, by: 1, of: mixer)
            try start()
            let witness = try Witness(
                [
                    "--noise", "5", "--connect-to", "duet:mic:0", "--connect-from",
                    "duet:out_left:0", "--frames", "4800000", "--wait",
                ], server: server, record: 1)
            try witness.begin()
            // Of a microphone of one channel it leaves nothing.
            func letPass(_ unit: AudioNode) { (unit as? VocalRemoverNode)?.amount = 0 }
            for unit in units { letPass(unit) }
            for unit in units {
                for parameter in unit.unit.parameters where !parameter.isReadOnly {
                    let (low, high) = (parameter.range.lowerBound, parameter.range.upperBound)
                    let between = (low + high) / 2
                    let middle = parameter.accepts(between) ? between : between.rounded(.down)
                    let elements = parameter.scope == .input ? 0..<2 : 0..<1
                    for (element, value) in elements.flatMap({ element in
                        [low, high, middle, parameter.defaultValue].map { (element, $0) }
                    }) {
                        try unit.set(
                            parameter.name, scope: parameter.scope, element: element, to: value)
                        try wait(frames: 512)
                        graph.collect()
                    }
                }
                letPass(unit)
            }
            // All parameters have their defaults again: sound comes through all units. Not in every
            // moment: where the voice processor's thread gets no processor, that unit is silent.
            let rate = graph.sampleRate
            try wait(frames: rate * 6 / 5)
            let heard = try witness.stop().channels[0]
            #expect(heard.allSatisfy { $0.isFinite && abs($0) <= 8 })
            #expect(heard.suffix(rate).contains { $0 != 0 })
            #expect(client.close())
        }
    }
}
