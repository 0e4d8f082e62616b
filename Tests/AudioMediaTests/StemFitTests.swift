import TestSupport
import Testing

@testable import AudioMedia

/// Parts of a song are fitted to it.
@Suite struct StemFitTests {
    private static let rate = 44_100

    private func noise(_ seed: UInt64, count: Int) -> [Float] {
        var random = SeededRandom(seed: seed)
        var last: Float = 0
        return (0..<count).map { _ in
            last = 0.8 * last + Float.random(in: -0.1...0.1, using: &random)
            return last
        }
    }

    /// A stretch whose parts come `lag` frames late and are scaled.
    private func stretch(
        lag: Int = 0, vocals vocalGain: Float = 1, instrumental gain: Float = 1, seed: UInt64 = 1,
        noise level: Float = 0
    ) -> StemFit.Stretch {
        let count = 2 * StemFit.length
        let (vocals, instrumental) = (noise(seed, count: count), noise(seed + 1, count: count))
        let other = noise(seed + 2, count: count)
        let song = (0..<count).map { vocals[$0] + instrumental[$0] + level * other[$0] }
        func late(_ samples: [Float], _ gain: Float) -> [Float] {
            let moved =
                lag >= 0
                ? [Float](repeating: 0, count: 2 * lag) + samples.dropLast(2 * lag)
                : Array(samples.dropFirst(-2 * lag)) + [Float](repeating: 0, count: -2 * lag)
            return moved.map { $0 * gain }
        }
        return StemFit.Stretch(
            song: song, vocals: late(vocals, vocalGain), instrumental: late(instrumental, gain))
    }

    @Test(arguments: [0, 1, 1105, -529, 11_025])
    func lagAndGainsAreFound(_ lag: Int) throws {
        let stretch = stretch(lag: lag, vocals: 0.9, instrumental: 0.5)
        let fit = try #require(StemFit([stretch], longest: 11_025))
        #expect(fit.lag == lag)
        #expect(abs(fit.vocals - 1 / 0.9) < 1e-3 && abs(fit.instrumental - 2) < 1e-3)
        #expect(fit.residual < -60 && fit.isGood)
    }

    @Test func whatIsNotTheSongIsRefused() throws {
        var wrong = stretch()
        wrong.instrumental = noise(99, count: wrong.song.count)
        #expect(try #require(StemFit([wrong], longest: 1000)).isGood == false)
        // Parts that leave −20 dB of the song are its own; −10 dB are not.
        #expect(try #require(StemFit([stretch(noise: 0.14)], longest: 1000)).isGood)
        #expect(try #require(StemFit([stretch(noise: 0.5)], longest: 1000)).isGood == false)
        // Upside down, and far too soft.
        #expect(try #require(StemFit([stretch(vocals: -1)], longest: 1000)).isGood == false)
        #expect(try #require(StemFit([stretch(vocals: 0.1)], longest: 1000)).isGood == false)
        var silent = stretch()
        silent.vocals = silent.song
        silent.instrumental = [Float](repeating: 0, count: silent.song.count)
        let fit = try #require(StemFit([silent], longest: 1000))
        #expect(fit.residual < -60 && fit.level < StemFit.leastLevel && !fit.isGood)
    }

    @Test func aSongWithoutVoiceHasItsInstrumental() throws {
        var plain = stretch()
        plain.instrumental = plain.song.map { $0 * 0.9 }
        plain.vocals = [Float](repeating: 0, count: plain.song.count)
        let fit = try #require(StemFit([plain], longest: 1000))
        #expect(fit.isGood && abs(fit.instrumental - 1 / 0.9) < 1e-3)
        // What a separator leaves of no voice is soft, and tells no gain.
        plain.vocals = noise(7, count: plain.song.count).map { $0 * 0.003 }
        #expect(try #require(StemFit([plain], longest: 1000)).isGood)
    }

    @Test func silenceAndNoNumbersAreNoSong() {
        var silent = stretch()
        silent.song = [Float](repeating: 0, count: silent.song.count)
        #expect(StemFit([silent], longest: 1000) == nil)
        var odd = stretch()
        odd.vocals[1000] = .nan
        #expect(StemFit([odd], longest: 1000) == nil)
        var short = stretch()
        (short.vocals, short.instrumental) = ([], [])
        #expect(StemFit([short], longest: 1000)?.isGood != true)
    }
}
