import Foundation
import TestSupport
import Testing

@testable import AudioMedia

@Suite struct SongTests {
    @Test(arguments: [MusicFile.constant, .tagged, .mono, .eightKilohertz, .layerTwo])
    func wholeSongIsWhatTheDecoderMakes(_ file: MusicFile) throws {
        let decoder = try MP3Decoder()
        let expected = try decodeAll(file.bytes, chunk: 4096, decoder: decoder)
        let stage = try SongStage(file.url.path, rate: decoder.sampleRate)
        stage.song.start()
        #expect(firstDifference(stage.renderAll(), expected) == nil)
        #expect(stage.source.underruns == 0)
        let ended = stage.log.wait { if case .ended = $0 { true } else { false } }
        #expect(ended == .ended(frames: Int64(expected.count / 2)))
        #expect(stage.song.info?.format == decoder.format)
        let duration = try #require(stage.song.info?.duration)
        #expect(abs(duration - Double(expected.count / 2) / Double(decoder.sampleRate)) < 0.1)
    }

    @Test(arguments: [44_100, 48_000])
    func seeksAreExactAtAnyRate(rate: Int) throws {
        let file = MusicFile.variable
        let whole = try SongStage(file.url.path, rate: rate)
        whole.song.start()
        let expected = whole.renderAll()
        var random = SeededRandom(seed: 16)
        let stage = try SongStage(file.url.path, rate: rate)
        stage.renderer.period = 64
        stage.song.start(at: 1)
        #expect(worst(stage.framesAfterSeek(to: 1), expected, from: 1, rate: rate) < 1e-6)
        for _ in 0..<12 {
            let now = Double(stage.source.position) / Double(rate)
            var seconds = now
            while abs(seconds - now) <= 0.5 {
                seconds = Double.random(in: 0...6.5, using: &random)
            }
            stage.song.seek(to: seconds)
            #expect(abs(stage.song.position.seconds - seconds) < 0.3)
            let frames = stage.framesAfterSeek(to: seconds)
            #expect(frames.count == 2 * 4000, "to \(seconds)")
            #expect(worst(frames, expected, from: seconds, rate: rate) < 1e-6, "to \(seconds)")
        }
        let seeks = stage.log.all.filter { if case .seeked(_, true) = $0 { true } else { false } }
        #expect(seeks.count >= 12)
    }

    /// The largest difference between `frames` and `whole` from `seconds` on, faded in over 5 ms
    /// (n/N at its frame n).
    private func worst(_ frames: [Float], _ whole: [Float], from seconds: Double, rate: Int)
        -> Float
    {
        let fade = (Float(rate) * 0.005).rounded()
        let start = 2 * Int((seconds * Double(rate)).rounded())
        return zip(frames, whole[start...]).enumerated()
            .map { abs($1.0 - $1.1 * min(1, Float($0 / 2) / fade)) }.max() ?? .infinity
    }

    @Test func newestSeekWinsAndTheEndEnds() throws {
        let stage = try SongStage(MusicFile.constant.url.path, rate: 44_100)
        stage.song.start()
        _ = stage.render(5000)
        for seconds in stride(from: 1.0, through: 5, by: 0.01) { stage.song.seek(to: seconds) }
        #expect(stage.framesAfterSeek(to: 5).count == 8000)
        stage.song.seek(to: 100)
        while stage.source.state != .ended { _ = stage.render(512) }
        stage.song.seek(to: 2)
        #expect(stage.framesAfterSeek(to: 2).count == 8000)
    }

    @Test func stepsInQuickSuccessionAddUp() throws {
        let stage = try SongStage(try MusicFile.constant.url.path, rate: 48_000)
        stage.song.start()
        _ = stage.render(4096)
        let start = stage.song.position.seconds
        // Like a key that repeats: some of the earlier steps arrive between the later ones.
        for _ in 0..<6 {
            stage.song.seek(to: stage.song.position.seconds + 0.5)
            _ = stage.render(64)
        }
        // A seek under way counts as the position; it has arrived when the position moves on.
        let wanted = stage.song.position.seconds
        while stage.song.position.seconds <= wanted { _ = stage.render(64) }
        let arrived = stage.log.all.compactMap(\.seconds).last ?? 0
        // The frames played in between count too: less than 0.1 s.
        #expect((start + 3..<start + 3.1).contains(arrived), "\(arrived)")
    }

    @Test func beyondTheEndIsTheEnd() throws {
        let stage = try SongStage(try MusicFile.constant.url.path, rate: 48_000)
        stage.song.start()
        // Not read from the position, which has the duration only from its next report on.
        let opened = try #require(stage.log.wait { if case .opened = $0 { true } else { false } })
        guard case .opened(let description) = opened else { return }
        let duration = try #require(description.duration)
        _ = stage.render(4096)
        stage.song.seek(to: duration + 1000)
        while stage.source.state != .ended { _ = stage.render(4096) }
        let ended = try #require(stage.log.wait { if case .ended = $0 { true } else { false } })
        #expect(ended == .ended(frames: Int64((duration * 48_000).rounded())))
    }

    @Test func pauseHoldsAndStopEnds() async throws {
        let stage = try SongStage(MusicFile.constant.url.path, rate: 44_100)
        let events = stage.song.events()
        stage.song.start()
        _ = stage.render(10_000)
        stage.song.pause()
        _ = stage.render(2000)
        let position = stage.source.position
        #expect(stage.render(4000).allSatisfy { $0 == 0 })
        #expect(stage.source.position == position)
        // Of a pause and a resumption that wait together only the newest is told.
        #expect(stage.log.wait { $0 == .paused } != nil)
        stage.song.resume()
        _ = stage.render(1000)
        #expect(stage.source.position == position + 1000)
        stage.song.stop()
        #expect(stage.log.wait { $0 == .stopped } != nil)
        var told: [SongEvent] = []
        for await event in events { told.append(event) }
        #expect(told.contains(.paused) && told.contains(.playing) && told.last == .stopped)
    }

    @Test func offlineIsFast() throws {
        let stage = try SongStage(MusicFile.constant.url.path, rate: 48_000)
        stage.song.start()
        let frames = stage.renderAll().count / 2
        // The song is 7 s and 321 frames long at 44.1 kHz.
        #expect(abs(frames - (7 * 48_000 + 349)) <= 1)
    }
}

extension SongEvent {
    /// The second at which a seek has arrived; nil for other events.
    fileprivate var seconds: Double? {
        if case .seeked(let seconds, _) = self { seconds } else { nil }
    }
}
