import Foundation
import TestSupport
import Testing

@testable import AudioMedia

@Suite struct ResamplerTests {
    @Test func equalRatesPassBitForBit() {
        var random = SeededRandom(seed: 4)
        let frames = (0..<5000).map { _ in Float.random(in: -2...2, using: &random) }
        let same = convert(frames, from: 48_000, to: 48_000, block: 333) == frames
        #expect(same)
    }

    @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (8000, 48_000), (22_050, 96_000)])
    func sineStaysASine(from: Int, to: Int) {
        let count = from * 2 + 17
        let frequency = 997.0
        func sine(_ n: Int, _ rate: Int) -> Double {
            0.5 * sin(2 * .pi * frequency * Double(n) / Double(rate))
        }
        let frames = (0..<count).flatMap { [Float(sine($0, from)), Float(-sine($0, from))] }
        let made = convert(frames, from: from, to: to, block: 1152)
        let expected = Int((Double(count) * Double(to) / Double(from)).rounded())
        #expect(abs(made.count / 2 - expected) <= 1)
        // The sine has the same phase and amplitude: no delay and no gain, away from the ends.
        var (signal, noise) = (0.0, 0.0)
        for n in (to / 2)..<(to * 3 / 2) {
            let wanted = sine(n, to)
            signal += wanted * wanted
            noise += pow(Double(made[2 * n]) - wanted, 2)
            #expect(made[2 * n + 1] == -made[2 * n])
        }
        #expect(10 * log10(signal / noise) > 100)
    }

    @Test func blocksDoNotMatter() {
        var random = SeededRandom(seed: 6)
        let frames = (0..<6000).map { _ in Float.random(in: -1...1, using: &random) }
        let whole = convert(frames, from: 44_100, to: 48_000, block: 3000)
        for block in [1, 77, 1152] {
            let same = convert(frames, from: 44_100, to: 48_000, block: block) == whole
            #expect(same)
        }
    }
}
