@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// Units that remember what they heard: a second that is played again and again stays the same.
@Suite struct DriftTests {
    /// A unit at its rate, the second that is played, and by how much two seconds may differ.
    struct Case: CustomTestStringConvertible, Sendable {
        let rate: Int
        let allowed: Float
        let makeUnit: @Sendable (_ rate: Int) -> AudioNode
        let sample: @Sendable (_ frame: Int) -> Double

        var testDescription: String { makeUnit(rate).name }

        /// By how much a second differs from that after ten seconds when `seconds` more have passed.
        func drift(seconds: Int) throws -> Float {
            let stage = try UnitStage(makeUnit(rate), sampleRate: rate)
            let renderer = try OfflineRenderer(stage.graph, period: 4096)
            let second = (0..<rate).map { Float(sample($0)) }
            func last(of count: Int) -> [Float] {
                for _ in 1..<count { _ = renderer.render(frames: rate, inputs: [second]) }
                return renderer.render(frames: rate, inputs: [second])[0]
            }
            let early = last(of: 11)
            #expect(Samples.peak(early) > 0.01)
            return Samples.largestDifference(early, last(of: seconds))
        }
    }

    static let cases = [
        // What these remember is a level: to the bit.
        Case(
            rate: 8000, allowed: 0, makeUnit: { _ in CompressorNode() },
            sample: { sin(Double($0) / 3) * ($0 < 4000 ? 0.5 : 0.02) }),
        Case(
            rate: 8000, allowed: 0, makeUnit: { _ in GateNode() },
            sample: { sin(Double($0) / 3) * ($0 < 2000 ? 0.5 : 0.0001) }),
        Case(
            rate: 16_000, allowed: 1e-7, makeUnit: { _ in DeEsserNode() },
            sample: { sin(Double($0) * ($0 < 4000 ? 2.7 : 0.1)) * ($0 < 8000 ? 0.5 : 0) + 0.01 }),
        // With a constant part, which an integrator that leaks or winds up would show.
        Case(
            rate: 8000, allowed: 1e-7,
            makeUnit: { rate in
                let equalizer = EqualizerNode()
                for band in equalizer.bands { band.gain = Decibels(12) }
                return equalizer
            }, sample: { 0.2 * sin(2 * .pi * 20 * Double($0) / 8000) + 0.05 }),
        Case(
            rate: 8000, allowed: 1e-7,
            makeUnit: { rate in
                let highPass = HighPassNode()
                (highPass.slope, highPass.frequency) = (.steep, 20)
                return highPass
            }, sample: { 0.2 * sin(2 * .pi * 20 * Double($0) / 8000) + 0.5 }),
        Case(
            rate: 8000, allowed: 1e-6, makeUnit: { _ in ReverbNode() },
            sample: { 0.5 * sin(0.37 * Double($0 * $0)) }),
    ]

    @Test(arguments: cases) func nothingDriftsInTwentySeconds(_ each: Case) throws {
        let drift = try each.drift(seconds: 20)
        #expect(drift <= each.allowed, "\(drift)")
    }

    /// So it is after 10 hours.
    @Test(.optimizedBuild, arguments: cases) func nothingDriftsInTwentyMinutes(_ each: Case) throws
    {
        let drift = try each.drift(seconds: 1200)
        #expect(drift <= each.allowed, "\(drift)")
    }
}
