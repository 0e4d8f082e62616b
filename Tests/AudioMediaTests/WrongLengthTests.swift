import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Songs whose header, or whose server, counts fewer frames or more than there are.
@Suite struct WrongLengthTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ bytes: [UInt8]) throws -> String {
        let url = folder.url.appendingPathComponent("song.mp3")
        try Data(bytes).write(to: url)
        return url.path
    }

    /// `file`, whose Xing header counts so many frames.
    private func counting(_ packets: Int, _ file: MusicFile) throws -> [UInt8] {
        var bytes = try file.bytes
        let mark = file == .constant ? "Info" : "Xing"
        let start = try #require(bytes.firstRange(of: Array(mark.utf8))).upperBound + 4
        for index in 0..<4 { bytes[start + index] = UInt8(packets >> (24 - 8 * index) & 0xFF) }
        return bytes
    }

    private func ends(_ stage: SongStage) -> Int64? {
        for case .ended(let frames) in stage.log.all { return frames }
        return nil
    }

    /// Whether the frames that are heard after a seek to `seconds` are those of `whole`.
    private func expectSeek(_ stage: SongStage, to seconds: Double, in whole: [Float]) {
        stage.song.seek(to: seconds)
        let frames = stage.framesAfterSeek(to: seconds)
        let start = 2 * Int((seconds * 44_100).rounded())
        let expected = Array(whole.dropFirst(start).prefix(frames.count))
        #expect(frames.count == 8000 && expected.count == 8000, "\(seconds)")
        // The fade-in is over.
        let worst = Samples.largestDifference(
            Array(frames.dropFirst(1000)), Array(expected.dropFirst(1000)))
        #expect(worst < 1e-5, "\(seconds)")
    }

    @Test(arguments: [MusicFile.constant, .variable], [20, 268, 100_000])
    func aSeekGoesWhereTheBytesAre(_ file: MusicFile, packets: Int) throws {
        let path = try write(counting(packets, file))
        let whole = try decodeAll(counting(packets, file), chunk: 65_536)
        #expect(whole.count > 2 * 44_100 * 6)
        let stage = try SongStage(path, rate: 44_100)
        stage.song.start()
        _ = stage.render(4096)
        for seconds in [5.0, 6.5, 0.2, 6.0] { expectSeek(stage, to: seconds, in: whole) }
        while stage.source.state != .ended { _ = stage.render(4096) }
        _ = stage.log.wait { $0 == .finished }
        #expect(ends(stage) == Int64(whole.count / 2))
    }

    /// The song is as long as both, once that is known, and any place in it can be sought.
    @Test(arguments: [MusicFile.constant, .variable, .headerless])
    func twoJoinedFilesAreOneSong(_ file: MusicFile) throws {
        let one = try file.bytes
        let tag = ID3Tag.bytes(3, [("TIT2", [0] + Array("second".utf8), 0)])
        for bytes in [one + one, one + tag + one] {
            let whole = try decodeAll(bytes, chunk: 65_536)
            #expect(whole.count > 2 * 44_100 * 14)
            let stage = try SongStage(write(bytes), rate: 44_100)
            stage.song.start()
            _ = stage.render(4096)
            for seconds in [9.5, 13.0, 3.0, 12.25] { expectSeek(stage, to: seconds, in: whole) }
            let length = Double(whole.count / 2) / 44_100
            #expect(abs((stage.song.position.duration ?? 0) - length) < 0.3)
            // Past its real end it ends there.
            stage.song.seek(to: 400)
            while stage.source.state != .ended { _ = stage.render(4096) }
            _ = stage.log.wait { $0 == .finished }
            let end = try #require(ends(stage))
            #expect(abs(Double(end) / 44_100 - length) < 0.1)
            // The end is told before the length that follows from it.
            #expect(poll { abs((stage.song.position.duration ?? 0) - length) < 0.1 })
        }
    }

    @Test func twoJoinedFilesPlayToTheEnd() throws {
        let one = try MusicFile.constant.bytes
        let stage = try SongStage(write(one + one), rate: 44_100)
        stage.song.start()
        let whole = try decodeAll(one + one, chunk: 65_536)
        #expect(firstDifference(stage.renderAll(), whole) == nil)
        _ = stage.log.wait { $0 == .finished }
        #expect(ends(stage) == Int64(whole.count / 2))
    }

    /// The announced length is too short by half; the song's own header says so, or nothing does.
    @Test(.ownProcess("a web server"), arguments: [MusicFile.constant, .headerless])
    func aSeekBehindTheAnnouncedLength(_ file: MusicFile) throws {
        let bytes = try file.bytes
        let announced = bytes.count / 2 + 100
        let server = try ScriptedServer { exchange in
            let start = exchange.rangeStart ?? 0
            let end = start < announced ? announced : bytes.count
            var head = "ETag: \"one\"\r\nAccept-Ranges: bytes\r\n"
            if exchange.rangeStart != nil {
                head += "Content-Range: bytes \(start)-\(end - 1)/\(end)\r\n"
            }
            exchange.send(
                "HTTP/1.1 \(exchange.rangeStart == nil ? "200 OK" : "206 Partial Content")\r\n"
                    + head + "Content-Length: \(end - start)\r\n\r\n")
            exchange.send(Array(bytes[start..<end]))
        }
        let whole = try decodeAll(bytes, chunk: 65_536)
        let stage = try SongStage(server.address(), rate: 44_100, limits: .short)
        stage.song.start()
        _ = stage.render(4096)
        expectSeek(stage, to: 5, in: whole)
        stage.song.stop()
    }

    /// Without ranges, what may be behind the length could be seen only after the whole download: the
    /// length is believed, and the song ends at once. The server holds the rest back.
    @Test(.ownProcess("a web server")) func aSeekPastTheEndOfASlowDownload() throws {
        let bytes = try [UInt8](Data(contentsOf: folder.song(seconds: 20, rate: 44_100)))
        let gate = FaultServer.Gate()
        defer { gate.open() }
        let server = try FaultServer { _ in
            [
                .head("HTTP/1.1 200 OK", ["Content-Length: \(bytes.count)"]),
                .bytes(Array(bytes.prefix(bytes.count / 2))), .gate(gate),
            ]
        }
        let stage = try SongStage(server.address(), rate: 44_100)
        stage.song.start()
        _ = stage.render(4096)
        #expect(poll { stage.song.position.duration != nil })
        stage.song.seek(to: 25)
        // It has 20 s; the place that is told is never behind its end.
        #expect(abs(stage.song.position.seconds - 20) < 0.2)
        stage.renderer.patience = 0
        #expect(
            poll {
                _ = stage.render(64)
                return stage.log.all.contains(.finished)
            })
        #expect(
            stage.log.all.contains { if case .passedEnd(25, _, true) = $0 { true } else { false } })
        #expect(abs(Double(ends(stage) ?? 0) / 44_100 - 20) < 0.2)
        stage.song.stop()
    }

    /// The table of contents is that of the first song: a place in the second is not estimated by it,
    /// which would end the song.
    @Test(.ownProcess("a web server")) func aFarSeekIntoTheSecondOfTwoJoinedFiles() throws {
        let one = try [UInt8](Data(contentsOf: folder.song(seconds: 60, rate: 44_100)))
        let bytes = one + one
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
                // Slow until the song has jumped.
                guard exchange.send(part) else { return }
                if start == 0 { usleep(40_000) }
            }
        }
        let stage = try SongStage(server.address(), rate: 44_100)
        stage.song.start(at: 100)
        let seeked = stage.log.wait { if case .seeked = $0 { true } else { false } }
        #expect(seeked == .seeked(seconds: 100, isExact: false))
        #expect(server.requests.count == 2)
        // It jumps to the end of the first, and reads on from there.
        let range = server.requests.last?.split(separator: "bytes=").last?.prefix { $0 != "-" }
        let start = range.flatMap { Int($0) } ?? 0
        #expect((one.count * 9 / 10..<one.count).contains(start), "\(start) of \(one.count)")
        _ = stage.render(44_100)
        #expect(stage.source.state == .playing)
        stage.song.stop()
    }
}
