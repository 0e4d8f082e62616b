import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// A song of seven seconds whose server says that it is far longer.
@Suite(.ownProcess("a web server"), .timeLimit(.minutes(2))) struct HostileLengthTests {
    static let lengths = [
        "2147483648", "9007199254740992", "3200000000000000000", "9223372036854775807",
        "18446744073709551616", "1000000000000000000000000000000",
    ]

    /// A server that sends `bytes` from the offset asked for, then closes the connection: the
    /// `length` bytes that it announced never come.
    private func server(_ length: String, _ bytes: [UInt8]) throws -> ScriptedServer {
        try ScriptedServer { exchange in
            let start = exchange.rangeStart ?? 0
            var head = "ETag: \"one\"\r\nAccept-Ranges: bytes\r\nContent-Type: audio/mpeg\r\n"
            if start > 0 {
                head += "Content-Range: bytes \(start)-\(length.dropLast())0/\(length)\r\n"
            }
            exchange.send(
                "HTTP/1.1 \(start > 0 ? "206 Partial Content" : "200 OK")\r\n\(head)"
                    + "Content-Length: \(length)\r\n\r\n")
            exchange.send(Array(bytes.dropFirst(start)))
        }
    }

    /// Renders until a seek to `seconds` has arrived, and says whether it was exact.
    private func arrives(at seconds: Double, _ stage: SongStage) -> Bool? {
        for _ in 0..<4000 {
            _ = stage.render(512)
            for case .seeked(seconds, let isExact) in stage.log.all { return isExact }
        }
        return nil
    }

    @Test(arguments: lengths) func aSeekArrives(length: String) throws {
        let bytes = try MusicFile.headerless.bytes
        let server = try server(length, bytes)
        let stage = try SongStage(server.address(), rate: 48_000, limits: .short)
        stage.song.start()
        _ = stage.render(20_000)
        #expect(stage.song.info?.duration ?? 0 <= SongTime.longest)
        stage.song.seek(to: 3)
        #expect(arrives(at: 3, stage) == true)
        #expect((3..<5).contains(stage.song.position.seconds))
        #expect(stage.song.position.duration ?? 0 <= SongTime.longest)
        // Seeks far beyond the end, and back.
        stage.song.seek(to: 1e18)
        #expect(stage.song.position.seconds <= SongTime.longest)
        stage.song.seek(to: 5)
        #expect(arrives(at: 5, stage) == true)
        while stage.source.state != .ended { _ = stage.render(4096) }
        #expect((6...8).contains(stage.song.position.seconds))
    }

    /// Kept bytes are counted as seconds by a believable bit rate: a wrong length does not make an
    /// underrun wait for more bytes than are ever kept.
    @Test(arguments: ["1000", "4000000000000"]) func aWrongLengthDoesNotProlongAnUnderrun(
        length: String
    ) throws {
        // The song's own header says how long it is in seconds.
        let bytes = try MusicFile.variable.bytes
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
            exchange.send(bytes)
            exchange.waitForClient()
        }
        let stage = try SongStage(server.address(), rate: 44_100, limits: .standard)
        stage.song.start()
        _ = stage.render(20_000)
        let kept = Double(min(bytes.count, Int(length) ?? 0))
        #expect(stage.song.position.buffered < 0.5 + kept / 100)
        // The song's thread may be slow to tell it.
        #expect(
            kept <= 1000 || poll { stage.song.position.buffered > 0.2 + kept / 1_000_000 })
    }
}
