import AudioGraph
import TestSupport
import Testing

@testable import AudioMedia

/// Songs whose sides are alike: that the plain mode leaves nothing of them is told once.
@Suite struct MonoSongTests {
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

    /// After how many seconds it is told.
    private func told(_ song: [Float], pieces: Int = 100) -> [Int] {
        var watch = MonoWatch(sampleRate: Self.rate)
        return stride(from: 0, to: song.count / 2, by: pieces).compactMap { first in
            let piece = Array(song[(2 * first)..<min(song.count, 2 * (first + pieces))])
            let isNews = unsafe piece.withUnsafeBufferPointer {
                unsafe watch.take($0.baseAddress!, count: piece.count / 2)
            }
            return isNews ? (first + piece.count / 2) / Self.rate : nil
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

    @Test func silenceIsNeitherAndStereoBeginsAnew() {
        let silence = [Float](repeating: 0, count: 20 * Self.rate)
        #expect(told(silence).isEmpty)
        #expect(told(noise(3) + silence + noise(3)) == [15])
        let nan = [Float](repeating: .nan, count: 20 * Self.rate)
        #expect(told(nan).isEmpty)
        #expect(
            told(noise(4) + noise(1, other: 1) + noise(6) + noise(1, other: 1) + noise(9)) == [
                10, 17,
            ])
    }

    /// Told where the plain mode is on, and nowhere else.
    @Test(arguments: [VocalMode.spectral, .plain])
    func aRingTells(mode: VocalMode) throws {
        let ring = StagedRing(SongSource(sampleRate: Self.rate).feed)
        var effects = SongEffects()
        (effects.vocals.mode, effects.vocals.place) = (mode, .left)
        func append(_ seconds: Double) -> Int {
            ring.set(effects, isLive: false)
            let song = noise(seconds)
            for first in stride(from: 0, to: song.count, by: 2 * StageChain.block) {
                let piece = Array(song[first..<min(song.count, first + 2 * StageChain.block)])
                unsafe piece.withUnsafeBufferPointer {
                    unsafe ring.append(
                        $0.baseAddress!, count: piece.count / 2, as: Int64(first / 2))
                }
            }
            return ring.takeNews().count { $0 == .effectsLimited(.mono) }
        }
        #expect(append(6) == 0)
        effects.vocals.amount = 50
        #expect(append(4) == 0)
        #expect(append(2) == (mode == .plain ? 1 : 0))
        #expect(append(6) == 0)
    }
}
