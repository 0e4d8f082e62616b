import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// The places where one song ends and another one should begin, but something else happens.
@Suite struct QueueEndTests {
    private func decoded(_ file: MusicFile) throws -> [Float] {
        try decodeAll(file.bytes, chunk: 65_536)
    }

    /// Renders until all songs are over, and gives what was heard; nothing when that never comes.
    private func playOut(_ stage: SongStage) -> [Float] {
        var result: [Float] = []
        stage.renderer.patience = 10
        for _ in 0..<3000 {
            result += stage.render(4096)
            if stage.log.all.contains(.finished) { return result }
        }
        return []
    }

    /// That `expected` is the end of what was heard but for silence.
    private func expectEnd(_ heard: [Float], _ expected: [Float]) throws {
        let last = try #require(heard.lastIndex { $0 != 0 })
        let wanted = try #require(expected.lastIndex { $0 != 0 })
        let start = last - wanted
        try #require(start >= 0)
        #expect(firstDifference(Array(heard[start...last]), Array(expected[...wanted])) == nil)
    }

    @Test func aSongThatIsRefusedAfterTheOneBefore() throws {
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
        #expect(stage.log.failure()?.exitCode == 66)
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

    /// Its header counts more frames than there are.
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
            #expect(ends.last == Int64((Double(second.count / 2 * rate) / 44_100).rounded()))
        }
    }

    @Test func aLoopThatCannotGoOnPlaysItsSongToTheEnd() throws {
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
        // Not kept whole, so that it is asked for again.
        (limits.kept, limits.readAhead) = (200_000, 100_000)
        let stage = try SongStage(
            [server.address()], rate: 44_100, loops: true, limits: limits)
        stage.song.start()
        try expectEnd(playOut(stage), decodeAll(bytes, chunk: 65_536))
        #expect(server.requests.count == 2)
        #expect(stage.log.failure()?.exitCode == 66)
    }

    /// Both are in the ring; the seek is meant for the one that is heard.
    @Test func seekingBeforeANextOneOfAnotherRate() throws {
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

    @Test func aSeekThatIsRefusedBeforeTheNextChangesNothing() throws {
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
}
