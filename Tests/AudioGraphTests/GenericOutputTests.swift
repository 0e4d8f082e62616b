import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// Sound that goes to a sink.
@Suite struct GenericOutputTests {
    private struct Broken: Error, Equatable {}

    /// A sink in memory.
    private final class Store: @unchecked Sendable {
        // Safety: `lock` guards all.
        private let lock = NSLock()
        private var stored: [[Float]] = [[], []]
        private var calls = 0
        private var limit = Int.max
        /// Holds the sink back while it is locked.
        let gate = NSLock()

        func take(_ buffer: AudioBuffer) throws {
            gate.lock()
            gate.unlock()
            try lock.withLock {
                calls += 1
                for channel in 0..<buffer.format.channelCount {
                    stored[channel] += buffer.samples(channel: channel)
                }
                if stored[0].count >= limit { throw Broken() }
            }
        }

        func fail(at frames: Int) { lock.withLock { limit = frames } }
        var channels: [[Float]] { lock.withLock { stored } }
        var count: Int { channels[0].count }
        var callCount: Int { lock.withLock { calls } }
    }

    private static func format(
        _ rate: Int = 48_000, _ layout: SampleLayout = .planar
    ) -> StreamFormat {
        StreamFormat(sampleRate: rate, channelCount: 2, layout: layout)
    }

    /// A graph whose source plays `samples` into an output beside the hardware.
    private static func graph(
        _ samples: [Float], to output: GenericOutput, alsoToHardware: Bool = false
    ) throws -> Graph {
        let graph = Graph(sampleRate: 48_000)
        let (io, player) = (
            HardwareIO(inputChannels: 1),
            QueuePlayerNode(format: StreamFormat(sampleRate: 48_000, channelCount: 1))
        )
        try player.schedule(AudioBuffer([samples], sampleRate: 48_000))
        for node in [io, player, output] { try graph.add(node) }
        try graph.connect(player, to: output)
        if alsoToHardware { try graph.connect(player, to: io) }
        try graph.prepare()
        try graph.start()
        player.start()
        return graph
    }

    /// What a converter makes of `samples`, all of it.
    private static func converted(_ samples: [Float], to format: StreamFormat) throws -> [[Float]] {
        let converter = try Converter(
            from: StreamFormat(sampleRate: 48_000, channelCount: 1), to: format, timing: .aligned)
        let parts = [
            converter.convert(AudioBuffer([samples], sampleRate: 48_000)), converter.drain(),
        ]
        return (0..<2).map { channel in parts.flatMap { $0.samples(channel: channel) } }
    }

    /// Offline, as fast as the sink takes it; longer than the ring.
    @Test(arguments: [
        format(), format(44_100), format(44_100, .int16), format(96_000, .interleaved),
    ])
    func theSinkGetsItsFormat(format: StreamFormat) throws {
        let store = Store()
        let output = GenericOutput(format: format, slices: 512) { buffer in
            #expect(buffer.format == format)
            try store.take(buffer)
        }
        let noise = Signal.noise(200_000, seed: 1)
        let graph = try Self.graph(noise, to: output)
        for frames in [1, 999, 199_000] { try output.render(frames: frames) }
        try output.finish()
        #expect(
            firstDifference(store.channels, try Self.converted(noise, to: format)) == nil)
        #expect(output.droppedFrames == 0 && graph.renderedFrames == 200_000)
        // What is finished takes nothing more.
        let count = store.count
        try output.render(frames: 100)
        #expect(store.count == count)
    }

    /// Live it is an end of its own: nothing reads it, and the hardware plays what it played.
    @Test func itIsRenderedBesideTheHardware() throws {
        let store = Store()
        let output = GenericOutput(format: Self.format(), store.take)
        let noise = Signal.noise(5000, seed: 2)
        let graph = try Self.graph(noise, to: output, alsoToHardware: true)
        let out = try OfflineRenderer(graph, period: 100).render(frames: 5000)
        #expect(out == [noise, noise])
        #expect(poll { store.count == 5000 })
        #expect(store.channels == [noise, noise])
        // Removed, it fades out over 10 ms and lets go of everything.
        try graph.remove(output)
        _ = try OfflineRenderer(graph).render(frames: 960)
        graph.collect()
        #expect(poll { store.count == 5960 })
        _ = try OfflineRenderer(graph).render(frames: 960)
        graph.collect()
        try output.finish()
        #expect(store.count == 5960 && graph.planCount == 1)
    }

    /// It may hear what is captured, though a driver's output may be the same memory.
    @Test func itHearsWhatIsCaptured() throws {
        let store = Store()
        let (graph, io) = (Graph(sampleRate: 48_000), HardwareIO(inputChannels: 1))
        let output = GenericOutput(format: Self.format(), store.take)
        try graph.add(io)
        try graph.add(output)
        try graph.connect(io, bus: 1, to: output)
        try graph.prepare()
        try graph.start()
        var memory = [Float](repeating: 0.5, count: 64)
        memory.withUnsafeMutableBufferPointer { buffer in
            var pointers = [buffer.baseAddress!, buffer.baseAddress!]
            graph.context.pointee.render(frames: 64, inputs: &pointers, outputs: &pointers)
        }
        try output.finish()
        #expect(store.channels == Array(repeating: [Float](repeating: 0.5, count: 64), count: 2))
        #expect(memory == [Float](repeating: 0, count: 64))
    }

    @Test func aSinkThatFailsIsToldAndTheRestPlays() throws {
        let store = Store()
        store.fail(at: 1000)
        let output = GenericOutput(format: Self.format(), store.take)
        let noise = Signal.noise(4000, seed: 3)
        let graph = try Self.graph(noise, to: output, alsoToHardware: true)
        #expect(throws: Broken.self) { try output.render(frames: 2000) }
        #expect(output.failure is Broken && output.property("failed") == .switch(true))
        let (calls, rendered) = (store.callCount, graph.renderedFrames)
        let out = try OfflineRenderer(graph).render(frames: 2000)
        #expect(out[0] == Array(noise[rendered..<rendered + 2000]))
        #expect(throws: Broken.self) { try output.finish() }
        #expect(store.callCount == calls && calls == 4)
    }

    @Test func aSlowSinkEndsTheWait() throws {
        let store = Store()
        let output = GenericOutput(format: Self.format(), store.take)
        output.patience = 20
        let graph = try Self.graph([1], to: output)
        store.gate.lock()
        let error = GenericOutputError.sinkIsSlow(node: "generic-output", milliseconds: 20)
        #expect(throws: error) { try output.render(frames: 100) }
        #expect(throws: error) { try output.finish() }
        store.gate.unlock()
        output.patience = 10_000
        try output.finish()
        #expect(store.count == 100 && graph.renderedFrames == 100)
    }

    /// An output that has left its graph still says how it ends.
    @Test func anOutputThatHasLeftIsWaitedFor() throws {
        let store = Store()
        let output = GenericOutput(format: Self.format(), store.take)
        output.patience = 20
        do {
            let graph = try Self.graph([1], to: output)
            defer { withExtendedLifetime(graph) {} }
            store.gate.lock()
            #expect(throws: GenericOutputError.self) { try output.render(frames: 100) }
        }
        #expect(output.graph == nil)
        #expect(
            throws: GenericOutputError.sinkIsSlow(node: "generic-output", milliseconds: 20)
        ) { try output.finish() }
        store.gate.unlock()
        output.patience = 10_000
        try output.finish()
        #expect(store.count == 100)
    }

    /// A sink that is slow but goes on is waited for, longer than the patience in all.
    @Test(.ownProcess("waits by the clock")) func aSinkThatGoesOnIsWaitedFor() throws {
        let store = Store()
        let output = GenericOutput(format: Self.format()) { buffer in
            usleep(20_000)
            try store.take(buffer)
        }
        output.patience = 250
        let graph = try Self.graph([1], to: output)
        try output.render(frames: 20 * 256)
        #expect(store.count == 20 * 256)
        _ = try OfflineRenderer(graph, period: 256).render(frames: 20 * 256)
        try output.finish()
        #expect(store.count == 40 * 256 && output.droppedFrames == 0)
    }

    /// A graph that plays on does not keep `finish` from its end.
    @Test func itEndsWhileTheGraphPlaysOn() throws {
        let output = GenericOutput(format: Self.format(), slices: 512) { _ in usleep(500) }
        output.patience = 30_000
        let graph = try Self.graph([1], to: output)
        let thread = RenderThread(graph, period: 64)
        defer { thread.stop() }
        thread.wait(frames: 640)
        try output.finish()
    }

    @Test func whatComesTooFastIsCounted() throws {
        let store = Store()
        let output = GenericOutput(format: Self.format(), slices: 512, store.take)
        let graph = try Self.graph([], to: output)
        store.gate.lock()
        _ = try OfflineRenderer(graph, period: 1).render(frames: 600)
        #expect(output.droppedFrames >= 600 - 513 && output.droppedFrames <= 600 - 512)
        store.gate.unlock()
        let taken = 600 - output.droppedFrames
        #expect(poll { store.count == taken })
    }

    @Test func wrongCallsAreRefused() throws {
        let output = GenericOutput(format: Self.format(5000)) { _ in }
        #expect(throws: GraphError.notInGraph(node: "generic-output")) {
            try output.render(frames: 1)
        }
        let graph = Graph(sampleRate: 48_000)
        let early = GenericOutput(format: Self.format()) { _ in }
        try graph.add(early)
        #expect(throws: GraphError.noHardwareIO) { try early.render(frames: 1) }
        try graph.add(HardwareIO())
        #expect(throws: GraphError.notPrepared) { try early.render(frames: 1) }
        let error = ConverterError.ratesOutOfRange(from: 48_000, to: 5000)
        #expect(throws: GraphError.noConverter(node: "generic-output", error)) {
            try Graph(sampleRate: 48_000).add(output)
        }
        try output.finish()
    }
}
