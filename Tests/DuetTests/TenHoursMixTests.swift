import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import DuetApp

/// Ten hours of singing to a song with every effect on: the memory stays as it was after ten
/// seconds, and every sample is a number below the ceiling. Without `DUET_LONG_TESTS` one minute.
@Suite(.optimizedBuild, .ownProcess("measures the memory of the process"))
struct TenHoursMixTests {
    @Test func everythingIsOn() throws {
        var plan = MixPlan(second: .mic(channelCount: 1))
        plan.guardsFeedback = true
        let effects = SourceEffect.allCases.map { "/\($0.stripName(of: "mic"))=on" }
        try plan.set(
            (effects + ["/song/eq/preset=rock", "/song/duck=-9", "/mic/azimuth=20"]).map {
                try Assignment($0)
            })
        let mix = try MixGraph(plan, sampleRate: 48_000)
        let song = try mix.addSong(bus: 0)
        try mix.start()
        let noise = Noise(seed: 1).prefix(2 * 480).map { $0 * 0.7 }
        mix.waitForFiles(milliseconds: 60_000)
        let renderer = try OfflineRenderer(mix.graph)
        let voice = SungVoice.samples(seconds: 1)
        var (first, peak, isBelow) = (0, 0, true)
        // −0.3 dB, the default.
        let ceiling = Float(pow(10, -0.3 / 20))
        for second in 1...(LongTests.areRun ? 36_000 : 60) {
            for hundredth in 0..<100 {
                while song.feed.space >= 480 {
                    song.feed.push(noise, count: 480, at: Int64(song.feed.pushedFrames))
                    song.feed.release()
                }
                let part = Array(voice[(hundredth * 480)..<((hundredth + 1) * 480)])
                let out = renderer.render(frames: 480, inputs: [part])
                isBelow = isBelow && out.joined().allSatisfy { abs($0) <= ceiling }
            }
            mix.graph.collect()
            if second == 10 { first = anonymousMemory() }
            if second > 10, second % 10 == 0 { peak = max(peak, anonymousMemory()) }
        }
        print("everything on: \(first >> 10) KiB after 10 s, at most \(peak >> 10) KiB")
        #expect(isBelow && peak - first < 1 << 20)
    }
}
