import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// The stage that takes voices out of songs.
@Suite struct VocalStageTests {
    private static let rate = VocalMix.rate
    /// Made once, since a debug build takes as long for a second of it.
    // Safety: it does not change.
    nonisolated(unsafe) private static let song = VocalMix(seconds: 4)

    /// So many frames of a mix with a voice.
    private func mix(_ frames: Int) -> [Float] { Array(Self.song.mix.prefix(2 * frames)) }

    private func settings(
        _ amount: Double = 100, _ mode: VocalMode = .spectral, at place: Double = 0,
        only: Bool = false
    ) -> VocalRemoval {
        var settings = VocalRemoval()
        (settings.amount, settings.mode, settings.place) = (amount, mode, Pan(place))
        settings.leavesOnlyVoice = only
        return settings
    }

    /// What a stage makes of `input` in pieces of so many frames, with settings that change at frames.
    private func play(
        _ input: [Float], _ changes: [(at: Int, VocalRemoval)], pieces: [Int] = [1024],
        rate: Int = rate
    ) -> [Float] {
        let stage = VocalStage(sampleRate: rate)
        var output: [Float] = []
        var (at, number) = (0, 0)
        while 2 * at < input.count {
            for change in changes where change.at == at { stage.set(change.1) }
            let next = changes.map(\.at).filter { $0 > at }.min() ?? .max
            let count = min(pieces[number % pieces.count], input.count / 2 - at, next - at)
            stage.process(Array(input[(2 * at)..<(2 * (at + count))]), into: &output)
            (at, number) = (at + count, number + 1)
            #expect(output.count <= 2 * at)
        }
        stage.drain(into: &output)
        return output
    }

    /// Both sides together, on both sides.
    private static func middle(of song: [Float]) -> [Float] {
        var middle = song
        for n in stride(from: 0, to: song.count, by: 2) {
            middle[n] = song[n] + song[n + 1]
            middle[n + 1] = middle[n]
        }
        return middle
    }

    private func noise(_ frames: Int, seed: UInt64) -> [Float] {
        Noise(seed: seed).prefix(2 * frames)
    }

    // The made voice holds its notes and repeats itself, which no singer does: it is found less well than
    // real ones, which `scripts/bench vocals` measures.
    @Test func theVoiceGoesAndTheRestStays() {
        expectVoiceGone(from: Self.song, told: 0, distortion: 7)
    }

    /// It is looked for at the place that is told, or near it.
    @Test(.optimizedBuild, arguments: [(0.2, 8), (0, 7)])
    func aVoiceOffTheMiddleGoes(told: Double, distortion: Double) {
        expectVoiceGone(
            from: VocalMix(seconds: 6, place: 0.2), told: told, distortion: distortion)
    }

    private func expectVoiceGone(from song: VocalMix, told: Double, distortion least: Double) {
        let backing = song.backing
        let output = play(song.mix, [(0, settings(at: told))])
        #expect(output.count == song.mix.count)
        let before = StemFigures.distortion(of: song.mix, against: backing)
        let after = StemFigures.distortion(of: output, against: backing)
        let gains = StemFigures.gains(of: [song.bass, song.kick, song.sides], in: output)
        print("vocals: \(before) dB, then \(after) dB; bass, kick, sides \(gains)")
        withKnownIssue("made voices beside the middle are found less well than they were") {
            #expect(after > least)
        } when: {
            told > 0
        }
        #expect(after > least - 1)
        #expect(gains.allSatisfy { abs($0) < 1 })
    }

    /// What a room makes of a voice goes with it, as far as nothing else sounds there.
    @Test(.optimizedBuild) func theRoomGoesWithTheVoice() {
        let song = VocalMix(seconds: 6, wet: 0.5)
        let output = play(song.mix, [(0, settings())])
        let after = StemFigures.distortion(of: output, against: song.backing)
        print(
            "vocals in a room: \(StemFigures.distortion(of: song.mix, against: song.backing)) dB, then \(after) dB"
        )
        #expect(after > 3.5)
    }

    @Test func whatIsLeftAndWhatIsTakenOutAreTheSong() {
        let song = mix(3 * Self.rate / 2)
        let (without, only) = (
            play(song, [(0, settings())]), play(song, [(0, settings(0, only: true))])
        )
        #expect(Samples.largestDifference(zip(without, only).map(+), song) < 1e-6)
        let voice = Self.song.voice.prefix(song.count)
        #expect(StemFigures.distortion(of: only, against: Array(voice)) > 3.5)
    }

    @Test func halfAndPlainAreWhatTheySay() {
        let song = mix(Self.rate / 2)
        let whole = play(song, [(0, settings())])
        let half = play(song, [(0, settings(50))])
        let plain = play(song, [(0, settings(100, .plain))])
        let middle = play(song, [(0, settings(0, .plain, only: true))])
        for n in stride(from: 0, to: song.count, by: 2) {
            let (left, right) = (song[n], song[n + 1])
            #expect(abs(half[n] - (song[n] + whole[n]) / 2) < 1e-6)
            #expect(plain[n] == 0.5 * (left - right) && plain[n + 1] == plain[n])
            #expect(middle[n] == 0.5 * (left + right) && middle[n + 1] == middle[n])
        }
    }

    /// Noise that stands at a place.
    private func voice(_ frames: Int, at place: Double) -> [Float] {
        let angle = (place + 1) * .pi / 4
        return interleaved(
            Noise(seed: 9).prefix(frames).map { $0 * Float(cos(angle)) },
            Noise(seed: 9).prefix(frames).map { $0 * Float(sin(angle)) })
    }

    /// Left minus right, where it is told that the voice stands elsewhere: the voice goes, what is on
    /// the sides stays, and nothing but the voice is all that stands there.
    @Test(.optimizedBuild, arguments: [-0.6, 0.2])
    func plainTakesOutWhatStandsAtThePlace(place: Double) {
        let voice = self.voice(10_000, at: place)
        let without = play(voice, [(0, settings(100, .plain, at: place))])
        #expect(Samples.peak(without) < 1e-6)
        let only = play(voice, [(0, settings(0, .plain, at: place, only: true))])
        #expect(StemFigures.distortion(of: only, against: Self.middle(of: voice)) > 100)
        // The first frames have left when the place is told.
        let song = self.voice(65_000, at: place)
        let changed = play(
            song, [(0, settings(100, .plain)), (55_000, settings(100, .plain, at: place))])
        let last = 2 * (55_000 + Self.rate / 50)
        #expect(changed[..<last].contains { abs($0) > 0.01 })
        #expect(Samples.peak(changed[last...]) < 1e-6)
    }

    @Test func offItHoldsNothingAndChangesNothing() {
        let stage = VocalStage(sampleRate: Self.rate)
        stage.set(settings(0, .plain, at: 0.3))
        var song = noise(5000, seed: 1)
        (song[7], song[8], song[9]) = (-0.0, .nan, .infinity)
        var output: [Float] = []
        stage.process(song, into: &output)
        #expect(output.map(\.bitPattern) == song.map(\.bitPattern))
    }

    @Test(.optimizedBuild, arguments: [[1, 1024], [7, 333, 1000]])
    func everySplitGivesTheSameBits(pieces: [Int]) {
        let (song, whole) = (mix(85_000), Self.changed)
        #expect(firstDifference(whole, play(song, changes, pieces: pieces)) == nil)
        #expect(whole.count == song.count)
    }

    private var changes: [(at: Int, VocalRemoval)] {
        [
            (0, settings(0)), (5000, settings(80)), (45_000, settings(80, .plain)),
            (46_000, settings(100, at: 0.1)), (55_000, settings(0)), (65_000, settings()),
        ]
    }

    /// What a stage makes of a song through these changes, in pieces of one size.
    private static let changed: [Float] = {
        let suite = Self()
        return suite.play(suite.mix(85_000), suite.changes)
    }()

    /// From off to on to off: before and after it is the song to the bit, and nothing jumps.
    @Test(.optimizedBuild) func turningItFadesFromTheFrameOn() throws {
        let song = mix(3 * Self.rate)
        let output = play(song, [(0, settings(0)), (40_000, settings()), (110_000, settings(0))])
        let first = try #require(firstDifference(output, song))
        #expect((80_000..<80_020).contains(first), "\(first)")
        let changed = song.indices.filter { output[$0] != song[$0] }
        // What it held when it was turned off is crossfaded too; a window is handed out at once.
        let last = try #require(changed.last) / 2
        #expect(last < 110_000 && last > 110_000 - 45_000, "\(last)")
        // In 20 ms from nothing to all.
        let fade = Self.rate / 50
        let whole = play(song, [(0, settings())])
        for frame in 0..<fade {
            let n = 2 * (40_000 + frame)
            let part = Float(frame + 1) / Float(fade)
            #expect(abs(output[n] - (song[n] + part * (whole[n] - song[n]))) < 0.02)
        }
    }

    /// Turned off, it gives what it held little by little: turned on again soon, it still has it, and
    /// is heard soon.
    @Test(.optimizedBuild) func turnedOnAgainItHasWhatItHeld() throws {
        let song = Self.song.mix
        let whole = play(song, [(0, settings())])
        let stage = VocalStage(sampleRate: Self.rate)
        let hop = VoiceFinder.hop(sampleRate: Self.rate)
        var (output, again): ([Float], Int) = ([], 0)
        for begin in stride(from: 0, to: song.count, by: 2048) {
            let frame = begin / 2
            if frame == 0 { stage.set(settings()) }
            if frame == 100 * 1024 { stage.set(settings(0)) }
            if frame == 104 * 1024 {
                stage.set(settings())
                again = output.count / 2
                #expect(again < frame - 5000)
            }
            let before = output.count / 2
            stage.process(Array(song[begin..<min(begin + 2048, song.count)]), into: &output)
            #expect(output.count / 2 - before <= hop)
        }
        stage.drain(into: &output)
        let places = stage.takeChanges().map(\.place)
        #expect(places.count == 3 && places[2] == again)
        let fade = 2 * (Self.rate / 50)
        let between = (2 * places[1] + fade)..<(2 * again)
        #expect(output[between] == song[between])
        let rest = (2 * again + fade)..<song.count
        #expect(rest.allSatisfy { abs(output[$0] - whole[$0]) < 0.02 })
        #expect(output.count == song.count)
    }

    /// The song at a change of the mode is neither missing nor doubled: outside of the crossfade each
    /// frame is that of the one mode or of the other.
    /// What it knew before it was turned off does not count besides: it goes through those frames again.
    @Test(.optimizedBuild) func turnedOnAgainItKnowsWhatItRemembers() {
        let (song, on) = (mix(90_000), 70_000)
        let again = play(song, [(0, settings()), (20_000, settings(0)), (on, settings())])
        let once = play(song, [(0, settings(0)), (on, settings())])
        #expect(again[..<(2 * 20_000)] != once[..<(2 * 20_000)])
        #expect(firstDifference(again[(2 * on)...], once[(2 * on)...]) == nil)
    }

    @Test(.optimizedBuild) func aChangeOfModeIsACrossfadeOfTheSameFrames() throws {
        let song = mix(95_000)
        let spectral = play(song, [(0, settings())])
        let plain = play(song, [(0, settings(100, .plain))])
        let output = play(song, [(0, settings()), (80_000, settings(100, .plain))])
        let begin = try #require(firstDifference(output, spectral)) / 2
        #expect(begin > 30_000 && begin <= 80_000)
        let fade = Self.rate / 50
        #expect(
            firstDifference(output[(2 * (begin + fade))...], plain[(2 * (begin + fade))...]) == nil)
        for frame in 0..<fade {
            for n in [2 * (begin + frame), 2 * (begin + frame) + 1] {
                let part = Float(frame + 1) / Float(fade)
                let expected = spectral[n] + part * (plain[n] - spectral[n])
                #expect(abs(output[n] - expected) < 1e-5)
            }
        }
    }

    /// What is on one side alone stays at its frame.
    @Test func framesStayInTheirPlaces() throws {
        var song = [Float](repeating: 0, count: 120_000)
        for at in [0, 1234, 30_001] { song[2 * at] = 0.5 }
        let output = play(song, [(0, settings())])
        #expect(Samples.largestDifference(output, song) < 0.05)
        for at in [0, 1234, 30_001] { #expect(output[2 * at] > 0.45) }
    }

    @Test(arguments: [100, 1000, 8000, 22_050, 48_000])
    func everyRateGivesAsManyFrames(rate: Int) { expectAsManyFrames(rate) }

    @Test(.optimizedBuild, arguments: [96_000, 768_000])
    func highRatesGiveAsManyFrames(rate: Int) { expectAsManyFrames(rate) }

    private func expectAsManyFrames(_ rate: Int) {
        let song = noise(rate, seed: 3)
        let output = play(song, [(0, settings())], rate: rate)
        #expect(output.count == song.count && Samples.peak(output).isFinite)
        #expect(play([], [(0, settings())], rate: rate).isEmpty)
    }

    @Test func silenceStaysSilence() {
        let output = play([Float](repeating: 0, count: 100_000), [(0, settings())])
        #expect(output.count == 100_000 && Samples.peak(output) == 0)
    }

    /// Far below what can be heard nothing is looked for, so that nothing is computed with numbers
    /// that processors are slow at.
    @Test func denormalNumbersPass() {
        let song = noise(30_000, seed: 4).map { $0 * .leastNormalMagnitude / 8 }
        #expect(firstDifference(play(song, [(0, settings())]), song) == nil)
    }

    /// A song as it is, and what a stage leaves of it; at a rate at which little is held.
    private static let clean: (song: [Float], withoutVoice: [Float]) = {
        let suite = Self()
        let song = suite.mix(60_000)
        return (song, suite.play(song, [(0, suite.settings())], rate: 8000))
    }()

    @Test(.optimizedBuild, arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func whatIsNoNumberIsForgotten(bad: Float) {
        var song = Self.clean.song
        for n in 0..<200 { song[2 * 15_000 + n] = bad }
        let output = play(song, [(0, settings())], rate: 8000)
        let expected = Self.clean.withoutVoice
        let finder = VoiceFinder(sampleRate: 8000)
        let own = (2 * 15_000)..<(2 * 15_000 + 200)
        #expect(Samples.peak(output[..<own.lowerBound] + output[own.upperBound...]).isFinite)
        let (first, last) = (
            15_000 - finder.delay - finder.hop, 15_100 + VoiceFinder.reach(sampleRate: 8000)
        )
        #expect(firstDifference(output[..<(2 * first)], expected[..<(2 * first)]) == nil)
        let rest = Samples.largestDifference(output[(2 * last)...], expected[(2 * last)...])
        print("vocals: \(rest) after what is no number")
        withKnownIssue("the context remembers a click of 12 dB above full scale") {
            #expect(rest < 0.02)
        } when: {
            bad.isFinite
        }
        #expect(rest < 0.05)
    }

    /// After a seek nothing is left of the frames before, but of the same song it is still known how loud
    /// which pitch is: the voice goes from the first frame on.
    @Test(.optimizedBuild) func aResetKeepsWhatIsKnownOfTheSong() {
        let stage = VocalStage(sampleRate: Self.rate)
        stage.set(settings())
        var output: [Float] = []
        stage.process(Self.song.mix, into: &output)
        stage.reset()
        output = []
        stage.process(mix(Self.rate), into: &output)
        let backing = Array(Self.song.backing.prefix(output.count))
        let fresh = play(mix(Self.rate), [(0, settings())]).prefix(output.count)
        let (known, new) = (
            StemFigures.distortion(of: output, against: backing),
            StemFigures.distortion(of: Array(fresh), against: backing)
        )
        print("vocals: the first second \(new) dB, after a seek \(known) dB")
        #expect(known > new + 0.5)
    }

    /// After a seek and the beginning of another song nothing is left of the frames before.
    @Test func aResetForgetsTheSong() {
        let stage = VocalStage(sampleRate: Self.rate)
        stage.set(settings())
        var output: [Float] = []
        stage.process(noise(50_000, seed: 5), into: &output)
        stage.reset()
        stage.forgetSong()
        output = []
        let song = mix(Self.rate / 2)
        stage.process(song, into: &output)
        stage.drain(into: &output)
        let expected = play(song, [(0, settings())])
        #expect(firstDifference(output, expected) == nil)
        // And drained it begins anew.
        stage.forgetSong()
        output = []
        stage.process(song, into: &output)
        stage.drain(into: &output)
        #expect(firstDifference(output, expected) == nil)
    }

    /// Of frames that it skipped the stage knows what it is told, and after its reach it has no need of
    /// them.
    @Test func framesThatWereSkippedAreMissedForAWhile() {
        let (rate, hop) = (8000, VoiceFinder.hop(sampleRate: 8000))
        let (on, reach) = (10 * hop, VoiceFinder.reach(sampleRate: 8000))
        let song = mix(on + reach + 4 * hop)
        let whole = play(song, [(0, settings())], rate: rate)
        let stage = VocalStage(sampleRate: rate)
        stage.skip(on)
        stage.recall(Array(song[(2 * (on - 3 * hop))..<(2 * on)]))
        #expect(stage.isIdle)
        stage.set(settings())
        #expect(!stage.isIdle)
        var output: [Float] = []
        stage.process(Array(song[(2 * on)...]), into: &output)
        stage.drain(into: &output)
        #expect(stage.takeChanges().map(\.place) == [on])
        // It fades from the song to what is left of it.
        #expect(abs(output[0] - song[2 * on]) < 0.02 && output.count == song.count - 2 * on)
        #expect(firstDifference(output.prefix(2 * hop), whole[(2 * on)...].prefix(2 * hop)) != nil)
        let rest = Samples.largestDifference(output[(2 * reach)...], whole[(2 * (on + reach))...])
        print("vocals: \(rest) after what was skipped")
        #expect(rest < 0.02)
    }

    /// Turned off, it is idle as soon as it holds nothing, and not before.
    @Test func itIsIdleOnceItHoldsNothing() {
        let hop = VoiceFinder.hop(sampleRate: 8000)
        let stage = VocalStage(sampleRate: 8000)
        stage.set(settings())
        var output: [Float] = []
        stage.process(noise(16 * hop, seed: 10), into: &output)
        stage.set(settings(0))
        for number in 1...16 {
            stage.process(noise(hop, seed: 11), into: &output)
            #expect(stage.isIdle == (output.count == 2 * (16 + number) * hop))
        }
        #expect(stage.isIdle)
    }

    /// Turned on in the middle of a song, it takes the voice out at once by what a ring recalls of it:
    /// 0.27 s, instead of the 3.7 s that it depends on.
    @Test(.optimizedBuild) func theVoiceGoesAtOnce() {
        let song = Self.song
        let on = 2 * Self.rate
        let stage = VocalStage(sampleRate: Self.rate)
        stage.skip(on)
        stage.recall(Array(song.mix[(2 * (on - 12_000))..<(2 * on)]))
        stage.set(settings())
        var output: [Float] = []
        stage.process(Array(song.mix[(2 * on)...]), into: &output)
        stage.drain(into: &output)
        let all = play(song.mix, [(0, settings(0)), (on, settings())])
        // Each quarter of a second behind the fade.
        for quarter in 0..<6 {
            let first = Self.rate / 50 + quarter * Self.rate / 4
            let part = (2 * first)..<(2 * (first + Self.rate / 4))
            let there = (part.lowerBound + 2 * on)..<(part.upperBound + 2 * on)
            let backing = Array(song.backing[there])
            let figures = [Array(song.mix[there]), Array(output[part]), Array(all[there])]
                .map { StemFigures.distortion(of: $0, against: backing) }
            print("vocals, quarter \(quarter): \(figures)")
            #expect(figures[1] > figures[2] - 1.5 && figures[1] > figures[0] + 5)
        }
    }

    /// Ten minutes of a song take no more memory than a minute of it.
    @Test(.optimizedBuild, .ownProcess("measures the memory of the process"))
    func memoryStaysFlat() {
        let stage = VocalStage(sampleRate: Self.rate)
        let second = noise(Self.rate, seed: 6)
        var (first, peak) = (0, 0)
        for number in 0..<600 {
            stage.set(settings(number % 20 < 10 ? 100 : 0))
            var output: [Float] = []
            stage.process(second, into: &output)
            peak = max(peak, anonymousMemory())
            if number < 60 { first = peak }
        }
        print("memory: at most \(first >> 10) KiB in a minute, \(peak >> 10) KiB in ten")
        #expect(peak - first < 4 << 20)
    }

    @Test func valuesAreBounded() {
        #expect(settings(150).amount == 100 && settings(-1).amount == 0)
        #expect(settings(.nan).amount == 0)
        let song = noise(20_000, seed: 8)
        for place in [-1.0, 1] {
            #expect(Samples.peak(play(song, [(0, settings(at: place))])) < 2)
        }
    }
}
