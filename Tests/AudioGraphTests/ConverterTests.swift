import Glibc
import TestSupport
import Testing

@testable import AudioGraph

/// Rate, channels and layout.
@Suite struct ConverterTests {
    private static func converter(_ from: Int, _ to: Int, channels: Int = 1) throws -> Converter {
        try Converter(
            from: StreamFormat(sampleRate: from, channelCount: channels),
            to: StreamFormat(sampleRate: to, channelCount: channels))
    }

    /// How far the error lies below a sine, in decibels: against the exact sine, at the exact delay
    /// of `half` frames of the input.
    private static func ratio(
        _ frequency: Double, from: Int, to: Int, half: Int
    ) throws -> Double {
        let converter = try Self.converter(from, to)
        let input = Signal.sine(
            2 * from, frequency: frequency, amplitude: 0.9, rate: Double(from))
        let out = converter.convert(AudioBuffer([input], sampleRate: from)).samples(channel: 0)
        let delay = Double(half) * Double(to) / Double(from)
        #expect(abs(delay - Double(converter.latency)) <= 0.5)
        var (sum, difference) = (0.0, 0.0)
        for n in to / 2..<to {
            let exact = 0.9 * sin(2 * .pi * frequency * (Double(n) - delay) / Double(to))
            sum += exact * exact
            difference += (Double(out[n]) - exact) * (Double(out[n]) - exact)
        }
        return 10 * log10(sum / difference)
    }

    /// The last two by libzita's variable resampler.
    @Test(arguments: [
        (44_100, 48_000, 64, 1000.0, 135.0), (44_100, 48_000, 64, 15_000, 115),
        (48_000, 44_100, 72, 1000, 135), (48_000, 44_100, 72, 15_000, 115),
        (44_100, 47_999, 64, 1000, 130), (44_100, 47_999, 64, 15_000, 90),
    ])
    func aSineStaysASine(
        from: Int, to: Int, half: Int, frequency: Double, decibels: Double
    ) throws {
        let measured = try Self.ratio(frequency, from: from, to: to, half: half)
        #expect(measured >= decibels)
    }

    /// An impulse comes out `latency` frames later; two of these ratios are libzita's variable resampler's.
    @Test(arguments: [
        (44_100, 48_000), (48_000, 44_100), (8000, 64_000), (64_000, 8000), (44_100, 47_999),
        (11_025, 88_199), (48_000, 48_000),
    ])
    func theLatencyIsTold(from: Int, to: Int) throws {
        let converter = try Self.converter(from, to)
        let place = 8000
        var input = [Float](repeating: 0, count: 16_000)
        input[place] = 1
        let out = converter.convert(AudioBuffer([input], sampleRate: from)).samples(channel: 0)
        let peak = try #require(out.indices.max { abs(out[$0]) < abs(out[$1]) })
        let told = Double(place) * Double(to) / Double(from) + Double(converter.latency)
        #expect(abs(Double(peak) - told) <= 1)
    }

    /// For N frames N·to/from, rounded up, at any moment: after hours as at the beginning. A quarter of
    /// an hour with `DUET_LONG_TESTS=1`, some 40 million frames; else half a minute.
    @Test(arguments: [(44_100, 48_000), (44_100, 47_999), (48_000, 44_100), (11_025, 88_199)])
    func theCountIsExact(from: Int, to: Int) throws {
        let converter = try Self.converter(from, to)
        let input = AudioBuffer(
            format: StreamFormat(sampleRate: from, channelCount: 1), capacity: 1 << 16)
        var random = SeededRandom(seed: 1)
        var (taken, made) = (0, 0)
        let seconds = LongTests.areRun ? 900 : 30
        while taken < seconds * from {
            input.frameCount = Int.random(in: 0...input.capacity, using: &random)
            taken += input.frameCount
            made += converter.convert(input).frameCount
            guard made == (taken * to + from - 1) / from else {
                Issue.record("\(made) frames for \(taken)")
                return
            }
        }
        made += converter.drain().frameCount
        #expect(abs(made - taken * to / from - converter.latency) <= 1)
    }

    @Test(arguments: [(44_100, 48_000), (44_100, 47_999), (48_000, 8000), (48_000, 48_000)])
    func thePiecesMakeNoDifference(from: Int, to: Int) throws {
        let noise = (0..<2).map { Signal.noise(20_000, seed: UInt64($0)) }
        let whole = try Self.converter(from, to, channels: 2)
            .convert(AudioBuffer(noise, sampleRate: from))
        let expected = (0..<2).map { whole.samples(channel: $0) }
        let format = StreamFormat(sampleRate: from, channelCount: 2)
        for piece in [1, 7, 64, 255, 1000] {
            let converter = try Self.converter(from, to, channels: 2)
            var out: [[Float]] = [[], []]
            var done = 0
            while done < 20_000 {
                let count = min(piece, 20_000 - done)
                let part = AudioBuffer(format: format, capacity: count)
                part.set(noise.map { Array($0[done..<done + count]) })
                let converted = converter.convert(part)
                for channel in 0..<2 { out[channel] += converted.samples(channel: channel) }
                done += count
            }
            #expect(firstDifference(out, expected) == nil, "pieces of \(piece)")
            // By the realtime call, into a buffer of another length.
            #expect(
                firstDifference(try Self.byTheRealtimeCall(noise, from, to, piece), expected)
                    == nil)
        }
    }

    private static func byTheRealtimeCall(
        _ input: [[Float]], _ from: Int, _ to: Int, _ piece: Int
    ) throws -> [[Float]] {
        let converter = try Self.converter(from, to, channels: 2)
        let buffer = AudioBuffer(input, sampleRate: from)
        let part = AudioBuffer(
            format: StreamFormat(sampleRate: to, channelCount: 2), capacity: piece)
        var out: [[Float]] = [[], []]
        var taken = 0
        while true {
            let done = converter.process(buffer, from: taken, into: part, at: 0)
            taken += done.taken
            part.frameCount = done.made
            for channel in 0..<2 { out[channel] += part.samples(channel: channel) }
            if done.taken == 0, done.made == 0 { return out }
        }
    }

    /// From reset on the output is that of a new converter.
    @Test(arguments: [(44_100, 48_000), (44_100, 47_999)])
    func aResetForgetsTheInput(from: Int, to: Int) throws {
        let noise = AudioBuffer([Signal.noise(5000, seed: 3)], sampleRate: from)
        let converter = try Self.converter(from, to)
        let first = converter.convert(noise).samples(channel: 0)
        converter.reset()
        #expect(firstDifference([converter.convert(noise).samples(channel: 0)], [first]) == nil)
        _ = converter.drain()
        #expect(firstDifference([converter.convert(noise).samples(channel: 0)], [first]) == nil)
    }

    /// The part of the input that the filter still holds comes out at the end.
    @Test func nothingIsLostAtTheEnd() throws {
        let converter = try Self.converter(44_100, 48_000)
        var input = Signal.noise(441, seed: 4, amplitude: 0.1)
        input[440] = 1
        _ = converter.convert(AudioBuffer([input], sampleRate: 44_100))
        let rest = converter.drain().samples(channel: 0)
        let other = try Self.converter(44_100, 48_000)
        _ = other.convert(AudioBuffer([input], sampleRate: 44_100))
        let silence = AudioBuffer([[Float](repeating: 0, count: 64)], sampleRate: 44_100)
        #expect(rest == other.convert(silence).samples(channel: 0))
        #expect(rest.count > 0 && (rest.map { abs($0) }.max() ?? 0) > 0.5)
    }

    @Test(arguments: [
        (48_000, 5999), (5999, 48_000), (0x100_0001, 0x100_0001), (44_100, .max), (1, 9),
    ])
    func anotherRatioIsRefused(from: Int, to: Int) throws {
        let error = ConverterError.ratesOutOfRange(from: from, to: to)
        #expect(throws: error) { try Self.converter(from, to) }
        #expect("\(error)".contains("\(from)") && "\(error)".contains("1/8 to 8"))
    }

    @Test func layoutsAreConverted() throws {
        let samples: [Float] = [
            0, 0.5, -0.5, 1, -1, 2, -2, .nan, 0.4 / 32_768, 0.6 / 32_768, 0.99999,
        ]
        let floats = StreamFormat(sampleRate: 48_000, channelCount: 1)
        let integers = StreamFormat(sampleRate: 48_000, channelCount: 2, layout: .int16)
        let there = try Converter(from: floats, to: integers)
        let stored = there.convert(AudioBuffer([samples], sampleRate: 48_000))
        let expected: [Int16] = [
            0, 16_384, -16_384, 32_767, -32_768, 32_767, -32_768, 0, 0, 1, 32_767,
        ]
        #expect(Array(stored.integers) == expected.flatMap { [$0, $0] })
        let interleaved = StreamFormat(sampleRate: 48_000, channelCount: 3, layout: .interleaved)
        let back = try Converter(from: integers, to: interleaved, channels: [1, 0, 0])
            .convert(stored)
        let wanted = expected.flatMap { [Float](repeating: Float($0) / 32_768, count: 3) }
        #expect(Array(back.floats()) == wanted)
        // Every integer survives the way there and back.
        let all = AudioBuffer(format: integers, capacity: 32_768)
        all.frameCount = 32_768
        for n in 0..<65_536 { all.integers[n] = Int16(truncatingIfNeeded: n) }
        let again = try Converter(from: integers, to: integers).convert(all)
        #expect(Array(again.integers) == Array(all.integers))
    }

    @Test func channelsAreChosen() throws {
        let format = { StreamFormat(sampleRate: 44_100, channelCount: $0) }
        let input = AudioBuffer([[1, 1], [2, 2], [3, 3]], sampleRate: 44_100)
        let some = try Converter(from: format(3), to: format(2), channels: [2, 0]).convert(input)
        #expect(some.samples(channel: 0) == [3, 3] && some.samples(channel: 1) == [1, 1])
        let many = try Converter(from: format(3), to: format(5)).convert(input)
        #expect((0..<5).map { many.samples(channel: $0)[0] } == [1, 2, 3, 3, 3])
        for wrong in [[0], [0, 3], [0, -1], []] {
            #expect(throws: ConverterError.wrongChannels(wrong, input: 3, output: 2)) {
                try Converter(from: format(3), to: format(2), channels: wrong)
            }
        }
    }

    /// In a graph, which has one rate, a converter chooses channels.
    @Test func inAGraphItChoosesChannels() throws {
        let graph = Graph(sampleRate: 48_000)
        let (io, format) = (
            HardwareIO(inputChannels: 2), StreamFormat(sampleRate: 48_000, channelCount: 2)
        )
        let swap = try Converter(from: format, to: format, channels: [1, 0])
        for node in [io, swap] { try graph.add(node) }
        try graph.connect(io, bus: 1, to: swap)
        try graph.connect(swap, to: io)
        try graph.prepare()
        try graph.start()
        let out = try OfflineRenderer(graph).render(frames: 2, inputs: [[1, 2], [3, 4]])
        #expect(out == [[3, 4], [1, 2]])
        let other = try Self.converter(48_000, 44_100)
        #expect(
            throws: GraphError.otherRate(node: "converter", rate: 44_100, graph: 48_000)
        ) { try graph.add(other) }
    }
}
