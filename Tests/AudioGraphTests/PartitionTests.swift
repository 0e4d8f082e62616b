import AudioGraph
import TestSupport
import Testing

@Suite struct PartitionTests {
    static let whole = try! Scenario(seed: 7).render { 4096 }

    @Test(arguments: [1, 16, 64, 128, 480, 1024]) func everyPeriodGivesTheSameBits(period: Int)
        throws
    {
        let out = try Scenario(seed: 7).render { period }
        #expect(firstDifference(out, Self.whole) == nil)
    }

    @Test func randomSplitsGiveTheSameBits() throws {
        for seed: UInt64 in 1...4 {
            var random = SeededRandom(seed: seed)
            let out = try Scenario(seed: 7).render { Int.random(in: 1...3000, using: &random) }
            #expect(firstDifference(out, Self.whole) == nil, "seed \(seed)")
        }
    }

    @Test func theScenarioReachesLimiterUnderrunAndEnd() throws {
        let scenario = try Scenario(seed: 7)
        var reduced = false
        _ = scenario.render {
            reduced = reduced || scenario.mix.limiter.gainReduction.value < -1
            return 64
        }
        #expect(reduced)
        #expect(scenario.mix.song.underruns == 1)
        #expect(scenario.mix.song.state == .ended)
        #expect(scenario.mix.song.position == 50_000)
        // More than half of the output is not silence.
        #expect(Self.whole[0].filter { $0 == 0 }.count < Scenario.frames / 2)
    }

    @Test func cyclesLongerThanTheMaximumAreSliced() throws {
        let mix = try MixGraph(maximumFrames: 100)
        let renderer = try OfflineRenderer(mix.graph, period: 1000)
        renderer.patience = 0
        mix.mixer.inputs[1].pan = .right
        _ = renderer.render(frames: 1000)
        let mic = Signal.noise(5000, seed: 3, amplitude: 0.9)
        #expect(firstDifference([renderer.render(frames: 5000, inputs: [mic])[1]], [mic]) == nil)
    }
}
