import TestSupport
import Testing

@testable import AudioMedia

/// What an answer means to what is known: heads, bytes and ends in, decisions out.
@Suite struct AnswerJudgeTests {
    typealias Judge = AnswerJudge

    private static func head(
        status: Int = 200, length: Int64? = nil, _ headers: [String: String] = [:],
        type: String = "audio/mpeg"
    ) -> HTTPResponse {
        HTTPResponse(status: status, length: length, address: nil, isIcy: false) {
            $0 == "Content-Type" ? type : headers[$0]
        }
    }

    private static func part(
        _ range: String, _ headers: [String: String] = [:]
    ) -> HTTPResponse {
        head(status: 206, headers.merging(["Content-Range": "bytes \(range)"]) { $1 })
    }

    /// What came first: `count` bytes behind `head`.
    private static func known(_ head: HTTPResponse, _ count: Int = 1000) -> Judge {
        var judge = Judge()
        _ = judge.judge(head, to: judge.question(at: 0, proof: 0), at: 0, keptFrom: 0)
        let bytes = [UInt8].noise(count, seed: 1)
        bytes.withUnsafeBytes { judge.note($0, at: 0) }
        return judge
    }

    private static let file = head(length: 5000, ["ETag": "\"one\"", "Accept-Ranges": "bytes"])
    private static let stream = head()
    private static let station = head(["icy-name": "R"])

    /// The kind of the first answer.
    @Test(
        arguments: [
            (file, .song), (stream, .stream), (station, .live), (head(length: 5000), .song),
            (head(length: 5000, ["icy-br": "128"]), .live),
            (head(length: 5000, ["icy-br": "128", "Accept-Ranges": "bytes"]), .song),
            (head(length: 5000, ["icy-br": "128", "ETag": "\"one\""]), .song),
            (head(length: 5000, ["icy-br": "128", "ETag": "W/\"one\""]), .live),
            (head(["ETag": "\"one\""]), .song), (head(["ETag": "\"one\"", "icy-br": "1"]), .live),
            (head(type: "text/html"), .song), (head(type: "audio/x-scpls"), .song),
            (head(type: "application/octet-stream"), .stream),
        ] as [(HTTPResponse, Judge.Kind)])
    func firstAnswers(_ head: HTTPResponse, kind: Judge.Kind) {
        #expect(Self.known(head).kind == kind)
    }

    /// The answer to the request for what follows the first 1000 bytes.
    @Test(
        arguments: [
            (file, file, .take(from: 0)),
            (file, part("500-4999/5000"), .take(from: 500)),
            (file, part("500-4999/5000", ["ETag": "\"two\""]), .take(from: 500)),
            (file, part("1000-4999/5000"), .take(from: 1000)),
            (file, part("1000-4999/5000", ["ETag": "\"two\""]), .refuse(.changed)),
            (file, part("500-4999/*"), .take(from: 500)),
            (file, part("500-5999/6000"), .refuse(.changed)),
            (file, part("500-999/1000"), .take(from: 500)),
            (file, part("1001-4999/5000"), .refuse(.otherPart(isFinal: false))),
            (file, head(length: 5001), .refuse(.changed)),
            (file, station, .refuse(.changed)),
            (file, head(status: 404), .refuse(.status(404))),
            (file, head(["Content-Encoding": "gzip"]), .take(from: 0)),
            (stream, stream, .take(from: 0)), (stream, head(length: 5000), .take(from: 0)),
            (stream, part("500-4999/5000"), .take(from: 500)), (stream, station, .join),
            (stream, head(type: "text/html"), .refuse(.notTheStation)),
            (station, station, .join), (station, stream, .refuse(.notTheStation)),
            (station, head(["icy-metaint": "100"]), .join),
        ] as [(HTTPResponse, HTTPResponse, Judge.Verdict)])
    func laterAnswers(_ first: HTTPResponse, _ head: HTTPResponse, verdict: Judge.Verdict) {
        var judge = Self.known(first)
        let question = judge.question(at: 1000, proof: 500)
        #expect(question.isPart == (judge.kind != .live))
        #expect(question.first == (question.isPart ? 500 : 0))
        #expect(judge.judge(head, to: question, at: 1000, keptFrom: 0) == verdict)
    }

    /// The answer to a seek to the byte 3000, and to the request for bytes to compare.
    @Test(
        arguments: [
            (part("3000-4999/5000", ["ETag": "\"one\""]), .take(from: 3000)),
            (part("3000-4999/5000"), .take(from: 3000)),
            (part("2900-4999/*"), .take(from: 2900)),
            (part("3000-4999/5000", ["ETag": "\"two\""]), .checkFirst),
            (part("3000-5999/6000"), .refuse(.changed)),
            (part("3001-4999/5000"), .refuse(.otherPart(isFinal: true))),
            (file, .refuse(.otherPart(isFinal: true))),
            (station, .refuse(.changed)),
        ] as [(HTTPResponse, Judge.Verdict)])
    func answersToASeek(_ head: HTTPResponse, verdict: Judge.Verdict) {
        var judge = Self.known(Self.file)
        let seek = Judge.Question(purpose: .seek, first: 3000, isPart: true)
        #expect(judge.judge(head, to: seek, at: 1000, keptFrom: 0) == verdict)
        guard verdict == .checkFirst else { return }
        // When bytes of that version were equal, it is known.
        let check = Judge.Question(purpose: .check, first: 0, isPart: true)
        let same = Self.part("0-999/5000", ["ETag": "\"two\""])
        #expect(judge.judge(same, to: check, at: 1000, keptFrom: 0) == .take(from: 0))
        judge.trustValidator()
        #expect(judge.judge(head, to: seek, at: 1000, keptFrom: 0) == .take(from: 3000))
    }

    /// The end of the first answer, or of the one to a request for what follows 1000 bytes of it.
    @Test(
        arguments: [
            (
                head(length: 1000), .init(isCut: false, offset: 1000, position: 1000, isNew: true),
                .end
            ),
            (file, .init(isCut: true, offset: 1000, position: 1000, isNew: true), .retry(.broken)),
            (
                head(["Transfer-Encoding": "chunked"]),
                .init(isCut: false, offset: 1000, position: 1000, isNew: true), .end
            ),
            (
                head(["Transfer-Encoding": "chunked"]),
                .init(isCut: true, offset: 1000, position: 1000, isNew: true), .retry(.broken)
            ),
            (stream, .init(isCut: false, offset: 1000, position: 1000, isNew: true), .compare),
            (stream, .init(isCut: false, offset: 1000, position: 1000, isNew: false), .end),
            (
                stream, .init(isCut: false, offset: 900, position: 1000, isNew: false),
                .retry(.broken)
            ),
            (
                station, .init(isCut: false, offset: 1000, position: 1000, isNew: true),
                .retry(.signedOff)
            ),
            (
                head(length: 1000, ["icy-br": "128"]),
                .init(isCut: false, offset: 1000, position: 1000, isNew: true), .compare
            ),
            (
                head(length: 2000, ["icy-br": "128"]),
                .init(isCut: true, offset: 1000, position: 1000, isNew: true), .retry(.signedOff)
            ),
        ] as [(HTTPResponse, Judge.End, Judge.Ending)])
    func ends(_ head: HTTPResponse, _ end: Judge.End, ending: Judge.Ending) {
        var judge = Self.known(head)
        #expect(judge.judge(end, of: Judge.Question()) == ending)
    }

    /// A server that sends little at a time is asked on from there; two answers without a new byte are
    /// the end.
    @Test func partsThatEnd() {
        var judge = Self.known(Self.file)
        let question = Judge.Question(first: 500, isPart: true)
        let early = Judge.End(isCut: false, offset: 700, position: 1000, isNew: false)
        #expect(judge.judge(early, of: question) == .goOn(from: 700))
        let more = Judge.End(isCut: false, offset: 1500, position: 1500, isNew: true)
        #expect(judge.judge(more, of: question) == .goOn(from: 1500))
        let empty = Judge.End(isCut: true, offset: 1500, position: 1500, isNew: false)
        #expect(judge.judge(empty, of: question) == .retry(.broken))
        #expect(judge.judge(empty, of: question) == .end)
        #expect(judge.size == 1500)
    }

    /// Bytes that were compared, of a song and of a stream of which 1000 or 70,000 bytes are known.
    @Test(
        arguments: [
            (file, 1000, 1000, true, .goOn, .song),
            (file, 1000, 10, false, .refuse(.changed), .song),
            (stream, 1000, 1000, true, .goOn, .stream), (stream, 1000, 10, false, .join, .live),
            (stream, 70_000, 65_000, true, .goOn, .stream),
            (stream, 70_000, 65_536, true, .goOn, .song),
            (stream, 70_000, 65_536, false, .join, .live),
        ] as [(HTTPResponse, Int, Int64, Bool, Judge.Comparison, Judge.Kind)])
    func comparisons(
        _ head: HTTPResponse, count: Int, end: Int64, isEqual: Bool, comparison: Judge.Comparison,
        kind: Judge.Kind
    ) {
        var judge = Self.known(head, count)
        #expect(judge.judge(comparedTo: end, isEqual: isEqual) == comparison)
        #expect(judge.kind == kind)
        #expect(judge.beginning.count == (kind == .song ? 0 : min(count, 65_536)))
    }

    /// Of little that each connection brings, half is new.
    @Test(
        arguments: [(2000, 59_000), (20_000, 50_000), (40_000, 43_616), (0, 43_616)]
            as [(Int64, Int64)])
    func whatIsAskedForAgain(brought: Int64, first: Int64) {
        var judge = Self.known(Self.head(length: 100_000))
        judge.note(brought, broughtFor: Judge.Question(first: 1, isPart: true))
        #expect(judge.question(at: 60_000, proof: 60_000 - 16_384).first == first)
    }

    /// Faults after an end in good order.
    @Test(
        arguments: [
            (stream, .notConnected(reason: nil), true), (stream, .status(404), true),
            (stream, .noSuchHost, true), (stream, .stalled, false), (stream, .status(503), false),
            (station, .notConnected(reason: nil), false), (file, .status(404), false),
        ] as [(HTTPResponse, NetworkFault, Bool)])
    func whatMayHaveBeenTheEnd(_ head: HTTPResponse, _ fault: NetworkFault, isOver: Bool) {
        var judge = Self.known(head)
        #expect(!judge.isOver(after: fault))
        let end = Judge.End(isCut: false, offset: 1000, position: 1000, isNew: true)
        _ = judge.judge(end, of: Judge.Question())
        #expect(judge.isOver(after: fault) == isOver)
    }

    @Test func bytesThatProveNothing() {
        let noise = [UInt8].noise(16_384, seed: 1)
        #expect(!Proof.isRepeated(noise))
        #expect(!Proof.isRepeated([]))
        #expect(Proof.isRepeated([UInt8](repeating: 0, count: 16_384)))
        for size in [24, 417, 1441, 1728] {
            // Every third frame has a byte of padding.
            let frames = (0..<(16_384 / size)).flatMap { number -> [UInt8] in
                noise[..<size] + (number % 3 == 0 ? [0] : [])
            }
            #expect(Proof.isRepeated(frames), "\(size)")
        }
    }
}
