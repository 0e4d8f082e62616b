@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// The compressor: its static curve, its times, and what it may not do to a sound.
@Suite struct CompressorTests {
    private func node(
        threshold: Double = -20, ratio: Double = 4, knee: Double = 0, attack: Double = 0.005,
        release: Double = 0.1, rate: Int = 48_000
    ) -> CompressorNode {
        let node = CompressorNode()
        (node.threshold, node.ratio, node.knee) = (Decibels(threshold), ratio, Decibels(knee))
        (node.attack, node.release) = (attack, release)
        return node
    }

    /// What equation 4 of the paper says, in dB.
    private func curve(_ level: Double, threshold: Double, ratio: Double, knee: Double) -> Double {
        let over = level - threshold
        if 2 * over < -knee { return level }
        if 2 * over <= knee, knee > 0 {
            let entered = over + knee / 2
            return level + (1 / ratio - 1) * entered * entered / (2 * knee)
        }
        return threshold + over / ratio
    }

    /// The gain at the end of `input`, in dB, measured over its last tenth of a second.
    private func gain(_ input: [Float], _ out: [Float], rate: Int) -> Double {
        10 * log10(Samples.power(out.suffix(rate / 10)) / Samples.power(input.suffix(rate / 10)))
    }

    /// A ramp of the threshold is heard as one: −20 dB at its end, in steps that nobody hears.
    @Test func rampsAreFollowed() throws {
        let node = node(threshold: 0, ratio: 20)
        let stage = try UnitStage(node)
        let input = Signal.sine(48_000, frequency: 1000, amplitude: 1)
        _ = try stage.render(Array(input.prefix(9600)), period: 256)
        try node.schedule(.threshold, to: -20, at: stage.graph.renderedFrames, ramp: 38_400)
        let out = try stage.render(input, period: 256)[0]
        let gains = stride(from: 0, to: 48_000, by: 480).map { place in
            10
                * log10(
                    Samples.power(out[place..<place + 480])
                        / Samples.power(input[place..<place + 480]))
        }
        #expect(abs(gains[40] + 9.5) < 1.5 && abs(gains[99] + 19) < 0.1, "\(gains)")
        #expect(zip(gains, gains.dropFirst()).allSatisfy { $1 - $0 < 0.05 && $0 - $1 < 0.6 })
    }

    /// Sines, a square wave and a constant, from −60 to +12 dBFS, within 0.02 dB.
    @Test(arguments: [(-20.0, 4.0, 0.0), (-30, 2, 12), (-10, 20, 24), (-40, 1.5, 6), (0, 8, 3)])
    func theStaticCurveIsThePapers(threshold: Double, ratio: Double, knee: Double) throws {
        let rate = 48_000
        for level in stride(from: -60.0, through: 12, by: 6) {
            let peak = pow(10, level / 20)
            let wanted =
                curve(level, threshold: threshold, ratio: ratio, knee: knee) - level
            // The attack of 5 ms is over after a tenth of a second.
            var sounds = [60.0, 3000].map {
                Signal.sine(rate / 5, frequency: $0, amplitude: peak)
            }
            sounds.append([Float](repeating: Float(peak), count: rate / 5))
            sounds.append(Signal.square(rate / 5, half: 100, amplitude: peak))
            for (number, sound) in sounds.enumerated() {
                let stage = try UnitStage(
                    node(threshold: threshold, ratio: ratio, knee: knee))
                let out = try stage.render(sound, period: 4096)[0]
                let found = gain(sound, out, rate: rate)
                #expect(abs(found - wanted) < 0.02, "\(level) dB, sound \(number): \(found)")
            }
        }
    }

    /// Below the knee every sample stays as it is.
    @Test func softSoundsAreUntouched() throws {
        let soft = Signal.noise(9600, seed: 1, amplitude: 0.09)
        let out = try UnitStage(node()).render(soft)
        #expect(firstDifference(out, [soft, soft]) == nil)
    }

    @Test func makeUpIsAdded() throws {
        let node = node()
        node.makeUp = Decibels(9)
        let soft = Signal.sine(9600, amplitude: 0.05)
        let out = try UnitStage(node).render(soft, period: 4096)[0]
        #expect(abs(gain(soft, out, rate: 48_000) - 9) < 0.01)
    }

    /// Frames from the step at `start` until 63.2 % of the dB from the first to the last gain are made.
    private func time(_ gains: [Double], from start: Int) -> Int {
        let (first, last) = (gains[start - 1], gains[gains.count - 1])
        let mark = first + (last - first) * (1 - exp(-1))
        let place = gains[start...].firstIndex { last < first ? $0 <= mark : $0 >= mark }
        return (place ?? gains.count) - start + 1
    }

    /// A level that steps up by 20 dB, and down again; of a constant within 1 % or a frame, of a sine
    /// (which reaches its peak a quarter of a wave late) within 5 %.
    @Test(arguments: [
        (44_100, [(0.005, 0.02), (0.02, 0.1), (0.2, 0.3)]), (96_000, [(0.005, 0.05), (0.1, 0.1)]),
    ])
    func timesAreTo63Percent(rate: Int, times: [(Double, Double)]) throws {
        for (attack, release) in times {
            let (quiet, loud) = (rate / 10, Int(10 * attack * Double(rate)) + rate / 10)
            let count = quiet + loud + Int(8 * release * Double(rate))
            func wave(_ frequency: Double, _ amplitude: Double) -> [Float] {
                frequency == 0
                    ? [Float](repeating: Float(amplitude), count: count)
                    : Signal.sine(
                        count, frequency: frequency, amplitude: amplitude, rate: Double(rate))
            }
            for frequency in [0.0, 3000] {
                let (soft, strong) = (wave(frequency, 0.05), wave(frequency, 0.5))
                let input = Array(
                    soft[..<quiet] + strong[quiet..<quiet + loud] + soft[(quiet + loud)...])
                let node = node(threshold: -30, attack: attack, release: release, rate: rate)
                let out = try UnitStage(node, sampleRate: rate).render(input, period: 4096)[0]
                // Where a sine is near 0 the gain is that of the frame before.
                let gains = Samples.gains(of: out, to: input, above: 0.01)
                let up = time(Array(gains[..<(quiet + loud)]), from: quiet)
                let down = time(gains, from: quiet + loud)
                let found = (Double(up) / Double(rate), Double(down) / Double(rate))
                func isWithin(_ found: Double, _ wanted: Double) -> Bool {
                    let limit =
                        frequency == 0 ? max(0.01 * wanted, 1.5 / Double(rate)) : 0.05 * wanted
                    return abs(found - wanted) < limit
                }
                #expect(isWithin(found.0, attack), "attack \(attack): \(found.0)")
                #expect(isWithin(found.1, release), "release \(release): \(found.1)")
            }
        }
    }

    /// A steady sine stays one: what is not it lies below −100 dB.
    @Test func aSteadySoundIsNotDistorted() throws {
        let sine = Signal.sine(28_800, frequency: 100, amplitude: 0.5)
        let out = try UnitStage(node(attack: 0.001, release: 0.02)).render(sine, period: 4096)[0]
        let ratio = Double(out[24_120] / sine[24_120])
        let rest = zip(out, sine).suffix(4800).map { Double($0) - ratio * Double($1) }
        let power = rest.map { $0 * $0 }.reduce(0, +) / 4800
        #expect(10 * log10(power) < -100)
    }

    /// The louder side sets the gain of both.
    @Test func bothSidesGetTheSameGain() throws {
        let (loud, soft) = (
            Signal.noise(9600, seed: 1), Signal.noise(9600, seed: 2, amplitude: 0.01)
        )
        for swap in [false, true] {
            let stage = try UnitStage(node(), channels: 2)
            let out = try stage.render(channels: swap ? [soft, loud] : [loud, soft])
            let alone = try UnitStage(node()).render(loud)[0]
            #expect(out[swap ? 1 : 0] == alone)
            for n in 4800..<9600 where abs(loud[n]) > 0.1 {
                let gain = alone[n] / loud[n]
                #expect(abs(out[swap ? 0 : 1][n] - soft[n] * gain) < 1e-6)
            }
        }
    }

    @Test func theReductionIsTold() throws {
        let node = node()
        let stage = try UnitStage(node)
        _ = try stage.render([Float](repeating: 1, count: 48_000))
        // 20 dB over the threshold become 5.
        #expect(abs(node.gainReduction.value + 15) < 0.01)
        #expect(try node.value(of: .gainReduction) == node.gainReduction.value)
        node.isBypassed = true
        #expect(node.gainReduction.value == 0)
    }

    /// After a loud sound the gain comes back, exactly, and the unit costs nothing.
    @Test func theReductionEnds() throws {
        let node = node(release: 0.2)
        node.makeUp = Decibels(6)
        let stage = try SilenceStage(node, loudFrames: 4800)
        _ = stage.render(4800)
        #expect(node.gainReduction.value < -5)
        #expect(stage.render(48_000 * 5).allSatisfy { $0 == 0 })
        #expect(node.gainReduction.value == 0 && stage.restsAt == 4800)
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberIsForgotten(bad: Float) throws {
        let clean = Signal.sine(9600, frequency: 440, amplitude: 0.25)
        let expected = try UnitStage(node()).render(clean)[0]
        for channels in [[bad, 0.1], [0.1, bad], [bad, bad]] {
            let stage = try UnitStage(node(), channels: 2)
            let out = try stage.render(
                channels: channels.map { [Float](repeating: $0, count: 100) + clean })
            for side in out {
                #expect(Samples.peak(side[100...]) < 0.26)
                #expect(Samples.largestDifference(side[4900...], expected[4800...]) < 1e-4)
            }
        }
    }

    @Test func valuesAreBounded() {
        let node = CompressorNode()
        (node.threshold, node.ratio, node.knee) = (Decibels(6), 100, Decibels(-1))
        (node.attack, node.release, node.makeUp) = (0, 9, Decibels(50))
        #expect(node.threshold.value == 0 && node.ratio == 20 && node.knee.value == 0)
        #expect(node.attack == 0.0001 && node.release == 2 && node.makeUp.value == 18)
        (node.threshold, node.ratio, node.knee) = (Decibels(.nan), .nan, Decibels(.nan))
        (node.attack, node.release, node.makeUp) = (.nan, .nan, Decibels(.nan))
        #expect(node.threshold.value == -20 && node.ratio == 3 && node.knee.value == 6)
        #expect(node.attack == 0.005 && node.release == 0.1 && node.makeUp.value == 0)
    }
}
