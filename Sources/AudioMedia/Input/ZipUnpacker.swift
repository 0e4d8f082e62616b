import CZlib

/// Unpacks a file of a ZIP archive piece by piece, and counts and sums what comes. For one thread.
@safe final class ZipUnpacker {
    /// How many packed bytes are read at a time.
    private static let pieceSize = 1 << 16

    private let reader: any ByteReader
    private let entry: ZipArchive.Entry
    /// Where its packed bytes begin, and how many of them were read.
    private let start: Int64
    private var done = 0
    /// How many bytes may still come.
    private var left: Int
    private let isDeflated: Bool
    // zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    /// Where it is deflated by the method of 64 KiB.
    private var inflate64: Inflate64?
    private var hasEnded = false
    private var checksum: UInt32 = 0
    private var block = [UInt8](repeating: 0, count: 1 << 16)

    /// Reads the file's own head.
    ///
    /// - Parameter limit: a file of more bytes is refused.
    init(
        _ entry: ZipArchive.Entry, of reader: any ByteReader, atMost limit: Int
    ) throws(ArchiveFault) {
        (self.entry, self.reader) = (entry, reader)
        guard !entry.isEncrypted else { throw .encrypted }
        guard [0, 8, 9].contains(entry.method) else { throw .otherMethod }
        guard entry.size <= limit else { throw .tooLarge(mebibytes: limit >> 20) }
        let bytes = try ZipArchive.bytes(of: reader, at: entry.offset, count: 30)
        let head = ZipRecord(bytes[...])
        guard head.begins(with: [0x50, 0x4B, 3, 4]) else { throw .damaged }
        start = entry.offset + 30 + head.number(26, 2) + head.number(28, 2)
        (left, isDeflated) = (entry.size, entry.method == 8)
        guard entry.method != 0 || entry.packedSize == entry.size, let size = reader.size,
            start <= size, Int64(entry.packedSize) <= size - start
        else { throw .damaged }
        // The last property: `deinit` frees it if this throws from here on, and never before.
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe !isDeflated || czlib_begin_raw(stream) == Z_OK else { throw .damaged }
        if entry.method == 9 {
            inflate64 = Inflate64 { [unowned self] () throws(ArchiveFault) in try piece() }
        }
    }

    deinit {
        if isDeflated { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
    }

    /// Hands the next bytes to `take`. Throws what that throws, and where the bytes are not as the archive
    /// says; it is not to be called again then.
    ///
    /// - Returns: whether there are more.
    func step(
        to take: (UnsafeRawBufferPointer) throws(ArchiveFault) -> Void
    ) throws(ArchiveFault) -> Bool {
        if inflate64 != nil {
            let bytes = try inflate64?.unpack(Self.pieceSize) ?? []
            unsafe try pass(bytes, count: bytes.count, to: take)
            guard bytes.count < Self.pieceSize else { return true }
            // It says itself where it ends.
            guard left == 0, checksum == entry.checksum else { throw .damaged }
            return false
        }
        let bytes = try piece()
        if !bytes.isEmpty { unsafe try feed(bytes, to: take) }
        guard done == entry.packedSize else { return true }
        guard left == 0, hasEnded || !isDeflated, checksum == entry.checksum else {
            throw .damaged
        }
        return false
    }

    /// The next packed bytes; none where there are no more.
    private func piece() throws(ArchiveFault) -> [UInt8] {
        let count = min(Self.pieceSize, entry.packedSize - done)
        guard count > 0 else { return [] }
        let bytes = try ZipArchive.bytes(of: reader, at: start + Int64(done), count: count)
        done += count
        return bytes
    }

    private func feed(
        _ bytes: [UInt8], to take: (UnsafeRawBufferPointer) throws(ArchiveFault) -> Void
    ) throws(ArchiveFault) {
        guard isDeflated else { return unsafe try pass(bytes, count: bytes.count, to: take) }
        var used = 0
        var isFull = true
        // The last block that is full may have left bytes behind.
        while used < bytes.count || isFull && !hasEnded {
            guard !hasEnded else { throw .damaged }
            let (code, read, made) = inflate(bytes, from: used)
            if code == Z_BUF_ERROR, used == bytes.count { return }
            guard code == Z_OK || code == Z_STREAM_END, read > 0 || made > 0 else {
                throw .damaged
            }
            used += read
            isFull = made == block.count
            hasEnded = code == Z_STREAM_END
            unsafe try pass(block, count: made, to: take)
        }
    }

    /// One step: into `block`. Returns zlib's code, and how many bytes were read and made.
    private func inflate(
        _ bytes: [UInt8], from start: Int
    ) -> (code: Int32, read: Int, made: Int) {
        unsafe bytes.withUnsafeBufferPointer { input in
            unsafe block.withUnsafeMutableBufferPointer { output in
                let count = input.count - start
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                    .map { unsafe $0 + start }
                unsafe stream.pointee.avail_in = UInt32(count)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(output.count)
                let code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                return unsafe (
                    code, count - Int(stream.pointee.avail_in),
                    output.count - Int(stream.pointee.avail_out)
                )
            }
        }
    }

    private func pass(
        _ bytes: [UInt8], count: Int,
        to take: (UnsafeRawBufferPointer) throws(ArchiveFault) -> Void
    ) throws(ArchiveFault) {
        guard count <= left else { throw .damaged }
        guard count > 0 else { return }
        left -= count
        let old = UInt(checksum)
        let result: Result<UInt32, ArchiveFault> = unsafe bytes.withUnsafeBytes { bytes in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
            do throws(ArchiveFault) { unsafe try take(part) } catch { return .failure(error) }
            let base = unsafe part.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe .success(UInt32(crc32(old, base, UInt32(count))))
        }
        checksum = try result.get()
    }
}
