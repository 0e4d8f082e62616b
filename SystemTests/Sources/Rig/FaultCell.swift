/// One cell of the table of faults: what the server does, and what duet must make of it.
public struct FaultCell: Sendable, CustomStringConvertible {
    /// The result that the test expects.
    public enum Outcome: Sendable {
        /// Every frame of `file` is played, and no other. The reason of a reconnection contains
        /// `saying`; if that is nil there is no reconnection.
        case whole(saying: String? = nil)
        /// The bytes before the fault are played, then the program ends with exit code `code` and
        /// an error that contains `saying`.
        case lost(code: Int32, saying: String)
        /// The fault cannot happen at this moment, for that reason.
        case none(reason: String)
    }

    public let fault: Fault
    public let moment: Fault.Moment
    public let outcome: Outcome
    /// The MP3 as a transfer without a fault delivers it.
    public let file: [UInt8]
    /// The MP3s that `file` is made of: played one after the other they last as long.
    public var parts: [[UInt8]]
    /// How many bytes of `file` come before the fault.
    public let cut: Int
    /// The most bytes to read ahead, where the fault needs a bound of its own.
    public var readAhead: Int?
    public let script: @Sendable (FaultServer.Request) -> [FaultServer.Step]

    /// Whether the fault can happen at this moment.
    public var applies: Bool { if case .none = outcome { false } else { true } }

    /// Its name: `stall × during`.
    public var description: String { "\(fault.rawValue) × \(moment.rawValue)" }
}

extension FaultCell {
    /// Every cell of the table for songs.
    public static func songs(_ files: FaultFiles) -> [FaultCell] {
        Fault.allCases.flatMap { fault in
            Fault.Moment.allCases.map { song(fault, $0, files) }
        }
    }

    private static func song(
        _ fault: Fault, _ moment: Fault.Moment, _ files: FaultFiles
    ) -> FaultCell {
        let bytes = files.song
        let maker = Maker(fault: fault, moment: moment, files: files)
        return switch fault {
        case .delay: maker.paced { [.bytes($0), .pause(milliseconds: 150), .bytes($1)] }
        case .drip:
            maker.paced { start, rest in
                let slow = min(rest.count, 1000)
                return [
                    .bytes(start), .drip(Array(rest[..<slow]), piece: 10, milliseconds: 1),
                    .bytes(Array(rest[slow...])),
                ]
            }
        case .stall:
            maker.broken(
                by: [.stall],
                saying: moment == .before ? "no answer" : "no more data came")
        case .reset: maker.broken(by: [.reset], saying: "the connection broke")
        case .truncate: maker.broken(by: [], saying: "the connection broke")
        case .lengthTooLong: maker.tooLong()
        case .lengthTooShort: maker.tooShort()
        case .rangeIgnored: maker.resumed { _ in .head(count: bytes.count) + [.bytes(bytes)] }
        case .rangeEarlier:
            maker.resumed { start in
                let first = start - min(start, 50)
                return .head(count: bytes.count, from: first) + [.bytes(Array(bytes[first...]))]
            }
        case .rangeLater:
            maker.resumed { start in
                let first = min(start + 1000, bytes.count - 1)
                return .head(count: bytes.count, from: first) + [.bytes(Array(bytes[first...]))]
            }
        case .changedTag:
            maker.changed { _ in
                .head(count: bytes.count, tag: "\"two\"") + [.bytes(bytes.reversed())]
            }
        case .changedLength:
            maker.changed { start in
                .head(count: bytes.count + 1000, from: start)
                    + [.bytes(Array(bytes[start...]) + .noise(1000, seed: 4))]
            }
        case .chunked: maker.chunked()
        case .chunkedCut: maker.chunkedCut()
        case .icy: maker.none("a song has no metadata between its bytes")
        case .endlessHeaders:
            maker.refused(
                with: [
                    .bytes(Array("HTTP/1.1 200 OK\r\n".utf8)),
                    .endless(Array("X-Nonsense: \(String(repeating: "a", count: 80))\r\n".utf8)),
                ], saying: "header")
        case .redirectLoop:
            maker.refused(
                with: .status("302 Found", ["Location: /loop"]), saying: "redirects",
                until: { _ in false })
        case .redirectElsewhere:
            maker.refused(
                with: .status("302 Found", ["Location: ftp://127.0.0.1/song.mp3"]),
                saying: "not http or https")
        case .busy:
            maker.delayed(by: .status("503 Service Unavailable", ["Retry-After: 1"]), "503")
        case .tooMany: maker.delayed(by: .status("429 Too Many Requests"), "429")
        case .timeout: maker.delayed(by: .status("408 Request Timeout"), "408")
        case .notFound: maker.refused(with: .status("404 Not Found"), saying: "404")
        case .garbage: maker.garbage()
        case .newFormat: maker.newFormat()
        case .compressed:
            maker.refused(
                with: [
                    .head(
                        "HTTP/1.1 200 OK",
                        ["Content-Encoding: gzip", "Content-Length: \(bytes.count)"]),
                    .bytes([0x1F, 0x8B, 8, 0] + .noise(bytes.count - 4, seed: 3)),
                ], saying: "gzip")
        case .unbounded: maker.unbounded()
        case .closedWhilePaused: maker.closedWhilePaused()
        }
    }
}
