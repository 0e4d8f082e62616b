/// Building blocks for the scripts of a `FaultServer`.
extension [FaultServer.Step] {
    /// The tag of the file that `file` sends.
    public static var tag: String { "\"one\"" }

    /// The head of a correct answer: with the whole file, or with the bytes from `start` on.
    ///
    /// - Parameters:
    ///   - count: bytes in the whole file.
    ///   - start: the first byte that is sent; nil for a 200 answer with the whole file.
    ///   - length: the Content-Length; by default the right one.
    public static func head(
        count: Int, from start: Int? = nil, length: Int? = nil, tag: String = tag
    ) -> Self {
        let first = start ?? 0
        let common = [
            "Content-Type: audio/mpeg", "Accept-Ranges: bytes", "ETag: \(tag)",
            "Content-Length: \(length ?? count - first)",
        ]
        guard let start else { return [.head("HTTP/1.1 200 OK", common)] }
        let range = "Content-Range: bytes \(start)-\(count - 1)/\(count)"
        return [.head("HTTP/1.1 206 Partial Content", common + [range])]
    }

    /// The correct answer to `request`, of a server that supports ranges and tags.
    public static func file(_ bytes: [UInt8], to request: FaultServer.Request) -> Self {
        guard let start = request.rangeStart,
            request.header("If-Range").map({ $0 == tag }) ?? true
        else { return head(count: bytes.count) + [.bytes(bytes)] }
        guard start < bytes.count else {
            return status(
                "416 Range Not Satisfiable", ["Content-Range: bytes */\(bytes.count)"])
        }
        return head(count: bytes.count, from: start) + [.bytes([UInt8](bytes[start...]))]
    }

    /// An answer with a status and no body.
    public static func status(_ status: String, _ headers: [String] = []) -> Self {
        [.head("HTTP/1.1 \(status)", headers + ["Content-Length: 0", "Connection: close"])]
    }
}

extension [UInt8] {
    /// The bytes as chunks of at most `size` bytes (RFC 9112 7.1), without the last, empty chunk.
    public func chunked(_ size: Int) -> [UInt8] {
        stride(from: 0, to: count, by: size).flatMap { start in
            let chunk = self[start..<Swift.min(start + size, count)]
            return Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + [13, 10]
        }
    }

    /// The empty chunk that ends a chunked body.
    public static var lastChunk: [UInt8] { Array("0\r\n\r\n".utf8) }

    /// Random bytes.
    public static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return random.bytes(count)
    }
}
