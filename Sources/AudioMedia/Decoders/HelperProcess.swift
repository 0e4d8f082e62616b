import Glibc
import SystemSupport

/// A running `duet-ffmpeg`, and our end of its socket. The process ends with the object.
@safe final class HelperProcess: @unchecked Sendable {
    // Safety: `socket` and `identifier` never change, and `cancel`, for any thread, uses nothing else. One
    // thread does all else.

    /// The process's id.
    let identifier: pid_t
    private let socket: Int32
    /// How the process ended, as `waitpid` tells it; nil: it was not waited for yet.
    private var status: Int32?

    /// Starts `program` with its end of the socket as standard input, and no argument, no variable of the
    /// environment, no blocked signal, and no share in the terminal's signals. It closes all other
    /// descriptors before it reads.
    ///
    /// - Throws: `library` where the system refuses.
    init(_ program: FileName) throws(DecoderError) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .library("cannot start duet-ffmpeg: \(errorText(errno))")
        }
        defer { close(ends[1]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        for output: Int32 in [1, 2] {
            // Not the terminal, on which the loader would tell of missing libraries.
            unsafe posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var name = program.cString
        var child: pid_t = 0
        let error = unsafe name.withUnsafeMutableBufferPointer { name in
            var arguments = unsafe [name.baseAddress, nil]
            var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
            return unsafe posix_spawn(
                &child, name.baseAddress!, &actions, &attributes, &arguments, &environment)
        }
        guard error == 0 else {
            close(ends[0])
            throw .library("cannot start duet-ffmpeg: \(errorText(error))")
        }
        (identifier, socket) = (child, ends[0])
    }

    deinit {
        end()
        close(socket)
    }

    /// Makes a call that waits for the process, now or later, fail. For any thread.
    func cancel() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Ends the process, and waits until it has gone.
    func end() {
        guard status == nil else { return }
        // One that has ended by itself still tells how.
        kill(identifier, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { break }
        }
        self.status = status
    }

    /// How the process ended, for people.
    private var obituary: String {
        let status = status ?? 0
        switch status & 0x7F {
        case 0 where status == 0: return "duet-ffmpeg gave up"
        case 0 where status >> 8 == 127: return "duet-ffmpeg cannot start: a library is missing"
        case 0: return "duet-ffmpeg ended with exit code \(status >> 8 & 0xFF)"
        case SIGKILL: return "duet-ffmpeg was killed"
        case SIGXCPU: return "duet-ffmpeg took too long"
        case let signal: return unsafe "duet-ffmpeg crashed: \(String(cString: strsignal(signal)))"
        }
    }

    /// Ends the process, which does not answer any more or has said what it may not.
    func fail(_ reason: String? = nil) -> DecoderError {
        end()
        return .library(reason ?? obituary)
    }

    /// Sends a message.
    func send(
        _ request: HelperWire.Request, _ body: ArraySlice<UInt8> = []
    ) throws(DecoderError) {
        try send(HelperWire.bytes(request.rawValue, UInt32(body.count))[...])
        try send(body)
    }

    private func send(_ bytes: ArraySlice<UInt8>) throws(DecoderError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBufferPointer { rest in
                unsafe Glibc.send(
                    socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fail() }
            rest = rest.dropFirst(count)
        }
    }

    /// Receives `count` bytes.
    func receive(_ count: Int) throws(DecoderError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        try unsafe bytes.withUnsafeMutableBufferPointer { (bytes) throws(DecoderError) in
            unsafe try receive(UnsafeMutableRawBufferPointer(bytes))
        }
        return bytes
    }

    /// Receives until `bytes` is full.
    func receive(_ bytes: UnsafeMutableRawBufferPointer) throws(DecoderError) {
        var filled = 0
        while filled < bytes.count {
            let count = unsafe recv(
                socket, bytes.baseAddress! + filled, bytes.count - filled, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw fail() }
            filled += count
        }
    }
}

/// The program `duet-ffmpeg`, which decodes what only FFmpeg reads in a process of its own.
enum HelperProgram {
    static let name = "duet-ffmpeg"

    /// Where it is installed for this program; nil where it is not.
    static func find() -> FileName? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count)
        let program = FileName(bytes: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) })
        return find(for: program, path: environmentValue("PATH") ?? "")
    }

    /// Where it is installed for `program`: below the same prefix, beside it, or in a folder of `path`.
    /// Packages bring one for each version of FFmpeg: that whose library is there counts first, the newest
    /// of several, then one that was built on this machine.
    ///
    /// - Parameter hasLibrary: whether libavformat of that version is there.
    static func find(
        for program: FileName, path: String, hasLibrary: (Int) -> Bool = hasLibrary
    ) -> FileName? {
        let own = [program.folder + "../libexec/duet/", program.folder].filter(\.isAbsolute)
        let others = path.split(separator: ":").map { FileName("\($0)/") }.filter(\.isAbsolute)
        let built = (own + others).map { $0 + FileName(name) }
        let shipped = versions.reversed().lazy.flatMap { version in
            own.lazy.map { (version, $0 + "\(name)-\(version)") }
        }
        return shipped.first { isProgram($0.1) && hasLibrary($0.0) }?.1
            ?? built.first(where: isProgram)
    }

    /// Versions of libavformat that there may be a helper for: FFmpeg 5 and later.
    private static let versions = 59...80

    /// The version of libavformat that the system has, the newest of several; nil: it has none.
    static var libraryVersion: Int? { (50...80).last(where: hasLibrary) }

    /// Whether the system has libavformat of that version, where Debian and others put it.
    private static func hasLibrary(_ version: Int) -> Bool {
        #if arch(x86_64)
        let machine = "x86_64-linux-gnu"
        #elseif arch(arm64)
        let machine = "aarch64-linux-gnu"
        #else
        let machine = "lib"
        #endif
        return ["/usr/lib/\(machine)", "/usr/lib64", "/usr/lib", "/usr/local/lib"].contains {
            FileName("\($0)/libavformat.so.\(version)").isThere
        }
    }

    private static func isProgram(_ path: FileName) -> Bool {
        var facts = stat()
        return unsafe stat(path.cString, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
            && access(path.cString, X_OK) == 0
    }
}
