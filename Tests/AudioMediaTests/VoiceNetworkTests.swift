import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// The networks find of a probe what tools/train-voice finds, which computes the same in Python.
@Suite struct VoiceNetworkTests {
    /// As `networks.probe` of the tool, interleaved.
    private static func probe(_ count: Int) -> [Float] {
        var state: UInt32 = 1
        return (0..<count).flatMap { n -> [Float] in
            let t = Double(n) / 44_100
            let sway = 0.2 * sin(2 * .pi * 330 * t + 4 * sin(2 * .pi * 5 * t))
            let held = 0.1 * sin(2 * .pi * 440 * t) + 0.1 * sin(2 * .pi * 1320 * t)
            state = 1_664_525 &* state &+ 1_013_904_223
            let noise = 0.05 * (Double(state) / 0x8000_0000 - 1)
            let left = sway * (sin(2 * .pi * 0.4 * t) > 0 ? 1 : 0) + held
            return [Float(left), Float(sway + 0.5 * held + noise)]
        }
    }

    @Test(.optimizedBuild) func theyFindWhatTheToolFinds() {
        let finder = VoiceFinder(sampleRate: 44_100)
        let sound = Self.probe(8 * 44_100)
        var voice: [Float] = []
        let hops = sound.count / 2 / finder.hop
        for n in 0..<hops {
            let first = 2 * n * finder.hop
            finder.process(sound[first..<first + 2 * finder.hop], into: &voice)
        }
        for block in 0..<38 {
            let first = block * 8192 + finder.delay
            let power = (first..<first + 8192).reduce(0.0) { sum, frame in
                sum + Double(voice[2 * frame]) * Double(voice[2 * frame])
            }
            let level = 10 * log10(power / 8192 + 1e-12)
            #expect(abs(level - VoiceTable.levels[block]) < 0.1, "\(block): \(level)")
        }
    }
}
