import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Faults that last longer than the ring: the song fades out, tells it, and goes on with the very
/// next frame.
@Suite(.ownProcess("a web server"), .timeLimit(.minutes(2))) struct UnderrunTests {
    /// Frames that the ring keeps in reserve for its fade-out, and frames of a fade-in, at 44.1
    /// kHz.
    private let reserve = 256
    private let declick = 221

    @Test(arguments: [
        Fault.stall, .reset, .truncate, .busy, .rangeIgnored, .chunkedCut, .unbounded,
    ])
    func goesOnWithTheVeryNextFrame(_ fault: Fault) throws {
        let files = try FaultFiles(in: TemporaryFolder())
        let cell = try #require(
            FaultCell.songs(files).first { $0.fault == fault && $0.moment == .during })
        let gate = FaultServer.Gate()
        let server = try FaultServer { request in
            (request.number > 0 ? [.gate(gate)] : []) + cell.script(request)
        }
        let stage = try SongStage(server.address(), rate: 44_100, limits: .short)
        stage.renderer.period = 64
        stage.song.start()
        // So many frames must have come, however slow this machine is.
        var heard = Heard(frames: stage.render(20_000))
        stage.renderer.patience = 0
        while stage.source.underruns == 0 {
            heard.add(stage.render(64), upTo: stage.source.position)
        }
        #expect(stage.log.wait { $0 == .buffering } != nil)
        // The rest of the fade; then silence until bytes come again.
        for _ in 0..<16 { heard.add(stage.render(64), upTo: stage.source.position) }
        let position = stage.source.position
        #expect(stage.render(4096).allSatisfy { $0 == 0 })
        #expect(stage.source.position == position && stage.source.state == .waiting)
        gate.open()
        #expect(stage.log.wait { if case .recovered = $0 { true } else { false } } != nil)
        stage.renderer.patience = 20_000
        while stage.source.state != .ended {
            heard.add(stage.render(64), upTo: stage.source.position)
        }

        var expected = try decodeAll(cell.file, chunk: 4096)
        #expect(stage.source.underruns == 1)
        let stops = heard.stops.filter { 2 * $0 < expected.count }
        let stop = try #require(stops.first)
        #expect(stops.count == 1)
        for n in 0..<reserve {
            scale(&expected, stop - reserve + n, by: 1 - Float(n) / Float(reserve))
        }
        for n in 0..<declick { scale(&expected, stop + n, by: Float(n) / Float(declick)) }
        #expect(heard.frames.count == expected.count)
        #expect(firstDifference(heard.frames, expected) == nil)
    }

    /// When a song is given up its last frames are played out; this does not count as a recovery.
    @Test func aSongThatIsGivenUpDoesNotRecover() throws {
        let part = try MusicFile.headerless.bytes
        let server = try FaultServer { request in
            let head = FaultServer.Step.head(
                "HTTP/1.1 200 OK", ["Content-Length: \(4 * part.count)"])
            return request.number == 0 ? [head, .bytes(part)] : []
        }
        var limits = NetworkLimits.short
        // Longer than a slow machine takes to render what has come.
        limits.giveUp = 10
        let stage = try SongStage(server.address(), rate: 44_100, limits: limits)
        stage.song.start()
        #expect(stage.render(6 * 44_100).contains { $0 != 0 })
        stage.renderer.patience = 0
        for _ in 0..<2000 where stage.source.underruns == 0 {
            _ = stage.render(441)
            usleep(10_000)
        }
        #expect(stage.source.underruns == 1)
        for _ in 0..<6000 where stage.source.state != .ended {
            _ = stage.render(441)
            usleep(5000)
        }
        #expect(stage.log.failure()?.hadBegun == true)
        #expect(
            !stage.log.all.contains { if case .recovered = $0 { true } else { false } },
            "\(stage.log.all)")
    }

    /// A server that sends seven seconds of a song, and 21 more when `gate` opens.
    private func server(heldBy gate: FaultServer.Gate) throws -> FaultServer {
        let part = try MusicFile.headerless.bytes
        return try FaultServer { _ in
            [
                .head("HTTP/1.1 200 OK", ["Content-Length: \(4 * part.count)"]),
                .bytes(part), .gate(gate), .bytes(part + part + part),
            ]
        }
    }

    /// A transport jumps past all frames that came: the song tells one underrun, then recovers.
    @Test func aTransportThatJumpsOverTheRestOfWhatCame() throws {
        let gate = FaultServer.Gate()
        let server = try server(heldBy: gate)
        let stage = try SongStage(server.address(), rate: 44_100)
        stage.song.start()
        stage.follow(0)
        let first = stage.render(44_100)
        #expect(first.contains { $0 != 0 })
        stage.renderer.patience = 0
        stage.follow(330_000)
        // The decoded frames are dropped, then those of the few bytes that were not decoded yet.
        for _ in 0..<2000 where stage.log.wait(seconds: 0.01, for: { $0 == .buffering }) == nil {
            _ = stage.render(64)
        }
        let place = stage.source.position
        _ = stage.render(4410)
        gate.open()
        #expect(stage.log.wait { if case .recovered = $0 { true } else { false } } != nil)
        #expect(plays(stage) && stage.source.position > place)
        #expect(stage.log.all.count { $0 == .buffering } == 1 && stage.source.underruns == 1)
    }

    /// A song of which nothing was heard yet has no underrun.
    @Test func aTransportThatIsAheadFromTheBeginning() throws {
        let gate = FaultServer.Gate()
        let server = try server(heldBy: gate)
        let stage = try SongStage(server.address(), rate: 44_100)
        stage.song.start()
        #expect(stage.log.wait { $0 == .playing } != nil)
        stage.renderer.patience = 0
        stage.follow(330_000)
        // Renders until all frames that came are dropped.
        var place: Int64 = -1
        for _ in 0..<50 where stage.source.position > place || place < 300_000 {
            place = stage.source.position
            for _ in 0..<100 { _ = stage.render(1) }
            usleep(200_000)
        }
        gate.open()
        #expect(plays(stage) && stage.source.underruns == 0)
        #expect(!stage.log.all.contains(.buffering))
    }

    /// Renders until the song plays. Frames that lie behind the transport are not waited for: they may
    /// come slower than this renders.
    private func plays(_ stage: SongStage) -> Bool {
        poll(seconds: 20) {
            _ = stage.render(64)
            return stage.source.state == .playing
        }
    }

    private func scale(_ frames: inout [Float], _ frame: Int, by gain: Float) {
        frames[2 * frame] *= gain
        frames[2 * frame + 1] *= gain
    }

    /// The song's frames that were heard, without the silence between them.
    private struct Heard {
        private(set) var frames: [Float]
        /// The numbers of the frames that followed a silence.
        private(set) var stops: [Int] = []

        init(frames: [Float]) { self.frames = frames }

        /// Adds a period, after which the song's position is `position`.
        mutating func add(_ period: [Float], upTo position: Int64) {
            let count = 2 * Int(position) - frames.count
            frames += period.prefix(count)
            if count < period.count, stops.last != Int(position) { stops.append(Int(position)) }
        }
    }
}
