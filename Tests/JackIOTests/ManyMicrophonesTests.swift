import AudioGraph
import JackIO
import TestSupport
import Testing

extension LiveTests {
    /// A client captures as many channels as it is asked to.
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ManyMicrophonesTests {
        /// A running graph that plays its six channels as they are: two each to the mix and to two
        /// sources with outputs of their own.
        private func graph(rate: Int) throws -> Graph {
            let graph = Graph(sampleRate: rate)
            let io = HardwareIO(inputChannels: 6, directOutputs: 2)
            let gains = (0..<3).map { GainNode(name: "pair \($0)") }
            for node in [io] + gains as [AudioNode] { try graph.add(node) }
            for (bus, gain) in gains.enumerated() {
                try graph.connect(io, bus: 1, to: gain, channels: [2 * bus, 2 * bus + 1])
                try graph.connect(gain, to: io, bus: bus)
            }
            try graph.prepare()
            try graph.start()
            return graph
        }

        /// One microphone of six channels, a stereo one and four of one channel, or six: each channel
        /// arrives bit for bit, and those of the others are not heard in it.
        @Test(arguments: [
            (6, 0, (1...6).map { "mic_ch\($0)" }),
            (2, 4, ["mic_left", "mic_right", "mic_2", "mic_3", "mic_4", "mic_5"]),
            (1, 5, ["mic", "mic_2", "mic_3", "mic_4", "mic_5", "mic_6"]),
        ])
        func sixChannelsAreCaptured(first: Int, more: Int, ports: [String]) throws {
            let server = try JackServer()
            let client = try JackClient(
                JackConfiguration(
                    name: "duet", prettyName: "Duet", microphoneChannels: first, microphone: .none,
                    moreMicrophones: [PortSelection](repeating: .none, count: more),
                    outputs: .none, directOutputs: ["b", "c"]), server: server.name)
            #expect(client.microphonePorts == ports.map { "duet:\($0)" })
            try client.activate(rendering: graph(rate: client.sampleRate))
            // By then the microphones have faded in.
            #expect(poll { client.statistics.frames > client.sampleRate + 1024 })
            let outputs = ["", "b_", "c_"].flatMap { ["\($0)out_left", "\($0)out_right"] }
            let wires = (0..<6).flatMap { channel in
                [
                    "--noise", "\(channel + 1)", "--connect-to",
                    "duet:\(ports[channel]):\(channel)",
                    "--connect-from", "duet:\(outputs[channel]):\(channel)",
                ]
            }
            let witness = try Witness(
                wires + ["--frames", "9600", "--freewheel", "--wait"], server: server, record: 6)
            try witness.begin()
            let heard = try witness.finish().channels
            for channel in 0..<6 {
                let start = try #require(heard[channel].firstIndex { $0 != 0 })
                let noise = Noise(seed: UInt64(channel + 1)).prefix(9600 - start)
                #expect(firstDifference(heard[channel][start...], noise) == nil, "\(channel)")
            }
            #expect(client.close())
        }
    }
}
