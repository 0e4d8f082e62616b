@testable import AudioMedia

/// Bytes in memory as a song's bytes; where not `isSeekable` as those of a station, without a length.
final class BytesReader: ByteReader {
    let bytes: [UInt8]
    let isSeekable: Bool
    var size: Int64? { isSeekable ? Int64(bytes.count) : nil }
    /// Bytes from this offset on cannot be read; nil: all can.
    var brokenFrom: Int?
    /// Bytes that were read.
    private(set) var count = 0
    /// Whether no byte was left out, or read again after others.
    private(set) var isInOrder = true
    private var last: Range<Int64> = 0..<0

    static let failure = SongError.brokeOff(song: "bytes", .notRead(code: 5))

    init(_ bytes: [UInt8], isSeekable: Bool = true, brokenFrom: Int? = nil) {
        self.bytes = bytes
        self.isSeekable = isSeekable
        self.brokenFrom = brokenFrom
    }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongError) -> Int {
        let start = Int(min(offset, Int64(bytes.count)))
        let end = start + min(buffer.count, bytes.count - start)
        if let brokenFrom, end > brokenFrom { throw Self.failure }
        isInOrder = isInOrder && (last.lowerBound...last.upperBound).contains(offset)
        last = Int64(start)..<Int64(end)
        count += end - start
        buffer.copyBytes(from: bytes[start..<end])
        return end - start
    }
}
