import TestSupport

@testable import AudioMedia

/// Bytes that are no music, of three kinds, each of which gets further into the decoder than the
/// one before.
enum Garbage: CaseIterable {
    /// Random bytes.
    case noise
    /// The first bytes of frames and tags, strewn over random bytes.
    case headers
    /// Frames as long as their headers say, filled with random bytes: some of one format, some of
    /// the next, the last often cut short, and tags between.
    case frames

    /// About `count` bytes of this kind.
    func bytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            switch self {
            case .noise: bytes += random.bytes(count)
            case .headers:
                bytes += Self.header(&random).bytes
                let count = Int.random(in: 0...80, using: &random)
                bytes += random.bytes(count)
                if Int.random(in: 0..<9, using: &random) == 0 { bytes += Array("ID3\u{4}".utf8) }
            case .frames:
                bytes += Self.frames(Int.random(in: 1...12, using: &random), &random)
                if Bool.random(using: &random) {
                    bytes.removeLast(Int.random(in: 0...20, using: &random))
                } else if Bool.random(using: &random) {
                    let size = UInt8.random(in: 0..<128, using: &random)
                    bytes += Array("ID3\u{4}\0\0\0\0\0".utf8) + [size]
                    bytes += random.bytes(Int(size))
                }
            }
        }
        return bytes
    }

    private static func frames(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
        let (bytes, header) = header(&random)
        let size = header.byteCount(freeSize: Int.random(in: 40...1200, using: &random))
        return (0..<count).flatMap { _ in bytes + random.bytes(size - 4) }
    }

    /// The first four bytes of a frame of any format.
    private static func header(
        _ random: inout SeededRandom
    ) -> (bytes: [UInt8], header: FrameHeader) {
        while true {
            let word = 0xFFE0_0000 | UInt32.random(in: 0..<1 << 21, using: &random)
            guard let header = FrameHeader(word) else { continue }
            return ([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }, header)
        }
    }
}
