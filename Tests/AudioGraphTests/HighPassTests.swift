@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// The high-pass: what it takes away, at once and for hours, and what it leaves.
@Suite struct HighPassTests {
    private static let rates = [44_100, 48_000, 96_000, 192_000]

    private func stage(
        _ slope: FilterSlope, frequency: Double, rate: Int = 48_000, channels: Int = 1
    ) throws -> UnitStage {
        let node = HighPassNode()
        (node.slope, node.frequency) = (slope, frequency)
        return try UnitStage(node, sampleRate: rate, channels: channels)
    }

    private func impulse(_ frames: Int) -> [Float] {
        [1] + [Float](repeating: 0, count: frames - 1)
    }

    /// Butterworth: |H|² = r^2n/(1 + r^2n) with n = 2 or 4, within 0.1 dB from two octaves below up
    /// to 18 kHz.
    @Test(arguments: rates, FilterSlope.allCases)
    func theResponseIsButterworths(rate: Int, slope: FilterSlope) throws {
        let order = slope == .gentle ? 2.0 : 4.0
        for frequency in [20.0, 80, 300, 2000] {
            let stage = try stage(slope, frequency: frequency, rate: rate)
            // After 6/f what sounds on is below −100 dB.
            let out = try stage.render(impulse(6 * rate / Int(frequency)), period: 4096)[0]
            let places = Spectrum.frequencies(frequency / 4, 18_000, count: 20) + [frequency]
            let found = Spectrum.decibels(of: out, at: places, rate: rate)
            for (place, decibels) in zip(places, found) {
                let power = pow(place / frequency, 2 * order)
                let wanted = 10 * log10(power / (1 + power))
                #expect(abs(decibels - wanted) < 0.1, "\(frequency) Hz at \(place): \(decibels)")
            }
            // Nothing waits for a later frame.
            #expect(out[0] > 0.6)
        }
    }

    @Test func bothSidesAreFilteredApart() throws {
        let (left, right) = (Signal.noise(900, seed: 1), Signal.noise(900, seed: 2))
        let both = try stage(.steep, frequency: 300, channels: 2).render(channels: [left, right])
        #expect(both[0] == (try stage(.steep, frequency: 300).render(left)[0]))
        #expect(both[1] == (try stage(.steep, frequency: 300).render(right)[0]))
    }

    @Test func aConstantPartGoes() throws {
        let sine = Signal.sine(24_000, frequency: 20, amplitude: 0.2, rate: 8000).map { $0 + 0.5 }
        let out = try stage(.steep, frequency: 20, rate: 8000).render(sine, period: 4096)[0]
        #expect(abs(out.suffix(8000).reduce(0, +) / 8000) < 1e-6)
    }

    /// After a loud sound the filters come to exact silence, without denormals, and cost nothing.
    @Test func whatSoundsOnEnds() throws {
        let node = HighPassNode()
        (node.slope, node.frequency) = (.steep, 20)
        let stage = try SilenceStage(node, loudFrames: 4800)
        _ = stage.render(4800)
        let rest = stage.render(60_000)
        #expect(rest.contains { $0 != 0 })
        #expect(rest.allSatisfy { $0 == 0 || abs($0) >= Float.leastNormalMagnitude })
        let restsAt = try #require(stage.restsAt)
        // e^(−t/τ), τ = 1/(2π·20 Hz·0.383), to 10⁻¹⁰.
        #expect((4800..<4800 + 48_000).contains(restsAt), "\(restsAt)")
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberIsForgotten(bad: Float) throws {
        let clean = Signal.sine(6000, frequency: 440, amplitude: 0.25)
        let expected = try stage(.steep, frequency: 300).render(clean)[0]
        let out = try stage(.steep, frequency: 300).render(
            [Float](repeating: bad, count: 100) + clean)[0]
        // The filters look for such samples every 64 frames.
        #expect(Samples.peak(out[164...]) < 2)
        #expect(Samples.largestDifference(out[3100...], expected[3000...]) < 1e-5)
    }

    @Test func valuesAreBounded() {
        let node = HighPassNode()
        #expect(node.frequency == 80 && node.slope == .gentle)
        node.frequency = 5
        #expect(node.frequency == 20)
        node.frequency = .infinity
        #expect(node.frequency == 2000)
        node.frequency = .nan
        #expect(node.frequency == 80)
    }
}
