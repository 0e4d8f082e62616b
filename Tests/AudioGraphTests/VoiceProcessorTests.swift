import Glibc
import TestSupport
import Testing

@testable import AudioGraph

/// The voice processor: what is left of a song's echo, and of the voice.
@Suite struct VoiceProcessorTests {
    private func decibels(_ samples: ArraySlice<Float>) -> Double {
        10 * log10(Samples.power(samples) + 1e-15)
    }

    /// The monitor's tiny gain lets the processed voice be read from the mix, and not be heard.
    @Test func theSongsEchoIsTakenAwayAndTheVoiceStays() throws {
        let (seed, rate, seconds, entry) = (UInt64(1), EchoRoom.rate, 8, 6)
        let voice = EchoRoom.voice(seconds: seconds, from: entry)
        func record(hasSong: Bool) throws -> VoiceRoom.Recording {
            let room = try VoiceRoom(
                seed: seed, seconds: seconds, echoGain: 0.7, roundTrip: 700, monitor: 1e-3,
                hasSong: hasSong)
            let recording = try room.sing(voice, monitor: 1e-3)
            #expect(room.processor.lateFrames == 0)
            return recording
        }
        let (mixed, alone) = (try record(hasSong: true), try record(hasSong: false))
        let song = 5 * rate..<entry * rate
        let before = decibels(mixed.echo[song])
        let after = decibels(mixed.processed[song])
        #expect(before > -40 && after - before <= -20, "\(after - before) dB")
        // What is left of the echo is what differs from the voice processed alone.
        let both = entry * rate..<mixed.processed.count
        let left = both.map { mixed.processed[$0] - alone.processed[$0] }
        let rest = decibels(left[...]) - decibels(mixed.echo[both])
        #expect(rest <= -18, "\(rest) dB")
        let change = decibels(mixed.processed[both]) - decibels(voice[both])
        #expect(abs(change) <= 2, "\(change) dB")
    }

    /// The singer hears herself at the loudspeakers as loud as she sings, a tenth of which comes back.
    @Test func theVoiceStaysInAClosedLoop() throws {
        let (seed, rate, seconds) = (UInt64(2), EchoRoom.rate, 7)
        let voice = EchoRoom.voice(seconds: seconds, from: 3)
        let room = try VoiceRoom(
            seed: seed, seconds: seconds, echoGain: 0.1, roundTrip: 700, monitor: 1)
        let recording = try room.sing(voice, monitor: 1)
        let sung = 5 * rate..<recording.processed.count
        let change = decibels(recording.processed[sung]) - decibels(voice[sung])
        #expect(abs(change) <= 2, "\(change) dB")
    }

    private func stage(period: Int = 256) throws -> (UnitStage, VoiceProcessorNode) {
        let processor = VoiceProcessorNode(period: period)
        return (try UnitStage(processor), processor)
    }

    @Test(arguments: [64, 256, 1000]) func theDelayIsAsTold(period: Int) throws {
        let (stage, processor) = try stage(period: period)
        processor.cancelsEcho = false
        #expect(processor.latency == 512 + period)
        #expect(stage.graph.latency(from: stage.io, to: stage.io) == 512 + period...512 + period)
        let noise = Signal.noise(9000, seed: 21, amplitude: 0.5)
        let out = try stage.render(noise, period: 100)
        // To 16 bits, and what its windows add.
        for frame in 5000..<9000 {
            try #require(abs(out[0][frame] - noise[frame - processor.latency]) < 2e-4)
        }
        processor.isBypassed = true
        #expect(processor.latency == 0)
    }

    /// Its values come in one frame: a ramp is refused by name, and what has none is not.
    @Test func rampsAreRefused() throws {
        let (stage, processor) = try stage()
        let address = ParameterAddress(.noiseReduction)
        #expect(
            throws: ParameterError.notRampable(unit: "voice processor", address)
        ) { try processor.schedule(.noiseReduction, to: 20, at: 0, ramp: 100) }
        try processor.schedule(.noiseReduction, to: 20, at: 0, ramp: 0)
        _ = try stage.render([0, 0])
        #expect(processor.noiseReduction == Decibels(20))
    }

    @Test func theReferenceIsNotHeard() throws {
        let graph = Graph(sampleRate: 48_000)
        let (io, processor) = (HardwareIO(inputChannels: 1), VoiceProcessorNode())
        for node in [io, processor] as [AudioNode] { try graph.add(node) }
        try graph.connect(io, to: processor, bus: VoiceProcessorNode.referenceBus)
        try graph.connect(processor, to: io)
        #expect(graph.latency(from: io, to: io) == nil)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph)
        renderer.patience = 30_000
        let out = renderer.render(frames: 9600, inputs: [Signal.noise(9600, seed: 22)])
        #expect(Samples.peak(out) == 0)
    }

    @Test func noiseIsReducedAndASoftVoiceIsRaised() throws {
        let hum = Signal.noise(96_000, seed: 23, amplitude: 0.01)
        func level(_ edit: (VoiceProcessorNode) -> Void) throws -> Double {
            let (stage, processor) = try stage()
            processor.cancelsEcho = false
            edit(processor)
            return decibels(try stage.render(hum, period: 256)[0][72_000...])
        }
        let plain = try level { _ in }
        #expect(try level { $0.noiseReduction = Decibels(20) } < plain - 10)
        let voice = EchoRoom.voice(seconds: 3, from: 0).map { $0 * 0.1 }
        func voiceLevel(_ controlsGain: Bool) throws -> Double {
            let (stage, processor) = try stage()
            processor.cancelsEcho = false
            processor.controlsGain = controlsGain
            return decibels(try stage.render(voice, period: 256)[0][96_000...])
        }
        #expect(try voiceLevel(true) > voiceLevel(false) + 3)
    }

    /// Without a driver that waits the thread is too late: silence, which is counted, and then the
    /// sound again, as late as ever.
    @Test func whatComesTooLateIsSilenceAndCounted() throws {
        let (stage, processor) = try stage(period: 64)
        processor.cancelsEcho = false
        let renderer = try OfflineRenderer(stage.graph, period: 64)
        renderer.patience = 0
        let noise = Signal.noise(64_000, seed: 24, amplitude: 0.5)
        let hurried = renderer.render(frames: 64_000, inputs: [noise])[0]
        #expect(processor.lateFrames > 0)
        #expect(hurried.allSatisfy { $0.isFinite && abs($0) < 1 })
        #expect(processor.property("late") == .number(Int64(processor.lateFrames)))
        renderer.patience = 30_000
        let calm = renderer.render(frames: 9000, inputs: [Array(noise.prefix(9000))])[0]
        for frame in 5000..<9000 {
            try #require(abs(calm[frame] - noise[frame - processor.latency]) < 2e-4)
        }
    }

    @Test func noNumberFromTheMicrophoneTraps() throws {
        let (stage, _) = try stage()
        let odd: [Float] = [.nan, .infinity, -.infinity, 3e38, -3e38, 1, -1, 0.99999]
        let out = try stage.render((0..<4800).map { odd[$0 % odd.count] })
        #expect(Samples.peak(out) <= 1)
    }

    @Test(arguments: [7999, 48_001, 96_000, 192_000])
    func aRateThatItDoesNotTakeIsSaid(rate: Int) throws {
        let graph = Graph(sampleRate: rate)
        let processor = VoiceProcessorNode()
        #expect(
            throws: GraphError.rateNotTaken(
                node: processor.name, rate: rate, accepted: 8000...48_000)
        ) { try graph.add(processor) }
    }

    @Test(arguments: [8000, 16_000, 44_100]) func otherRatesWork(rate: Int) throws {
        let graph = Graph(sampleRate: rate)
        let (io, processor) = (HardwareIO(inputChannels: 2), VoiceProcessorNode(period: 128))
        processor.cancelsEcho = false
        for node in [io, processor] as [AudioNode] { try graph.add(node) }
        try graph.connect(io, to: processor)
        try graph.connect(processor, to: io)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph)
        renderer.patience = 30_000
        let sides = [UInt64(25), 26].map { Signal.noise(6000, seed: $0, amplitude: 0.5) }
        let out = renderer.render(frames: 6000, inputs: sides)
        for (side, noise) in zip(out, sides) {
            for frame in 4000..<6000 {
                try #require(abs(side[frame] - noise[frame - processor.latency]) < 2e-4)
            }
        }
    }
}
