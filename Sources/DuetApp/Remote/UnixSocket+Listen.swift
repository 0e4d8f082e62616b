import AudioMedia
import Glibc

extension UnixSocket {
    /// How often a socket that was left behind is removed before another program has the place.
    private static let mostTries = 5

    /// A socket at `path`, which has `longestPath` bytes at most, to which this user alone may connect.
    /// It gets its name when it listens: a socket that refuses is one that a killed program has left,
    /// and is replaced. Blocks for as long as the disk takes.
    ///
    /// - Returns: a descriptor that does not wait, or an errno: `EADDRINUSE` where another program
    ///   listens there, `EEXIST` where something else has the name.
    static func listen(at path: FileName) -> (descriptor: Int32?, code: Int32) {
        let folder = Glibc.open(
            (path.folder.bytes.isEmpty ? "." : path.folder).cString,
            byNameAlone | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return (nil, errno) }
        defer { close(folder) }
        let descriptor = make(SOCK_NONBLOCK.rawValue)
        guard descriptor >= 0 else { return (nil, errno) }
        let draft = ".duet-\(getpid())"
        // Of a program that had this number and was killed.
        unlinkat(folder, draft, 0)
        // By its descriptor the folder's name is short, whatever room the path leaves.
        let place = FileName("/proc/self/fd/\(folder)/\(draft)")
        var code = bind(descriptor, to: place)
        if code == 0, chmod(place.cString, 0o600) != 0 || Glibc.listen(descriptor, 16) != 0 {
            code = errno
        }
        if code == 0 { code = publish(draft, in: folder, at: path) }
        unlinkat(folder, draft, 0)
        guard code == 0 else {
            close(descriptor)
            return (nil, code)
        }
        return (descriptor, 0)
    }

    /// open(2): a folder may be named so that may not be read. Glibc's header tells the number on request
    /// alone.
    private static let byNameAlone: Int32 = 0o10_000_000  // O_PATH

    /// Gives the socket `draft` the last name of `path`, unless another program listens at `path`. Returns 0, or
    /// an errno.
    private static func publish(
        _ draft: String, in folder: Int32, at path: FileName
    ) -> Int32 {
        let name = path.last.cString
        for _ in 0..<mostTries {
            if linkat(folder, draft, folder, name, 0) == 0 { return 0 }
            guard errno == EEXIST else { return errno }
            var facts = stat()
            if fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 {
                guard facts.st_mode & S_IFMT == S_IFSOCK else { return EEXIST }
                guard isLeft(at: path) else { return EADDRINUSE }
                unlinkat(folder, name, 0)
            }
        }
        return EADDRINUSE
    }

    /// Whether nobody listens at the socket at `path`.
    static func isLeft(at path: FileName) -> Bool {
        let descriptor = make(SOCK_NONBLOCK.rawValue)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return [ECONNREFUSED, ENOENT].contains(connect(descriptor, to: path))
    }
}
