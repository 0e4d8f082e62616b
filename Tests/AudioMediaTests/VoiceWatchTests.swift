import AudioGraph
import TestSupport
import Testing

@testable import AudioMedia

/// Songs whose voice cannot be told from the band, which is told once.
@Suite struct VoiceWatchTests {
    private static let rate = 8000

    /// So many seconds of noise, the right side of it `right` times the left and `other` times noise
    /// of its own.
    private func noise(_ seconds: Double, right: Float = 1, other: Float = 0) -> [Float] {
        let samples = Noise(seed: 3).prefix(2 * Int(seconds * Double(Self.rate)))
        var song = samples.map { 0.1 * $0 }
        for n in stride(from: 0, to: song.count, by: 2) {
            song[n + 1] = right * song[n] + other * song[n + 1]
        }
        return song
    }

    /// After how many seconds it is told that the song is mono.
    private func told(_ song: [Float], pieces: Int = 100) -> [Int] {
        var watch = VoiceWatch(sampleRate: Self.rate)
        return stride(from: 0, to: song.count / 2, by: pieces).compactMap { first in
            let piece = Array(song[(2 * first)..<min(song.count, 2 * (first + pieces))])
            watch.take(song: piece, .plain)
            return watch.takeLimits() == [.mono(.plain)]
                ? (first + piece.count / 2) / Self.rate : nil
        }
    }

    @Test func alikeForFiveSeconds() {
        #expect(told(noise(4.9)).isEmpty)
        #expect(told(noise(20)) == [5])
        #expect(told(noise(20), pieces: 50_000) == [6])
        // What a lossy coder adds does not make a song stereo; what can be heard does.
        #expect(told(noise(10, other: 0.005)) == [5])
        #expect(told(noise(10, other: 0.05)).isEmpty)
        #expect(told(noise(10, right: 0.8)).isEmpty && told(noise(10, right: -1)).isEmpty)
    }

    @Test func silenceIsNeither() {
        let silence = [Float](repeating: 0, count: 20 * Self.rate)
        #expect(told(silence).isEmpty)
        #expect(told(noise(3) + silence + noise(3)) == [15])
        let nan = [Float](repeating: .nan, count: 20 * Self.rate)
        #expect(told(nan).isEmpty)
        #expect(told(noise(4) + noise(1, other: 1) + noise(6)) == [10])
    }

    @Test func eachSongAndEachModeOnce() {
        var watch = VoiceWatch(sampleRate: Self.rate)
        func told(_ mode: VocalMode, _ seconds: Double) -> [EffectLimit] {
            watch.take(song: noise(seconds), mode)
            return watch.takeLimits()
        }
        // A song that begins with a voice alone is not mono.
        #expect(told(.spectral, 29) == [] && told(.spectral, 2) == [.mono(.spectral)])
        #expect(told(.plain, 1) == [.mono(.plain)])
        #expect(told(.spectral, 1) + told(.plain, 9) == [])
        watch.forgetSong()
        #expect(told(.plain, 4) == [] && told(.plain, 2) == [.mono(.plain)])
    }

    /// A voice of which next to nothing is found in 90 s with sound.
    @Test func noVoice() {
        let song = noise(1, other: 1)
        func told(voice part: Float, mono: Bool = false) -> [Int] {
            var watch = VoiceWatch(sampleRate: Self.rate)
            if mono { watch.take(song: noise(31), .spectral) }
            _ = watch.takeLimits()
            return (1...200).filter { second in
                let sound = second % 2 == 0 ? song : song.map { _ in 0 }
                watch.take(voice: sound.map { part * $0 }, in: sound[...])
                return watch.takeLimits() == [.noVoice]
            }
        }
        #expect(told(voice: 0.15) == [180])
        #expect(told(voice: 0.17) == [])
        #expect(told(voice: 0, mono: true) == [])
        #expect(told(voice: .nan) == [])
    }

    /// One frame of any size does not count, and a voice that is looked for elsewhere counts anew.
    @Test func noVoiceIsJudgedByMusicAlone() {
        var watch = VoiceWatch(sampleRate: Self.rate)
        let song = noise(1, other: 1)
        func hear(_ song: [Float], voice part: Float) -> [EffectLimit] {
            watch.take(voice: song.map { part * $0 }, in: song[...])
            return watch.takeLimits()
        }
        #expect(hear([Float](repeating: 1e9, count: song.count), voice: 0) == [])
        for _ in 1...80 { #expect(hear(song, voice: 0.1) == []) }
        watch.forgetVoice()
        for _ in 1...89 { #expect(hear(song, voice: 0.1) == []) }
        #expect(hear(song, voice: 0.1) == [.noVoice])
        // It is judged once.
        watch.forgetSong()
        for _ in 1...90 { #expect(hear(song, voice: 0.2) == []) }
        for _ in 1...900 { #expect(hear(song, voice: 0) == []) }
    }

    /// A ring tells it of a mono song where the voice is taken out.
    @Test func aRingTells() throws {
        let mode = VocalMode.plain
        let ring = StagedRing(SongSource(sampleRate: Self.rate).feed)
        var effects = SongEffects()
        (effects.vocals.mode, effects.vocals.place) = (mode, .centre)
        func append(_ seconds: Double) -> [SongEvent] {
            ring.set(effects, isLive: false)
            let song = noise(seconds)
            for first in stride(from: 0, to: song.count, by: 2 * StageChain.block) {
                let piece = Array(song[first..<min(song.count, first + 2 * StageChain.block)])
                unsafe piece.withUnsafeBufferPointer {
                    unsafe ring.append(
                        $0.baseAddress!, count: piece.count / 2, as: Int64(first / 2))
                }
            }
            return ring.takeNews().filter { if case .effectsLimited = $0 { true } else { false } }
        }
        #expect(append(6) == [])
        effects.vocals.amount = 50
        #expect(append(4) == [])
        #expect(append(2) == [.effectsLimited(.mono(mode))])
        #expect(append(6) == [])
    }
}
