@testable import AudioGraph
import TestSupport
import Testing

/// Which channels of an output an input gets.
@Suite struct ChannelTests {
    /// Plays 10 on channel 0, 11 on channel 1, and so on.
    private static let numbers: RenderCallback = { _, _, _, _, _, count, channels, buffers in
        for channel in 0..<Int(channels) {
            for n in 0..<Int(count) { buffers![channel]![n] = 10 + Float(channel) }
        }
        return 0
    }

    /// The last frame of `source`, `channels` of it through `units`, at the output.
    private func heard(
        _ source: AudioNode, _ channels: [Int]?, through units: [AudioNode] = []
    ) throws -> [Float] {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 0)
        for node in [io, source] + units { try graph.add(node) }
        var last = source
        for (place, unit) in (units + [io]).enumerated() {
            try graph.connect(last, bus: 0, to: unit, channels: place == 0 ? channels : nil)
            last = unit
        }
        try graph.prepare()
        try graph.start()
        return try OfflineRenderer(graph).render(frames: 600).map { $0[599] }
    }

    @Test func anInputOfFewerChannelsGetsTheFirst() throws {
        for count in 2...8 {
            let source = CallbackSource(channelCount: count, Self.numbers)
            #expect(try heard(source, nil) == [10, 11])
        }
        #expect(try heard(CallbackSource(channelCount: 1, Self.numbers), nil) == [10, 10])
        // A limiter is stereo at most, and a guard takes all eight.
        let limiter = LimiterNode(ceiling: Decibels(0))
        #expect(
            try heard(CallbackSource(channelCount: 8, Self.numbers), nil, through: [limiter])
                .allSatisfy { $0 == 10 / 11 || $0 == 1 })
        #expect(
            try heard(CallbackSource(channelCount: 8, Self.numbers), nil, through: [GuardNode()])
                == [10, 11])
    }

    @Test func anyChannelsMayBeNamed() throws {
        let eight = { CallbackSource(channelCount: 8, Self.numbers) }
        #expect(try heard(eight(), [7, 2]) == [17, 12])
        #expect(try heard(eight(), [4]) == [14, 14])
        // A channel that is not there is the last one.
        #expect(
            try heard(CallbackSource(channelCount: 3, Self.numbers), [1, 6]) == [11, 12])
        let mixer = MixerNode(inputs: 1, panLaw: .balance)
        #expect(try heard(eight(), [5, 3], through: [mixer]) == [15, 13])
    }

    /// An effect changes a channel once, though it has it twice; and nobody else's.
    @Test func aChannelThatIsNamedTwiceIsChangedOnce() throws {
        let gain = GainNode()
        gain.gain = Volume(gain: 0.5)
        let source = CallbackSource(channelCount: 8, Self.numbers)
        #expect(try heard(source, [6, 6], through: [gain]) == [8, 8])
        let (again, tap) = (GainNode(), MeterNode())
        again.gain = Volume(gain: 0.5)
        #expect(
            try heard(
                CallbackSource(channelCount: 4, Self.numbers), [3, 3], through: [tap, again])
                == [6.5, 6.5])
    }

    @Test func whatAnInputCannotTakeIsRefused() throws {
        let source = CallbackSource(channelCount: 4, Self.numbers)
        for channels in [[], [0, 1, 2], [-1, 0], [0, 8]] {
            #expect(
                throws: GraphError.wrongChannels(node: "hardware", bus: 0, accepted: 1...2)
            ) { try heard(CallbackSource(Self.numbers), channels) }
        }
        // Gains are one channel.
        let graph = Graph(sampleRate: 48_000)
        let mixer = MixerNode(inputs: 1)
        let limiter = LimiterNode()
        for node in [source, mixer, limiter] as [AudioNode] { try graph.add(node) }
        let bus = MixerNode.gainBus(of: 0)
        #expect(throws: GraphError.noChannels(node: "mixer", bus: bus)) {
            try graph.connect(
                limiter, bus: LimiterNode.gainBus, to: mixer, bus: MixerNode.gainBus(of: 0),
                channels: [0])
        }
    }

    @Test func theGraphTellsTheChannelsOfEveryInput() throws {
        let graph = Graph(sampleRate: 48_000)
        let (source, io) = (CallbackSource(channelCount: 5, Self.numbers), HardwareIO())
        let (check, limiter) = (GuardNode(), LimiterNode())
        for node in [source, io, check, limiter] as [AudioNode] { try graph.add(node) }
        try graph.connect(source, to: check)
        try graph.connect(check, to: limiter)
        try graph.connect(source, bus: 0, to: io, channels: [4])
        #expect(graph.inputChannelCount(of: check, bus: 0) == 5)
        #expect(graph.inputChannelCount(of: limiter, bus: 0) == 2)
        #expect(graph.inputChannelCount(of: io, bus: 0) == 1)
        #expect(graph.description.contains("bus 0 <- callback bus 0, 48000 Hz, 5 channels\n"))
        #expect(graph.dot.contains("label=\"48000 Hz, 5 channels\""))
    }

    /// What looks at a bus passes all of its channels on.
    @Test func aMeterPassesAllChannelsOn() throws {
        let (meter, tap) = (MeterNode(), TapNode { _, _ in })
        let last = CallbackEffect { _, _, _, _, _, count, channels, buffers in
            for n in 0..<Int(count) { buffers![0]![n] = buffers![Int(channels) - 1]![n] }
            return 0
        }
        let out = try heard(
            CallbackSource(channelCount: 8, Self.numbers), nil, through: [meter, tap, last])
        #expect(out == [17, 11])
        #expect(abs(try meter.value(of: .peakRight) - 20.828) < 0.001)
    }

    /// More channels than other buses have, each by its number.
    @Test func theHardwareCapturesMany() throws {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 256)
        try graph.add(io)
        #expect(
            throws: GraphError.wrongChannels(node: "hardware", bus: 0, accepted: 1...2)
        ) { try graph.connect(io, bus: 1, to: io, channels: [256]) }
        try graph.connect(io, bus: 1, to: io, channels: [255, 9])
        try graph.prepare()
        try graph.start()
        let voices = (0..<256).map { channel in
            (0..<300).map { Float(channel) + Float($0) / 1024 }
        }
        let heard = try OfflineRenderer(graph, period: 100).render(frames: 300, inputs: voices)
        #expect(heard == [voices[255], voices[9]])
    }

    /// The driver's buffers are others in every slice.
    @Test func channelsOfTheHardwareMayBeNamed() throws {
        for through in [[], [MeterNode()], [TapNode { _, _ in }, GainNode()]] as [[AudioNode]] {
            let graph = Graph(sampleRate: 48_000)
            let io = HardwareIO(inputChannels: 2)
            let mixer = MixerNode(inputs: 1, panLaw: .balance)
            for node in [io, mixer] + through { try graph.add(node) }
            var last: (unit: AudioNode, bus: Int) = (io, 1)
            for unit in through {
                try graph.connect(last.unit, bus: last.bus, to: unit)
                last = (unit, 0)
            }
            try graph.connect(last.unit, bus: last.bus, to: mixer, channels: [1, 0])
            try graph.connect(mixer, to: io)
            try graph.prepare()
            try graph.start()
            let inputs = [[Float](repeating: 0.25, count: 600), Signal.noise(600, seed: 1)]
            let out = try OfflineRenderer(graph).render(frames: 600, inputs: inputs)
            #expect(out == [inputs[1], inputs[0]])
        }
    }

    /// A mixer takes two channels for stereo, though they are one of the source's.
    @Test func aChannelMayBeBothSides() throws {
        let mixer = { MixerNode(inputs: 1, panLaw: .balance) }
        let four = CallbackSource(channelCount: 4, Self.numbers)
        #expect(try heard(four, [3, 3], through: [mixer()]) == [13, 13])
        let one = CallbackSource(channelCount: 1, Self.numbers)
        #expect(try heard(one, [0, 1], through: [mixer()]) == [10, 10])
        // The same while the graph runs, when the fade of the connection is over.
        let stage = try UnitStage(mixer())
        let source = CallbackSource(channelCount: 4, Self.numbers)
        try stage.graph.add(source)
        let silence = [Float](repeating: 0, count: 960)
        _ = try stage.render(silence)
        try stage.graph.edit {
            stage.graph.disconnect(stage.unit)
            try stage.graph.connect(source, bus: 0, to: stage.unit, channels: [2, 2])
        }
        #expect(try stage.render(silence).map { $0[959] } == [12, 12])
        stage.graph.collect()
        #expect(try stage.render(silence).map { $0[0] } == [12, 12])
    }
}
