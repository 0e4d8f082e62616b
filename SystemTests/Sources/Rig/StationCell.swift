/// One cell of the table of faults for live streams: what a station does, and what duet must make
/// of it.
///
/// A station sends a tone, on every connection its next stretch. The fault comes before the first
/// frame, in the middle of the first stretch, or at its end. A fault in an answer's head comes on
/// the first request, on the one after a reset, or on the one after a clean end.
public struct StationCell: Sendable, CustomStringConvertible {
    public enum Outcome: Sendable {
        /// The station is heard again. The reason of a reconnection contains `saying`; if that is
        /// nil there is no reconnection.
        case heard(saying: String? = nil)
        /// The station was never heard: exit code 66, and an error that contains `saying`.
        case refused(saying: String)
        /// The fault cannot happen at this moment, for that reason.
        case none(reason: String)
    }

    /// Bytes of a tone that are heard.
    public enum Stretch: Sendable {
        /// The next connection sends them; the first stretch has none before it.
        case connection(Range<Int>)
        /// They follow on the same connection, behind noise.
        case afterNoise(Range<Int>)
        /// They are of the tone at the other rate, and follow on the same connection.
        case otherRate(Range<Int>)
    }

    typealias Step = FaultServer.Step

    public let fault: Fault
    public let moment: Fault.Moment
    public let outcome: Outcome
    /// What is heard, in its order; beyond it nothing comes.
    public let stretches: [Stretch]
    /// The most bytes to read ahead, where the fault needs a bound of its own.
    public var readAhead: Int?
    public let script: @Sendable (FaultServer.Request) -> [FaultServer.Step]

    /// Whether the fault can happen at this moment.
    public var applies: Bool { if case .none = outcome { false } else { true } }

    /// Whether the connection that brings stretch `number` is lost, and another one follows.
    public func breaks(after number: Int) -> Bool {
        guard number + 1 < stretches.count, case .connection = stretches[number + 1] else {
            return false
        }
        return true
    }

    /// Its name: `stall × during`.
    public var description: String { "\(fault.rawValue) × \(moment.rawValue)" }

    /// Every cell of the table, made of a tone and the same tone at another rate.
    public static func all(tone: StationTone, other: StationTone) -> [StationCell] {
        Fault.allCases.flatMap { fault in
            Fault.Moment.allCases.map {
                Maker(fault: fault, moment: $0, tone: tone, other: other).cell
            }
        }
    }

    private struct Maker {
        let fault: Fault
        let moment: Fault.Moment
        let tone: StationTone
        let other: StationTone
        /// Bytes of a stretch: two seconds.
        let size = 48_000

        var cell: StationCell {
            switch fault {
            case .lengthTooLong, .lengthTooShort, .changedLength:
                none("a live stream announces no length")
            case .rangeIgnored, .rangeEarlier, .rangeLater:
                none("of a live stream no range is asked for")
            case .changedTag: none("a station sends something else every time")
            case .delay: inside { [.bytes($0), .pause(milliseconds: 150), .bytes($1)] }
            case .drip:
                inside {
                    [
                        .bytes($0), .drip(Array($1.prefix(500)), piece: 10, milliseconds: 1),
                        .bytes(Array($1.dropFirst(500))),
                    ]
                }
            case .stall: broken(by: [.stall], saying: "no more data came")
            case .reset: broken(by: [.reset], saying: "the connection broke")
            case .truncate, .unbounded: broken(by: [], saying: "")
            case .chunked:
                chunked(ending: Array("0\r\n\r\n".utf8), saying: "")
            case .chunkedCut: chunked(ending: [], saying: "ended the connection")
            case .icy: oddBoundaries()
            case .garbage: garbage()
            case .newFormat: newFormat()
            case .closedWhilePaused: closedWhilePaused()
            case .endlessHeaders:
                answered(
                    [
                        .bytes(Array("HTTP/1.1 200 OK\r\n".utf8)),
                        .endless(
                            Array("X-Nonsense: \(String(repeating: "a", count: 80))\r\n".utf8)),
                    ], saying: "header", isFinal: true)
            case .redirectLoop:
                answered(
                    [Step].status("302 Found", ["Location: /loop"]), saying: "redirects",
                    isFinal: true, count: 21)
            case .redirectElsewhere:
                answered(
                    [Step].status("302 Found", ["Location: ftp://127.0.0.1/live"]),
                    saying: "not http or https", isFinal: true)
            case .compressed:
                answered(
                    [
                        .head("HTTP/1.1 200 OK", ["Content-Encoding: gzip", "icy-name: x"]),
                        .bytes([0x1F, 0x8B, 8, 0] + .noise(5000, seed: 3)),
                    ], saying: "gzip", isFinal: true)
            case .busy:
                answered(
                    [Step].status("503 Service Unavailable", ["Retry-After: 1"]), saying: "503")
            case .tooMany: answered([Step].status("429 Too Many Requests"), saying: "429")
            case .timeout: answered([Step].status("408 Request Timeout"), saying: "408")
            case .notFound:
                answered([Step].status("404 Not Found"), saying: "404", isFinal: true)
            }
        }

        private func make(
            _ outcome: Outcome, _ stretches: [Stretch],
            script: @escaping @Sendable (FaultServer.Request) -> [Step]
        ) -> StationCell {
            StationCell(
                fault: fault, moment: moment, outcome: outcome, stretches: stretches,
                script: script)
        }

        private func none(_ reason: String) -> StationCell {
            make(.none(reason: reason), []) { _ in [] }
        }

        /// Offset of the fault in a stretch, its metadata counted.
        private var place: Int {
            switch moment {
            case .before: 100
            case .during: size / 2 + 17
            case .end: size - 50
            }
        }

        private static let interval = 1000
        private static func head(_ more: [String] = [], interval: Int = interval) -> Step {
            .head(
                "ICY 200 OK",
                ["icy-name: Station", "icy-metaint: \(interval)", "Content-Type: audio/mpeg"] + more
            )
        }

        /// Audio with metadata after every `interval` bytes; the title is `number`.
        private static func body(
            _ audio: [UInt8], _ number: Int, interval: Int = interval
        ) -> [UInt8] {
            var text = Array("StreamTitle='\(number)';".utf8)
            text += [UInt8](repeating: 0, count: (16 - text.count % 16) % 16)
            var result: [UInt8] = []
            var start = 0
            while start + interval <= audio.count {
                result += audio[start..<(start + interval)]
                result += start == 0 ? [UInt8(text.count / 16)] + text : [0]
                start += interval
            }
            return result + audio[start...]
        }

        /// How many bytes of audio are in the first `count` bytes of a body.
        private func audio(in count: Int) -> Int {
            // The first metadata is the title.
            let first = Self.body([UInt8](repeating: 0, count: Self.interval), 0).count
            guard count > first else { return Swift.min(count, Self.interval) }
            let rest = count - first
            return Self.interval + rest / (Self.interval + 1) * Self.interval
                + Swift.min(rest % (Self.interval + 1), Self.interval)
        }

        /// Stretch `number` of the tone. On a slow machine duet may ask for more stretches than
        /// there are: then the last comes again, which no test listens to any more.
        private static func stretch(_ tone: StationTone, _ number: Int, _ size: Int) -> [UInt8] {
            let start = Swift.min(number, tone.bytes.count / size - 1) * size
            return Array(tone.bytes[start..<(start + size)])
        }

        /// The fault is in the bytes of a single connection.
        private func inside(
            _ steps: @escaping @Sendable ([UInt8], [UInt8]) -> [Step]
        ) -> StationCell {
            let (tone, place, size) = (tone, place, size)
            return make(.heard(), [.connection(0..<(3 * size))]) { _ in
                let audio = Array(tone.bytes[..<(3 * size)])
                let body = Self.body(audio, 0)
                return [Self.head()] + steps(Array(body[..<place]), Array(body[place...])) + [
                    .stall
                ]
            }
        }

        /// Noise between two frames. The metadata stays right, so only the decoder meets the noise.
        private func garbage() -> StationCell {
            let (tone, size) = (tone, size)
            let after = self.place
            let place = tone.frames.first { $0 >= after } ?? 0
            // Fewer than three frames may be chance, and are not played.
            let stretches: [Stretch] =
                (moment == .before ? [] : [.connection(0..<place)]) + [
                    .afterNoise(place..<(3 * size))
                ]
            return make(.heard(), stretches) { _ in
                var audio = Array(tone.bytes[..<place])
                audio += [UInt8].noise(3000, seed: 9)
                audio += tone.bytes[place..<(3 * size)]
                return [Self.head(), .bytes(Self.body(audio, 0)), .stall]
            }
        }

        /// The first connection ends with `steps`, the second holds.
        private func broken(by steps: [Step], saying reason: String) -> StationCell {
            let (tone, place, size) = (tone, place, size)
            return make(.heard(saying: reason), brokenOff) { request in
                let audio = Self.stretch(tone, request.number, size)
                let body = Self.body(audio, request.number)
                return request.number == 0
                    ? [Self.head(), .bytes(Array(body[..<place]))] + steps
                    : [Self.head(), .bytes(body), .stall]
            }
        }

        /// A stretch up to the fault, and the next one.
        private var brokenOff: [Stretch] {
            [.connection(0..<audio(in: place)), .connection(size..<(2 * size))]
        }

        private func chunked(ending end: [UInt8], saying reason: String) -> StationCell {
            let (tone, place, size) = (tone, place, size)
            return make(.heard(saying: reason), brokenOff) { request in
                let body = Self.body(Self.stretch(tone, request.number, size), request.number)
                let head = Step.head(
                    "HTTP/1.1 200 OK",
                    [
                        "Transfer-Encoding: chunked", "icy-name: Station",
                        "icy-metaint: \(Self.interval)", "Content-Type: audio/mpeg",
                    ])
                let part = request.number == 0 ? Array(body[..<place]) : body
                return [head, .bytes(part.chunked(777) + (request.number == 0 ? end : []))]
                    + (request.number == 0 ? [] : [.stall])
            }
        }

        /// Metadata after every byte, after every 7919 bytes, or after every 13, sent in pieces
        /// that cut it anywhere.
        private func oddBoundaries() -> StationCell {
            let (tone, size) = (tone, size)
            let interval = moment == .before ? 1 : moment == .during ? 7919 : 13
            return make(.heard(), [.connection(0..<(2 * size))]) { _ in
                let body = Self.body(Array(tone.bytes[..<(2 * size)]), 0, interval: interval)
                return [Self.head(interval: interval)]
                    + stride(from: 0, to: body.count, by: 1237).map {
                        .bytes(Array(body[$0..<Swift.min($0 + 1237, body.count)]))
                    } + [.stall]
            }
        }

        /// The sample rate changes: after a few frames, in the middle, or for the last few frames.
        private func newFormat() -> StationCell {
            let (tone, other, size) = (tone, other, size)
            let first = tone.frames[moment == .before ? 6 : 76]
            let rest = moment == .end ? 20 * 576 : size
            return make(.heard(), [.connection(0..<first), .otherRate(0..<rest)]) { _ in
                let audio = Array(tone.bytes[..<first]) + Array(other.bytes[..<rest])
                return [Self.head(), .bytes(Self.body(audio, 0)), .stall]
            }
        }

        /// `count` requests in a row get `steps` as their answer.
        private func answered(
            _ steps: [Step], saying reason: String, isFinal: Bool = false, count: Int = 1
        ) -> StationCell {
            let (tone, size, moment) = (tone, size, moment)
            let first = moment == .before ? 0 : 1
            let outcome =
                isFinal && moment == .before
                ? Outcome.refused(saying: reason)
                : .heard(saying: reason)
            return make(outcome, first == 0 ? [.connection(size..<(2 * size))] : bothStretches) {
                request in
                if request.number >= first && request.number < first + count { return steps }
                let number = request.number < first ? 0 : 1
                let body = Self.body(Self.stretch(tone, number, size), number)
                if request.number < first {
                    return [Self.head(), .bytes(body)] + (moment == .during ? [.reset] : [])
                }
                return [Self.head(), .bytes(body), .stall]
            }
        }

        private var bothStretches: [Stretch] {
            [.connection(0..<size), .connection(size..<(2 * size))]
        }

        /// The station closes a connection that we have paused. That is not reported, and the next
        /// stretch follows.
        private func closedWhilePaused() -> StationCell {
            guard moment == .during else {
                return none("there is one way to be closed while we hold back")
            }
            let (tone, size) = (tone, size)
            var result = make(.heard(), bothStretches) { request in
                let number = min(request.number, 1)
                let body = Self.body(Self.stretch(tone, number, size), number)
                return [Self.head(), .bytes(body)] + (request.number == 0 ? [] : [.stall])
            }
            result.readAhead = 20_000
            return result
        }
    }
}
