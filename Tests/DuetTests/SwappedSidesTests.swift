import Testing

@testable import DuetApp

/// Where song and voice go when they change sides.
@Suite struct SwappedSidesTests {
    private func pans(_ mix: MixPlan) -> [Double] {
        mix.vocabulary.parameters.filter { $0.name == .pan }.map { mix[$0] }
    }

    private func mix(_ second: MixPlan.Second, _ pans: [Double]) -> MixPlan {
        var mix = MixPlan(second: second)
        for (pan, value) in zip(mix.vocabulary.parameters.filter { $0.name == .pan }, pans) {
            mix[pan] = value
        }
        return mix
    }

    @Test(arguments: [
        (MixPlan.Second.nothing, "", ""),
        (.mic(channelCount: 1), ", microphone left", ", microphone right"),
        (.mic(channelCount: 2), ", microphone left", ", microphone right"),
        (.mics(2), ", microphones left", ", microphones right"),
        (.mics(4), ", microphones left", ", microphones right"),
        (.song, ", second song left", ", second song right"),
    ]) func goesAroundFromTheCentre(second: MixPlan.Second, left: String, right: String) {
        let others = second.names.count
        let first = MixPlan(second: second).withSidesSwapped
        #expect(first.note == "song right" + left)
        #expect(pans(first.mix) == [1] + Array(repeating: -1, count: others))
        let next = first.mix.withSidesSwapped
        #expect(next.note == "song left" + right)
        #expect(pans(next.mix) == [-1] + Array(repeating: 1, count: others))
        let last = next.mix.withSidesSwapped
        #expect(last.note == "all in the centre" && last.mix == MixPlan(second: second))
    }

    @Test(arguments: [[0.3, -0.4, 0], [1, -1, 1], [0, 0, 0.1], [1, 1, 1], [-1, 1, 0]])
    func mirrorsOtherPans(pans: [Double]) {
        let start = mix(.mics(2), pans)
        let once = start.withSidesSwapped
        #expect(once.note == "sides swapped" && self.pans(once.mix) == pans.map { 0 - $0 })
        #expect(once.mix.withSidesSwapped.mix == start)
    }
}
