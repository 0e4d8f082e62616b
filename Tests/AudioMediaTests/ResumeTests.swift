import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// A file whose transfer breaks, and servers that answer all sorts of things when asked for the
/// rest. No two places in `body` are alike, so that every byte that is lost or comes twice shows.
@Suite(.ownProcess("a web server")) struct ResumeTests {
    static let body = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    /// An answer: the head's lines after the first, and the body.
    struct Answer: CustomTestStringConvertible {
        var status = "200 OK"
        var headers: [String]
        var body: [UInt8]
        var isReset = false

        var testDescription: String { "\(status) \(headers)" }

        /// The file from `start` on, of which `sent` bytes come; `total` is the length that the
        /// head names.
        static func file(
            from start: Int = 0, sent: Int = .max, total: Int = 5000, headers: [String] = []
        ) -> Answer {
            let rest = ResumeTests.body[start...]
            var answer = Answer(
                headers: headers + ["Content-Length: \(total - start)"],
                body: Array(rest.prefix(sent)))
            guard start > 0 else { return answer }
            answer.status = "206 Partial Content"
            answer.headers.append("Content-Range: bytes \(start)-\(total - 1)/\(total)")
            return answer
        }

        static func status(_ status: String, _ headers: [String] = []) -> Answer {
            Answer(status: status, headers: headers + ["Content-Length: 0"], body: [])
        }
    }

    /// A source of a server that gives these answers in turn, then the last one for ever.
    func stage(
        version: String = "HTTP/1.1", _ answers: Answer...
    ) throws -> (stage: SourceStage, server: ScriptedServer) {
        let server = try ScriptedServer { exchange in
            let answer = answers[min(exchange.number, answers.count - 1)]
            exchange.send("\(version) \(answer.status)\r\n")
            for header in answer.headers { exchange.send(header + "\r\n") }
            exchange.send("\r\n")
            exchange.send(answer.body)
            if answer.isReset { exchange.reset() }
        }
        return (SourceStage(server), server)
    }

    func expectWhole(_ stage: SourceStage, _ reasons: String...) {
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, Self.body) == nil)
        #expect(stage.reasons == reasons)
        #expect(stage.source.size == nil || stage.source.size == 5000)
    }

    func expectLost(_ stage: SourceStage, after count: Int, _ words: String) throws {
        let error = try #require(stage.read())
        #expect(error.description.contains(words), "\(error)")
        #expect(error.hadBegun == (count > 0))
        #expect(firstDifference(stage.bytes, Self.body[..<count]) == nil)
    }

    // MARK: The same file?

    @Test func aStrongTagIsNamed() throws {
        let headers = ["ETag: \"one\"", "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT"]
        let (stage, server) = try stage(
            .file(sent: 1000, headers: headers), .file(from: 1000, headers: headers))
        expectWhole(stage, "the connection broke")
        #expect(!server.requests[0].contains("Range"))
        #expect(server.requests[1].contains("\r\nRange: bytes=1000-\r\n"))
        #expect(server.requests[1].contains("\r\nIf-Range: \"one\"\r\n"))
    }

    @Test(arguments: [
        (["ETag: W/\"one\""], nil),
        ([], nil),
        (["Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT"], nil),
        (
            [
                "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT",
                "Date: Fri, 20 Nov 2026 10:00:00 GMT",
            ], nil
        ),
        (
            [
                "ETag: W/\"one\"", "Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT",
                "Date: Fri, 20 Nov 2026 10:00:01 GMT",
            ], "Fri, 20 Nov 2026 10:00:00 GMT"
        ),
        (["Last-Modified: yesterday", "Date: Fri, 20 Nov 2026 10:00:01 GMT"], nil),
    ])
    func weakValidatorsAreNotNamed(_ headers: [String], _ named: String?) throws {
        let (stage, server) = try stage(
            .file(sent: 1000, headers: headers), .file(from: 1000, headers: headers))
        expectWhole(stage, "the connection broke")
        #expect(server.requests[1].contains("\r\nRange: bytes=1000-\r\n"))
        #expect(server.requests[1].contains("If-Range") == (named != nil))
        if let named { #expect(server.requests[1].contains("\r\nIf-Range: \(named)\r\n")) }
    }

    @Test(arguments: [0, 1000])
    func anotherTagIsAnotherFile(from start: Int) throws {
        let (stage, _) = try stage(
            .file(sent: 1000, headers: ["ETag: \"one\""]),
            .file(from: start, headers: ["ETag: \"two\""]))
        try expectLost(stage, after: 1000, "changed")
    }

    @Test(arguments: [0, 1000])
    func anotherDateIsAnotherFile(from start: Int) throws {
        func headers(_ day: Int) -> [String] {
            [
                "Last-Modified: Fri, \(day) Nov 2026 10:00:00 GMT",
                "Date: Sat, 21 Nov 2026 10:00:00 GMT",
            ]
        }
        let (stage, _) = try stage(
            .file(sent: 1000, headers: headers(19)), .file(from: start, headers: headers(20)))
        try expectLost(stage, after: 1000, "changed")
    }

    @Test(arguments: [0, 1000], [4999, 5001])
    func anotherLengthIsAnotherFile(from start: Int, total: Int) throws {
        let (stage, _) = try stage(.file(sent: 1000), .file(from: start, total: total))
        try expectLost(stage, after: 1000, "changed")
    }

    @Test func anotherWeakTagIsTheSameFile() throws {
        let (stage, _) = try stage(
            .file(sent: 1000, headers: ["ETag: W/\"one\""]),
            .file(from: 1000, headers: ["ETag: W/\"two\""]))
        expectWhole(stage, "the connection broke")
    }

    @Test func anotherFileBeforeTheFirstByteIsTheFile() throws {
        let (stage, _) = try stage(
            .file(sent: 0, total: 7000, headers: ["ETag: \"one\""]),
            .file(sent: 1000, headers: ["ETag: \"two\""]),
            .file(from: 1000, headers: ["ETag: \"two\""]))
        expectWhole(stage, "the connection broke", "the connection broke")
    }

    @Test func theTagIsThatOfTheLastAnswer() throws {
        let server = try ScriptedServer { exchange in
            // Every request is first redirected by an answer that has a tag itself.
            guard exchange.head.contains("/file") else {
                return exchange.send(
                    "HTTP/1.0 302 Found\r\nLocation: /file\(exchange.number)\r\n"
                        + "ETag: \"redirect\(exchange.number)\"\r\nContent-Length: 0\r\n\r\n")
            }
            let start = exchange.rangeStart ?? 0
            exchange.send(
                "HTTP/1.1 \(start > 0 ? "206 Partial Content" : "200 OK")\r\nETag: \"file\"\r\n"
                    + "Content-Range: bytes \(start)-4999/5000\r\n"
                    + "Content-Length: \(5000 - start)\r\n\r\n")
            exchange.send(Array(Self.body[start..<min(start + 2000, 5000)]))
        }
        let stage = SourceStage(server)
        expectWhole(stage, "the connection broke", "the connection broke")
        #expect(server.requests[3].contains("If-Range: \"file\""))
        #expect(stage.source.response?.address == server.address("file4"))
    }

    // MARK: Another part than was asked for

    @Test func whatWasThereBeforeIsSkipped() throws {
        let (stage, server) = try stage(
            .file(sent: 1000), .file(from: 900, sent: 50), .file(from: 900, sent: 2000),
            .file(from: 2500))
        expectWhole(
            stage, "the connection broke", "the connection broke", "the connection broke")
        #expect(server.requests[3].contains("Range: bytes=2900-"))
    }

    @Test(arguments: [
        ["Content-Range: bytes 1001-4999/5000"], ["Content-Range: bytes 1001-4999"],
        ["Content-Range: bytes=1000-4999/5000"], [],
        ["Content-Type: multipart/byteranges; boundary=x"],
    ])
    func anUnusablePartIsReplacedByTheWhole(_ headers: [String]) throws {
        let part = Answer(
            status: "206 Partial Content", headers: headers + ["Content-Length: 100"],
            body: [UInt8](repeating: 0, count: 100))
        let (stage, server) = try stage(.file(sent: 1000), part, .file())
        expectWhole(
            stage, "the connection broke", "the server sent another part than was asked for")
        #expect(!server.requests[2].contains("Range"))
        #expect(!stage.source.isSeekable)
    }

    @Test func aPartInsteadOfTheWholeIsRefused() throws {
        let (stage, server) = try stage(.file(sent: 1000), .file(from: 1001))
        try expectLost(stage, after: 1000, "another part")
        #expect(server.requests.count == 3)
    }

    @Test func aServerMaySendLittleAtATime() throws {
        let server = try ScriptedServer { exchange in
            let start = exchange.rangeStart ?? 0
            let end = min(5000, start + 1000)
            exchange.send(
                start == 0
                    ? "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"
                    : "HTTP/1.1 206 Partial Content\r\nContent-Length: \(end - start)\r\n"
                        + "Content-Range: bytes \(start)-\(end - 1)/5000\r\n\r\n")
            exchange.send(Array(Self.body[start..<end]))
        }
        // Only the end of the first answer is told: it alone came before its announced length.
        expectWhole(SourceStage(server), "the connection broke")
        #expect(server.requests.count == 5)
    }
}
