import TestSupport
import Testing

@testable import AudioMedia

/// A song whose voice is found, and then known by files that were made of it.
@Suite struct VocalSeamTests {
    private let rate = 8000
    private var hop: Int { VoiceFinder.hop(sampleRate: rate) }

    /// Noise of so many frames, in the middle and on the sides.
    private func noise(_ frames: Int, seed: UInt64) -> [Float] {
        Noise(seed: seed).prefix(2 * frames).map { 0.3 * $0 }
    }

    private func stage() -> VocalStage {
        let stage = VocalStage(sampleRate: rate)
        var settings = VocalRemoval()
        settings.amount = 100
        stage.set(settings)
        return stage
    }

    /// What a stage makes of a song whose voice it finds.
    private func found(_ song: [Float]) -> [Float] {
        let stage = stage()
        var output: [Float] = []
        stage.process(song, into: &output)
        stage.drain(into: &output)
        return output
    }

    /// Where frames begin to be known without their voice, it goes over to that: from the voice that it finds,
    /// to the sample, in 20 ms, and no frame is left out.
    @Test(arguments: [[1024], [100, 3000, 7]])
    func itGoesOverToAVoiceThatIsKnown(_ pieces: [Int]) {
        let (begin, fade) = (12 * hop + 17, rate / 50)
        let song = noise(40 * hop, seed: 20)
        let backing = noise(40 * hop, seed: 21)
        let found = found(song)
        let stage = stage()
        var output: [Float] = []
        var (at, number) = (0, 0)
        while 2 * at < song.count {
            let limit = at < begin ? begin : song.count / 2
            let count = min(pieces[number % pieces.count], limit - at)
            let range = (2 * at)..<(2 * (at + count))
            if at < begin {
                stage.process(Array(song[range]), into: &output)
            } else {
                stage.process(
                    Array(song[range]), backing: Array(backing[range]), into: &output)
            }
            (at, number) = (at + count, number + 1)
        }
        #expect(output.count == song.count)
        stage.drain(into: &output)
        #expect(output.count == song.count)
        #expect(firstDifference(output[..<(2 * begin)], found[..<(2 * begin)]) == nil)
        for n in 0..<fade {
            for sample in (2 * (begin + n))...(2 * (begin + n) + 1) {
                let share = Float(n + 1) / Float(fade)
                let wanted = found[sample] + (backing[sample] - found[sample]) * share
                #expect(abs(output[sample] - wanted) < 1e-6)
            }
        }
        let rest = (2 * (begin + fade))...
        #expect(firstDifference(output[rest], backing[rest]) == nil)
    }

    /// A voice that is known for less than the fade goes on being looked for.
    @Test func aVoiceThatIsKnownForAMomentIsNone() {
        let song = noise(30 * hop, seed: 20)
        let stage = stage()
        var output: [Float] = []
        let (first, second) = (2 * 10 * hop, 2 * (10 * hop + 50))
        stage.process(Array(song[..<first]), into: &output)
        stage.process(
            Array(song[first..<second]), backing: Array(song[first..<second]), into: &output)
        stage.process(Array(song[second...]), into: &output)
        stage.drain(into: &output)
        let found = found(song)
        #expect(output.count == song.count)
        #expect(firstDifference(output, found) == nil)
    }
}
