@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// What an equalizer may not do to a sound: noise, drift, denormals, numbers that are none.
@Suite struct EqualizerSoundTests {
    /// A filter computed in Double by its difference equation, in another form than the kernel's.
    private func reference(_ c: FilterCoefficients, _ input: [Float]) -> [Double] {
        let lanes = c.floats.map(Double.init)
        let (g, k, m0, m1, m2) = (lanes[0], lanes[1], lanes[2], lanes[3], lanes[4])
        let scale = 1 + k * g + g * g
        let (a1, a2) = (2 * (g * g - 1) / scale, (1 - k * g + g * g) / scale)
        let b0 = m0 + (m1 * g + m2 * g * g) / scale
        let b1 = m0 * a1 + 2 * m2 * g * g / scale
        let b2 = m0 * a2 + (m2 * g * g - m1 * g) / scale
        var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
        var out: [Double] = []
        out.reserveCapacity(input.count)
        for sample in input {
            let x = Double(sample)
            let y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
            (x2, x1, y2, y1) = (x1, x, y1, y)
            out.append(y)
        }
        return out
    }

    /// The difference from a filter in Double is below −128 dBFS: at 31 Hz and 192 kHz the direct
    /// forms in Float reach −5 to −42.
    @Test func theNoiseIsBelow128Decibels() throws {
        let equalizer = EqualizerNode()
        let filter = equalizer.filters[0]
        filter.kind = .peak
        filter.frequency = 31.25
        filter.gain = Decibels(12)
        let stage = try UnitStage(equalizer, sampleRate: 192_000)
        let sine = Signal.sine(96_000, frequency: 31.25, amplitude: 0.2, rate: 192_000)
        let input = zip(sine, Signal.noise(96_000, seed: 12, amplitude: 0.02)).map { $0 + $1 }
        let out = try stage.render(input, period: 4096)[0]
        let exact = reference(
            FilterDesign.coefficients(
                .peak, frequency: 31.25, gain: 12, q: 1, sampleRate: 192_000), input)
        let power = zip(out, exact).map { (Double($0) - $1) * (Double($0) - $1) }.reduce(0, +)
        let noise = 10 * log10(power / Double(out.count))
        #expect(out.max()! > 0.75)
        #expect(noise < -145, "\(noise)")
    }

    /// After a loud sound the filters ring out to exact silence, without denormals, and cost nothing.
    @Test func whatSoundsOnEnds() throws {
        let equalizer = EqualizerNode()
        for band in equalizer.bands { band.gain = Decibels(12) }
        equalizer.filters[0].kind = .peak
        equalizer.filters[0].frequency = 100
        equalizer.filters[0].gain = Decibels(12)
        equalizer.filters[0].q = 10
        let stage = try SilenceStage(equalizer, loudFrames: 4800)
        let loud = stage.render(9600)
        #expect(stage.restsAt == nil && loud.map(abs).max()! > 1)
        let rest = stage.render(100_000)
        #expect(rest.allSatisfy { $0 == 0 || abs($0) >= Float.leastNormalMagnitude })
        let restsAt = try #require(stage.restsAt)
        // e^(−t/τ), τ = 20/(π·100 Hz), from about 1 to 10⁻¹⁰.
        #expect((48_000..<48_000 * 9 / 5).contains(restsAt), "\(restsAt)")
        #expect(rest[(restsAt - 9600)...].allSatisfy { $0 == 0 })
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberIsForgotten(bad: Float) throws {
        let equalizer = EqualizerNode()
        try equalizer.use(preset: "Rock")
        let stage = try UnitStage(equalizer)
        let clean = Signal.sine(9600, frequency: 440, amplitude: 0.25)
        let expected = try UnitStage(equalizer.copy()).render(clean)[0]
        let out = try stage.render([Float](repeating: bad, count: 100) + clean)[0]
        // The filters look for such samples every 64 frames.
        #expect(Samples.peak(out[164...]) < 2)
        #expect(Samples.largestDifference(out[4900...], expected[4800...]) < 1e-5)
    }

    /// Every kind becomes every other, at the same and at another frequency, while a sine plays.
    @Test func aChangeOfKindDoesNotClick() throws {
        let equalizer = EqualizerNode()
        let filter = equalizer.filters[0]
        (filter.gain, filter.frequency) = (Decibels(12), 200)
        let stage = try UnitStage(equalizer)
        let kinds = FilterKind.allCases
        let changes = kinds.flatMap { old in kinds.flatMap { [old, $0] } }
        // Twice the 480 frames that a change takes.
        let sine = Signal.sine(960 * changes.count, frequency: 100, amplitude: 0.2)
        let out = try stage.render(sine, period: 48) { frame in
            guard frame % 960 == 0 else { return }
            filter.kind = changes[frame / 960]
            filter.frequency = [200, 100, 5000][frame / 960 % 3]
        }[0]
        // A boost of 12 dB makes 0.8 of 0.2. At once it would come by steps of 0.3 and more.
        let step = Samples.largestStep(out)
        #expect(step < 0.035, "\(step)")
    }
}

extension EqualizerNode {
    /// Another with the same faders.
    fileprivate func copy() -> EqualizerNode {
        let other = EqualizerNode()
        for (mine, its) in zip(bands, other.bands) { its.gain = mine.gain }
        other.gain = gain
        return other
    }
}
