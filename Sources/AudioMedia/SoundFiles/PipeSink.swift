import CSndfile
import Glibc

/// Takes the bytes of a FLAC into a pipe or a socket, for libsndfile. The encoder goes back at the end to write the
/// length into the head: such bytes are dropped, since a pipe cannot go back, and a FLAC need not name its
/// length. For one thread.
@safe final class PipeSink {
    /// Why nothing more is taken: an errno, that of an interruption where it was cancelled.
    private(set) var failure: Int32?

    private let descriptor: Int32
    private let isSocket: Bool
    private let isCancelled: () -> Bool
    /// Where libsndfile writes next, and the bytes that the pipe has got.
    private var (position, end) = (sf_count_t(0), sf_count_t(0))

    /// - Parameters:
    ///   - descriptor: of the pipe, blocking or not: others may use it, too. The caller closes it.
    ///   - isCancelled: asked ten times a second while the reader takes nothing; true ends the writing.
    init(descriptor: Int32, isCancelled: @escaping () -> Bool) {
        self.descriptor = descriptor
        self.isCancelled = isCancelled
        var facts = stat()
        isSocket = unsafe fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK
    }

    /// Opens it for libsndfile; it must outlive the handle.
    func open(_ info: inout SF_INFO) -> OpaquePointer? {
        var calls = unsafe SF_VIRTUAL_IO(
            get_filelen: { unsafe PipeSink.of($0).end },
            seek: { unsafe PipeSink.of($2).seek($0, from: $1) },
            read: { _, _, _ in 0 },
            write: { unsafe PipeSink.of($2).write($0, count: $1) },
            tell: { unsafe PipeSink.of($0).position })
        return unsafe sf_open_virtual(
            &calls, Int32(SFM_WRITE), &info, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> PipeSink {
        unsafe Unmanaged<PipeSink>.fromOpaque(context!).takeUnretainedValue()
    }

    private func seek(_ offset: sf_count_t, from whence: Int32) -> sf_count_t {
        switch whence {
        case SEEK_SET: position = offset
        case SEEK_CUR: position += offset
        default: position = end + offset
        }
        return position
    }

    private func write(_ bytes: UnsafeRawPointer?, count: sf_count_t) -> sf_count_t {
        guard let bytes = unsafe bytes, position == end else {
            position += count
            return count
        }
        var done = 0
        while done < Int(count), failure == nil {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&entry, 1, 100) > 0 else {
                if isCancelled() { failure = EINTR }
                continue
            }
            // A pipe that is ready takes as much without blocking; a socket may take less.
            let most = min(Int(count) - done, Int(PIPE_BUF))
            let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
            let written =
                isSocket
                ? unsafe send(descriptor, bytes + done, most, flags)
                : unsafe Glibc.write(descriptor, bytes + done, most)
            if written >= 0 {
                done += written
            } else if errno == EAGAIN {
                if isCancelled() { failure = EINTR }
            } else if errno != EINTR {
                failure = errno
            }
        }
        position += sf_count_t(done)
        end = position
        return sf_count_t(done)
    }
}
