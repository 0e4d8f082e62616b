import Testing

@testable import AudioGraph

/// Ramps of a gain, applied to one channel of samples.
@Suite struct RampTests {
    /// `samples` after the ramp, which is applied in place to `period` samples at a time.
    private func apply(_ ramp: Ramp, to samples: [Float], period: Int) -> [Float] {
        var (ramp, samples) = (ramp, samples)
        samples.withUnsafeMutableBufferPointer {
            var done = 0
            while done < $0.count {
                let count = min(period, $0.count - done)
                ramp.apply($0.baseAddress! + done, to: $0.baseAddress! + done, count: count)
                ramp.advance(count)
                done += count
            }
        }
        #expect(ramp.remaining == 0)
        return samples
    }

    @Test(arguments: [1, 7, 64, 480, 1000])
    func everySplitGivesTheSameRampAndThenTheSameBits(period: Int) {
        let samples = (0..<1000).map { Float($0 % 37) / 17 - 1 }
        let expected = samples.enumerated().map {
            $0.offset < 480 ? $0.element * (Float($0.offset) / 480) : $0.element
        }
        let ramp = Ramp(from: 0, to: 1, length: 480)
        #expect(apply(ramp, to: samples, period: period) == expected)
    }

    @Test func aFadeOutEndsInSilence() {
        let ramp = Ramp(from: 1, to: 0, length: 480)
        let samples = apply(ramp, to: [Float](repeating: 1, count: 600), period: 100)
        #expect(samples[0] == 1 && abs(samples[479] - 1 / 480) < 1e-6)
        #expect(samples[480...].allSatisfy { $0 == 0 })
        #expect(samples == samples.sorted(by: >))
    }

    @Test func aLengthIsRounded() {
        let lengths = [(50, 44_100), (10, 22_050), (5, 44_100), (1000, 48_000)].map {
            Ramp.length(milliseconds: $0.0, sampleRate: $0.1)
        }
        #expect(lengths == [2205, 221, 221, 48_000])
    }

    /// Somebody may schedule a change over `Int.max` frames.
    @Test func theLongestRampRestsAtItsTarget() {
        var ramp = Ramp(at: 0, length: 0)
        ramp.aim(at: 1, over: .max)
        #expect(ramp.value(at: 0) == 0 && ramp.value(at: 256) < 1e-6)
        ramp.end()
        #expect((0..<256).allSatisfy { ramp.value(at: $0) == 1 })
    }

    /// A JACK server may report any sample rate.
    @Test func aRateBeyondAllUseDoesNotTrap() {
        #expect(Ramp.length(milliseconds: 1000, sampleRate: Int(UInt32.max)) == .max)
    }
}
