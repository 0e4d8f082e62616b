/// A song's bytes, for a library that reads where it likes. For one thread, which waits in `read` until
/// the bytes have come.
protocol ByteReader: AnyObject {
    /// The whole stream's length in bytes; nil where that is not known.
    var size: Int64? { get }
    /// Whether `read` reaches any place without reading all before it.
    var isSeekable: Bool { get }
    /// Whether `read` reaches any place, maybe only when all bytes before it have come.
    var keepsAll: Bool { get }

    /// Reads from `offset` on until `buffer` is full or the stream ends, and returns the number of
    /// bytes; 0 where the stream has ended. Of a stream that is not seekable the bytes must be read in
    /// order, but for those that are kept, which may be read again.
    ///
    /// - Throws: why no bytes come; and where the song is not wanted any more.
    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(SongError) -> Int
}

extension ByteReader {
    var keepsAll: Bool { isSeekable }
}
