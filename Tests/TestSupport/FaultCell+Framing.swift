/// The cells where the framing of the song's bytes, or the bytes themselves, are at fault.
extension FaultCell.Maker {
    private var bytes: [UInt8] { files.song }

    /// The first head promises more than there is, and says so when asked for it; an answer to a
    /// resumption does; the first head does, and whatever is asked, the answer is the same.
    func tooLong() -> FaultCell {
        let (bytes, cut, moment) = (bytes, cut, moment)
        return cell(.whole(saying: "the connection broke")) { request in
            let lie: [Step] = .head(count: bytes.count, length: bytes.count + 5000)
            switch (moment, request.number) {
            case (.during, 0): return .head(count: bytes.count) + [.bytes(Array(bytes[..<cut]))]
            case (.during, 1):
                let start = request.rangeStart ?? 0
                return .head(
                    count: bytes.count, from: start, length: bytes.count - start + 5000)
                    + [.bytes(Array(bytes[start...]))]
            case (.before, 0), (.end, _): return lie + [.bytes(bytes)]
            default: return .file(bytes, to: request)
            }
        }
    }

    /// The head of the first answer, or of one to a resumption, promises less than there is.
    func tooShort() -> FaultCell {
        let (bytes, cut, moment) = (bytes, cut, moment)
        let short = moment == .end ? bytes.count - 50 : bytes.count / 2
        return cell(.whole(saying: moment == .during ? "the connection broke" : nil)) { request in
            guard moment == .during else {
                guard request.number == 0 else { return .file(bytes, to: request) }
                return .head(count: bytes.count, length: short) + [.bytes(bytes)]
            }
            switch request.number {
            case 0: return .head(count: bytes.count) + [.bytes(Array(bytes[..<cut]))]
            case 1:
                let start = request.rangeStart ?? 0
                return .head(count: bytes.count, from: start, length: (bytes.count - start) / 2)
                    + [.bytes(Array(bytes[start...]))]
            default: return .file(bytes, to: request)
            }
        }
    }

    private static var chunkedHead: Step {
        .head(
            "HTTP/1.1 200 OK",
            ["Accept-Ranges: bytes", "ETag: \([Step].tag)", "Transfer-Encoding: chunked"])
    }

    /// Chunks from the beginning; after a cut; with a trailer behind them.
    func chunked() -> FaultCell {
        let (bytes, cut, moment) = (bytes, cut, moment)
        let reason = moment == .during ? "the connection broke" : nil
        return cell(.whole(saying: reason)) { request in
            guard moment == .during, request.number > 0 else {
                let body = bytes.chunked(moment == .before ? 1 << 10 : 7777)
                let end =
                    moment == .end ? Array("0\r\nX-Checksum: none\r\n\r\n".utf8) : [UInt8].lastChunk
                let sent = moment == .during ? Array(body[..<cut]) : body + end
                return [Self.chunkedHead, .bytes(sent)]
            }
            let start = request.rangeStart ?? 0
            return [
                .head(
                    "HTTP/1.1 206 Partial Content",
                    [
                        "ETag: \([Step].tag)", "Transfer-Encoding: chunked",
                        "Content-Range: bytes \(start)-\(bytes.count - 1)/\(bytes.count)",
                    ]), .bytes(Array(bytes[start...]).chunked(3000) + .lastChunk),
            ]
        }
    }

    /// Ends within the first chunk's size, within a chunk, before the last chunk.
    func chunkedCut() -> FaultCell {
        let (bytes, cut, moment) = (bytes, cut, moment)
        return cell(.whole(saying: "the connection broke")) { request in
            guard request.number == 0 else { return .file(bytes, to: request) }
            let body = bytes.chunked(1000)
            let end = moment == .before ? 1 : moment == .during ? cut : body.count
            return [Self.chunkedHead, .bytes(Array(body[..<end]))]
        }
    }

    /// Noise before the first frame, between two, and behind the last one, and a cut in it.
    func garbage() -> FaultCell {
        let place = moment == .before ? 0 : moment == .during ? files.boundary : bytes.count
        let noise = [UInt8].noise(3000, seed: 11)
        let file = Array(bytes[..<place]) + noise + Array(bytes[place...])
        var result = cut(file, at: place + 1500)
        result.parts = [bytes]
        return result
    }

    /// A few frames, then others; half and half; then a few others. With a cut in the first
    /// header of the others.
    func newFormat() -> FaultCell {
        let few = 6 * 418
        let first = Array(moment == .before ? bytes[..<few] : bytes[..<files.boundary])
        let then = Array(moment == .end ? files.other[..<few] : files.other[...])
        var result = cut(first + then, at: first.count + 2)
        result.parts = [first, then]
        return result
    }

    /// A file of its own, with one cut.
    private func cut(_ file: [UInt8], at place: Int) -> FaultCell {
        cell(.whole(saying: "the connection broke"), file: file, cut: place) { request in
            guard request.number == 0 else { return .file(file, to: request) }
            return .head(count: file.count) + [.bytes(Array(file[..<place]))]
        }
    }

    /// The end of the connection is the end of the song; a reset is not.
    func unbounded() -> FaultCell {
        let (bytes, cut, moment) = (bytes, cut, moment)
        let head = Step.head("HTTP/1.0 200 OK", ["Content-Type: audio/mpeg"])
        let reason = moment == .before ? nil : "the connection broke"
        return cell(.whole(saying: reason)) { request in
            guard moment == .before || request.number > 0 else {
                return [head, .bytes(Array(bytes[..<cut])), .reset]
            }
            return [head, .bytes(bytes)]
        }
    }

    /// The server has long sent and closed what is still held back by us.
    func closedWhilePaused() -> FaultCell {
        let bytes = files.long
        let moment = moment
        guard moment != .before else { return none("nothing is held back before it is there") }
        let part = moment == .during ? 100_000 : bytes.count - 50
        var result = cell(.whole(), file: bytes, cut: part) { request in
            let start = request.rangeStart ?? 0
            return .head(count: bytes.count, from: request.rangeStart)
                + [.bytes(Array(bytes[start..<min(start + part, bytes.count)]))]
        }
        result.readAhead = 20_000
        return result
    }
}
