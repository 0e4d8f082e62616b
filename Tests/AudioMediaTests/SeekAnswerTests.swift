import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// Seeks to places whose bytes are not kept: until the server has accepted one, and when it refuses, the
/// song plays on, to the sample.
@Suite(.ownProcess("a web server")) struct SeekAnswerTests {
    typealias Step = FaultServer.Step

    /// Keeps two or three seconds before what is heard, and less than one behind it.
    private static var limits: NetworkLimits {
        var limits = NetworkLimits.short
        limits.kept = 131_072
        limits.readAhead = 20_000
        limits.stall = 20
        limits.answer = 20
        return limits
    }

    /// A song that has played for 5 of its 7 seconds: its beginning is not kept.
    private struct Played {
        let stage: SongStage
        let whole: [Float]
        var heard: [Float]
        /// Ends with the test.
        var server: FaultServer?

        init(_ script: @escaping @Sendable (FaultServer.Request, [UInt8]) -> [Step]) throws {
            let bytes = try MusicFile.constant.bytes
            self.init(try FaultServer { script($0, bytes) }, try decodeAll(bytes, chunk: 65_536))
        }

        init(_ server: FaultServer, _ whole: [Float]) {
            (self.whole, self.server) = (whole, server)
            stage = try! SongStage(server.address(), rate: 44_100, limits: SeekAnswerTests.limits)
            stage.song.start()
            heard = stage.render(5 * 44_100)
            // All of its 134,000 bytes have come when its last frame is ready: of so many, the first
            // block of 64 KiB is not kept. The count that the song reports may be older.
            let (song, length) = (stage.song, Double(whole.count / 2) / 44_100)
            let isReady = poll { song.position.seconds + song.position.buffered > length - 0.06 }
            #expect(isReady, "\(song.position), \(song.keptBytes) bytes")
        }

        /// The rest of the song follows what was heard as if there had been no seek.
        mutating func expectUndisturbed(_ place: SourceLocation = #_sourceLocation) {
            while stage.source.state != .ended { heard += stage.render(4096) }
            let difference = firstDifference(Array(heard.prefix(whole.count)), whole)
            #expect(difference == nil, sourceLocation: place)
            #expect(stage.song.error == nil, sourceLocation: place)
        }

        func refusal() -> SeekObstacle? {
            let event = stage.log.wait { if case .cannotSeek = $0 { true } else { false } }
            if case .cannotSeek(let obstacle) = event { return obstacle }
            return nil
        }
    }

    /// The answer to a request for the song's beginning, and `.file` to all others.
    private static func beginning(
        _ answer: @escaping @Sendable (FaultServer.Request, [UInt8]) -> [Step]
    ) -> @Sendable (FaultServer.Request, [UInt8]) -> [Step] {
        { request, bytes in
            request.number > 0 && request.rangeStart ?? 0 < 30_000
                ? answer(request, bytes) : .file(bytes, to: request)
        }
    }

    @Test(arguments: [
        ("403 Forbidden", "the server answered 403 forbidden"),
        ("404 Not Found", "the server answered 404 not found"),
        ("406 Not Acceptable", "the server answered 406"),
        ("410 Gone", "the server answered 410 gone"),
        ("416 Range Not Satisfiable", "the server answered 416 range not satisfiable"),
        ("302 Found", "more than 20 redirects"),
    ])
    func aRefusedSeekKeepsTheSong(status: String, words: String) throws {
        var song = try Played(
            Self.beginning { _, _ in .status(status, ["Location: /song.mp3"]) })
        song.stage.song.seek(to: 0.1)
        #expect(song.refusal()?.description == words)
        #expect(poll { (4.5...5.1).contains(song.stage.song.position.seconds) })
        song.expectUndisturbed()
        #expect(song.stage.log.reconnections.isEmpty)
    }

    /// Another file, the whole file instead of a part, a part that begins too late.
    @Test(arguments: [0, 1, 2])
    func aSeekIntoAnotherFileIsRefused(way: Int) throws {
        var song = try Played(
            Self.beginning { request, bytes in
                switch way {
                case 0:
                    .head(count: bytes.count + 1, from: request.rangeStart ?? 0)
                        + [.bytes(bytes)]
                case 1: .head(count: bytes.count, tag: "\"two\"") + [.bytes(bytes)]
                default: .head(count: bytes.count, from: 40_000) + [.bytes(bytes)]
                }
            })
        song.stage.song.seek(to: 1)
        #expect(song.refusal() != nil)
        song.expectUndisturbed()
    }

    /// All bytes have come when the server ends.
    @Test func aRefusedConnectionKeepsTheSong() throws {
        let bytes = try MusicFile.constant.bytes
        var song = try Played(
            FaultServer { .file(bytes, to: $0) }, decodeAll(bytes, chunk: 65_536))
        song.heard += song.stage.render(44_100)
        song.server = nil
        song.stage.song.seek(to: 0.1)
        guard case .refused(.notConnected)? = song.refusal() else {
            Issue.record("not refused")
            return
        }
        song.expectUndisturbed()
    }

    /// Until the answer comes the song plays on.
    @Test func aLateAnswerIsNotWaitedFor() throws {
        let gate = FaultServer.Gate()
        var song = try Played(
            Self.beginning { request, bytes in [.gate(gate)] + .file(bytes, to: request) })
        song.stage.song.seek(to: 0.5)
        song.heard += song.stage.render(22_050)
        #expect(firstDifference(song.heard, Array(song.whole[..<song.heard.count])) == nil)
        #expect(song.stage.source.state == .playing)
        gate.open()
        let frames = song.stage.framesAfterSeek(to: 0.5)
        try #require(frames.count == 8000)
        let same = frames[1000...].elementsEqual(
            song.whole[(2 * 22_050 + 1000)..<(2 * 22_050 + 8000)])
        #expect(same)
        #expect(song.stage.log.all.contains(.seeked(seconds: 0.5, isExact: true)))
    }

    /// When all has been decoded the song does not end before the answer: it may lead back.
    @Test(arguments: [true, false])
    func anAnswerAfterTheEnd(isRefused: Bool) throws {
        let gate = FaultServer.Gate()
        var song = try Played(
            Self.beginning { request, bytes in
                [.gate(gate)] + (isRefused ? .status("403 Forbidden") : .file(bytes, to: request))
            })
        song.heard += song.stage.render(60_000)
        let rest = song.whole.count / 2 - 5 * 44_100 - 60_000
        // The song's thread may be behind: what it has not received when it asks stays with the server.
        #expect(
            poll { abs(song.stage.song.position.buffered - Double(rest) / 44_100) < 0.06 },
            "\(song.stage.song.position.buffered)")
        song.stage.song.seek(to: 0.5)
        song.heard += song.stage.render(rest - 2000)
        #expect(!song.stage.log.all.contains { if case .ended = $0 { true } else { false } })
        gate.open()
        guard isRefused else {
            #expect(song.stage.framesAfterSeek(to: 0.5).count == 8000)
            return
        }
        #expect(song.refusal() == .refused(.status(403)))
        song.expectUndisturbed()
    }

    /// A newer seek, to what is kept, takes the place of one that waits.
    @Test func aNewerSeekReplacesOneThatWaits() throws {
        let gate = FaultServer.Gate()
        let song = try Played(
            Self.beginning { request, bytes in [.gate(gate)] + .file(bytes, to: request) })
        song.stage.song.seek(to: 0.5)
        song.stage.song.seek(to: 5.5)
        #expect(song.stage.framesAfterSeek(to: 5.5).count == 8000)
        gate.open()
        while song.stage.source.state != .ended { _ = song.stage.render(4096) }
        let arrivals = song.stage.log.all.filter { if case .seeked = $0 { true } else { false } }
        #expect(arrivals == [.seeked(seconds: 5.5, isExact: true)])
    }

    /// A server that is busy for a moment is asked again.
    @Test func aBusyServerIsAskedAgain() throws {
        let song = try Played(
            Self.beginning { request, bytes in
                request.number < 4 ? .status("503 Busy") : .file(bytes, to: request)
            })
        song.stage.song.seek(to: 0.5)
        #expect(song.stage.framesAfterSeek(to: 0.5).count == 8000)
        #expect(!song.stage.log.reconnections.isEmpty)
    }

    /// Another server of a pool names another tag: it is asked for bytes that are kept, and equal.
    @Test(arguments: [true, false])
    func aSeekUnderAnotherTag(isSame: Bool) throws {
        let checks = Guarded([String]())
        var song = try Played { request, bytes in
            guard request.number > 0, let start = request.rangeStart else {
                return .head(count: bytes.count) + [.bytes(bytes)]
            }
            let range = request.header("Range") ?? ""
            checks.withLock { $0.append(range) }
            let last = range.split(separator: "-").last.flatMap { Int($0) } ?? bytes.count - 1
            var part = Array(bytes[start...last])
            if !isSame, request.number < 3 { part[100] ^= 1 }
            return [
                .head(
                    "HTTP/1.1 206 Partial Content",
                    [
                        "ETag: \"two\"", "Content-Length: \(part.count)",
                        "Content-Range: bytes \(start)-\(last)/\(bytes.count)",
                    ]), .bytes(part),
            ]
        }
        song.stage.song.seek(to: 0.5)
        if isSame {
            let frames = song.stage.framesAfterSeek(to: 0.5)
            let same = frames[1000...].elementsEqual(
                song.whole[(2 * 22_050 + 1000)..<(2 * 22_050 + 8000)])
            #expect(same)
        } else {
            #expect(song.refusal() == .refused(.changed))
        }
        let ranges = checks.withLock { $0 }
        #expect(ranges.count >= (isSame ? 3 : 2), "\(ranges)")
        let ends = ranges[1].dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        #expect(ends.count == 2 && ends[1] - ends[0] + 1 == 16_384, "\(ranges)")
        if !isSame { song.expectUndisturbed() }
    }

    /// The start of a part that is repeated is not kept.
    @Test(arguments: [true, false])
    func aPartWhoseStartIsAskedFor(isRefused: Bool) throws {
        var song = try Played(
            Self.beginning { request, bytes in
                isRefused ? .status("403 Forbidden") : .file(bytes, to: request)
            })
        song.stage.song.repeatPart(SongPart(from: 0.5, to: 5.5)!)
        guard !isRefused else {
            #expect(poll { song.stage.song.position.seconds > 4 })
            song.heard += song.stage.render(22_050 - 512)
            #expect(song.refusal() == .refused(.status(403)))
            return song.expectUndisturbed()
        }
        song.heard += song.stage.render(44_100)
        let expected = Array(song.whole[..<(2 * 242_550)]) + Array(song.whole[44_100...])
        #expect(
            firstDifference(song.heard, Array(expected[..<song.heard.count])) == nil)
    }

    /// On a slow server a seek jumps ahead by an estimate; where that is refused the song plays on.
    @Test func anEstimateMayBeRefused() throws {
        let bytes = try MusicFile.constant.bytes
        let server = try ScriptedServer { exchange in
            guard exchange.rangeStart ?? 0 == 0 else {
                return exchange.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            }
            exchange.send(
                "HTTP/1.1 200 OK\r\nAccept-Ranges: bytes\r\nContent-Length: \(bytes.count)\r\n\r\n")
            for start in stride(from: 0, to: bytes.count, by: 2500) {
                guard exchange.send(Array(bytes[start..<min(start + 2500, bytes.count)])) else {
                    return
                }
                usleep(100_000)
            }
        }
        let stage = try SongStage(server.address(), rate: 44_100)
        stage.song.start()
        _ = stage.render(30_000)
        stage.song.seek(to: 6)
        #expect(
            stage.log.wait { $0 == .cannotSeek(.refused(.status(403))) } != nil)
        #expect(stage.source.position < 44_100)
        stage.song.stop()
    }

    /// An address that has expired is still sent, and asked for no more: what comes on the first
    /// connection is read on after a refused seek.
    @Test func anExpiredAddressIsPlayedToItsEnd() throws {
        var song = try Played { request, bytes in
            request.number == 0
                ? .head(count: bytes.count) + [.bytes(bytes)] : .status("403 Forbidden")
        }
        for _ in 0..<2 {
            song.stage.song.seek(to: 0.5)
            #expect(
                poll {
                    song.stage.log.all.contains(.cannotSeek(.refused(.status(403))))
                })
        }
        song.expectUndisturbed()
        #expect(song.stage.log.reconnections.isEmpty)
    }

    /// A server that sends to one connection at a time.
    @Test(arguments: [true, false])
    func theFirstConnectionIsGivenUpForASeek(isToldSo: Bool) throws {
        let bytes = try MusicFile.constant.bytes
        let gate = DispatchSemaphore(value: 1)
        let server = try ScriptedServer { exchange in
            if isToldSo, gate.wait(timeout: .now()) == .timedOut {
                exchange.send(
                    "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                return
            } else if !isToldSo {
                gate.wait()
            }
            defer { gate.signal() }
            let start = exchange.rangeStart ?? 0
            exchange.send(
                "HTTP/1.1 \(start > 0 ? "206 Partial Content" : "200 OK")\r\n"
                    + "Accept-Ranges: bytes\r\nETag: \"one\"\r\n"
                    + "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)\r\n"
                    + "Content-Length: \(bytes.count - start)\r\n\r\n")
            // Slowly from 6 s on, as long as the client reads.
            exchange.send(Array(bytes[start..<max(start, 144_000)]))
            for place in stride(from: max(start, 144_000), to: bytes.count, by: 100) {
                let end = min(place + 100, bytes.count)
                guard exchange.send(Array(bytes[place..<end])) else { return }
                usleep(100_000)
            }
        }
        let stage = try SongStage(server.address(), rate: 44_100, limits: Self.limits)
        stage.song.start()
        _ = stage.render(5 * 44_100 + 22_050)
        stage.song.seek(to: 1)
        #expect(stage.framesAfterSeek(to: 1).count == 8000)
        stage.song.stop()
    }
}
