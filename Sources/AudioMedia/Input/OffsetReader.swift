/// The bytes of another reader from a place on, as if nothing were before them.
final class OffsetReader: ByteReader {
    private let reader: any ByteReader
    private let start: Int64

    /// - Parameter start: the offset of the first byte, 0 or more.
    init(_ reader: any ByteReader, from start: Int64) {
        (self.reader, self.start) = (reader, start)
    }

    var size: Int64? { reader.size.map { max(0, $0 - start) } }
    var isSeekable: Bool { reader.isSeekable }
    var keepsAll: Bool { reader.keepsAll }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongError) -> Int {
        // Nothing is so far away, and sums with it do not overflow.
        unsafe try reader.read(at: start + min(offset, .max / 4), into: buffer)
    }
}
