import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// Where an answer ends, and what else its head says.
extension ResumeTests {
    // MARK: Lengths that lie

    @Test func aLengthThatIsNeverReachedIsALie() throws {
        // A server that sends parts, one that always sends the whole, and, below, one that names no
        // length.
        for start in [5000, 0] {
            let (stage, server) = try stage(
                .file(total: 9000), .file(from: start, total: 9000))
            expectWhole(stage, "the connection broke", "the connection broke")
            #expect(server.requests.count == 3)
        }
        let cut = Answer(headers: ["Transfer-Encoding: chunked"], body: chunked(Self.body))
        let (stage, server) = try stage(cut)
        expectWhole(stage, "the connection broke", "the connection broke")
        #expect(server.requests.count == 3)
    }

    @Test func aBreakBetweenTwoEmptyAnswersIsNoProof() throws {
        let (stage, _) = try stage(
            .file(sent: 1000), .file(from: 1000, sent: 0), .file(from: 1000, sent: 1),
            .file(from: 1001, sent: 0), .file(from: 1001))
        expectWhole(
            stage, "the connection broke", "the connection broke", "the connection broke",
            "the connection broke")
    }

    @Test func aResetIsNoProof() throws {
        var reset = Answer.file(from: 1000, sent: 0)
        reset.isReset = true
        let (stage, _) = try stage(.file(sent: 1000), reset, reset, reset, .file(from: 1000))
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.body) == nil)
        #expect(stage.reasons.count == 4)
    }

    @Test func aServerMaySayThatThereIsNoMore() throws {
        let (stage, server) = try stage(
            .file(total: 9000),
            .status("416 Range Not Satisfiable", ["Content-Range: bytes */5000"]))
        expectWhole(stage, "the connection broke")
        #expect(server.requests.count == 2)
    }

    @Test func aServerMaySayThatTheFileIsShorterNow() throws {
        let (stage, _) = try stage(
            .file(sent: 1000),
            .status("416 Range Not Satisfiable", ["Content-Range: bytes */900"]))
        try expectLost(stage, after: 1000, "changed")
    }

    @Test(arguments: [[], ["Content-Range: bytes */5000"], ["Content-Range: bytes */*"]])
    func aServerThatGivesNoPartGivesTheWhole(_ headers: [String]) throws {
        let (stage, server) = try stage(
            .file(sent: 1000), .status("416 Range Not Satisfiable", headers), .file())
        expectWhole(stage, "the connection broke", "the server cannot send parts of it")
        #expect(!server.requests[2].contains("Range"))
    }

    @Test func whatLiesBehindTheEndCanBeAskedFor() throws {
        let (stage, server) = try stage(
            .file(total: 3000), .file(from: 3000), .status("500 Oh"))
        #expect(stage.read() == nil)
        #expect(stage.window.end == 3000)
        stage.source.start(at: 3000)
        #expect(stage.readOn() == nil)
        #expect(firstDifference(stage.bytes, Self.body) == nil)
        #expect(stage.source.size == 5000)
        #expect(stage.told == [])
        // A second request behind the end: its answer does not matter.
        stage.source.start(at: 5000)
        #expect(stage.readOn() == nil)
        #expect(firstDifference(stage.bytes, Self.body) == nil)
        #expect(stage.told == [])
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [
        Answer.file(), .file(total: 6000), .status("404 Not Found"),
        .status("416 Range Not Satisfiable", ["Content-Range: bytes */5000"]),
        .status("416 Range Not Satisfiable"), .file(from: 4000), .file(from: 4000, sent: 1000),
        Answer(status: "206 Partial Content", headers: ["Content-Length: 1"], body: [1]),
    ])
    func nothingBehindTheEndIsNoFault(_ answer: Answer) throws {
        let (stage, _) = try stage(.file(), answer)
        #expect(stage.read() == nil)
        stage.source.start(at: 5000)
        #expect(stage.readOn() == nil)
        #expect(firstDifference(stage.bytes, Self.body) == nil)
        #expect(stage.told == [])
    }

    // MARK: Other framings

    @Test func withoutALengthAnEndInGoodOrderIsTheEnd() throws {
        let whole = Answer(headers: [], body: Self.body)
        var cut = Answer(headers: [], body: Array(Self.body[..<3000]))
        cut.isReset = true
        expectWhole(try stage(version: "HTTP/1.0", whole).stage)
        let (stage, server) = try stage(version: "HTTP/1.0", cut, whole)
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.body) == nil)
        #expect(stage.source.size == 5000)
        #expect(server.requests.count == 2)
    }

    @Test func chunksAreResumed() throws {
        let head = ["Transfer-Encoding: chunked"]
        let cut = Answer(headers: head, body: Array(chunked(Self.body)[..<2000]))
        let (stage, _) = try stage(
            cut, cut, Answer(headers: head, body: chunked(Self.body) + Array("0\r\n\r\n".utf8)))
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.body) == nil)
    }

    @Test func aHeadThatBreaksOffIsNoAnswer() throws {
        let server = try ScriptedServer { exchange in
            switch exchange.number {
            case 0, 2: exchange.send("HTTP/1.0 200 OK\r\nContent-Ty")
            case 1: exchange.send("HTTP/1.0 302 Found\r\nLocation: /other.mp3\r\n\r\n")
            default:
                exchange.send("HTTP/1.0 200 OK\r\nContent-Length: 5000\r\n\r\n")
                exchange.send(Self.body)
            }
        }
        expectWhole(SourceStage(server), "the connection broke", "the connection broke")
    }

    @Test func headersAreBounded() throws {
        for (start, part) in [("", "X-Nonsense: 1\r\n"), ("X-Nonsense: ", "nonsense")] {
            let server = try ScriptedServer { exchange in
                exchange.send("HTTP/1.1 200 OK\r\n\(start)")
                let bytes = Array(String(repeating: part, count: 100).utf8)
                while exchange.send(bytes) {}
            }
            try expectLost(
                SourceStage(server), after: 0, "the server sent more than 64 KiB of headers")
            #expect(server.requests.count == 1)
        }
        // The headers of many redirects are added up.
        let server = try ScriptedServer { exchange in
            exchange.send("HTTP/1.0 302 Found\r\nLocation: /\(exchange.number)\r\nX-Long: ")
            exchange.send([UInt8](repeating: 0x61, count: 10_000))
            exchange.send("\r\nContent-Length: 0\r\n\r\n")
        }
        try expectLost(
            SourceStage(server), after: 0, "the server sent more than 64 KiB of headers")
        #expect(server.requests.count == 7)
    }

    @Test func aServerThatSpeaksNoHTTPIsNamed() throws {
        let server = try ScriptedServer { $0.send("SSH-2.0-OpenSSH_9.2\r\n") }
        try expectLost(SourceStage(server), after: 0, "the answer is not HTTP")
    }

    @Test(arguments: ["gzip", "br", "GZIP, deflate"])
    func packedAnswersThatCannotBeUnpackedAreRefused(_ encoding: String) throws {
        let (stage, server) = try stage(.file(headers: ["Content-Encoding: \(encoding)"]))
        try expectLost(stage, after: 0, "packed (\(encoding.lowercased()))")
        #expect(server.requests.count == 1)
        #expect(server.requests[0].contains("\r\nAccept-Encoding: identity\r\n"))
        #expect(server.requests[0].contains("\r\nUser-Agent: \(programName)\r\n"))
        expectWhole(try self.stage(.file(headers: ["Content-Encoding: identity"])).stage)
    }

    @Test func theHeadSaysWhatComes() throws {
        let (stage, server) = try stage(
            .file(headers: ["Content-Type: Audio/MPEG; charset=x", "Accept-Ranges: bytes"]))
        #expect(stage.source.response == nil)
        expectWhole(stage)
        #expect(
            stage.source.response
                == ResponseFacts(contentType: "audio/mpeg", address: server.address()))
        #expect(stage.source.isSeekable)
    }

    /// As chunks of 700 bytes, without the last, empty one.
    private func chunked(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 700).flatMap { start in
            let part = bytes[start..<min(start + 700, bytes.count)]
            return Array((String(part.count, radix: 16) + "\r\n").utf8) + part + [13, 10]
        }
    }
}
