import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Parts of songs that are repeated.
@Suite struct PartTests {
    /// Where in the song each heard frame is, from its content: the left channel counts frames.
    private static func countingSong(_ folder: TemporaryFolder, seconds: Double, rate: Int) throws
        -> URL
    {
        let url = folder.url.appendingPathComponent("count.wav")
        let count = Int(seconds * Double(rate))
        let writer = try SoundFileWriter(path: url.path, sampleRate: rate, format: .float)
        let samples = (0..<count).map { Float($0) / 16_777_216 }
        try writer.write([samples, samples])
        try writer.close()
        return url
    }

    private func frames(_ stage: SongStage, _ count: Int) -> [Int] {
        let samples = stage.render(count)
        return stride(from: 0, to: samples.count, by: 2).map { Int(samples[$0] * 16_777_216) }
    }

    /// From before the part through several turns: each frame of the part, none twice, none
    /// missing, with no gap; the position follows to the frame.
    @Test func aPartIsRepeatedToTheFrame() throws {
        let folder = try TemporaryFolder()
        let song = try Self.countingSong(folder, seconds: 6, rate: 48_000)
        let stage = try SongStage(song.path, rate: 48_000)
        stage.song.repeatPart(SongPart(from: 1, to: 1.5)!)
        stage.song.start()
        _ = frames(stage, 4096)
        stage.song.repeatPart(SongPart(from: 1, to: 1.75)!)
        var heard: [Int] = []
        while heard.count < 240_000 {
            heard += frames(stage, 4096)
            #expect(stage.source.position == Int64(heard.last!) + 1 || heard.last! == 83_999)
        }
        for (before, after) in zip(heard, heard.dropFirst()) {
            #expect(after == (before == 83_999 ? 48_000 : before + 1), "after \(before)")
        }
        #expect(heard.count { $0 == 48_000 } >= 5)
        stage.song.repeatPart(nil)
        while stage.source.state != .ended { heard = frames(stage, 4096) + heard.suffix(4096) }
        #expect(heard.contains(287_999))
    }

    /// At another rate the turn is where the song, resampled, has these frames; beyond the part the
    /// song goes to its start.
    @Test(arguments: [44_100, 48_000])
    func aPartAtAnotherRate(rate: Int) throws {
        let folder = try TemporaryFolder()
        let song = try folder.song("song.mp3", seconds: 8, rate: 44_100, frequency: 440)
        let whole = try SongStage(song.path, rate: rate)
        whole.song.start()
        let reference = whole.renderAll()
        let stage = try SongStage(song.path, rate: rate)
        stage.song.start()
        _ = stage.render(4 * rate)
        stage.song.repeatPart(SongPart(from: 1, to: 2)!)
        while !(1...64).contains(stage.source.position - Int64(rate)) { _ = stage.render(64) }
        let heard = Int(stage.source.position) - rate
        #expect(stage.log.all.contains(.seeked(seconds: 1, isExact: true)))
        // After the fade of the jump: the second and third round.
        let round = Array(reference[2 * rate..<4 * rate])
        let rounds = stage.render(3 * rate - heard)
        let second = Array(rounds.dropFirst(2 * (rate - heard)).prefix(2 * rate))
        let third = Array(rounds.suffix(2 * rate))
        #expect(firstDifference(second, third) == nil)
        // A resampler that begins before the place rounds the last bits otherwise.
        let largest = Samples.largestDifference(second, round)
        #expect(largest <= (rate == 44_100 ? 0 : 1e-6), "\(largest)")
    }

    /// A part that ends behind the song ends with it; another song ends the part.
    @Test func aPartEndsWithTheSong() throws {
        let folder = try TemporaryFolder()
        let song = try Self.countingSong(folder, seconds: 2, rate: 48_000)
        let stage = try SongStage([song.path, song.path], rate: 48_000)
        stage.song.start()
        _ = frames(stage, 512)
        stage.song.repeatPart(SongPart(from: 1, to: 60)!)
        let heard = frames(stage, 4 * 48_000)
        for (before, after) in zip(heard, heard.dropFirst()) {
            #expect(after == (before == 95_999 ? 48_000 : before + 1), "after \(before)")
        }
        #expect(heard.count { $0 == 95_999 } >= 3)
        stage.song.skip(by: 1)
        var rest: [Int] = []
        while stage.source.state != .ended { rest += frames(stage, 4096) }
        #expect(rest.count { $0 == 95_999 } == 1)
    }

    @Test(arguments: [(1.0, 1.4), (2.0, 1.0), (-1.0, 2.0), (0.0, 1e300), (.nan, 1.0), (0.0, .nan)])
    func partsThatAreNone(start: Double, end: Double) {
        #expect(SongPart(from: start, to: end) == nil)
    }
}
