import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Cases in which something else happens where one song ends and the next should begin.
@Suite struct QueueEndTests {
    private func decoded(_ file: MusicFile) throws -> [Float] {
        try decodeAll(file.bytes, chunk: 65_536)
    }

    /// Renders until all songs are over, and returns what was heard; nothing when they never are.
    private func playOut(_ stage: SongStage) -> [Float] {
        var result: [Float] = []
        stage.renderer.patience = 2000
        for _ in 0..<3000 {
            result += stage.render(4096)
            // A source that has ended holds the renderer up no more: the song's thread may be far behind.
            let patience = stage.source.state == .ended ? 0.01 : 0
            if stage.log.wait(seconds: patience, for: { $0 == .finished }) != nil { return result }
        }
        return []
    }

    /// Expects that `heard` ends with `expected`, apart from silence.
    private func expectEnd(_ heard: [Float], _ expected: [Float]) throws {
        let last = try #require(heard.lastIndex { $0 != 0 })
        let wanted = try #require(expected.lastIndex { $0 != 0 })
        let start = last - wanted
        try #require(start >= 0)
        #expect(firstDifference(Array(heard[start...last]), Array(expected[...wanted])) == nil)
    }

    /// Sends seeks that come while the song's thread tells that all is over.
    private final class Latecomer: @unchecked Sendable {
        // Safety: both are set before the song's thread starts, which alone uses them then.
        var song: SongQueue?
        var ends: [Bool] = []
    }

    /// A seek that comes when the end is about to be told leads on, and the end is told again; one
    /// after it that leads nowhere has it told again, too.
    @Test func aSeekWhileTheEndIsTold() throws {
        let stage = try SongStage(MusicFile.headerless.url.path, rate: 44_100)
        let late = Latecomer()
        late.song = stage.song
        stage.log.reaction = { event in
            if case .ended = event, late.ends.isEmpty { late.song?.seek(to: 6.5) }
            if event == .finished { late.ends.append(late.song?.isFinished ?? true) }
        }
        stage.song.start()
        func ends() -> Int { stage.log.all.count { $0 == .finished } }
        // The render side drops the old frames, and plays the new ones.
        for _ in 0..<4000 where ends() < 2 {
            _ = stage.render(4096)
            usleep(1000)
        }
        #expect(stage.song.isFinished)
        stage.song.skip(by: 1)
        #expect(poll { ends() == 3 && stage.song.isFinished })
        stage.song.stop()
        #expect(late.ends == [false, true, true])
        late.song = nil
    }

    @Test(.ownProcess("a web server")) func aSongThatIsRefusedAfterTheOneBefore() throws {
        let isOver = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { exchange in
            isOver.wait()
            exchange.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        }
        let stage = try SongStage(
            [MusicFile.headerless.url.path, server.address()], rate: 44_100)
        stage.song.start()
        while stage.source.state != .ended { _ = stage.render(4096) }
        #expect(
            stage.log.wait { if case .ended = $0 { true } else { false } } != nil)
        isOver.signal()
        #expect(stage.log.wait { $0 == .finished } != nil)
        #expect(stage.log.failure()?.hadBegun == false)
        // A seek begins the song before it again, there.
        #expect(stage.song.position.seconds > 0.4)
        stage.song.seek(to: 0.2)
        func ends() -> Int { stage.log.all.count { if case .ended = $0 { true } else { false } } }
        // The render side drops the old frames, and plays the new ones.
        for _ in 0..<2000 where ends() < 2 {
            _ = stage.render(4096)
            usleep(2000)
        }
        #expect(ends() == 2)
        #expect(stage.log.all.contains { if case .seeked(0.2, _) = $0 { true } else { false } })
    }

    @Test func aSeekPastTheEndGoesOnWithTheNext() throws {
        let folder = try TemporaryFolder()
        let long = try folder.song("long.mp3", seconds: 60, rate: 44_100)
        let stage = try SongStage([long.path, MusicFile.headerless.url.path], rate: 44_100)
        stage.song.start()
        _ = stage.render(20_000)
        stage.song.seek(to: 1000)
        try expectEnd(playOut(stage), decoded(.headerless))
    }

    /// The song's header counts more frames than there are.
    @Test func aSeekPastTheRealEndGoesOnWithTheNext() throws {
        let folder = try TemporaryFolder()
        let whole = try Data(contentsOf: folder.song("whole.mp3", seconds: 20, rate: 44_100))
        let half = folder.url.appendingPathComponent("half.mp3")
        try whole.prefix(whole.count / 2).write(to: half)
        for rate in [44_100, 48_000] {
            let stage = try SongStage([half.path, MusicFile.headerless.url.path], rate: rate)
            stage.song.start()
            _ = stage.render(20_000)
            stage.song.seek(to: 18)
            let heard = playOut(stage)
            let ends = stage.log.all.compactMap {
                if case .ended(let frames) = $0 { frames } else { nil }
            }
            let second = try decoded(.headerless)
            if rate == 44_100 { try expectEnd(heard, second) }
            let length = Double(second.count / 2 * rate) / 44_100
            #expect(ends.last == Int64(length.rounded()))
        }
    }

    @Test(.ownProcess("a web server")) func aLoopThatCannotGoOnPlaysItsSongToTheEnd() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 20, rate: 44_100)
        let bytes = try [UInt8](Data(contentsOf: song))
        let server = try ScriptedServer { exchange in
            guard exchange.number == 0 else {
                exchange.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                return
            }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            exchange.send(bytes)
        }
        var limits = NetworkLimits.standard
        // The song is not kept whole, so it is asked for again.
        (limits.kept, limits.readAhead) = (200_000, 100_000)
        let stage = try SongStage(
            [server.address()], rate: 44_100, loops: true, limits: limits)
        stage.song.start()
        try expectEnd(playOut(stage), decodeAll(bytes, chunk: 65_536))
        #expect(server.requests.count == 2)
        #expect(stage.log.failure()?.hadBegun == false)
    }

    /// Both songs are in the ring; the seek is meant for the song that is heard.
    @Test func seekingBeforeASongOfAnotherRate() throws {
        let first = try decoded(.constant)
        let stage = try SongStage(
            [MusicFile.constant.url.path, MusicFile.mpeg2.url.path], rate: 44_100)
        stage.song.start()
        _ = stage.render(first.count / 2 - 2500)
        stage.song.seek(to: 1)
        let frames = stage.framesAfterSeek(to: 1)
        let start = 2 * 44_100
        #expect(
            firstDifference(Array(frames[1000...]), Array(first[(start + 1000)..<(start + 8000)]))
                == nil)
    }

    @Test(.ownProcess("a web server")) func aSeekThatIsRefusedBeforeTheNextChangesNothing() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 20, rate: 44_100)
        let bytes = try [UInt8](Data(contentsOf: song))
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.0 200 OK\r\n\r\n")
            exchange.send(bytes)
        }
        var limits = NetworkLimits.standard
        (limits.kept, limits.readAhead) = (200_000, 100_000)
        let first = try decodeAll(bytes, chunk: 65_536)
        let stage = try SongStage(
            [server.address(), MusicFile.headerless.url.path], rate: 44_100, limits: limits)
        stage.song.start()
        var heard = stage.render(first.count / 2 - 2500)
        stage.song.seek(to: 0.1)
        #expect(stage.log.wait { if case .cannotSeek = $0 { true } else { false } } != nil)
        heard += playOut(stage)
        let expected = try first + decoded(.headerless)
        #expect(firstDifference(Array(heard.prefix(expected.count)), expected) == nil)
    }

    /// The gain changes with a song's first frame.
    @Test func everySongHasItsOwnGain() throws {
        // LAME writes the gain into its header; the file without one has no gain.
        let files = [MusicFile.constant, .headerless, .variable]
        let gains = try files.map { file in
            let decoder = try MP3Decoder()
            _ = try decodeAll(file.bytes, chunk: 65_536, decoder: decoder)
            return Float(decoder.replayGain?.gain ?? 1)
        }
        #expect(gains[0] < 1 && gains[1] == 1 && gains[2] < 1)
        let stage = try SongStage(
            files.map { try $0.url.path }, rate: 44_100, appliesGain: true)
        stage.song.start()
        var expected: [Float] = []
        for (file, gain) in zip(files, gains) { expected += try decoded(file).map { $0 * gain } }
        let heard = playOut(stage)
        #expect(firstDifference(Array(heard.prefix(expected.count)), expected) == nil)
    }

    /// The title of a station that is opened ahead is told when it is heard.
    @Test(.ownProcess("a web server")) func aTitleWaitsForItsStation() throws {
        let bytes = try MusicFile.constant.bytes
        let server = try ScriptedServer { exchange in
            let title = Array("StreamTitle='Next';".utf8)
            exchange.send(
                "ICY 200 OK\r\nicy-name: Q\r\ncontent-type: audio/mpeg\r\n"
                    + "icy-metaint: 1000\r\n\r\n")
            exchange.send(
                Array(bytes[..<1000]) + [2] + title
                    + [UInt8](repeating: 0, count: 32 - title.count))
            for start in stride(from: 1000, to: bytes.count - 1000, by: 1000) {
                exchange.send(Array(bytes[start..<(start + 1000)]) + [0])
            }
            exchange.waitForClient()
        }
        let stage = try SongStage(
            [MusicFile.headerless.url.path, server.address()], rate: 44_100)
        stage.song.start()
        stage.renderer.patience = 2000
        for _ in 0..<3000 where !stage.log.all.contains(.title("Next")) { _ = stage.render(512) }
        let told = stage.log.all.compactMap { event in
            switch event {
            case .opened(let song): song.station == nil ? "song" : "station"
            case .title(let text): text
            default: nil
            }
        }
        #expect(told == ["song", "station", "Next"])
        stage.song.stop()
    }

    /// From a skip on a seek belongs to the song that it leads to, from whose beginning it is counted.
    @Test func aSeekAfterASkipIsMeantForTheNext() throws {
        let stage = try SongStage(
            [MusicFile.constant.url.path, MusicFile.headerless.url.path], rate: 44_100)
        stage.song.start()
        _ = stage.render(60_000)
        stage.song.skip(by: 1)
        #expect(stage.song.seekOrigin == 0)
        stage.song.seek(to: stage.song.seekOrigin + 0.5)
        let frames = stage.framesAfterSeek(to: 0.5)
        let second = try decoded(.headerless)
        let start = 44_100
        #expect(
            firstDifference(
                Array(frames.dropFirst(1000)), Array(second[(start + 1000)..<(start + 8000)]))
                == nil)
    }

    /// If no song follows, the position is behind the real end, and not where the seek came from: a
    /// program that follows a transport tells by this whether to go back.
    @Test func aSeekPastTheRealEndStandsBehindIt() throws {
        let folder = try TemporaryFolder()
        let whole = try Data(contentsOf: folder.song("whole.mp3", seconds: 20, rate: 44_100))
        let half = folder.url.appendingPathComponent("half.mp3")
        try whole.prefix(whole.count / 2).write(to: half)
        let stage = try SongStage(half.path, rate: 44_100)
        stage.song.start()
        _ = stage.render(20_000)
        stage.song.seek(to: 18)
        _ = playOut(stage)
        #expect(stage.log.wait { $0 == .finished } != nil)
        #expect((9.5...18).contains(stage.song.position.seconds), "\(stage.song.position)")
        // The events tell that the seek ended the song, and not its last frame.
        #expect(stage.log.all.contains(.passedEnd(asked: 18, end: nil, isLast: true)))
        #expect(!stage.song.hasNext)
    }

    /// In a song of unknown length the last frame decoded so far is not taken for the end.
    @Test(.ownProcess("a web server")) func aSeekForwardWhereTheLengthIsNotKnown() throws {
        let bytes = try MusicFile.headerless.bytes
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n\r\n")
            exchange.send(bytes)
            exchange.waitForClient()
        }
        let stage = try SongStage(server.address(), rate: 44_100)
        stage.song.start()
        _ = stage.render(10_000)
        #expect(stage.song.info?.duration == nil)
        stage.song.seek(to: 1)
        let frames = stage.framesAfterSeek(to: 1)
        let whole = try decoded(.headerless)
        #expect(
            firstDifference(Array(frames[1000...]), Array(whole[(88_200 + 1000)..<(88_200 + 8000)]))
                == nil)
        stage.song.stop()
    }

    /// This serves songs from a pipe, too, or from a server that sends them only once.
    @Test(.ownProcess("a web server")) func goingBackToTheStartAsksForNothing() throws {
        let bytes = try MusicFile.constant.bytes
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            exchange.send(bytes)
        }
        let stage = try SongStage(server.address(), rate: 44_100)
        stage.song.start()
        _ = stage.render(60_000)
        stage.song.skip(by: -1)
        try expectEnd(playOut(stage), decoded(.constant))
        #expect(server.requests.count == 1)
    }

    /// A start in the middle begins with reading on while the speed of the network is unknown.
    @Test(.ownProcess("a web server")) func aStartFarInASlowSongJumps() throws {
        let folder = try TemporaryFolder()
        let song = try folder.song(seconds: 120, rate: 44_100)
        let bytes = try [UInt8](Data(contentsOf: song))
        let server = try ScriptedServer { exchange in
            let start = exchange.rangeStart ?? 0
            exchange.send(
                (exchange.rangeStart == nil
                    ? "HTTP/1.1 200 OK\r\n"
                    : "HTTP/1.1 206 Partial Content\r\n"
                        + "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n")
                    + "Accept-Ranges: bytes\r\nContent-Length: \(bytes.count - start)\r\n\r\n")
            for offset in stride(from: start, to: bytes.count, by: 4000) {
                let part = Array(bytes[offset..<min(bytes.count, offset + 4000)])
                guard exchange.send(part) else { return }
                usleep(40_000)
            }
        }
        let stage = try SongStage(server.address(), rate: 44_100)
        stage.song.start(at: 100)
        #expect(stage.log.wait { if case .seeked = $0 { true } else { false } } != nil)
        #expect(server.requests.count == 2)
        stage.song.stop()
    }
}
