import AudioGraph
import Testing

@testable import duet

@Suite struct MixSettingsTests {
    private func settings(_ second: MixSettings.Second) -> MixSettings {
        var settings = MixSettings()
        settings.second = second
        return settings
    }

    /// A JACK server may report any sample rate.
    @Test(arguments: [0, 1, 999, 768_001, Int(Int32.max), Int(UInt32.max)])
    func aRateThatNoGraphHas(rate: Int) {
        let error = #expect(throws: DuetError.self) {
            _ = try MixGraph(settings(.mic(channelCount: 1)), sampleRate: rate)
        }
        #expect(error?.status == .unavailable)
        #expect(error?.line.contains("\(rate) Hz") == true)
    }

    @Test func aVolumeStepIsOneDecibel() {
        var mix = settings(.mic(channelCount: 1))
        let changes = mix.apply(.changeVolume(.first, decibels: -1))
        #expect(abs(mix.strips[0].volume.decibels.value + 1) < 1e-9)
        #expect(changes.map(\.address) == ["/song/volume"])
        #expect(changes.map(\.value) == [.number(mix.strips[0].volume.gain)])
        #expect(changes.map(\.note) == ["song volume -1.0 dB"])
        #expect(changes.map(\.bus) == [0])
    }

    @Test func stepsUpAndDownEndWhereTheyBegan() {
        var volume = Volume.unity
        for _ in 0..<50 { volume = volume.stepped(by: -1) }
        for _ in 0..<50 { volume = volume.stepped(by: 1) }
        #expect(volume == .unity)
        for _ in 0..<100 { volume = volume.stepped(by: -1) }
        #expect(volume == .silent)
        volume = volume.stepped(by: 1)
        #expect(abs(volume.decibels.value + 60) < 1e-6)
        for _ in 0..<100 { volume = volume.stepped(by: 1) }
        #expect(volume == .maximum)
        #expect(Volume.silent.stepped(by: -1) == .silent)
    }

    @Test func tenPanStepsAreOneWhole() {
        var mix = settings(.song)
        for _ in 0..<10 { _ = mix.apply(.changePan(.second, by: 0.1)) }
        #expect(mix.strips[1].pan == .right)
        let changes = mix.apply(.changePan(.second, by: 0.1))
        #expect(changes.map(\.address) == ["/second/pan"])
        #expect(changes.map(\.value) == [.number(1)])
    }

    @Test func sidesSwap() {
        var mix = settings(.mic(channelCount: 1))
        mix.strips[0].pan = .right
        mix.strips[1].pan = Pan(-0.5)
        let changes = mix.apply(.swapSides)
        #expect(mix.strips[0].pan == .left)
        #expect(mix.strips[1].pan == Pan(0.5))
        #expect(changes.map(\.address) == ["/song/pan", "/mic/pan"])
        #expect(changes.allSatisfy { $0.note == "sides swapped" })
        for index in mix.strips.indices { mix.strips[index].pan = .centre }
        #expect(mix.apply(.swapSides)[0].note == "no sides to swap: all is in the centre")
    }

    @Test func muteToggles() {
        var mix = settings(.mic(channelCount: 1))
        #expect(mix.apply(.toggleMute(.second)).map(\.value) == [.boolean(true)])
        #expect(mix.strips[1].isMuted)
        #expect(mix.apply(.toggleMute(.second)).map(\.value) == [.boolean(false)])
    }

    @Test func withoutASecondBusItsKeysDoNothing() {
        var mix = settings(.nothing)
        #expect(mix.apply(.toggleMute(.second)).isEmpty)
        #expect(mix.apply(.swapSides).map(\.address) == ["/song/pan"])
        #expect(mix.apply(.quit).isEmpty)
    }
}
