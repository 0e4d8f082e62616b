import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import duet

/// Ten hours of singing with every effect of the microphone on: the memory stays as it was after ten seconds, and
/// every sample is a number below the ceiling. Without `DUET_LONG_TESTS` one minute.
@Suite struct TenHoursMixTests {
    @Test func everythingIsOn() throws {
        let isLong = ProcessInfo.processInfo.environment["DUET_LONG_TESTS"] != nil
        var plan = MixPlan(second: .mic(channelCount: 1))
        plan.guardsFeedback = true
        let effects = SourceEffect.allCases.map { "/\($0.stripName(of: "mic"))=on" }
        try plan.set(
            (effects + ["/song/eq/preset=rock", "/song/duck=-9", "/mic/azimuth=20"]).map {
                try Assignment($0)
            })
        let mix = try MixGraph(plan, sampleRate: 48_000)
        try mix.start()
        mix.waitForFiles(milliseconds: 60_000)
        let renderer = try OfflineRenderer(mix.graph)
        let voice = SungVoice.samples(seconds: 1)
        var (first, peak, isFinite) = (0, 0, true)
        for second in 1...(isLong ? 36_000 : 60) {
            let out = renderer.render(frames: 48_000, inputs: [voice])
            isFinite = isFinite && out.joined().allSatisfy { abs($0) <= 1 }
            mix.graph.collect()
            if second == 10 { first = anonymousMemory() }
            if second > 10, second % 10 == 0 { peak = max(peak, anonymousMemory()) }
        }
        print("everything on: \(first >> 10) KiB after 10 s, at most \(peak >> 10) KiB")
        #expect(isFinite && peak - first < 1 << 20)
    }
}
