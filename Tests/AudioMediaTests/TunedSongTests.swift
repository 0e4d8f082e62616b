import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs from files and servers in another key and at another tempo: their places are their own.
@Suite struct TunedSongTests {
    private static func effects(
        key: Double = 0, tempo: Double = 100, varispeed: Double = 100
    ) throws -> SongEffects {
        SongEffects(
            tuning: try #require(SongTuning(key: key, tempo: tempo, varispeed: varispeed)))
    }

    private func stage(
        _ songs: [String], _ effects: SongEffects, rate: Int = 44_100, loops: Bool = false
    ) throws -> SongStage {
        let stage = try SongStage(songs, rate: rate, loops: loops, isExact: true)
        stage.song.effects = effects
        return stage
    }

    /// At 80 % a song takes a quarter more, and ends with its own number of frames; the position is the
    /// song's own at every moment.
    @Test(arguments: [44_100, 48_000])
    func aSlowSongIsLonger(rate: Int) throws {
        let file = try MusicFile.constant.url.path
        let plain = try stage([file], SongEffects(), rate: rate)
        plain.song.start()
        let frames = plain.renderAll().count / 2
        let slow = try stage([file], Self.effects(tempo: 80), rate: rate)
        slow.song.start()
        var rendered = 0
        while slow.source.state != .ended {
            _ = slow.render(1000)
            rendered += 1000
            let place = min(Double(rendered) * 0.8, Double(frames))
            #expect(abs(Double(slow.source.position) - place) <= 1)
        }
        #expect(abs(slow.source.feed.pushedFrames - (frames * 5 + 3) / 4) <= 1)
        let ended = slow.log.wait { if case .ended = $0 { true } else { false } }
        #expect(ended == .ended(frames: Int64(frames)))
        #expect(slow.source.underruns == 0)
        #expect(slow.log.all.contains(.effects(try Self.effects(tempo: 80), frame: 0)))
    }

    /// A seek goes to the song's own second, whatever the tempo, and what is heard there is what is there.
    @Test(arguments: [50.0, 80, 200])
    func aSeekGoesToTheSongsOwnSecond(tempo: Double) throws {
        let folder = try TemporaryFolder()
        // 440 Hz, but for the sixth second.
        let song = folder.url.appendingPathComponent("tones.wav")
        let writer = try SoundFileWriter(path: song.path, sampleRate: 48_000, format: .float)
        let samples = (0..<(10 * 48_000)).map { frame in
            let tone = frame / 48_000 == 5 ? 1000.0 : 440
            return 0.5 * Float(sin(2 * .pi * tone * Double(frame) / 48_000))
        }
        try writer.write([samples, samples])
        try writer.close()
        let stage = try stage([song.path], Self.effects(tempo: tempo), rate: 48_000)
        stage.song.start()
        _ = stage.render(20_000)
        stage.song.seek(to: 5)
        while stage.source.state != .playing || stage.source.position <= 240_000 {
            _ = stage.render(64)
        }
        #expect(stage.log.all.contains(.seeked(seconds: 5, isExact: true)))
        #expect((240_001..<240_200).contains(stage.source.position))
        // The second from there on, but for its ends.
        _ = stage.render(2000)
        let place = stage.song.position.seconds
        let heard = stage.render(Int(35_000 / (tempo / 100)))
        let crossings = stride(from: 2, to: heard.count, by: 2)
            .count { heard[$0 - 2] < 0 && heard[$0] >= 0 }
        let frequency = Double(crossings) * 48_000 / (Double(heard.count) / 2)
        #expect(abs(frequency - 1000) < 5)
        #expect(abs(stage.song.position.seconds - place - 35_000 / 48_000) < 0.0001)
    }

    /// A part goes round after as many frames as it takes at its tempo.
    @Test func aPartTakesLongerToo() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 8, rate: 48_000)
        let stage = try stage([song.path], Self.effects(key: 2, tempo: 80), rate: 48_000)
        stage.song.start()
        _ = stage.render(4800)
        stage.song.repeatPart(SongPart(from: 1, to: 2)!)
        var (turns, rendered, last): ([Int], Int, Int64) = ([], 0, 0)
        while turns.count < 4 {
            let samples = stage.render(100)
            rendered += 100
            let position = stage.source.position
            #expect(position <= 96_000)
            if position < last { turns.append(rendered) }
            last = position
            // The tone goes on through the turn.
            if rendered > 10_000 { #expect(samples.contains { abs($0) > 0.03 }) }
        }
        for (before, after) in zip(turns, turns.dropFirst()) {
            #expect(abs(after - before - 60_000) <= 100)
        }
    }

    /// Songs follow one another without a gap, each told where it begins.
    @Test func songsFollowWithoutAGap() throws {
        let folder = try TemporaryFolder()
        let names = ["one.mp3", "two.mp3", "three.mp3"]
        let songs = try names.map { try folder.song($0, seconds: 2, rate: 44_100).path }
        let plain = try stage(songs, SongEffects())
        plain.song.start()
        repeat { _ = plain.render(4096) } while plain.source.state != .ended
        let frames = plain.source.feed.pushedFrames
        let tuned = try stage(songs, Self.effects(key: -3, tempo: 125))
        tuned.song.start()
        var heard: [Float] = []
        repeat { heard += tuned.render(441) } while tuned.source.state != .ended
        #expect(abs(tuned.source.feed.pushedFrames - frames * 4 / 5) <= 1)
        let whole = heard.prefix(2 * tuned.source.feed.pushedFrames - 2000)
        for start in stride(from: 0, to: whole.count - 882, by: 882) {
            #expect(whole[start..<(start + 882)].contains { abs($0) > 0.03 }, "\(start)")
        }
        #expect(tuned.log.wait { $0 == .finished } != nil)
        let ends = tuned.log.all.compactMap { event -> Int64? in
            if case .ended(let frames) = event { frames } else { nil }
        }
        #expect(ends.count == 3 && ends.reduce(0, +) == Int64(frames))
    }

    /// A change is heard within half a second, at a frame that is told; after a return to the song as it
    /// is, its own bits are heard again.
    @Test func aChangeIsHeardSoonAndGoesWithoutATrace() throws {
        let file = try MusicFile.constant.url.path
        let plain = try stage([file], SongEffects())
        plain.song.start()
        let expected = plain.renderAll()
        let stage = try stage([file], SongEffects())
        stage.song.start()
        var heard = stage.render(44_100)
        func change(to effects: SongEffects) throws -> Int {
            let here = stage.source.position
            stage.song.effects = effects
            var frames: [Int64] = []
            while frames.isEmpty, stage.source.state != .ended {
                heard += stage.render(64)
                frames = stage.log.all.compactMap { $0.frame(of: effects) }
            }
            let frame = try #require(frames.last, "\(stage.log.all)")
            // What the ring holds, and what was rendered until the command was obeyed.
            #expect((0...Int64(2 * stage.source.feed.capacity + 4096)).contains(frame - here))
            return Int(frame)
        }
        let begin = try change(to: Self.effects(key: 2))
        heard += stage.render(88_200)
        let end = try change(to: SongEffects())
        while stage.source.state != .ended { heard += stage.render(4096) }
        let fade = 44_100 / 50
        #expect(
            firstDifference(Array(heard[..<(2 * begin)]), Array(expected[..<(2 * begin)])) == nil)
        let middle = 2 * (begin + fade)..<2 * end
        #expect(Array(heard[middle]) != Array(expected[middle]))
        let rest = 2 * (end + fade)..<expected.count
        #expect(firstDifference(Array(heard[rest]), Array(expected[rest])) == nil)
        #expect(stage.source.underruns == 0)
    }

    /// Under a transport each frame of the song is at its place, through every change of the key.
    @Test func aKeyStaysWithTheTransport() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 10, rate: 44_100)
        let stage = try stage([song.path], Self.effects(key: 12))
        stage.song.start()
        stage.follow(0)
        var place: Int64 = 0
        for key in [12.0, -12, 3, 0] {
            stage.song.effects = try Self.effects(key: key)
            for _ in 0..<700 {
                let heard = stage.render(64)
                place += 64
                #expect(stage.source.position == place)
                #expect(place < 200 || heard.contains { $0 != 0 })
            }
        }
        #expect(stage.source.underruns == 0)
    }

    /// A station keeps its own tempo, and says so; its key changes.
    @Test(.ownProcess("a web server")) func aStationKeepsItsTempo() throws {
        let folder = try TemporaryFolder()
        let tone = try folder.song(seconds: 20, rate: 44_100, frequency: 440)
        let bytes = [UInt8](try Data(contentsOf: tone))
        let server = try ScriptedServer { exchange in
            exchange.send("ICY 200 OK\r\nicy-name: Q\r\ncontent-type: audio/mpeg\r\n\r\n")
            exchange.send(bytes)
            exchange.waitForClient()
        }
        let stage = try stage([server.address()], Self.effects(key: 2, tempo: 80))
        stage.song.start()
        let first = stage.render(44_100)
        #expect(first.contains { $0 != 0 })
        #expect(stage.log.all.contains(.effectsLimited(.live)))
        #expect(stage.log.all.contains(.effects(try Self.effects(key: 2), frame: 0)))
        let place = stage.source.position
        let heard = stage.render(88_200)
        #expect(stage.source.position == place + 88_200)
        let crossings = stride(from: 2, to: heard.count, by: 2)
            .count { heard[$0 - 2] < 0 && heard[$0] >= 0 }
        #expect(abs(Double(crossings) / 2 - 493.88) < 1)
        stage.song.stop()
    }

    /// A seek begins another stretch of the same song: what is known of it stays, and nothing is told again.
    @Test(.optimizedBuild) func aSeekIsNotAnotherSong() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 40, rate: 44_100)
        var effects = SongEffects()
        (effects.vocals.amount, effects.vocals.mode) = (100, .plain)
        let stage = try stage([song.path, song.path], effects, rate: 8000)
        func told() -> Int { stage.log.all.count { $0 == .effectsLimited(.mono(.plain)) } }
        stage.song.start()
        _ = stage.render(7 * 8000)
        #expect(stage.log.wait { $0 == .effectsLimited(.mono(.plain)) } != nil)
        for seconds in [20.0, 5] {
            stage.song.seek(to: seconds)
            _ = stage.render(7 * 8000)
            let arrived = stage.log.wait {
                if case .seeked(let place, _) = $0 { abs(place - seconds) < 1 } else { false }
            }
            #expect(arrived != nil)
        }
        #expect(told() == 1)
        stage.song.stop()
    }

    /// Rubber Band takes no such rate: the song plays as it is, and that is told.
    @Test(arguments: [6000, 200_000])
    func aRateThatIsNotTaken(rate: Int) throws {
        let file = try MusicFile.small.url.path
        let plain = try stage([file], SongEffects(), rate: rate)
        plain.song.start()
        let expected = plain.renderAll()
        let stage = try stage([file], Self.effects(key: 2, tempo: 80), rate: rate)
        stage.song.start()
        #expect(stage.renderAll() == expected)
        #expect(stage.log.all.contains(.effectsLimited(.rate(rate))))
    }

    /// Another graph, of another rate, goes on in the same key at the same tempo.
    @Test func anotherGraphGoesOnInTheSameKey() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 8, rate: 44_100)
        let stage = try stage([song.path], Self.effects(key: 2, tempo: 80))
        stage.song.start()
        _ = stage.render(44_100)
        let graph = Graph(sampleRate: 48_000)
        let (source, io) = (SongSource(sampleRate: 48_000), HardwareIO(inputChannels: 0))
        for node in [source, io] as [AudioNode] { try graph.add(node) }
        try graph.connect(source, to: io)
        try graph.prepare()
        try graph.start()
        let renderer = try OfflineRenderer(graph, period: 512)
        renderer.patience = 20_000
        stage.song.move(to: source)
        while source.state != .playing { _ = renderer.render(frames: 64) }
        let place = Double(source.position)
        let heard = renderer.render(frames: 96_000)[0]
        #expect(abs(Double(source.position) - place - 76_800) <= 1)
        let crossings = heard.indices.dropFirst().count { heard[$0 - 1] < 0 && heard[$0] >= 0 }
        #expect(abs(Double(crossings) / 2 - 493.88) < 1)
        stage.song.stop()
    }
}

extension SongEvent {
    /// From which frame on the song sounds with `effects`, where the event tells that.
    fileprivate func frame(of effects: SongEffects) -> Int64? {
        if case .effects(effects, let frame) = self { frame } else { nil }
    }
}
