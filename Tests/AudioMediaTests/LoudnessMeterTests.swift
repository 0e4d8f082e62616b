import CEbur128
import Glibc
import TestSupport
import Testing

@testable import AudioMedia

/// Loudness and true peak of signals for which both are known.
@Suite struct LoudnessMeterTests {
    /// `seconds` of a sine on both sides, with a peak of `level` dBFS.
    private static func sine(
        _ level: Double, hertz: Double = 997, seconds: Double, rate: Int = 48_000,
        phase: Double = 0
    ) -> [[Float]] {
        let side = (0..<Int(seconds * Double(rate))).map { frame in
            Float(
                pow(10, level / 20)
                    * sin(2 * .pi * hertz * Double(frame) / Double(rate) + phase))
        }
        return [side, side]
    }

    private static func measure(
        _ parts: [[[Float]]], rate: Int = 48_000, block: Int = 4096
    ) -> LoudnessMeter.Reading {
        let meter = LoudnessMeter(sampleRate: rate)
        for part in parts {
            for start in stride(from: 0, to: part[0].count, by: block) {
                meter.add(part.map { Array($0[start..<min(start + block, $0.count)]) })
            }
        }
        return meter.reading
    }

    private static func isNear(_ value: Double?, _ expected: Double) -> Bool {
        value.map { abs($0 - expected) <= 0.1 } ?? false
    }

    /// EBU Tech 3341, cases 1 and 2, at several rates.
    @Test(arguments: [-23.0, -33], [8000, 44_100, 48_000, 192_000])
    func aSineIsAsLoudAsItsPeak(level: Double, rate: Int) {
        let reading = Self.measure([Self.sine(level, seconds: 4, rate: rate)], rate: rate)
        for value in [reading.momentary, reading.shortTerm, reading.integrated, reading.truePeak] {
            #expect(Self.isNear(value, level), "\(reading)")
        }
    }

    /// EBU Tech 3341, cases 3 and 4, shortened: quiet parts do not count.
    @Test(arguments: [[-36.0, -23, -36], [-72, -36, -23, -36, -72]])
    func theGateLeavesQuietPartsOut(levels: [Double]) {
        let parts = levels.map { Self.sine($0, seconds: $0 == -23 ? 30 : 5) }
        #expect(Self.isNear(Self.measure(parts).integrated, -23))
    }

    /// EBU Tech 3341, case 15: at a quarter of the rate, no sample is at the peak.
    @Test func aPeakBetweenSamplesIsFound() throws {
        let signal = Self.sine(-6, hertz: 12_000, seconds: 1, phase: .pi / 4)
        #expect(signal[0].map(abs).max()! < 0.36)
        let peak = try #require(Self.measure([signal]).truePeak)
        #expect((-6.4 ... -5.8).contains(peak), "\(peak)")
    }

    /// What libebur128 finds where it gets all frames, in dBTP.
    private static func truePeak(_ sides: [[Float]], rate: Int) -> Double {
        var state = ebur128_init(2, UInt(rate), Int32(EBUR128_MODE_TRUE_PEAK.rawValue))
        defer { ebur128_destroy(&state) }
        let samples = zip(sides[0], sides[1]).flatMap { [$0, $1] }
        ebur128_add_frames_float(state, samples, sides[0].count)
        return (0..<2).map { side in
            var peak = 0.0
            ebur128_true_peak(state, UInt32(side), &peak)
            return 20 * log10(peak)
        }.max()!
    }

    /// A tone at half the rate that turns round has the highest peak between its samples that there is:
    /// 1.86 times as high below 96 kHz, 2.31 times from there on. A little below that peak lies the sine
    /// before it.
    @Test(arguments: [(44_100, 1.85), (48_000, 1.85), (96_000, 2.29), (192_000, 0.9)])
    func theHighestPeakBetweenSamplesIsFound(rate: Int, before: Float) throws {
        let turning = (0..<48).map { Float(($0 % 2 == 0) == ($0 < 24) ? 0.2 : -0.2) }
        let sine = (0..<1000).map { 0.2 * before * sin(2 * .pi * Float($0) / 1000) }
        func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
        for gap in stride(from: 0, to: 64, by: 7) {
            let side = sine + silence(100 + gap) + turning + silence(100)
            let sides = [side, silence(side.count)]
            let expected = Self.truePeak(sides, rate: rate)
            #expect(expected > 20 * log10(Double(0.2 * before)))
            for block in [.max / 2, 50] {
                let peak = try #require(Self.measure([sides], rate: rate, block: block).truePeak)
                #expect(peak == expected, "\(gap), \(block)")
            }
        }
    }

    /// Noise whose level goes up and down, on each side by itself.
    @Test(arguments: [8000, 44_100, 96_000, 176_400, 192_000])
    func theTruePeakIsThatOfAllFrames(rate: Int) throws {
        var random = SeededRandom(seed: UInt64(rate))
        for _ in 0..<20 {
            let sides = (0..<2).map { _ in
                (0..<20).flatMap { _ in
                    let level = Float.random(in: 0...1, using: &random)
                    let smooth = Float.random(in: 0...1, using: &random)
                    var last: Float = 0
                    return (0..<100).map { _ in
                        last =
                            smooth * last
                            + (1 - smooth) * Float.random(in: -level...level, using: &random)
                        return last
                    }
                }
            }
            let expected = Self.truePeak(sides, rate: rate)
            for block in [.max / 2, 333, 7] {
                let peak = try #require(Self.measure([sides], rate: rate, block: block).truePeak)
                #expect(peak == expected, "\(block)")
            }
        }
    }

    @Test func theLouderSideHasThePeak() {
        let side = Self.sine(-20, seconds: 1)[0]
        let quiet = side.map { $0 / 10 }
        for sides in [[side, quiet], [quiet, side]] {
            #expect(Self.isNear(Self.measure([sides]).truePeak, -20))
        }
    }

    @Test func blocksDoNotMatter() {
        let signal = Self.sine(-18, seconds: 3.5)
        let whole = Self.measure([signal], block: .max / 2)
        for block in [1000, 4096] { #expect(Self.measure([signal], block: block) == whole) }
    }

    @Test func whatIsNotKnownYetIsNil() {
        let signal = Self.sine(-23, seconds: 0.3)
        let short = Self.measure([signal])
        #expect(short.momentary == nil && short.shortTerm == nil && short.integrated == nil)
        #expect(Self.isNear(short.truePeak, -23))
        let longer = Self.measure([Self.sine(-23, seconds: 2)])
        #expect(longer.momentary != nil && longer.shortTerm == nil && longer.integrated != nil)
        #expect(Self.measure([]) == LoudnessMeter.Reading())
    }

    /// What is integrated goes on; the last seconds begin anew.
    @Test func theRateMayChange() {
        let meter = LoudnessMeter(sampleRate: 48_000)
        meter.add(Self.sine(-10, seconds: 4))
        meter.change(sampleRate: 96_000)
        meter.add(Self.sine(-30, seconds: 0.3, rate: 96_000))
        let reading = meter.reading
        #expect(reading.momentary == nil && reading.shortTerm == nil)
        #expect(Self.isNear(reading.integrated, -10) && Self.isNear(reading.truePeak, -10))
        meter.add(Self.sine(-30, seconds: 3, rate: 96_000))
        #expect(Self.isNear(meter.reading.momentary, -30))
        #expect(Self.isNear(meter.reading.shortTerm, -30))
        #expect(Self.isNear(meter.reading.integrated, -10))
    }

    @Test func silenceHasNoLoudness() {
        let silence = [[Float]](repeating: [Float](repeating: 0, count: 4 * 48_000), count: 2)
        #expect(Self.measure([silence]) == LoudnessMeter.Reading())
    }
}
