import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Several songs in a row: no gap, no frame too many, each with its own numbering.
@Suite struct QueueTests {
    private func path(_ file: MusicFile) throws -> String { try file.url.path }

    private func decoded(_ file: MusicFile) throws -> [Float] {
        try decodeAll(file.bytes, chunk: 65_536)
    }

    /// Plays a stage until its queue is over, and returns what was heard.
    private func playAll(_ stage: SongStage) -> [Float] {
        stage.song.start()
        return playOut(stage)
    }

    private func playOut(_ stage: SongStage) -> [Float] {
        var result: [Float] = []
        repeat { result += stage.render(4096) } while stage.source.state != .ended
        #expect(stage.log.wait { $0 == .finished } != nil)
        return result
    }

    /// The frame counts with which the songs of the log ended.
    private func ends(_ stage: SongStage) -> [Int64] {
        stage.log.all.compactMap { if case .ended(let frames) = $0 { frames } else { nil } }
    }

    /// Expects that `played` is `expected`, with only silence after it.
    private func expectPlayed(_ played: [Float], _ expected: [Float]) {
        #expect(played.count >= expected.count)
        #expect(firstDifference(played.prefix(expected.count), expected) == nil)
        #expect(Samples.peak(played.dropFirst(expected.count)) == 0)
    }

    @Test func songsFollowWithoutAGap() throws {
        let files = [MusicFile.constant, .headerless, .variable]
        let parts = try files.map(decoded)
        let stage = try SongStage(files.map(path), rate: 44_100)
        expectPlayed(playAll(stage), parts.flatMap { $0 })
        #expect(ends(stage) == parts.map { Int64($0.count / 2) })
        let kinds = stage.log.all.compactMap { event in
            switch event {
            case .opened: "opened"
            case .playing: "playing"
            case .ended: "ended"
            case .finished: "finished"
            default: nil
            }
        }
        let each = ["opened", "playing", "ended"]
        #expect(kinds == each + each + each + ["finished"])
    }

    /// The next song's answer is late as soon as it is asked for, and this is known while it is
    /// opened.
    @Test(.ownProcess("a web server")) func theNextSongIsAskedForAgainWhileThePresentOnePlays()
        throws
    {
        let deaf = try DeafListener()
        var limits = NetworkLimits.standard
        (limits.answer, limits.giveUp) = (0, 0.5)
        let stage = try SongStage(
            [path(.constant), "http://127.0.0.1:\(deaf.port)/song.mp3"], rate: 44_100,
            limits: limits)
        expectPlayed(playAll(stage), try decoded(.constant))
        #expect(stage.log.failure()?.description.contains("no answer") == true)
    }

    /// A song that was opened ahead is not given up before its turn.
    @Test(.ownProcess("a web server")) func theNextSongIsWaitedForWhileThePresentOnePlays() throws {
        let bytes = try MusicFile.headerless.bytes
        let isBack = FaultServer.Gate()
        let isAsked = DispatchSemaphore(value: 0)
        let server = try FaultServer { request in
            // All of these together take longer than a song is waited for.
            if request.number < 40 { return .status("503 Service Unavailable") }
            isAsked.signal()
            return [.gate(isBack)] + .file(bytes, to: request)
        }
        var limits = NetworkLimits.short
        limits.giveUp = 0.2
        let stage = try SongStage(
            [path(.constant), server.address()], rate: 44_100, limits: limits, isExact: true)
        stage.song.start()
        let first = stage.render(4096)
        #expect(isAsked.wait(timeout: .now() + 20) == .success)
        isBack.open()
        let heard = first + playOut(stage)
        expectPlayed(heard, try decoded(.constant) + decoded(.headerless))
        #expect(stage.log.reconnections.isEmpty && stage.song.error == nil)
    }

    /// One resampler, which is never drained, converts all songs.
    @Test func theResamplerGoesOn() throws {
        let files = [MusicFile.constant, .headerless]
        let input = try files.flatMap { try decoded($0) }
        var converter = FrameConverter(inputRate: 44_100, outputRate: 48_000)
        input.withUnsafeBufferPointer {
            converter.append($0.baseAddress!, count: input.count / 2)
        }
        converter.drain()
        var expected: [Float] = []
        converter.take(.max) { expected += UnsafeBufferPointer(start: $0, count: 2 * $1) }
        let stage = try SongStage(files.map(path), rate: 48_000)
        expectPlayed(playAll(stage), expected)
        #expect(ends(stage).reduce(0, +) == Int64(expected.count / 2))
    }

    @Test func theNextSongMayHaveAnotherRate() throws {
        let files = [MusicFile.constant, .mpeg2, .mono]
        var expected: [Float] = []
        for file in files {
            let alone = try SongStage(path(file), rate: 44_100)
            alone.song.start()
            expected += alone.renderAll()
        }
        let stage = try SongStage(files.map(path), rate: 44_100)
        expectPlayed(playAll(stage), expected)
    }

    /// Songs shorter than the ring, so that several are in it at once.
    @Test func shortSongsFollowToo() throws {
        let folder = try TemporaryFolder()
        var expected: [Float] = []
        var names: [String] = []
        for number in 0..<7 {
            let url = try folder.song(
                "\(number).mp3", seconds: 0.06, rate: 44_100, frequency: 300 + 100 * number)
            let frames = try decodeAll([UInt8](Data(contentsOf: url)), chunk: 4096)
            #expect(frames.count / 2 < 6000)
            expected += frames
            names.append(url.path)
        }
        let stage = try SongStage(names, rate: 44_100)
        expectPlayed(playAll(stage), expected)
        #expect(ends(stage).reduce(0, +) == Int64(expected.count / 2))
        #expect(ends(stage).count == 7)
    }

    @Test(.ownProcess("a web server")) func aLoopHasNoSeam() throws {
        let bytes = try MusicFile.variable.bytes
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            exchange.send(bytes)
        }
        let once = try decoded(.variable)
        let stage = try SongStage([server.address()], rate: 44_100, loops: true)
        stage.song.start()
        let played = stage.render(once.count / 2 * 5 / 2)
        let expected = Array((once + once + once).prefix(played.count))
        #expect(firstDifference(played, expected) == nil)
        // A song that is kept whole is not asked for again.
        #expect(server.requests.count == 1)
        stage.song.stop()
        #expect(ends(stage) == [Int64(once.count / 2), Int64(once.count / 2)])
    }

    @Test func aListLoopsAsAWhole() throws {
        let files = [MusicFile.constant, .headerless]
        let once = try files.flatMap { try decoded($0) }
        let stage = try SongStage(files.map(path), rate: 44_100, loops: true)
        stage.song.start()
        let played = stage.render(once.count / 2 * 3 / 2)
        let expected = Array((once + once).prefix(played.count))
        #expect(firstDifference(played, expected) == nil)
    }

    @Test func nextAndPrevious() throws {
        let files = [MusicFile.constant, .headerless, .variable]
        let second = try decoded(.headerless)
        let stage = try SongStage(files.map(path), rate: 44_100)
        stage.song.start()
        _ = stage.render(30_000)
        for (count, file) in [(1, MusicFile.headerless), (1, .variable), (-1, .headerless)] {
            stage.song.skip(by: count)
            let name = try path(file)
            // The last one: this song was opened before as well.
            let isOpen = poll {
                let opened = stage.log.all.last {
                    if case .opened = $0 { true } else { false }
                }
                guard case .opened(let song) = opened else { return false }
                return song.location == name
            }
            #expect(isOpen)
        }
        // The second song from its first frame, which is not faded.
        var heard: [Float] = []
        while stage.source.position >= 20_000 { heard += stage.render(64) }
        while stage.source.position < 20_000 { heard += stage.render(64) }
        let count = Int(stage.source.position)
        let expected = Array(second.prefix(2 * count))
        #expect(firstDifference(Array(heard.suffix(2 * count)), expected) == nil)
        // A skip to before the first song goes to the first; one past the last does nothing.
        stage.song.skip(by: -9)
        let first = try path(.constant)
        while stage.song.info?.location != first { _ = stage.render(64) }
        stage.song.skip(by: 9)
        while stage.source.position < 10_000 { _ = stage.render(64) }
        #expect(stage.song.info?.location == first)
        #expect(stage.song.hasNext)
        #expect(!stage.log.all.contains(.finished))
        stage.song.stop()
    }

    @Test func whatCannotBePlayedIsLeftOut() throws {
        let names = try [path(.constant), "/nowhere.mp3", path(.headerless)]
        let expected = try decoded(.constant) + decoded(.headerless)
        let stage = try SongStage(names, rate: 44_100)
        expectPlayed(playAll(stage), expected)
        let skipped = stage.log.all.compactMap { event -> Bool? in
            if case .skipped(let error) = event { error.hadBegun } else { nil }
        }
        #expect(skipped == [false])
        #expect(stage.song.error == nil)
    }

    @Test func theLossOfTheLastSongIsTold() throws {
        let stage = try SongStage([path(.constant), "/nowhere.mp3"], rate: 44_100)
        expectPlayed(playAll(stage), try decoded(.constant))
        #expect(stage.log.failure()?.hadBegun == false)
    }

    @Test func nothingButBadEntries() throws {
        let stage = try SongStage(["/a.mp3", "/b.mp3"], rate: 44_100, loops: true)
        stage.renderer.patience = 0
        stage.song.start()
        #expect(stage.log.wait { $0 == .finished } != nil)
        #expect(stage.log.failure()?.hadBegun == false)
        #expect(stage.log.all.filter { if case .ended = $0 { true } else { false } }.isEmpty)
    }

    /// A seek while the next song lies in the ring already is meant for the song that is heard.
    @Test func seekingJustBeforeTheNext() throws {
        let files = [MusicFile.constant, .headerless]
        let first = try decoded(.constant)
        let stage = try SongStage(files.map(path), rate: 44_100)
        stage.song.start()
        _ = stage.render(first.count / 2 - 3000)
        // Both songs are in the ring now.
        _ = stage.render(500)
        stage.song.seek(to: 1)
        let frames = stage.framesAfterSeek(to: 1)
        let start = 2 * 44_100
        #expect(
            firstDifference(Array(frames[1000...]), Array(first[(start + 1000)..<(start + 8000)]))
                == nil)
        var rest: [Float] = []
        repeat { rest += stage.render(4096) } while stage.source.state != .ended
        let second = try decoded(.headerless)
        let whole = Array(first[(start + 8000)...]) + second
        #expect(firstDifference(Array(rest.prefix(whole.count)), whole) == nil)
    }
}
