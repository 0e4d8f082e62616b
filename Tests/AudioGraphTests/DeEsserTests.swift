@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// The de-esser: what it takes off sibilants, and that it leaves vowels.
@Suite struct DeEsserTests {
    private func decibels(_ samples: some Collection<Float>) -> Double {
        10 * log10(max(Samples.power(samples), 1e-30))
    }

    /// By how many dB the defaults make a sound softer.
    private func loss(_ sound: [Float], rate: Int = 48_000) throws -> Double {
        let out = try UnitStage(DeEsserNode(), sampleRate: rate).render(
            sound, period: 256)[0]
        return decibels(sound) - decibels(out)
    }

    /// A ramp of the depth is followed, not taken in one step.
    @Test func rampsAreFollowed() throws {
        let node = DeEsserNode()
        node.depth = Decibels(0)
        let stage = try UnitStage(node)
        let sound = Signal.sine(57_600, frequency: 7000, amplitude: 0.3)
        _ = try stage.render(Array(sound.prefix(9600)), period: 256)
        try node.schedule(.depth, to: -12, at: stage.graph.renderedFrames, ramp: 48_000)
        let out = try stage.render(sound, period: 256)[0]
        let losses = stride(from: 0, to: 57_600, by: 960).map {
            decibels(sound[$0..<$0 + 960]) - decibels(out[$0..<$0 + 960])
        }
        #expect(losses[2] < 2 && losses[25] > 2 && losses[25] < 6 && losses[59] > 6, "\(losses)")
        #expect(zip(losses, losses.dropFirst()).allSatisfy { abs($1 - $0) < 1 })
    }

    /// 7 kHz for 20 to 200 ms, soft and loud, after silence.
    @Test(arguments: [44_100, 48_000, 96_000])
    func aBurstLosesSixDecibels(rate: Int) throws {
        for milliseconds in [20, 50, 200] {
            for level in [-50.0, -20, 0] {
                let silence = [Float](repeating: 0, count: rate / 50)
                let burst = Signal.sine(
                    milliseconds * rate / 1000, frequency: 7000, amplitude: pow(10, level / 20),
                    rate: Double(rate))
                let found = try loss(silence + burst + silence, rate: rate)
                #expect(found >= 6 && found < 10, "\(milliseconds) ms at \(level): \(found)")
            }
        }
    }

    /// A burst in the middle of a vowel is turned down as well, and the vowel is not.
    @Test func aBurstAfterAVowelLosesSixDecibels() throws {
        let vowel = Vowel(pitch: 147, formants: Vowel.formants[0]).samples(24_000).map { $0 * 0.5 }
        let burst = Signal.sine(9600, frequency: 7000, amplitude: 0.1)
        let sound = vowel + burst + vowel
        let out = try UnitStage(DeEsserNode()).render(sound, period: 256)[0]
        // 15 ms after the vowel, which was 14 dB louder.
        let late = 24_000 + 720
        #expect(decibels(sound[late..<33_600]) - decibels(out[late..<33_600]) > 6)
        let after = 33_600 + 4800
        #expect(abs(decibels(sound[after...]) - decibels(out[after...])) < 0.1)
    }

    /// As a whole, and what of them lies between 2 and 10 kHz.
    @Test(arguments: [82.0, 147, 330, 660])
    func aVowelLosesLessThanHalfADecibel(pitch: Double) throws {
        for (number, formants) in Vowel.formants.enumerated() {
            let sung = Vowel(pitch: pitch, formants: formants).samples(9600)
            for level in [0.03, 0.3] as [Float] {
                let vowel = sung.map { $0 * level }
                let out = try UnitStage(DeEsserNode()).render(
                    vowel, period: 256)[0]
                #expect(abs(decibels(vowel) - decibels(out)) < 0.05, "vowel \(number)")
                let rest = zip(vowel, out).map { $0 - $1 }
                // The difference is small beside the band itself, not only beside the whole.
                let node = HighPassNode()
                (node.frequency, node.slope) = (2000, .steep)
                let band = try UnitStage(node).render(vowel, period: 256)[0]
                #expect(decibels(rest) - decibels(band) < -25, "vowel \(number)")
            }
        }
    }

    /// √((1 + g²r⁴)/(1 + r⁴)) at r times the frequency, as the filter warps it.
    @Test func theShelfIsAsItsFormulaSays() throws {
        for (frequency, depth) in [(3000.0, 6.0), (4500, 12), (6000, 24)] {
            for tone in [frequency, 1.5 * frequency, 14_000] {
                let node = DeEsserNode()
                (node.frequency, node.depth) = (frequency, Decibels(-depth))
                node.threshold = Decibels(-20)
                let sine = Signal.sine(24_000, frequency: tone, amplitude: 0.3)
                let out = try UnitStage(node).render(sine, period: 256)[0]
                let found = decibels(out[19_200...]) - decibels(sine[19_200...])
                let r = tan(.pi * tone / 48_000) / tan(.pi * frequency / 48_000)
                let g = pow(10, node.gainReduction.value / 20)
                let wanted = 10 * log10((1 + g * g * pow(r, 4)) / (1 + pow(r, 4)))
                #expect(abs(found - wanted) < 0.05, "\(frequency) \(tone): \(found) \(wanted)")
                // Beyond the threshold as many dB as the part above the frequency is too loud.
                let part = 10 * log10(pow(r, 4) / (1 + pow(r, 4)))
                #expect(abs(node.gainReduction.value + min(depth, 20 + part)) < 0.2)
            }
        }
    }

    /// Both sides are turned down where one is sharp.
    @Test func bothSidesGetTheSameGain() throws {
        let sharp = Signal.sine(24_000, frequency: 9000, amplitude: 0.5)
        let other = Signal.sine(24_000, frequency: 9100, amplitude: 0.01)
        let out = try UnitStage(DeEsserNode(), channels: 2).render(
            channels: [sharp, other])
        func loss(_ side: Int, _ input: [Float]) -> Double {
            decibels(input[12_000...]) - decibels(out[side][12_000...])
        }
        #expect(abs(loss(0, sharp) - loss(1, other)) < 0.1 && loss(1, other) > 8)
    }

    /// Without sibilants every sample stays as it is.
    @Test func otherSoundsAreUntouched() throws {
        let sine = Signal.sine(48_000, frequency: 300, amplitude: 0.5)
        let node = DeEsserNode()
        let out = try UnitStage(node).render(sine, period: 256)[0]
        // The beginning of a sine is sharp, and what was taken off it comes back in 40 ms.
        #expect(firstDifference([Array(out[36_000...])], [Array(sine[36_000...])]) == nil)
        #expect(node.gainReduction.value == 0)
    }

    /// After a loud sound what sounds on comes to exact silence, without denormals, and costs nothing.
    @Test func whatSoundsOnEnds() throws {
        let node = DeEsserNode()
        let stage = try SilenceStage(node, loudFrames: 4800)
        _ = stage.render(4800)
        let rest = stage.render(96_000)
        #expect(rest.allSatisfy { $0 == 0 || abs($0) >= Float.leastNormalMagnitude })
        let restsAt = try #require(stage.restsAt)
        #expect((4800..<48_000).contains(restsAt), "\(restsAt)")
        #expect(rest[(restsAt - 4800)...].allSatisfy { $0 == 0 } && node.gainReduction.value == 0)
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberIsForgotten(bad: Float) throws {
        let clean = Signal.sine(48_000, frequency: 440, amplitude: 0.25)
        for channels in [[bad, 0.1], [0.1, bad], [bad, bad]] {
            let out = try UnitStage(DeEsserNode(), channels: 2).render(
                channels: channels.map { [Float](repeating: $0, count: 100) + clean })
            for side in out {
                #expect(Samples.peak(side[100...]) < 0.3)
                #expect(firstDifference([Array(side[40_100...])], [Array(clean[40_000...])]) == nil)
            }
        }
    }

    @Test func valuesAreBounded() {
        let node = DeEsserNode()
        (node.frequency, node.threshold, node.depth) = (1, Decibels(6), Decibels(-90))
        #expect(node.frequency == 2000 && node.threshold.value == 0 && node.depth.value == -24)
        (node.frequency, node.threshold, node.depth) = (.nan, Decibels(.nan), Decibels(.nan))
        #expect(node.frequency == 4500 && node.threshold.value == -12)
        #expect(node.depth.value == -12)
    }
}
