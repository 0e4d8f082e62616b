@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// The delay: when its repeats come, what they are, and that they end.
@Suite struct DelayTests {
    /// A stage with a delay of which only the repeats are heard, with their highs.
    private func stage(
        rate: Int = 48_000, time: Double, feedback: Double = 50
    ) throws -> (DelayNode, UnitStage) {
        let delay = DelayNode()
        (delay.time, delay.feedback, delay.tone, delay.mix) = (time, feedback, 20_000, 100)
        return (delay, try UnitStage(delay, sampleRate: rate))
    }

    private func impulse(_ frames: Int) -> [Float] {
        [1] + [Float](repeating: 0, count: frames - 1)
    }

    @Test(arguments: [44_100, 48_000, 192_000]) func repeatsComeAtTheirFrame(rate: Int) throws {
        for time in rate == 44_100 ? [0.001, 0.3, 1.99999, 2] : [0.01234, rate > 48_000 ? 2 : 0.3] {
            let (_, stage) = try stage(rate: rate, time: time)
            let frames = Int((time * Double(rate)).rounded())
            let repeats = time < 1 ? 3 : 1
            let out = try stage.render(
                impulse(repeats * frames + min(frames, 100)), period: 4096)[0]
            var heard: [Int] = []
            for (frame, sample) in out.enumerated() where sample != 0 { heard.append(frame) }
            #expect(heard == (1...repeats).map { $0 * frames }, "\(time)")
            #expect(heard.map { out[$0] } == Array([1, 0.5, 0.25].prefix(repeats)))
        }
    }

    @Test func bothSidesAreRepeatedApart() throws {
        let delay = DelayNode()
        (delay.time, delay.tone, delay.mix) = (0.01, 20_000, 50)
        let stage = try UnitStage(delay, channels: 2)
        let (left, right) = (Signal.noise(900, seed: 1), Signal.noise(900, seed: 2))
        let out = try stage.render(channels: [left, right])
        #expect(zip(out[0][..<480], left).allSatisfy { $0 == $1 / 2 })
        #expect(zip(out[1][..<480], right).allSatisfy { $0 == $1 / 2 })
        for n in 480..<900 {
            #expect(out[0][n] == left[n] / 2 + left[n - 480] / 2)
            #expect(out[1][n] == right[n] / 2 + right[n - 480] / 2)
        }
    }

    /// 3 dB at the tone's frequency for the first repeat, 6 dB for the second.
    @Test(arguments: [200.0, 1000, 5000]) func eachRepeatIsDuller(tone: Double) throws {
        let (delay, stage) = try stage(time: 0.1, feedback: 95)
        delay.tone = tone
        let out = try stage.render(impulse(14_400), period: 4096)[0]
        for (number, start) in [4800, 9600].enumerated() {
            let own = Array(out[start..<start + 4800])
            let found = Spectrum.decibels(of: own, at: [20, tone], rate: 48_000)
            let feedback = number == 0 ? 0 : 20 * log10(0.95)
            #expect(abs(found[1] - feedback + 3.0103 * Double(number + 1)) < 0.02)
            #expect(abs(found[0] - feedback) < 0.1)
        }
    }

    /// A change of time is a crossfade: no step above a sine's own and the two sines' in 960 frames.
    @Test func aChangeOfTimeDoesNotClick() throws {
        let (delay, stage) = try stage(time: 0.3, feedback: 0)
        // Sixteen changes, some before the one before is over.
        let times: [Double] = (0..<16).map { (n: Int) in 0.01 + 0.0371 * Double(n * 7 % 16) }
        let sine = Signal.sine(48_000, frequency: 100, amplitude: 0.25)
        let out = try stage.render(sine, period: 100) { frame in
            if frame >= 24_000, frame % 300 == 0, frame < 24_000 + 300 * 16 {
                delay.time = times[(frame - 24_000) / 300]
            }
        }[0]
        let step = Samples.largestStep(out[20_000...])
        let sinesOwn: Float = 0.25 * (2 * .pi * 100 / 48_000)
        #expect(step < sinesOwn + 0.5 / 960, "\(step)")
        // The last one holds.
        let frames = Int((times[15] * 48_000).rounded())
        let wanted = sine[(40_000 - frames)..<(48_000 - frames)]
        let off: [Float] = zip(out[40_000...], wanted).map { abs($0 - $1) }
        #expect(off.allSatisfy { $0 < 1e-7 })
    }

    /// The repeats end below −140 dBFS; then the unit says that it is silent.
    @Test func repeatsEnd() throws {
        let delay = DelayNode()
        (delay.time, delay.feedback, delay.tone, delay.mix) = (0.05, 95, 20_000, 100)
        let stage = try SilenceStage(delay, loudFrames: 64, sampleRate: 8000)
        _ = stage.render(64)
        let out = stage.render(8000 * 24)
        // 0.95^n = 10⁻⁷: n = 314 repeats of 400 frames after the first.
        let last = try #require(out.lastIndex { $0 != 0 })
        #expect((314...316).contains(last / 400), "\(last)")
        #expect(abs(out[last]) >= 0.99e-7 && abs(out[last]) < 1.1e-7)
        // The line is 2 s long, to the next power of 2.
        let restsAt = try #require(stage.restsAt)
        #expect((last..<last + 16_384 + 2400).contains(restsAt), "\(last) \(restsAt)")
        // And again.
        delay.time = 0.04
        #expect(Samples.peak(stage.render(8000)) == 0 && stage.restsAt == restsAt)
    }

    /// The longest repeats of a constant add up to 1/(1 − 0.95), not to more.
    @Test func feedbackStaysBounded() throws {
        let (_, stage) = try stage(time: 0.001, feedback: 95)
        let out = try stage.render([Float](repeating: 1, count: 48_000), period: 4096)[0]
        #expect(Samples.peak(out) <= 20.001 && abs(out[47_999] - 20) < 0.001)
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberIsNotRepeated(bad: Float) throws {
        let delay = DelayNode()
        (delay.time, delay.feedback) = (0.01, 95)
        let stage = try UnitStage(delay)
        let noise = Signal.noise(4800, seed: 3, amplitude: 0.1)
        let out = try stage.render([Float](repeating: bad, count: 10) + noise)[0]
        #expect(out[10...].allSatisfy { $0.isFinite && abs($0) < 1 })
        #expect(Set(out[2000...]).count > 1000)
    }

    /// After a reset the line is empty, wherever the tap goes.
    @Test func aResetForgetsTheLine() throws {
        let (delay, stage) = try stage(time: 0.02)
        _ = try stage.render(Signal.noise(48_000, seed: 4))
        stage.graph.reset()
        delay.time = 0.5
        #expect(try Samples.peak(stage.render([Float](repeating: 0, count: 96_000))) == 0)
    }

    @Test func valuesAreBounded() {
        let delay = DelayNode()
        (delay.time, delay.feedback, delay.tone, delay.mix) = (5, 200, 1, -1)
        #expect(delay.time == 2 && delay.feedback == 95 && delay.tone == 200 && delay.mix == 0)
        (delay.time, delay.feedback, delay.tone, delay.mix) = (.nan, .nan, .nan, .nan)
        #expect(delay.time == 0.3 && delay.feedback == 30 && delay.tone == 5000)
        #expect(delay.mix == 25)
    }
}
