import Glibc

/// A place in the bytes of a `ByteReader`, for the callbacks of a C library. They cannot throw: an
/// error of the reader ends the library's call as a failed read, and `check` throws it afterwards.
final class ByteCursor {
    let reader: any ByteReader
    /// The offset of the byte that is read next.
    private(set) var position: Int64 = 0
    /// Where the stream turned out to end, before the length that it told; nil: it has not.
    private var end: Int64?
    /// Why the reader gives no bytes. Until `forgive` every read fails.
    private var failure: SongError?

    init(_ reader: any ByteReader) { self.reader = reader }

    /// The cursor that a library's callback was given.
    static func passed(_ context: UnsafeMutableRawPointer?) -> ByteCursor? {
        unsafe context.map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// What a library's callbacks are given. The cursor must live as long as the library uses it.
    var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// Throws what the reader threw. To be called after each call of the library.
    func check() throws(DecoderError) { if let failure { throw .input(failure) } }

    /// Asks the reader again from now on; true where it had failed.
    @discardableResult func forgive() -> Bool {
        defer { failure = nil }
        return failure != nil
    }

    /// The position, for a library that reads until it has come to the stream's length: it is there at
    /// the end that was found, and where the reader has failed. Otherwise libsndfile would look for parts
    /// of an AIFF for ever, and keep them.
    var toldPosition: Int64 {
        guard failure != nil || end.map({ position >= $0 }) == true else { return position }
        return max(position, reader.size ?? position)
    }

    /// Returns to the first byte.
    func restart() { position = 0 }

    /// Fills `buffer`, and returns the number of bytes: less at the end of the stream, -1 where the
    /// reader fails.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard failure == nil else { return -1 }
        if let size = reader.size, position >= size { return 0 }
        do throws(SongError) {
            let count = unsafe try reader.read(at: position, into: buffer)
            position += Int64(count)
            if count < buffer.count { end = position }
            return count
        } catch {
            failure = error
            return -1
        }
    }

    /// Moves as `fseek` does, and returns the new place; nil where there is none.
    func seek(_ offset: Int64, from origin: Int32) -> Int64? {
        let start: Int64? =
            switch origin {
            case SEEK_SET: 0
            case SEEK_CUR: position
            case SEEK_END: reader.size
            default: nil
            }
        guard let (place, overflows) = start?.addingReportingOverflow(offset), !overflows,
            place >= 0
        else { return nil }
        position = place
        return place
    }
}
