import AudioGraph
import AudioMedia
import TestSupport
import Testing

@testable import DuetApp

/// The loudness of the output, measured while somebody reads it.
@Suite struct LiveLoudnessTests {
    /// A graph that plays its microphone on both sides, as loud as it is, and its driver.
    private func mix(rate: Int = 48_000) throws -> (mix: MixGraph, driver: OfflineRenderer) {
        var plan = MixPlan(second: .mic(channelCount: 2))
        try plan.set([Assignment("/mic/volume=0dB")])
        let mix = try MixGraph(plan, sampleRate: rate)
        try mix.start()
        return (mix, try OfflineRenderer(mix.graph))
    }

    private func noise(seconds: Int, seed: UInt64) -> [[Float]] {
        var random = SeededRandom(seed: seed)
        return (0..<2).map { _ in
            (0..<seconds * 48_000).map { _ in Float.random(in: -0.1...0.1, using: &random) }
        }
    }

    private func offline(_ sound: [[Float]]) -> LoudnessMeter.Reading {
        let meter = LoudnessMeter(sampleRate: 48_000)
        meter.add(sound)
        return meter.reading
    }

    @Test func theOutputIsMeasured() throws {
        let (mix, driver) = try mix()
        let loudness = LiveLoudness()
        #expect(loudness.reading == LoudnessMeter.Reading())
        try loudness.start(on: mix)
        let sound = noise(seconds: 5, seed: 1)
        var output: [[Float]] = [[], []]
        for second in 0..<5 {
            let part = sound.map { Array($0[second * 48_000..<(second + 1) * 48_000]) }
            for (side, samples) in driver.render(frames: 48_000, inputs: part).enumerated() {
                output[side] += samples
            }
            // No more than the recorder holds.
            let heard = offline(output)
            #expect(poll { loudness.reading == heard }, "\(loudness.reading), \(heard)")
        }
        try loudness.stop()
        #expect(loudness.reading == LoudnessMeter.Reading())
    }

    /// Not a bit of what is heard changes when the meter comes and goes.
    @Test func theMeterIsNotHeard() throws {
        let sound = noise(seconds: 1, seed: 2)
        func render(_ edit: (LiveLoudness, MixGraph, Int) throws -> Void) throws -> [[Float]] {
            let (mix, driver) = try mix()
            let loudness = LiveLoudness()
            var output: [[Float]] = [[], []]
            for step in 0..<100 {
                try edit(loudness, mix, step)
                let part = sound.map { Array($0[step * 480..<(step + 1) * 480]) }
                for (side, samples) in driver.render(frames: 480, inputs: part).enumerated() {
                    output[side] += samples
                }
                mix.graph.collect()
            }
            return output
        }
        let plain = try render { _, _, _ in }
        let measured = try render { loudness, mix, step in
            if step % 20 == 5 { try loudness.start(on: mix) }
            if step % 20 == 15 { try loudness.stop() }
        }
        #expect(plain == measured)
        #expect(plain[0].contains { $0 != 0 })
    }

    /// What is integrated survives the graph.
    @Test func anotherGraphGoesOn() throws {
        let (first, driver) = try mix()
        let loudness = LiveLoudness()
        try loudness.start(on: first)
        _ = driver.render(frames: 48_000, inputs: noise(seconds: 1, seed: 3))
        #expect(poll { loudness.reading.momentary != nil })
        let before = loudness.reading
        let (second, _) = try mix(rate: 96_000)
        try loudness.move(to: second)
        #expect(poll { loudness.reading.momentary == nil })
        #expect(loudness.reading.integrated == before.integrated)
        #expect(loudness.reading.truePeak == before.truePeak)
        try loudness.stop()
    }

    @Test func aLineForPeople() {
        #expect(
            LiveLoudness.line(LoudnessMeter.Reading(integrated: -14.04, truePeak: -1))
                == "loudness: now –, 3 s –, integrated -14.0 LUFS, true peak -1.0 dBTP")
    }
}
