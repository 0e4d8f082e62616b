import Foundation
import TestSupport
import Testing

@testable import AudioGraph

/// A thousand edits a second of a mixer with four sources.
@Suite(.timeLimit(.minutes(10))) struct StormTests {
    private static let amplitude = 0.1
    private static let frequencies = [90.0, 120]

    private final class Stage {
        let graph = Graph(sampleRate: 48_000)
        let io = HardwareIO(inputChannels: 2)
        let mixer = MixerNode(inputs: 4)
        let effects = (0..<4).map { GainNode(name: "gain \($0)") }
        var random: SeededRandom

        init(seed: UInt64) throws {
            random = SeededRandom(seed: seed)
            for node in [io, mixer] + effects as [AudioNode] { try graph.add(node) }
            for bus in 0..<4 {
                effects[bus].gain = Volume(gain: 0.25)
                try graph.connect(io, bus: 1, to: effects[bus], channels: [bus % 2])
                try graph.connect(effects[bus], to: mixer, bus: bus)
            }
            try graph.connect(mixer, to: io)
            try graph.prepare()
            try graph.start()
        }

        func edit() {
            let bus = Int.random(in: 0..<4, using: &random)
            let value = Double.random(in: 0...1, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                graph.disconnect(mixer, bus: bus)
                // Its last connection may still be heard.
                if value < 0.5 { try? graph.connect(effects[bus], to: mixer, bus: bus) }
            case 1: try? graph.connect(effects[bus], to: mixer, bus: bus)
            case 2: effects[bus].isBypassed.toggle()
            case 3: mixer.inputs[bus].volume = Volume(gain: value)
            default: mixer.inputs[bus].pan = Pan(2 * value - 1)
            }
            graph.collect()
        }

        /// Whether nothing is left of the edits but the graph that they made.
        func rests(_ render: () -> Void) -> Bool {
            for _ in 0..<6 {
                render()
                graph.collect()
            }
            return graph.planCount == 1 && !graph.nodes.contains { $0.settle() }
                && graph.wiring.audible.count == graph.wiring.made.count
        }
    }

    @Test(arguments: [21, 22, 23]) func nothingClicks(seed: UInt64) throws {
        let stage = try Stage(seed: seed)
        let renderer = try OfflineRenderer(stage.graph, period: 64)
        let frames = 72_000
        for frame in stride(from: 480, to: frames - 960, by: 48) {
            renderer.schedule(at: Int64(frame)) { stage.edit() }
        }
        let out = renderer.render(
            frames: frames,
            inputs: Self.frequencies.map {
                Signal.sine(frames, frequency: $0, amplitude: Self.amplitude)
            })
        // The steps of the four sines, and for each a volume, a pan, a bypass, and a connection's two
        // fades on their way.
        let bound =
            2
            * Self.frequencies.reduce(0) {
                $0 + Self.amplitude * (2 * .pi * $1 + 500) / 48_000
            }
        for channel in out { #expect(Double(Samples.largestStep(channel)) < bound, "seed \(seed)") }
        #expect(Samples.peak(out) > 0.1)
        #expect(stage.rests { _ = renderer.render(frames: 480) })
    }

    @Test func aStormBesideARenderThreadLeavesNothing() throws {
        let stage = try Stage(seed: 24)
        let thread = RenderThread(stage.graph, period: 64, inputs: 2)
        var most = 0
        for _ in 0..<5000 {
            stage.edit()
            most = max(most, stage.graph.planCount)
        }
        #expect(stage.rests { thread.wait(frames: 960) })
        // A thread that is not run for a while takes nothing, and what waits is joined.
        #expect(most < 20, "\(most) plans")
        thread.stop()
    }

    /// While no driver runs edits are joined.
    @Test func aStormWithoutADriverIsOneEdit() throws {
        let stage = try Stage(seed: 25)
        for _ in 0..<1000 { stage.edit() }
        #expect(stage.graph.planCount <= 2)
        let renderer = try OfflineRenderer(stage.graph)
        #expect(stage.rests { _ = renderer.render(frames: 960) })
    }
}

/// What a storm leaves in the memory of the process.
@Suite(.ownProcess("measures its memory")) struct StormMemoryTests {
    @Test func memoryDoesNotGrow() throws {
        let stage = try EditStage(seed: 31)
        var random = SeededRandom(seed: 31)
        func storm() -> Int {
            for _ in 0..<2000 {
                try? stage.graph.edit {
                    try stage.step(
                        Int.random(in: 0..<EditStage.steps, using: &random),
                        Int.random(in: 0..<3, using: &random),
                        Double.random(in: 0...1, using: &random))
                }
                _ = stage.renderer.render(frames: 48)
                stage.graph.collect()
            }
            while stage.mixer.inputs.count > 3 { stage.mixer.removeLastInput() }
            for _ in 0..<10 {
                _ = stage.renderer.render(frames: 480)
                stage.graph.collect()
            }
            return anonymousMemory()
        }
        let first = storm()
        let later = (0..<4).map { _ in storm() }
        #expect(later.last! < first + (1 << 20), "\(first), \(later)")
    }
}
