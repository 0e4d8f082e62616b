@testable import AudioMedia
@testable import SystemSupport

/// Any bytes as the heads of a server's answers, one after the other, to a source that has got
/// some bytes of the song meanwhile.
///
/// The rules: the numbers that are believed of a head are bounded, however large it writes them;
/// texts that may be shown are safe to show; and no answer moves the source to where it has not
/// been.
enum HeadAttack {
    /// A head's first byte says its status and whether it begins with `ICY`; its lines follow, up
    /// to an empty one. The first byte of the input says how far the source comes between two
    /// heads.
    static func run(_ input: [UInt8]) throws {
        guard let way = input.first else { return }
        let source = HTTPSource(
            address: "http://host/song.mp3", name: "song", limits: .standard,
            window: ByteWindow(limit: 1 << 16))
        let heads = input.dropFirst().split(separator: 0, maxSplits: 8)
        for (number, bytes) in heads.enumerated() {
            guard let first = bytes.first else { continue }
            source.position = Int64(number) << Int64(way & 31)
            let isPart = number > 0 && way & 32 != 0
            source.question = .init(first: isPart ? source.position : 0, isPart: isPart)
            let head = head(bytes.dropFirst(), first)
            try check(head)
            source.accept(head)
            try check(source)
            split(head, bytes)
        }
    }

    private static func head(_ bytes: ArraySlice<UInt8>, _ way: UInt8) -> HTTPResponse {
        let lines = bytes.split(separator: 0x0A).map { $0.split(separator: 0x3A, maxSplits: 1) }
        /// Works as in libcurl and `HTTPRequest`: the case of letters does not matter, and a value
        /// is made safe to show.
        func header(_ name: String) -> String? {
            let line = lines.last {
                $0.count == 2
                    && String(decoding: $0[0], as: UTF8.self).lowercased()
                        == name
                        .lowercased()
            }
            return line.map { SafeText.clean(bytes: $0[1].drop { $0 == 0x20 }) }
        }
        return HTTPResponse(
            status: [200, 206, 416, 503][Int(way & 3)],
            length: header("Content-Length").flatMap { wholeNumber($0) },
            address: "http://host/song.mp3", isIcy: way & 4 != 0, header: header)
    }

    private static func check(_ head: HTTPResponse) throws {
        for size in [head.length, head.range?.total, head.totalLength].compactMap({ $0 }) {
            try BrokenRule.check((0...SongSize.longest).contains(size), "\(size) bytes")
        }
        if let range = head.range {
            try BrokenRule.check(0 <= range.first && range.first <= range.last, "\(range)")
        }
        if let interval = head.metadataInterval {
            try BrokenRule.check((1...1 << 32).contains(interval), "every \(interval) bytes")
        }
        guard let station = head.facts.station else { return }
        if let bitrate = station.bitrate {
            try BrokenRule.check((1...10_000).contains(bitrate), "\(bitrate) kbit/s")
        }
        let name = station.name ?? ""
        try BrokenRule.check(
            name.count <= 256 && SafeText.clean(name) == name, "shown: \(Array(name.utf8))")
    }

    private static func check(_ source: HTTPSource) throws {
        if let size = source.size {
            try BrokenRule.check((0...SongSize.longest).contains(size), "a song of \(size) bytes")
        }
        if let offset = source.bodyOffset {
            try BrokenRule.check(
                (0...source.position).contains(offset), "at \(offset) of \(source.position)")
        }
    }

    /// The head's own bytes as a body of its interval, in two pieces.
    private static func split(_ head: HTTPResponse, _ bytes: ArraySlice<UInt8>) {
        var demuxer = IcyDemuxer(interval: head.metadataInterval)
        for piece in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
            Array(piece).withUnsafeBytes { _ = demuxer.split($0) }
        }
    }
}
