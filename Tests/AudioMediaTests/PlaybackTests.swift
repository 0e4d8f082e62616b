import Foundation
import TestSupport
import Testing

@testable import AudioMedia

@Suite struct PlaybackTests {
    /// Lets a server go on when the test says so.
    private final class Valve: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func open() { semaphore.signal() }
        func pass() { semaphore.wait() }
    }

    @Test(.ownProcess("a web server")) func anUnderrunWaitsForThreeSeconds() throws {
        let bytes = try MusicFile.constant.bytes
        let valve = Valve()
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            exchange.send(Array(bytes[..<50_000]))
            valve.pass()
            exchange.send(Array(bytes[50_000..<85_000]))
            valve.pass()
            exchange.send(Array(bytes[85_000...]))
        }
        var limits = NetworkLimits.standard
        limits.stall = 60
        let stage = try SongStage(server.address(), rate: 44_100, limits: limits)
        stage.song.start()
        // Two seconds have come.
        _ = stage.render(60_000)
        stage.renderer.patience = 0
        while stage.source.underruns == 0 { _ = stage.render(512) }
        #expect(stage.log.wait { $0 == .buffering } != nil)
        // Another 1.5 s have come: not enough.
        valve.open()
        while stage.song.position.buffered < 1.4 { usleep(1000) }
        #expect(stage.source.state == .waiting)
        // Plays the rest of the fade.
        _ = stage.render(512)
        #expect(stage.render(512).allSatisfy { $0 == 0 })
        valve.open()
        #expect(
            stage.log.wait { if case .recovered = $0 { true } else { false } } != nil)
        stage.renderer.patience = 20_000
        while stage.source.state != .ended { _ = stage.render(4096) }
        #expect(stage.source.underruns == 1)
        let frames = Int64(try decodeAll(bytes, chunk: 65_536).count / 2)
        #expect(stage.log.wait { $0 == .ended(frames: frames) } != nil)
    }

    @Test func stopAfterWhatIsBuffered() throws {
        let stage = try SongStage(MusicFile.constant.url.path, rate: 44_100)
        stage.song.start()
        _ = stage.render(20_000)
        stage.song.stop(.whenDrained)
        while stage.source.state != .ended { _ = stage.render(64) }
        #expect(stage.log.wait { $0 == .stopped } != nil)
        // No more than the ring held was played.
        #expect(stage.source.position <= 20_000 + 2 * Int64(stage.source.feed.capacity))
    }

    /// What the stages hold is of the song that was taken, and is played too, also by a driver that
    /// takes it slowly: all of a short song, and of a long one the ring and the 0.56 s that the removal
    /// of voices holds.
    @Test(arguments: [0.4, 10]) func stopAfterWhatTheStagesHold(seconds: Double) throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("noise.wav").path
        try Tool.run(["sox", "-n", "-r", "44100", "-c", "2", path, "synth", "\(seconds)", "noise"])
        let stage = try SongStage(path, rate: 44_100)
        var vocals = VocalRemoval()
        vocals.amount = 50
        stage.song.effects = SongEffects(vocals: vocals)
        stage.song.start()
        // From now on the ring is full.
        #expect(stage.log.wait { $0 == .playing } != nil)
        stage.song.stop(.whenDrained)
        // Longer than the ring lasts.
        for _ in 0..<7 {
            _ = stage.render(512)
            usleep(100_000)
        }
        var last: Int64 = 0
        while stage.source.state != .ended {
            _ = stage.render(64)
            last = max(last, stage.source.position)
        }
        let held = stage.source.feed.capacity + 9000
        #expect(seconds < 1 ? last == 17_640 : last > held, "\(last)")
    }

    /// In pause nothing is taken: what is in the ring is played when it goes on, and that is the end.
    @Test func stopInPauseAfterWhatTheStagesHold() throws {
        let stage = try SongStage(MusicFile.constant.url.path, rate: 44_100)
        var vocals = VocalRemoval()
        vocals.amount = 50
        stage.song.effects = SongEffects(vocals: vocals)
        stage.song.start()
        #expect(stage.log.wait { $0 == .playing } != nil)
        stage.song.pause()
        // The fade.
        _ = stage.render(1000)
        stage.song.stop(.whenDrained)
        #expect(stage.log.wait { $0 == .stopped } != nil)
        #expect(stage.source.state == .paused)
        stage.song.resume()
        stage.renderer.patience = 0
        _ = stage.render(2 * stage.source.feed.capacity)
        #expect(stage.source.state == .ended)
    }

    @Test func aSourceMayTakeAnotherSong() throws {
        let stage = try SongStage(MusicFile.constant.url.path, rate: 44_100)
        stage.song.start()
        _ = stage.render(20_000)
        stage.song.stop()
        let file = MusicFile.headerless
        let expected = try decodeAll(file.bytes, chunk: 65_536)
        let next = SongQueue([try Location(file.url.path)], source: stage.source)
        next.start()
        // The first song is faded out and dropped; the second follows from its frame 0.
        var heard: [Float] = []
        while stage.source.state != .ended { heard += stage.render(64) }
        let tail = Array(heard.suffix(expected.count + 128).prefix(expected.count + 128))
        let end = tail.lastIndex { $0 != 0 } ?? 0
        let wantedEnd = expected.lastIndex { $0 != 0 } ?? 0
        let same = tail[...end].suffix(wantedEnd + 1).elementsEqual(expected[...wantedEnd])
        #expect(same)
    }

    @Test func aLostSongEndsOnAUsedSource() throws {
        let stage = try SongStage(MusicFile.constant.url.path, rate: 44_100)
        stage.song.start()
        _ = stage.render(20_000)
        stage.song.stop()
        // Nothing feeds the source now.
        stage.renderer.patience = 0
        _ = stage.render(4000)
        let next = SongQueue([try Location("/nowhere.mp3")], source: stage.source)
        next.start()
        while stage.source.state != .ended { #expect(stage.render(512).allSatisfy { $0 == 0 }) }
        #expect(next.error?.hadBegun == false)
    }

    /// A pipe that gives `bytes`.
    private func pipe(_ bytes: [UInt8], in folder: TemporaryFolder) -> String {
        let path = folder.url.appendingPathComponent("pipe").path
        #expect(mkfifo(path, 0o600) == 0)
        Thread.detachNewThread {
            let file = open(path, O_WRONLY)
            defer { close(file) }
            var done = 0
            while done < bytes.count {
                let count = bytes[done...].withUnsafeBytes {
                    write(file, $0.baseAddress, min($0.count, 10_000))
                }
                guard count > 0 else { return }
                done += count
            }
        }
        return path
    }

    @Test func aPipeIsPlayedAsItComes() throws {
        let folder = try TemporaryFolder()
        let bytes = try MusicFile.constant.bytes
        let stage = try SongStage(pipe(bytes, in: folder), rate: 44_100)
        stage.song.start()
        let same = try stage.renderAll() == decodeAll(bytes, chunk: 65_536)
        #expect(same)
        #expect(stage.song.info?.isSeekable == false)
    }
}
