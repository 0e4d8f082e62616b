import AudioMedia
import Glibc
import SystemSupport

/// Stereo sound of any length in a temporary file, as floats. The file has no name, so that it is gone
/// with this process, however that ends.
final class HeldSound {
    /// Frames written so far.
    private(set) var frameCount: Int64 = 0

    private let descriptor: Int32
    private let folder: FileName

    private static let frameSize = 2 * MemoryLayout<Float>.size

    /// Creates the file in `$TMPDIR`, or in /var/tmp, which lies on a disk: /tmp may lie in memory.
    init() throws(DuetError) {
        let named = getenv("TMPDIR").map { FileName(cString: $0) }
        folder = named.flatMap { $0.bytes.isEmpty ? nil : $0 } ?? "/var/tmp"
        var template = (folder + "/duet-XXXXXX").cString
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw Self.failure(.cannotCreate, folder, errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
    }

    deinit { close(descriptor) }

    /// Adds frames, equally many for each side.
    func write(_ sides: [[Float]]) throws(DuetError) {
        let samples = zip(sides[0], sides[1]).flatMap { [$0, $1] }
        let start = off_t(frameCount) * off_t(Self.frameSize)
        let code = samples.withUnsafeBytes { bytes in
            Self.whole(bytes.count) { done in
                pwrite(
                    descriptor, bytes.baseAddress! + done, bytes.count - done,
                    start + off_t(done))
            }
        }
        guard code == 0 else { throw Self.failure(.inputOutput, folder, code) }
        frameCount += Int64(sides[0].count)
    }

    /// The frames from `frame` on, at most `limit` of them: a list for each side.
    func read(from frame: Int64, limit: Int) throws(DuetError) -> [[Float]] {
        let count = Int(min(Int64(limit), max(0, frameCount - frame)))
        var samples = [Float](repeating: 0, count: 2 * count)
        let start = off_t(frame) * off_t(Self.frameSize)
        let code = samples.withUnsafeMutableBytes { bytes in
            Self.whole(bytes.count) { done in
                pread(
                    descriptor, bytes.baseAddress! + done, bytes.count - done,
                    start + off_t(done))
            }
        }
        guard code == 0 else { throw Self.failure(.inputOutput, folder, code) }
        return (0..<2).map { side in (0..<count).map { samples[2 * $0 + side] } }
    }

    /// Calls `transfer`, with what was done so far, until all bytes are done. Returns 0, or an errno.
    private static func whole(_ count: Int, _ transfer: (Int) -> Int) -> Int32 {
        var done = 0
        while done < count {
            let part = transfer(done)
            if part > 0 {
                done += part
            } else if part == 0 {
                return EIO
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    private static func failure(
        _ status: ExitStatus, _ folder: FileName, _ code: Int32
    ) -> DuetError {
        DuetError(
            status: status, attempt: "cannot keep the mix in \(folder) for --loudness",
            result: errorText(code),
            hint: "set TMPDIR to a folder "
                + (status == .cannotCreate ? "that you can write to" : "with more room"))
    }
}
