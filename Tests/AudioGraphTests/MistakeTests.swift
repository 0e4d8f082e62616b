import AudioGraph
import TestSupport
import Testing

/// Mistakes of a caller end the program with a sentence that says what and why, also where nothing is
/// checked by `precondition`, in a release build.
@Suite struct MistakeTests {
    private func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func aGraphWithoutARate() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Graph(sampleRate: 0) }
        #expect(message(result).contains("a graph of 0 Hz: a rate is 1 to 16,777,216 Hz"))
    }

    @Test func framesOfAnotherShape() async {
        let channels = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try UnitStage(GainNode()).render(channels: [[0, 0], [0, 0]]) }
        #expect(message(channels).contains("2 channels were given, and the graph captures 1"))
        let frames = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try UnitStage(GainNode(), channels: 2).render(channels: [[0, 0], [0]]) }
        #expect(message(frames).contains("a channel of 1 samples was given for 2 frames"))
    }

    @Test func buffersOfAnotherShape() async {
        let format = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = StreamFormat(sampleRate: 48_000, channelCount: 9) }
        #expect(
            message(format).contains("48000 Hz and 9 channels: it has a rate above 0 and 1 to 8"))
        let samples = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AudioBuffer([[0, 0], [0]], sampleRate: 48_000) }
        #expect(message(samples).contains("have [2, 1] samples: all have the same number"))
        let channel = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AudioBuffer([[0, 0]], sampleRate: 48_000).samples(channel: 1) }
        #expect(message(channel).contains("a buffer of 48000 Hz mono has no channel 1"))
    }

    @Test func numbersOutOfRange() async {
        let queue = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = QueuePlayerNode(
                format: StreamFormat(sampleRate: 48_000, channelCount: 2), buffers: 0)
        }
        #expect(message(queue).contains("0 buffers: a queue player has 1 to 64"))
        let recorder = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = RecorderNode(channelCounts: [9]) }
        #expect(message(recorder).contains("buses of [9] channels: each has 1 to 8"))
        let inputs = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = MixerNode(inputs: -1) }
        #expect(message(inputs).contains("-1 inputs: a mixer has 0 to 256"))
        let others = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = FeedbackGuardNode(others: -1) }
        #expect(message(others).contains("-1 other buses: a guard has 0 to 255"))
        let period = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { try OfflineRenderer(UnitStage(GainNode()).graph).period = 0 }
        #expect(message(period).contains("a cycle of 0 frames: it has 1 or more"))
    }

    @Test func aUnitThatCannotRender() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            // As C code may fill it.
            let functions = UnsafeMutableRawPointer.allocate(
                byteCount: MemoryLayout<UnitFunctions>.size,
                alignment: MemoryLayout<UnitFunctions>.alignment)
            functions.initializeMemory(
                as: UInt8.self, repeating: 0, count: MemoryLayout<UnitFunctions>.size)
            _ = CustomUnit(functions.load(as: UnitFunctions.self), name: "mine")
        }
        #expect(message(result).contains("mine has no function that renders"))
    }

    @Test func aGraphPreparedInAnEdit() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let graph = Graph(sampleRate: 48_000)
            try graph.edit { try graph.prepare() }
        }
        #expect(message(result).contains("a graph is not prepared in an edit"))
    }
}
