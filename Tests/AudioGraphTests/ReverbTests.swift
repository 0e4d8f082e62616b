import Glibc
import TestSupport
import Testing

@testable import AudioGraph

@Suite struct ReverbTests {
    private func reverb(
        size: Double = 8, decay: Double = 1.5, damping: Double = 0
    ) -> ReverbNode {
        let reverb = ReverbNode()
        (reverb.size, reverb.decay, reverb.damping) = (size, decay, damping)
        (reverb.preDelay, reverb.wet) = (0, 100)
        return reverb
    }

    /// What both sides answer an impulse with.
    private func answer(
        _ reverb: ReverbNode, rate: Int = 48_000, seconds: Double
    ) throws -> [RoomSound] {
        let stage = try UnitStage(reverb, sampleRate: rate)
        let impulse = [1] + [Float](repeating: 0, count: Int(seconds * Double(rate)))
        return try stage.render(impulse, period: 4096).map { RoomSound(samples: $0, rate: rate) }
    }

    /// The long ones at a low rate, which `everyRateFadesAlike` allows.
    @Test(arguments: [
        (2.0, 0.6, 48_000), (4, 0.3, 48_000), (8, 0.6, 48_000), (8, 6, 8000), (16, 1.5, 8000),
        (16, 4, 8000),
    ])
    func itFadesInTheTimeThatIsSet(size: Double, decay: Double, rate: Int) throws {
        for (damping, frequencies) in [
            (0.0, rate > 8000 ? [250.0, 1000, 4000] : [250, 1000]), (50, [250, 1000]),
            (100, [250, 1000]),
        ] {
            let sound = try answer(
                reverb(size: size, decay: decay, damping: damping), rate: rate,
                seconds: 0.8 * decay)
            for side in sound {
                for frequency in frequencies {
                    let found = side.decay(at: frequency) / decay
                    #expect(
                        (0.9...1.1).contains(found),
                        "\(size) m, \(decay) s, \(damping) %: \(found) at \(frequency) Hz")
                }
            }
        }
    }

    @Test(arguments: [8000, 44_100, 96_000, 192_000]) func everyRateFadesAlike(rate: Int) throws {
        let sound = try answer(reverb(decay: 0.6), rate: rate, seconds: 0.5)
        for frequency in rate > 8000 ? [250.0, 1000, 4000] : [250, 1000] {
            #expect((0.54...0.66).contains(sound[0].decay(at: frequency)), "\(frequency)")
        }
        let dull = try answer(reverb(decay: 0.6, damping: 100), rate: rate, seconds: 0.5)
        for frequency in [250.0, 1000] {
            #expect((0.54...0.66).contains(dull[0].decay(at: frequency)), "\(frequency)")
        }
    }

    /// High sounds fade sooner: of 4 kHz in about half the time at 100 %, and in between at 50 %.
    @Test func dampingShortensHighSounds() throws {
        let times = try [0.0, 50, 100].map {
            try answer(reverb(decay: 2, damping: $0), seconds: 1.6)[0].decay(at: 4000)
        }
        #expect(times[0] > 1.9 && (1.3...1.7).contains(times[1]) && (0.9...1.2).contains(times[2]))
    }

    @Test(arguments: [0.6, 1.5, 10]) func echoesAreDenseSoon(decay: Double) throws {
        for (size, limit) in [(2.0, 0.05), (8, 0.1), (16, 0.15)] {
            for side in try answer(reverb(size: size, decay: decay), seconds: 0.5) {
                #expect(side.denseFrom <= limit, "\(size) m: \(side.denseFrom)")
                // And stay so.
                let later = (0..<10).map { side.echoDensity(at: limit + 0.02 * Double($0)) }
                #expect(later.reduce(0, +) / 10 > 0.9, "\(size) m: \(later)")
            }
        }
    }

    @Test(arguments: [2.0, 4, 8, 16]) func noFrequencyStandsOut(size: Double) throws {
        let sides = try answer(reverb(size: size), seconds: 0.8)
        let sum = zip(sides[0].samples, sides[1].samples).map { ($0 + $1) / 2 }
        for sound in sides + [RoomSound(samples: sum, rate: 48_000)] {
            let thirds = sound.thirds(after: 0.1)
            let mean = thirds.reduce(0, +) / Double(thirds.count)
            #expect(thirds.count == 20)
            #expect(thirds.allSatisfy { abs($0 - mean) < 6 }, "\(thirds.map { $0 - mean })")
        }
        // Sides that have nothing in common lose 3 dB in their mean.
        let both = (Samples.power(sides[0].samples) + Samples.power(sides[1].samples)) / 2
        let lost = 10 * log10(Samples.power(sum) / both)
        #expect((-4 ... -2).contains(lost), "\(lost)")
    }

    /// The reverb of noise is as loud as the noise, whatever room it is.
    @Test(arguments: [(2.0, 0.3), (2, 5), (8, 1.5), (16, 0.6), (16, 5)])
    func aRoomIsAsLoudAsAnother(size: Double, decay: Double) throws {
        let reverb = reverb(size: size, decay: decay)
        // After half of the decay −30 dB are still missing.
        let noise = Signal.noise(Int((decay / 2 + 1) * 16_000), seed: 11, amplitude: 0.5)
        let out = try UnitStage(reverb, sampleRate: 16_000).render(noise, period: 4096)
        func level(_ samples: [Float]) -> Double {
            10 * log10(Samples.power(samples.suffix(16_000)))
        }
        for side in out { #expect(abs(level(side) - level(noise)) < 1.5) }
    }

    /// The sound itself is not a frame late, and with a wet part of 0 it is what it was.
    @Test func theSoundItselfPassesAtOnce() throws {
        let reverb = ReverbNode()
        #expect(reverb.latency == 0)
        (reverb.preDelay, reverb.wet) = (0, 20)
        let impulse = [1] + [Float](repeating: 0, count: 4799)
        let out = try UnitStage(reverb).render(impulse)
        #expect(out[0][0] == 0.8 && out[1][0] == 0.8)
        // The shortest line, 0.613·8 m at 343 m/s.
        #expect(out.allSatisfy { side in side[1..<686].allSatisfy { $0 == 0 } && side[686] != 0 })
        let dry = ReverbNode()
        dry.wet = 0
        let (left, right) = (Signal.noise(4800, seed: 1), Signal.noise(4800, seed: 2))
        let same = try UnitStage(dry, channels: 2).render(channels: [left, right])
        #expect(firstDifference(same, [left, right]) == nil)
    }

    @Test(arguments: [0.0, 0.0125, 0.25]) func thePreDelayIsExact(seconds: Double) throws {
        let plain = try answer(reverb(), seconds: 0.5).map(\.samples)
        let reverb = reverb()
        reverb.preDelay = seconds
        let late = try answer(reverb, seconds: 0.5).map(\.samples)
        let frames = Int(seconds * 48_000)
        for (side, original) in zip(late, plain) {
            #expect(side[..<frames].allSatisfy { $0 == 0 })
            #expect(Array(side[frames...]) == Array(original.dropLast(frames)))
        }
    }

    /// A sound of one side is heard on both, and not alike.
    @Test func eachSideFillsTheRoom() throws {
        let impulse = [1] + [Float](repeating: 0, count: 47_999)
        let nothing = [Float](repeating: 0, count: 48_000)
        for input in [[impulse, nothing], [nothing, impulse]] {
            let out = try UnitStage(reverb(), channels: 2).render(channels: input, period: 4096)
            let powers = out.map { Samples.power($0) }
            #expect(abs(10 * log10(powers[0] / powers[1])) < 1.5 && out[0] != out[1])
        }
    }

    /// What is still to be heard of a long room does not swell when the room becomes a short one.
    @Test func aShorterRoomIsNotLouder() throws {
        let reverb = reverb(decay: 20)
        let stage = try UnitStage(reverb)
        let noise = Signal.noise(36_000, seed: 12, amplitude: 0.5)
        let before = try Samples.peak(stage.render(noise, period: 4096)[0].suffix(4800))
        reverb.decay = 0.3
        let after = try Samples.peak(stage.render(noise, period: 4096)[0])
        #expect(before > 0 && after < 2 * before, "\(before) \(after)")
    }

    /// After an hour the reverb of a steady noise is what it was after a minute.
    @Test(.optimizedBuild) func hoursChangeNothing() throws {
        let stage = try UnitStage(reverb(decay: 20), sampleRate: 8000)
        let noise = Signal.noise(8000, seed: 13, amplitude: 0.5)
        var levels: [Double] = []
        for second in 0..<3600 {
            let out = try stage.render(noise, period: 8000)[0]
            if second == 60 || second == 3599 {
                levels.append(10 * log10(Samples.power(out)))
            }
        }
        #expect(abs(levels[1] - levels[0]) < 0.1, "\(levels)")
    }

    /// The reverb ends below −140 dBFS, without a subnormal number; then the unit says that it is
    /// silent, and is as it was.
    @Test func reverbEnds() throws {
        let reverb = reverb(decay: 1)
        let stage = try SilenceStage(reverb, loudFrames: 64)
        let out = stage.render(48_000 * 4)
        #expect(!out.contains { $0.isSubnormal })
        let last = try #require(out.lastIndex { $0 != 0 })
        let restsAt = try #require(stage.restsAt)
        // 60 dB a second; the lines have at most 3594 frames, the diffuser 876.
        #expect((96_000..<48_000 * 4).contains(last) && restsAt - last < 4700, "\(last) \(restsAt)")
        #expect(out[(last - 100)...].allSatisfy { abs($0) < 1e-7 })
        reverb.size = 3
        #expect(stage.render(48_000).allSatisfy { $0 == 0 } && stage.restsAt == restsAt)
    }

    /// A sound that is shorter than the kernel's look at what sounds on.
    @Test func aSoundAfterSilenceIsHeard() throws {
        let stage = try UnitStage(reverb(decay: 0.3))
        let impulse = [1] + [Float](repeating: 0, count: 48_000 - 1)
        let first = try stage.render(impulse, period: 16)
        #expect(firstDifference(try stage.render(impulse, period: 16), first) == nil)
        #expect(first[0].contains { $0 != 0 })
    }

    /// A short sound that begins in the very slice in which nothing was left of the one before, from
    /// a source that rests before and after it.
    @Test func aSoundWhereSilenceBeganIsHeard() throws {
        let rate = 8000
        let first = try SilenceStage(
            reverb(decay: 0.3), loudFrames: 256, sampleRate: rate)
        _ = first.render(16_000)
        let restsAt = try #require(first.restsAt)
        for lateOne in stride(from: restsAt - 512, to: restsAt + 256, by: 40) {
            let outs = try [16, 256].map { period in
                try SilenceStage(
                    reverb(decay: 0.3), loudFrames: 256, lateOne: lateOne,
                    sampleRate: rate, period: period
                ).render((restsAt + 2048) & ~255)
            }
            #expect(firstDifference(outs[1], outs[0]) == nil, "\(lateOne)")
            #expect(outs[0][(lateOne + 1)...].contains { abs($0) > 0.001 }, "\(lateOne)")
        }
    }

    /// A damping that rounding makes none.
    @Test func theLeastDampingIsNone() throws {
        let impulse = [1] + [Float](repeating: 0, count: 12_000)
        let none = try UnitStage(reverb()).render(impulse)
        for damping in [1e-10, 1e-13, 1e-15, .leastNonzeroMagnitude] {
            let out = try UnitStage(reverb(damping: damping)).render(impulse)
            let worst = Samples.largestDifference(out[0], none[0])
            #expect(worst < 1e-4, "\(damping): \(worst)")
        }
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberDoesNotLiveOn(bad: Float) throws {
        let noise = Signal.noise(6000, seed: 3, amplitude: 0.1)
        let out = try UnitStage(reverb()).render([Float](repeating: bad, count: 10) + noise)
        for side in out {
            #expect(Samples.peak(side[10...]) < 1)
            #expect(Set(side[2000...]).count > 3500)
        }
    }

    /// After a reset nothing of the room is left, whatever its size becomes.
    @Test func aResetEmptiesTheRoom() throws {
        let reverb = reverb(decay: 10)
        reverb.preDelay = 0.2
        let stage = try UnitStage(reverb)
        _ = try stage.render(Signal.noise(24_000, seed: 4), period: 4096)
        stage.graph.reset()
        (reverb.size, reverb.preDelay) = (16, 0.01)
        let silence = [Float](repeating: 0, count: 24_000)
        #expect(try Samples.peak(stage.render(silence, period: 4096)) == 0)
    }

    @Test func valuesAreBounded() {
        let reverb = ReverbNode()
        (reverb.size, reverb.decay, reverb.damping) = (100, 0, 200)
        (reverb.preDelay, reverb.wet) = (5, -1)
        #expect(reverb.size == 16 && reverb.decay == 0.3 && reverb.damping == 100)
        #expect(reverb.preDelay == 0.25 && reverb.wet == 0)
        (reverb.size, reverb.decay, reverb.damping) = (.nan, .nan, .nan)
        (reverb.preDelay, reverb.wet) = (.nan, .nan)
        #expect(reverb.size == 8 && reverb.decay == 1.5 && reverb.damping == 50)
        #expect(reverb.preDelay == 0.01 && reverb.wet == 25)
    }
}
