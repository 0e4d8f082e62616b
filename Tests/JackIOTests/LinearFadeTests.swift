import Testing

@testable import JackIO

@Suite struct LinearFadeTests {
    /// A server may name any rate.
    @Test func aRateBeyondAllUseDoesNotTrap() {
        let fade = LinearFade(milliseconds: 1000, sampleRate: Int(UInt32.max))
        #expect(fade.length == .max)
        #expect(LoopSignal(sampleRate: Int(UInt32.max)).reach == 384_000)
    }

    @Test(arguments: [1, 7, 64, 480, 1000])
    func everySplitGivesTheSameRampAndThenTheSameBits(period: Int) {
        let samples = (0..<1000).map { Float($0 % 37) / 17 - 1 }
        let expected = samples.enumerated().map {
            $0.offset < 480 ? $0.element * (Float($0.offset) / 480) : $0.element
        }
        var fade = LinearFade(milliseconds: 10, sampleRate: 48_000)
        var output = [Float](repeating: .nan, count: 1000)
        var done = 0
        while done < 1000 {
            let count = min(period, 1000 - done)
            samples.withUnsafeBufferPointer { source in
                output.withUnsafeMutableBufferPointer { destination in
                    fade.apply(
                        source.baseAddress! + done, to: destination.baseAddress! + done,
                        frames: count)
                }
            }
            fade.advance(count)
            done += count
        }
        #expect(output == expected)
        let isOver = fade.isOver
        #expect(isOver)
    }

    @Test func leavingEndsInSilence() {
        var fade = LinearFade(milliseconds: 10, sampleRate: 48_000)
        var samples = [Float](repeating: 1, count: 600)
        samples.withUnsafeMutableBufferPointer {
            fade.applyReversed($0.baseAddress!, frames: 100)
            fade.advance(100)
            fade.applyReversed($0.baseAddress! + 100, frames: 500)
            fade.advance(500)
        }
        #expect(samples[0] == 1 && samples[479] == 1 / 480 as Float)
        #expect(samples[480...].allSatisfy { $0 == 0 })
        #expect(samples == samples.sorted(by: >))
        let isOver = fade.isOver
        #expect(isOver)
    }

    @Test func lengthIsRounded() {
        let lengths = [(50, 44_100), (10, 22_050), (1000, 48_000)].map {
            LinearFade(milliseconds: $0.0, sampleRate: $0.1).length
        }
        #expect(lengths == [2205, 221, 48_000])
    }
}
