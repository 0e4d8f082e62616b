@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// The gate: when it opens and closes, and that a tone which dies away closes it once.
@Suite struct GateTests {
    private let rate = 48_000

    /// A gate that takes 40 dB away, between −30 and −36 dBFS.
    private func node() -> GateNode {
        let node = GateNode()
        (node.threshold, node.hysteresis, node.depth) = (Decibels(-30), Decibels(6), Decibels(-40))
        (node.attack, node.hold, node.release) = (0.002, 0.05, 0.1)
        return node
    }

    private func level(_ decibels: Double) -> Float { Float(pow(10, decibels / 20)) }

    /// A constant of so many dBFS for so many frames, one after the other.
    private func steps(_ parts: [(decibels: Double, count: Int)]) -> [Float] {
        parts.flatMap { [Float](repeating: level($0.decibels), count: $0.count) }
    }

    /// The gain of every frame, in dB.
    private func gains(_ input: [Float], _ node: GateNode) throws -> [Double] {
        let out = try UnitStage(node).render(input, period: 256)[0]
        return Samples.gains(of: out, to: input)
    }

    @Test func softSoundsAreTurnedDownAndLoudOnesNot() throws {
        let soft = steps([(-31, 4800)])
        #expect(try gains(soft, node()).allSatisfy { abs($0 + 40) < 0.001 })
        let loud = steps([(-29, 9600)])
        let found = try gains(loud, node())
        #expect(found[4800...].allSatisfy { $0 == 0 })
        // 63 % of the 40 dB after 2 ms.
        #expect(abs(found[95] + 40 * exp(-1)) < 0.01)
    }

    /// A value that moves is followed: the depth of a closed gate, in the middle of a ramp.
    @Test func rampsAreFollowed() throws {
        let node = node()
        let stage = try UnitStage(node)
        let input = steps([(-60, 9600)])
        _ = try stage.render(input, period: 256)
        try node.schedule(.depth, to: 0, at: stage.graph.renderedFrames, ramp: 48_000)
        let out = try stage.render(steps([(-60, 48_000)]), period: 256)[0]
        let found = Samples.gains(of: out, to: steps([(-60, 48_000)]))
        #expect(found[4800] < -30 && found[24_000] < -5 && found[24_000] > -35)
        #expect(zip(found, found.dropFirst()).allSatisfy { $1 - $0 < 0.1 })
        // The gate follows by its own times.
        #expect(abs(found[47_999]) < 3)
    }

    /// Once open it stays open down to the lower threshold, and as long as `hold` says below it.
    @Test func itClosesLaterThanItOpens() throws {
        let input = steps([(-29, 4800), (-35, 24_000), (-37, 24_000)])
        let found = try gains(input, node())
        let end = 4800 + 24_000
        // The last frame that is loud enough is `end` − 1.
        let closes = end - 1 + 2400
        #expect(found[2400..<closes].allSatisfy { $0 > -0.001 })
        #expect(found[closes] < -0.001)
        let falls: Double = 40 * (1 - exp(-1))
        #expect(abs(found[closes + 4799] + falls) < 0.01)
        #expect(abs(found.last! + 40) < 0.5)
        // It would not open at that level.
        #expect(try gains(steps([(-35, 4800)]), node()).allSatisfy { $0 < -39 })
    }

    /// A soft part shorter than `hold` does not close it.
    @Test func holdBridgesGaps() throws {
        let part = steps([(-20, 2000), (-60, 2399)])
        let found = try gains(part + part + part + steps([(-20, 2000)]), node())
        #expect(found[1500...].allSatisfy { $0 > -0.001 })
    }

    /// What counts is the time below the lower threshold without a break.
    @Test func softPartsDoNotAddUp() throws {
        let part = steps([(-35, 960), (-50, 1440)])
        let found = try gains(steps([(-20, 2400)]) + part + part + part + part, node())
        #expect(found[2000...].allSatisfy { $0 > -0.001 })
    }

    /// After a reset it is closed, however loud it was before.
    @Test func aResetClosesIt() throws {
        let stage = try UnitStage(node())
        _ = try stage.render(steps([(-10, 4800)]))
        stage.graph.reset()
        let soft = steps([(-33, 480)])
        let out = try stage.render(soft)[0]
        #expect(zip(soft, out).allSatisfy { abs(20 * log10(Double($1 / $0)) + 40) < 0.001 })
    }

    /// Vowels from 82 to 880 Hz that die away in 0.5 to 4 s, with vibrato, with a tremolo of 3 dB,
    /// with noise: the gate opens once, and from the moment on at which it closes the gain only falls.
    @Test(.optimizedBuild, arguments: [82.0, 147, 330, 880], [0.5, 1.5, 4])
    func everyVowelThatDiesAwayClosesItOnce(pitch: Double, fall: Double) throws {
        try checkVowels(0..<5, pitch: pitch, fall: fall, part: 0..<1)
    }

    /// The slower it falls, the more often the tremolo makes it louder again.
    @Test(arguments: [(82.0, 1.5), (330, 4), (880, 4)])
    func aVowelThatDiesAwayClosesItOnce(pitch: Double, fall: Double) throws {
        // From −18 dBFS, above the threshold, to −48.
        try checkVowels(0..<2, pitch: pitch, fall: fall, part: 0.2..<0.7)
    }

    /// Of each vowel the `part` of its fall, which is 0..<1 in all.
    private func checkVowels(
        _ numbers: Range<Int>, pitch: Double, fall: Double, part: Range<Double>
    ) throws {
        let start = part.lowerBound * fall
        let count = Int((part.upperBound - part.lowerBound) * fall * Double(rate))
        for number in numbers {
            let formants = Vowel.formants[number]
            let vowel = Vowel(pitch: pitch, formants: formants).samples(count)
            let noise = Signal.noise(count, seed: UInt64(number), amplitude: 0.0005)
            let input = (0..<count).map { frame -> Float in
                let t = start + Double(frame) / Double(rate)
                let decibels = -6 - 60 * t / fall + 1.5 * sin(2 * .pi * 6 * t)
                return vowel[frame] * Float(pow(10, decibels / 20)) + noise[frame]
            }
            let node = node()
            (node.hold, node.release) = (0.02, 0.02)
            var reductions: [Double] = []
            let stage = try UnitStage(node)
            _ = try stage.render(input, period: 48) { frame in
                if frame > 0 { reductions.append(node.gainReduction.value) }
            }
            let open = try #require(reductions.firstIndex { $0 > -0.01 })
            let closing = try #require(reductions[open...].firstIndex { $0 < -0.01 })
            #expect(open < 30)
            let after = reductions[closing...]
            #expect(zip(after, after.dropFirst()).allSatisfy { $0 >= $1 }, "vowel \(number)")
            #expect(after.last! < -35)
        }
    }

    /// The louder side opens it for both.
    @Test func bothSidesGetTheSameGain() throws {
        let (loud, soft) = (steps([(-10, 4800)]), steps([(-60, 4800)]))
        for inputs in [[loud, soft], [soft, loud]] {
            let out = try UnitStage(node(), channels: 2).render(channels: inputs)
            for (side, input) in zip(out, inputs) { #expect(side[4000] == input[4000]) }
        }
    }

    @Test func theReductionIsTold() throws {
        let node = node()
        let stage = try UnitStage(node)
        _ = try stage.render(steps([(-60, 480)]))
        #expect(abs(node.gainReduction.value + 40) < 0.01)
        #expect(try node.value(of: .gainReduction) == node.gainReduction.value)
        _ = try stage.render(steps([(-10, 4800)]))
        #expect(node.gainReduction.value == 0)
    }

    /// After a loud sound silence stays silence, and the unit says so.
    @Test func silenceStaysSilent() throws {
        let node = node()
        let stage = try SilenceStage(node, loudFrames: 4800)
        _ = stage.render(4800)
        #expect(stage.render(48_000 * 3).allSatisfy { $0 == 0 } && stage.restsAt == 4800)
        #expect(abs(node.gainReduction.value + 40) < 1e-4)
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberIsForgotten(bad: Float) throws {
        let clean = Signal.sine(9600, frequency: 440, amplitude: 0.25)
        let out = try UnitStage(node()).render([Float](repeating: bad, count: 100) + clean)[0]
        #expect(Samples.peak(out[100...]) < 0.26)
        #expect(firstDifference([Array(out[4900...])], [Array(clean[4800...])]) == nil)
        // It opens nothing.
        let quiet = steps([(-60, 4800)])
        let closed = try UnitStage(node()).render([Float](repeating: bad, count: 100) + quiet)[0]
        #expect(closed[100...].allSatisfy { abs($0) < 0.00002 })
    }

    @Test func valuesAreBounded() {
        let node = GateNode()
        (node.threshold, node.hysteresis, node.depth) = (Decibels(6), Decibels(-1), Decibels(3))
        (node.attack, node.hold, node.release) = (0, 9, 9)
        #expect(node.threshold.value == 0 && node.hysteresis.value == 0 && node.depth.value == 0)
        #expect(node.attack == 0.0001 && node.hold == 2 && node.release == 2)
        (node.threshold, node.hysteresis) = (Decibels(.nan), Decibels(.nan))
        (node.depth, node.attack, node.hold, node.release) = (Decibels(.nan), .nan, .nan, .nan)
        #expect(node.threshold.value == -45 && node.hysteresis.value == 6)
        #expect(node.depth.value == -60 && node.attack == 0.001)
        #expect(node.hold == 0.1 && node.release == 0.1)
    }
}
