import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// A live stream whose sender's clock is faster or slower than ours.
@Suite struct DriftTests {
    /// Two hours of a sender that is `deviation` off.
    private func simulate(
        _ deviation: Double, from start: Double, seed: UInt64
    ) -> DriftingStream {
        var control = DriftControl(minimum: 3)
        return DriftingStream(deviation: deviation, from: start, seed: seed) { buffered, time in
            control.factor(buffered: buffered, at: time)
        }
    }

    @Test(arguments: [500e-6, -500e-6, 0], [3.0, 8.0])
    func twoHoursAreHeld(deviation: Double, start: Double) {
        let seed: UInt64 = 9
        let outcome = simulate(deviation, from: start, seed: seed)
        print("drift \(deviation) from \(start) s, seed \(seed): \(outcome)")
        // The buffer neither runs dry nor grows: a burst is up to 1 s, and until the speed has
        // settled 500 ppm add up to some tenths of a second.
        #expect(outcome.buffered.lowerBound > start - 1.5)
        #expect(outcome.buffered.upperBound < start + 1.5)
        #expect(outcome.factors.lowerBound >= 0.995 && outcome.factors.upperBound <= 1.005)
        #expect(outcome.fastestChange <= 0.001 * 1.000_001)
        #expect(outcome.wobble < 400e-6)
    }

    /// A small buffer is filled up slowly, and does not overshoot for long.
    @Test func aSmallBufferGrows() {
        let seed: UInt64 = 10
        let outcome = simulate(-500e-6, from: 1.2, seed: seed)
        print("a small buffer, seed \(seed): \(outcome)")
        #expect(outcome.buffered.lowerBound > 0)
        #expect(outcome.buffered.upperBound < 3 + 1.5)
        #expect(outcome.factors.lowerBound >= 0.995)
    }

    /// A sine through the real resampler while the factor goes to its limits: no step.
    @Test(arguments: [(48_000, 48_000), (44_100, 48_000)])
    func changingTheSpeedDoesNotClick(inputRate: Int, outputRate: Int) {
        var converter = FrameConverter(
            inputRate: inputRate, outputRate: outputRate, isVariable: true)
        var output: [Float] = []
        var phase = 0.0
        for block in 0..<1000 {
            // The factor goes to both limits and back, as fast as is allowed.
            let time = Double(block) * 0.02
            let wave = abs((time / 10).truncatingRemainder(dividingBy: 2) - 1)
            converter.setFactor(1 + 0.005 * (2 * wave - 1))
            var input: [Float] = []
            for _ in 0..<(inputRate / 50) {
                let sample = Float(0.5 * sin(phase))
                input += [sample, -sample]
                phase += 2 * .pi * 440 / Double(inputRate)
            }
            input.withUnsafeBufferPointer {
                converter.append($0.baseAddress!, count: input.count / 2)
            }
            converter.take(.max) { output += UnsafeBufferPointer(start: $0, count: 2 * $1) }
        }
        let left = channel(0, of: output)
        // The sine's own largest second difference, at the highest speed.
        let own = 0.5 * pow(2 * .pi * 440 * 1.005 / Double(outputRate), 2)
        #expect(Double(Samples.largestBend(Array(left.dropFirst(500)))) < own * 1.05)
        let length = Double(left.count) / Double(20 * outputRate)
        #expect(abs(length - 1) < 0.006)
    }

    /// The factor is the number of input frames for each output frame.
    @Test(arguments: [0.996, 1, 1.004])
    func theFactorIsTheSpeed(factor: Double) {
        var converter = FrameConverter(inputRate: 44_100, outputRate: 48_000, isVariable: true)
        converter.setFactor(factor)
        let block = [Float](repeating: 0, count: 2 * 44_100)
        var made = 0
        for _ in 0..<10 {
            block.withUnsafeBufferPointer {
                converter.append($0.baseAddress!, count: 44_100)
            }
            made += converter.count
            converter.discard(.max)
        }
        // The resampler holds some frames.
        #expect(abs(Double(made) - 10 * 48_000 / factor) < 300)
    }

    @Test func fadesAreTheSameForAnyChunks() {
        func faded(chunk: Int) -> [Float] {
            var converter = FrameConverter(inputRate: 48_000, outputRate: 48_000)
            let ones = [Float](repeating: 1, count: 2 * 600)
            func append(_ count: Int) {
                for start in stride(from: 0, to: count, by: chunk) {
                    ones.withUnsafeBufferPointer {
                        converter.append($0.baseAddress!, count: min(chunk, count - start))
                    }
                }
            }
            append(600)
            converter.fadeOutEnd(256)
            converter.fadeInNext(256)
            append(600)
            var result: [Float] = []
            converter.take(.max) { result += UnsafeBufferPointer(start: $0, count: 2 * $1) }
            return result
        }
        let whole = faded(chunk: 600)
        #expect(whole[2 * 343] == 1 && whole[2 * 599] == 0 && whole[2 * 600] == 0)
        #expect(whole[2 * 856] == 1)
        #expect(zip(whole, whole.dropFirst(2)).allSatisfy { abs($0 - $1) <= 1.0 / 250 })
        for chunk in [1, 7, 100] { #expect(firstDifference(faded(chunk: chunk), whole) == nil) }
    }

    /// Two hours through the real resampler: some minutes of work, for `DUET_LONG_TESTS`.
    @Test(
        .enabled(if: LongTests.areRun, "proves by repetition: --long"),
        arguments: [500e-6, -500e-6])
    func twoHoursThroughTheResampler(deviation: Double) {
        let outcome = play(hours: 2, deviation: deviation)
        print("drift \(deviation) through the resampler: \(outcome)")
        #expect(outcome.underruns == 0)
        #expect((1.8...4.2).contains(outcome.lowest) && (1.8...4.2).contains(outcome.highest))
        #expect(outcome.bend < 1.05)
    }

    @Test(arguments: [500e-6, -500e-6])
    func secondsThroughTheResampler(deviation: Double) {
        let outcome = play(hours: 1 / 360, deviation: deviation)
        #expect(outcome.underruns == 0)
        #expect(outcome.bend < 1.05)
    }

    /// A sine of 450 Hz at 44.1 kHz, sent in bursts by a clock that is `deviation` off, and played
    /// at 48 kHz. `bend`: the largest second difference, in units of the sine's own.
    private func play(
        hours: Double, deviation: Double
    ) -> (
        lowest: Double, highest: Double, factors: ClosedRange<Double>, bend: Double, underruns: Int
    ) {
        // 20 ms are nine whole periods.
        let block = (0..<882).flatMap { n -> [Float] in
            let sample = Float(0.5 * sin(2 * .pi * 450 * Double(n) / 44_100))
            return [sample, sample]
        }
        var random = SeededRandom(seed: 11)
        var converter = FrameConverter(inputRate: 44_100, outputRate: 48_000, isVariable: true)
        var control = DriftControl(minimum: 3)
        var (kept, held, burst) = (150.0, 0.0, 0.5)
        var (lowest, highest, slowest, fastest) = (3.0, 3.0, 1.0, 1.0)
        var (bend, heard, seen) = (Float(0), [Float](), 0)
        var underruns = 0
        for tick in 0..<Int(hours * 3600 * 50) {
            // The stream is played in blocks of 20 ms.
            held += 1 + deviation
            burst -= 0.02
            if burst <= 0 {
                kept += held
                held = 0
                burst = Double.random(in: 0.05...1, using: &random)
            }
            let buffered = kept / 50 + Double(converter.count) / 48_000
            if tick > 50 { (lowest, highest) = (min(lowest, buffered), max(highest, buffered)) }
            let factor = control.factor(buffered: buffered, at: Double(tick) * 0.02)
            (slowest, fastest) = (min(slowest, factor), max(fastest, factor))
            converter.setFactor(factor)
            while converter.count < 12_000, kept >= 1 {
                block.withUnsafeBufferPointer {
                    converter.append($0.baseAddress!, count: 882)
                }
                kept -= 1
            }
            if converter.count < 960 { underruns += 1 }
            converter.take(960) { frames, count in
                let part = UnsafeBufferPointer(start: frames, count: 2 * count)
                heard = heard.suffix(2) + channel(0, of: Array(part))
                seen += count
                // Leaves out the beginning of the resampler's output, which is not the sine.
                if seen > 3000 { bend = Samples.peak([bend, Samples.largestBend(heard)]) }
            }
        }
        let own = 0.5 * pow(2 * .pi * 450 / 48_000 * fastest, 2)
        return (lowest, highest, slowest...fastest, Double(bend) / own, underruns)
    }
}
