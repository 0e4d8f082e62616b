import AudioGraph
import CJack
import Glibc
import TestSupport
import Testing

@testable import JackIO

extension LiveTests {
    /// A client renders only a graph that fits, and that no other driver renders.
    @Suite(.serialized) struct GraphFitTests {
        /// A callback that fills its first channel with ones.
        private static let ones: RenderCallback = { _, flags, _, _, _, count, channels, buffers in
            for channel in 0..<Int(channels) {
                for n in 0..<Int(count) { buffers![channel]![n] = 1 }
            }
            flags!.pointee &= ~RenderFlags.isSilent
            return 0
        }

        /// A running graph that plays ones, with these channels.
        private func graph(
            rate: Int = 48_000, inputs: Int = 0, directOutputs: Int = 0
        ) throws -> Graph {
            let graph = Graph(sampleRate: rate)
            let io = HardwareIO(inputChannels: inputs, directOutputs: directOutputs)
            let source = CallbackSource(channelCount: 2, Self.ones)
            for node in [io, source] as [AudioNode] { try graph.add(node) }
            for bus in 0...directOutputs { try graph.connect(source, to: io, bus: bus) }
            try graph.prepare()
            try graph.start()
            return graph
        }

        private func open(
            _ name: String, _ server: JackServer, microphoneChannels: Int = 0,
            directOutputs: [String] = []
        ) throws -> JackClient {
            try JackClient(
                .init(
                    name: name, microphoneChannels: microphoneChannels, microphone: .none,
                    outputs: .none, directOutputs: directOutputs), server: server.name)
        }

        /// Waits until the client has rendered so many frames; false after 10 s.
        private func renders(_ client: JackClient, _ frames: Int) -> Bool {
            poll { client.statistics.frames >= frames }
        }

        @Test func aGraphWithMoreChannelsThanPortsIsRefused() throws {
            let server = try JackServer()
            let client = try open("duet", server, microphoneChannels: 1)
            let rate = client.sampleRate
            #expect(throws: JackError.graph(.tooFewOutputs(driver: 2, graph: 4))) {
                try client.activate(rendering: graph(rate: rate, directOutputs: 1))
            }
            #expect(throws: JackError.graph(.tooFewInputs(driver: 1, graph: 2))) {
                try client.activate(rendering: graph(rate: rate, inputs: 2))
            }
            let unprepared = Graph(sampleRate: rate)
            #expect(throws: JackError.graph(.noHardwareIO)) {
                try client.activate(rendering: unprepared)
            }
            try unprepared.add(HardwareIO())
            #expect(throws: JackError.graph(.notPrepared)) {
                try client.activate(rendering: unprepared)
            }
            // A refused graph changes nothing.
            try client.activate(rendering: graph(rate: rate, inputs: 1))
            #expect(throws: JackError.graph(.tooFewOutputs(driver: 2, graph: 4))) {
                try client.render(graph(rate: rate, directOutputs: 1))
            }
            #expect(renders(client, 256))
            #expect(client.close())
        }

        @Test func aGraphOfAnotherRateIsRefused() throws {
            let server = try JackServer()
            let client = try open("duet", server)
            let rate = client.sampleRate
            #expect(throws: JackError.graph(.otherDriverRate(driver: rate, graph: rate + 1))) {
                try client.activate(rendering: graph(rate: rate + 1))
            }
            #expect(client.close())
        }

        @Test func aClientIsActivatedOnceAndNotAfterItsEnd() throws {
            let server = try JackServer()
            let client = try open("duet", server)
            let graph = try graph(rate: client.sampleRate)
            try client.activate(rendering: graph)
            #expect(throws: JackError.alreadyActive(client: client.name)) {
                try client.activate(rendering: graph)
            }
            #expect(client.close())
            #expect(throws: JackError.closed(client: client.name)) {
                try client.activate(rendering: graph)
            }
            #expect(throws: JackError.closed(client: client.name)) { try client.render(graph) }
        }

        @Test func aGraphHasOneDriver() throws {
            let server = try JackServer()
            let first = try open("first", server)
            let second = try open("second", server)
            let (graph, other) = try (
                graph(rate: first.sampleRate), graph(rate: first.sampleRate)
            )
            do {
                let renderer = try OfflineRenderer(graph)
                #expect(throws: JackError.graph(.hasDriver)) {
                    try first.activate(rendering: graph)
                }
                withExtendedLifetime(renderer) {}
            }
            try first.activate(rendering: graph)
            #expect(throws: GraphError.hasDriver) { try OfflineRenderer(graph) }
            #expect(throws: JackError.graph(.hasDriver)) { try second.activate(rendering: graph) }
            // A graph that a client no longer renders is free at once.
            try first.render(other)
            try second.activate(rendering: graph)
            #expect(renders(second, 256))
            #expect(first.close() && second.close())
            withExtendedLifetime(try OfflineRenderer(graph)) {}
            withExtendedLifetime(try OfflineRenderer(other)) {}
        }

        /// The samples of an output port in the present cycle.
        private func samples(_ port: OpaquePointer) -> [Float] {
            guard let buffer = cjack_port_buffer(port, 128) else { return [] }
            return Array(UnsafeBufferPointer(start: buffer, count: 128))
        }

        private static let silence = [Float](repeating: 0, count: 128)
        private static let loud = [Float](repeating: 1, count: 128)

        /// More ports than the graph has outputs: the others are silent.
        @Test(.disabled(if: JackServer.isPipeWire, "has its buffers in the process thread alone"))
        func outputsBeyondTheGraphsAreSilent() throws {
            let server = try JackServer()
            let client = try open("duet", server, directOutputs: ["song"])
            let rate = client.sampleRate
            try client.activate(rendering: graph(rate: rate, directOutputs: 1))
            let ports = client.context.pointee.outputs
            #expect(poll { ports.allSatisfy { samples($0) == Self.loud } })
            try client.render(graph(rate: rate))
            #expect(poll { ports.map { samples($0)[0] } == [1, 1, 0, 0] })
            // The server may leave anything in a buffer.
            for port in ports { cjack_port_buffer(port, 128)!.update(repeating: 2, count: 128) }
            #expect(poll { ports.map { samples($0)[0] } == [1, 1, 0, 0] })
            #expect(client.close())
        }

        /// A port without a buffer: nothing is rendered, and the other outputs are silent instead of
        /// playing the old period again.
        @Test(
            .disabled(if: JackServer.isPipeWire, "its ports are pointers"), arguments: [0, 1])
        func aPortWithoutABufferSilencesTheOthers(missing: Int) throws {
            let server = try JackServer()
            let client = try open("duet", server)
            try client.activate(rendering: graph(rate: client.sampleRate))
            let other = client.context.pointee.outputs[1 - missing]
            #expect(poll { samples(other) == Self.loud })
            // No port of jackd has such a number. The next driver uses it.
            client.context.pointee.outputs[missing] = OpaquePointer(
                bitPattern: 1 << 20)!
            let next = try graph(rate: client.sampleRate)
            try client.render(next)
            #expect(poll { samples(other) == Self.silence })
            #expect(next.renderedFrames == 0)
            #expect(client.close())
        }
    }
}
