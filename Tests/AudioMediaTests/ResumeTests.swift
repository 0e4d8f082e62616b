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

    /// After a break 16 KiB are asked for again, and compared.
    @Test func aLittleMoreThanNeededIsAskedFor() throws {
        let song = [UInt8].noise(100_000, seed: 1)
        let server = try FaultServer { request in
            request.number == 0
                ? .head(count: song.count) + [.bytes(Array(song[..<40_000]))]
                : .file(song, to: request)
        }
        let stage = SourceStage(server.address(), of: server)
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, song) == nil)
        #expect(!server.requests[0].contains("Range"))
        #expect(server.requests[1].contains("\r\nRange: bytes=\(40_000 - 16_384)-\r\n"))
        // Whatever version the server has, its bytes are compared.
        #expect(!server.requests[1].contains("If-Range"))
    }

    @Test(
        arguments: [
            (["ETag": "W/\"one\""], nil), ([:], nil),
            (["Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT"], nil),
            (
                [
                    "Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT",
                    "Date": "Fri, 20 Nov 2026 10:00:00 GMT",
                ], nil
            ),
            (
                [
                    "ETag": "W/\"one\"", "Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT",
                    "Date": "Fri, 20 Nov 2026 10:00:01 GMT",
                ], .date("Fri, 20 Nov 2026 10:00:00 GMT")
            ),
            (["Last-Modified": "yesterday", "Date": "Fri, 20 Nov 2026 10:00:01 GMT"], nil),
            (
                ["ETag": "\"one\"", "Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT"],
                .tag("\"one\"")
            ),
        ] as [([String: String], Validator?)])
    func weakValidatorsAreNone(_ headers: [String: String], _ validator: Validator?) {
        #expect(Validator { headers[$0] } == validator)
    }

    private static let versions = [
        [], ["ETag: \"one\""], ["ETag: \"two\""], ["ETag: W/\"two\""],
        ["Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT", "Date: Sat, 21 Nov 2026 10:00:00 GMT"],
    ]

    /// The servers of a pool may name one file by different tags and dates.
    @Test(arguments: versions)
    func theSameBytesAreTheSameFile(_ headers: [String]) throws {
        let (stage, _) = try stage(
            .file(sent: 1000, headers: ["ETag: \"one\""]), .file(headers: headers))
        expectWhole(stage, "the connection broke")
    }

    /// Other bytes of the same length are another file, whatever its server says.
    @Test(arguments: versions)
    func otherBytesAreAnotherFile(_ headers: [String]) throws {
        var other = Answer.file(headers: headers)
        other.body[900] ^= 1
        let (stage, _) = try stage(.file(sent: 1000, headers: ["ETag: \"one\""]), other)
        try expectLost(stage, after: 1000, "changed")
    }

    /// Where a server does not send what could be compared, its version decides.
    @Test func anotherTagWithoutProofIsAnotherFile() throws {
        let (stage, _) = try stage(
            .file(sent: 1000, headers: ["ETag: \"one\""]),
            .file(from: 1000, headers: ["ETag: \"two\""]))
        try expectLost(stage, after: 1000, "changed")
    }

    /// Silence is one frame again and again, and proves nothing: bytes before it are asked for.
    @Test func silenceIsNoProof() throws {
        var song = [UInt8].noise(20_000, seed: 2)
        let frame = [UInt8].noise(417, seed: 3)
        for _ in 0..<60 { song += frame }
        let sound = song
        let server = try FaultServer { request in
            request.number == 0
                ? .head(count: sound.count) + [.bytes(Array(sound[..<40_000]))]
                : .file(sound, to: request)
        }
        let stage = SourceStage(server.address(), of: server)
        #expect(stage.read() == nil)
        #expect(firstDifference(stage.bytes, sound) == nil)
        // Two steps of 16 KiB back begins what is not silence alone.
        #expect(server.requests[1].contains("Range: bytes=\(40_000 - 2 * 16_384)-\r\n"))
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

    /// Every request is first redirected, by an answer that has a tag itself.
    @Test func theAddressIsThatOfTheLastAnswer() throws {
        let server = try ScriptedServer { exchange in
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
            exchange.send(Array(Self.body[start..<min(1000 + 1000 * exchange.number, 5000)]))
        }
        let stage = SourceStage(server)
        expectWhole(stage, "the connection broke", "the connection broke")
        #expect(stage.source.response?.address == server.address("file4"))
    }

    // MARK: Another part than was asked for

    @Test func whatWasThereBeforeIsSkipped() throws {
        let (stage, server) = try stage(
            .file(sent: 1000), .file(from: 900, sent: 50), .file(from: 900, sent: 2000),
            .file(from: 2500))
        expectWhole(
            stage, "the connection broke", "the connection broke", "the connection broke")
        // The connection before brought 2000 bytes: half of that is asked for again.
        #expect(server.requests[3].contains("Range: bytes=1900-"))
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
            stage, "the connection broke", "the server sent a different part than requested")
        #expect(!server.requests[2].contains("Range"))
        #expect(!stage.source.isSeekable)
    }

    @Test func aPartInsteadOfTheWholeIsRefused() throws {
        let (stage, server) = try stage(.file(sent: 1000), .file(from: 1001))
        try expectLost(stage, after: 1000, "a different part")
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
        // The ends of whole answers are told, which came before their announced length. What is compared
        // after the first leaves no room for new bytes, and so becomes less.
        expectWhole(SourceStage(server), "the connection broke", "the connection broke")
        #expect(server.requests[2].contains("Range: bytes=500-"))
        #expect(server.requests.count == 7)
    }
}
