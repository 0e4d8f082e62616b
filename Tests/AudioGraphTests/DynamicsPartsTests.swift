@testable import AudioGraph
import Glibc
import TestSupport
import Testing

/// What the units that choose a gain by a level are made of.
@Suite struct DynamicsPartsTests {
    @Test func logarithmsAndPowersAreExactEnough() {
        #expect(BinaryLogarithm.of(1) == 0 && BinaryLogarithm.power(0) == 1)
        for step in 0...200_000 {
            let exponent = Float(step) / 1000 - 100
            let exact = Glibc.exp2(Double(exponent))
            #expect(abs(Double(BinaryLogarithm.power(exponent)) / exact - 1) < 4e-7)
            let found = BinaryLogarithm.of(Float(exact))
            #expect(abs(Double(found - exponent)) < 8e-6, "\(exponent)")
            if abs(exponent) < 1 { #expect(abs(Double(found - exponent)) < 4e-7) }
        }
    }

    /// The largest of the last 12.5 ms, for every frame, however it is split.
    @Test(arguments: [100, 8000, 44_100, 48_000]) func aWindowHoldsItsLargest(rate: Int) {
        let length = Int((0.0125 * Double(rate)).rounded())
        var samples = Signal.noise(5 * length + 17, seed: 1)
        for frame in 2 * length..<4 * length { samples[frame] = 0 }
        samples[2] = .nan
        let clean = samples.map { $0.isNaN ? 0 : abs($0) }
        let wanted = clean.indices.map { clean[max(0, $0 - length + 1)...$0].max()! }
        for part in [1, 7, 64, 256] {
            var window = PeakWindow(sampleRate: rate, sliceFrames: 256)
            var found: [Float] = []
            while found.count < samples.count {
                let count = min(part, samples.count - found.count)
                var cut = Array(samples[found.count..<found.count + count])
                cut.withUnsafeMutableBufferPointer {
                    let pointer = $0.baseAddress!
                    window.process(StereoSamples(left: pointer, right: pointer), count: count)
                }
                found += (0..<count).map { window.levels[$0] }
            }
            #expect(found == wanted)
            let isSilent = window.isSilent
            #expect(!isSilent)
        }
    }

    @Test func aWindowBecomesSilent() {
        var window = PeakWindow(sampleRate: 8000, sliceFrames: 1)
        var one: [Float] = [1]
        var zeros = [Float](repeating: 0, count: 100)
        one.withUnsafeMutableBufferPointer {
            window.process(StereoSamples(left: $0.baseAddress!, right: $0.baseAddress!), count: 1)
        }
        for frame in 1...100 {
            let isSilent = window.isSilent
            #expect(!isSilent, "\(frame)")
            zeros.withUnsafeMutableBufferPointer {
                window.process(
                    StereoSamples(left: $0.baseAddress!, right: $0.baseAddress!), count: 1)
            }
        }
        let isSilent = window.isSilent
        #expect(isSilent)
    }
}
