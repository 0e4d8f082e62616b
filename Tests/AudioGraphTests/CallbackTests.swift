import TestSupport
import Testing

@testable import AudioGraph

/// What a test's callback saw and does.
private struct Script {
    var calls = 0
    var frames = 0
    var lastTime: UInt64 = 0
    var isInOrder = true
    var result: Int32 = 0
    var silencesFrom = Int64.max
    var befores = 0
    var afters = 0
    var heard: Float = 0
    var sawSilence = false
}

private func notes(
    _ context: UnsafeMutableRawPointer?, _ frame: Int64, _ time: UInt64, _ frames: Int32
) -> UnsafeMutablePointer<Script> {
    let script = context!.assumingMemoryBound(to: Script.self)
    script.pointee.isInOrder =
        script.pointee.isInOrder && frame == Int64(script.pointee.frames)
        && time >= script.pointee.lastTime && time > 0
    script.pointee.calls += 1
    script.pointee.frames += Int(frames)
    script.pointee.lastTime = time
    return script
}

/// Functions of the library's user in a graph.
@Suite struct CallbackTests {
    private static func withScript(_ body: (UnsafeMutablePointer<Script>) throws -> Void) rethrows {
        let script = UnsafeMutablePointer<Script>.allocate(capacity: 1)
        script.initialize(to: Script())
        defer { script.deallocate() }
        try body(script)
    }

    /// Plays its frame numbers.
    private static let counter: RenderCallback = {
        context, flags, frame, time, bus, count, channels, buffers in
        let script = notes(context, frame, time, count)
        if frame >= script.pointee.silencesFrom { flags!.pointee |= RenderFlags.isSilent }
        for channel in 0..<Int(channels) {
            for n in 0..<Int(count) {
                buffers![channel]![n] = Float(frame + Int64(n)) + Float(channel) * 0.5 + Float(bus)
            }
        }
        return script.pointee.result
    }

    @Test(arguments: [1, 64, 1000]) func aSourceIsCalledForEveryFrameOnce(period: Int) throws {
        try Self.withScript { script in
            let source = CallbackSource(channelCount: 2, context: script, Self.counter)
            let stage = try UnitStage(source)
            let out = try stage.render([Float](repeating: 0, count: 3000), period: period)
            let wanted: [Float] = (0..<3000).map { (n: Int) in Float(n) }
            #expect(out[0] == wanted)
            #expect(out[1] == wanted.map { $0 + 0.5 })
            #expect(script.pointee.isInOrder && script.pointee.frames == 3000)
            #expect(source.errors == CallbackErrors(count: 0, last: 0))
        }
    }

    /// A source of its own rate is called for its own frames, each once, in their order.
    @Test(arguments: [1, 64, 1000], [44_100, 96_000, 8000])
    func aSourceHasItsOwnRate(period: Int, rate: Int) throws {
        try Self.withScript { script in
            let source = CallbackSource(
                channelCount: 2, sampleRate: rate, context: script, Self.saw)
            let stage = try UnitStage(source)
            let out = try stage.render([Float](repeating: 0, count: 3000), period: period)
            #expect(script.pointee.isInOrder)
            let format = StreamFormat(sampleRate: rate, channelCount: 2)
            let converter = try Converter(
                from: format, to: StreamFormat(sampleRate: 48_000, channelCount: 2),
                timing: .aligned)
            let frames = script.pointee.frames
            let left = (0..<frames).map { Float($0 % 100) / 100 }
            let expected = converter.convert(
                AudioBuffer([left, left.map { $0 + 1 }], sampleRate: rate))
            #expect(expected.frameCount - 3000 <= 48_000 / rate)
            for channel in 0..<2 {
                let samples = expected.samples(channel: channel)
                #expect(firstDifference([out[channel]], [Array(samples[..<3000])]) == nil)
            }
            // Silence and errors are what they are at the graph's rate.
            script.pointee.silencesFrom = 0
            _ = try stage.render([Float](repeating: 0, count: 3000), period: period)
            #expect(try stage.render([0, 0])[0] == [0, 0])
            script.pointee.result = 5
            _ = try stage.render([0, 0, 0, 0, 0, 0])
            #expect(source.errors.last == 5)
        }
        let error = ConverterError.ratesOutOfRange(from: 400_000, to: 48_000)
        #expect(throws: GraphError.noConverter(node: "callback", error)) {
            try UnitStage(CallbackSource(sampleRate: 400_000, Self.saw))
        }
    }

    /// `Graph.reset` brings a source of another rate to its beginning: nothing of what was converted before
    /// sounds on.
    @Test(arguments: [8000, 44_100]) func aConvertedSourceIsReset(rate: Int) throws {
        try Self.withScript { script in
            let source = CallbackSource(
                channelCount: 1, sampleRate: rate, context: script, Self.saw)
            let stage = try UnitStage(source)
            _ = try stage.render([Float](repeating: 0, count: 4096))
            stage.graph.reset()
            // From here on the source is silent: what is heard was there before.
            script.pointee.silencesFrom = 0
            let out = try stage.render([Float](repeating: 0, count: 4096))[0]
            #expect(out.allSatisfy { $0 == 0 })
        }
    }

    /// Plays a saw tooth of 100 frames.
    private static let saw: RenderCallback = {
        context, flags, frame, time, _, count, channels, buffers in
        let script = notes(context, frame, time, count)
        if frame >= script.pointee.silencesFrom { flags!.pointee |= RenderFlags.isSilent }
        for channel in 0..<Int(channels) {
            for n in 0..<Int(count) {
                buffers![channel]![n] = Float((frame + Int64(n)) % 100) / 100 + Float(channel)
            }
        }
        return script.pointee.result
    }

    @Test func anErrorIsSilenceAndIsTold() throws {
        try Self.withScript { script in
            let source = CallbackSource(channelCount: 1, context: script, Self.counter)
            let stage = try UnitStage(source)
            _ = try stage.render([Float](repeating: 0, count: 64))
            script.pointee.result = -7
            #expect(try stage.render([Float](repeating: 0, count: 64))[0].allSatisfy { $0 == 0 })
            #expect(source.errors == CallbackErrors(count: 1, last: -7))
            #expect(source.property("errors") == .number(1))
            script.pointee.result = 0
            #expect(try stage.render([Float](repeating: 0, count: 64))[0][1] == 129)
            script.pointee.silencesFrom = 0
            #expect(try stage.render([Float](repeating: 0, count: 64))[0].allSatisfy { $0 == 0 })
        }
    }

    /// Adds 1, and notes whether its input was said to be silent.
    private static let adder: RenderCallback = {
        context, flags, frame, time, _, count, channels, buffers in
        let script = notes(context, frame, time, count)
        script.pointee.sawSilence = flags!.pointee & RenderFlags.isSilent != 0
        flags!.pointee &= ~RenderFlags.isSilent
        for channel in 0..<Int(channels) {
            for n in 0..<Int(count) { buffers![channel]![n] += 1 }
        }
        return script.pointee.result
    }

    @Test func anEffectChangesItsInput() throws {
        try Self.withScript { script in
            let effect = CallbackEffect(context: script, Self.adder)
            let stage = try UnitStage(effect)
            #expect(try stage.render([0.25, 0.5, 0.75])[0] == [1.25, 1.5, 1.75])
            #expect(!script.pointee.sawSilence)
            stage.graph.disconnect(effect)
            _ = try stage.render([Float](repeating: 0.5, count: 960))
            stage.graph.collect()
            #expect(try stage.render([0.5, 0.5])[0] == [1, 1] && script.pointee.sawSilence)
            script.pointee.result = 1
            #expect(try stage.render([0.5])[0] == [0] && effect.errors.last == 1)
        }
    }

    private static let onlooker: RenderCallback = {
        context, flags, _, _, _, count, channels, buffers in
        let script = context!.assumingMemoryBound(to: Script.self)
        if flags!.pointee & RenderFlags.isBefore != 0 {
            script.pointee.befores += channels == 0 ? 1 : 100
        }
        if flags!.pointee & RenderFlags.isAfter != 0 {
            script.pointee.afters += script.pointee.befores == script.pointee.afters + 1 ? 1 : 100
            script.pointee.heard = buffers![0]![Int(count) - 1]
        }
        return script.pointee.result
    }

    @Test func onlookersAreCalledBeforeAndAfter() throws {
        try Self.withScript { script in
            let gain = GainNode()
            gain.gain = Volume(gain: 0.5)
            gain.addRenderNotify(context: script, Self.onlooker)
            let stage = try UnitStage(gain)
            #expect(try stage.render([Float](repeating: 0.5, count: 640))[0][639] == 0.25)
            #expect(script.pointee.befores == 10 && script.pointee.afters == 10)
            #expect(script.pointee.heard == 0.25)
            // The error of one that looks on is told, and changes nothing.
            script.pointee.result = 3
            #expect(try stage.render([0.5])[0] == [0.25])
            #expect(gain.notifyErrors == CallbackErrors(count: 2, last: 3))
        }
    }

    /// Who looks on at the hardware is called around everything else, with what is played.
    @Test func theHardwareIsLookedOnAtBothEnds() throws {
        try Self.withScript { script in
            let stage = try UnitStage(GainNode())
            stage.io.addRenderNotify(context: script, Self.onlooker)
            #expect(try stage.render([Float](repeating: 0.5, count: 640))[0][639] == 0.5)
            #expect(script.pointee.befores == 10 && script.pointee.afters == 10)
            #expect(script.pointee.heard == 0.5)
        }
    }

    /// What is no number never leaves the graph's guard, whatever a callback writes.
    @Test func theGuardStopsWhatACallbackWrites() throws {
        let wild: RenderCallback = { _, _, frame, _, _, count, channels, buffers in
            for n in 0..<Int(count) {
                buffers![0]![n] =
                    switch (Int(frame) + n) % 4 {
                    case 0: .nan
                    case 1: .infinity
                    case 2: -.infinity
                    default: 1e30
                    }
            }
            return 0
        }
        let graph = Graph(sampleRate: 48_000)
        let (io, cleaner) = (HardwareIO(inputChannels: 0), GuardNode())
        let source = CallbackSource(channelCount: 1, wild)
        for node in [io, cleaner, source] as [AudioNode] { try graph.add(node) }
        try graph.connect(source, to: cleaner)
        try graph.connect(cleaner, to: io)
        try graph.prepare()
        try graph.start()
        let out = try OfflineRenderer(graph).render(frames: 1000)[0]
        #expect(out.allSatisfy { $0.isFinite && abs($0) <= 0x1p20 } && out[3] == 0x1p20)
    }
}
