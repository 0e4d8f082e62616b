/// Cells with faults in the framing of the song's bytes, or in the bytes themselves.
extension FaultCell.Maker {
    private var bytes: [UInt8] { files.song }

    /// A head promises more bytes than there are. Before: the first head; the answer to the
    /// resumption is right. During: the head of the answer to a resumption. End: the head of every
    /// answer.
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

    /// A head promises fewer bytes than there are. Before and end: the first head. During: the head
    /// of the answer to a resumption.
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

    /// The body comes in chunks. Before: from the beginning. During: also after a cut. End: with a
    /// trailer after the last chunk.
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

    /// A chunked body is cut. Before: within the first chunk's size. During: within a chunk. End:
    /// before the last, empty chunk.
    func chunkedCut() -> FaultCell {
        let (bytes, cut, moment) = (bytes, cut, moment)
        return cell(.whole(saying: "the connection broke")) { request in
            guard request.number == 0 else { return .file(bytes, to: request) }
            let body = bytes.chunked(1000)
            let end = moment == .before ? 1 : moment == .during ? cut : body.count
            return [Self.chunkedHead, .bytes(Array(body[..<end]))]
        }
    }

    /// Noise in the file, and a cut within the noise. Before: before the first frame. During:
    /// between two frames. End: after the last frame.
    func garbage() -> FaultCell {
        let place = moment == .before ? 0 : moment == .during ? files.boundary : bytes.count
        let noise = [UInt8].noise(3000, seed: 11)
        let file = Array(bytes[..<place]) + noise + Array(bytes[place...])
        var result = cut(file, at: place + 1500)
        result.parts = [bytes]
        return result
    }

    /// Frames of one format, then of another, with a cut in the first header of the second. Before:
    /// only a few frames of the first format. During: many of both. End: only a few of the second.
    func newFormat() -> FaultCell {
        let few = 6 * 418
        let first = Array(moment == .before ? bytes[..<few] : bytes[..<files.boundary])
        let then = Array(moment == .end ? files.other[..<few] : files.other[...])
        var result = cut(first + then, at: first.count + 2)
        result.parts = [first, then]
        return result
    }

    /// A cell with a file of its own and one cut in it.
    private func cut(_ file: [UInt8], at place: Int) -> FaultCell {
        cell(.whole(saying: "the connection broke"), file: file, cut: place) { request in
            guard request.number == 0 else { return .file(file, to: request) }
            return .head(count: file.count) + [.bytes(Array(file[..<place]))]
        }
    }

    /// Without a length the end of the connection is the end of the song; a reset is not.
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

    /// We pause the transfer of a long file, and the server closes the connection meanwhile.
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
