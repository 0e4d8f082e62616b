import Glibc

/// A FLAC file as its first block describes it (RFC 9639, 8.2), for repairing a file whose end
/// could not be written: libFLAC writes the length last of all.
struct FLACFile {
    /// Where the first block begins, after `fLaC` and the block's own head.
    private static let start = 8
    /// Bytes of the file up to the end of the length field.
    private static let size = 26

    private let file: Int32
    private let head: [UInt8]

    /// Reads `file`, a descriptor that the caller closes; nil when the file is no FLAC.
    init?(file: Int32) {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        guard unsafe pread(file, &bytes, bytes.count, 0) == bytes.count,
            bytes.starts(with: "fLaC".utf8)
        else { return nil }
        (self.file, head) = (file, bytes)
    }

    /// Frames of a block.
    var blockSize: Int64 { Int64(head[Self.start]) << 8 | Int64(head[Self.start + 1]) }

    /// Frames in all; 0 while they are not known.
    var frameCount: Int64 {
        head[21..<26].reduce(0) { $0 << 8 | Int64($1) } & 0xF_FFFF_FFFF
    }

    /// Ends the file at the byte `end`, the first behind a whole block, and writes that there are
    /// `frames` frames; returns whether both could be done.
    func cut(at end: off_t, frames: Int64) -> Bool {
        var length = (0..<5).map { UInt8(truncatingIfNeeded: frames >> Int64(32 - 8 * $0)) }
        length[0] = head[21] & 0xF0 | length[0] & 0x0F
        guard ftruncate(file, end) == 0 else { return false }
        return unsafe pwrite(file, length, length.count, 21) == length.count
    }
}
