import Glibc
import SystemSupport

/// A run of this user's that takes commands from this program.
final class RunningDuet {
    /// How long it may take to answer, in seconds.
    private static let patience = 5

    /// The socket.
    let descriptor: Int32
    private var read: [UInt8] = []

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Reaches the run that began last; with `client`, the last one of that name. Sockets of runs that
    /// were killed are removed. Throws where there is none.
    static func newest(client: String?) throws(DuetError) -> RunningDuet {
        let attempt = "cannot reach a running duet"
        guard let folder = UserFolder.runtime else {
            throw DuetError(
                status: .unavailable, attempt: attempt,
                result: "XDG_RUNTIME_DIR is not set to a folder",
                hint: "run 'export XDG_RUNTIME_DIR=/run/user/\(getuid())' in both terminals"
            )
        }
        guard RunningPlace(folder: folder, client: "duet", process: getpid()) != nil else {
            throw DuetError(
                status: .unavailable, attempt: attempt,
                result: RunningPlace.tooLong(folder).reason,
                hint: "set a shorter XDG_RUNTIME_DIR in both terminals")
        }
        let places = RunningPlace.all(in: folder)
        for place in places where client.map(place.isOf) ?? true {
            if let found = try connect(to: place, attempt) { return found }
        }
        let living = places.filter { !UnixSocket.isLeft(at: $0.path) }
        let names = Set(living.map(\.client)).sorted().listed("or")
        throw DuetError(
            status: .unavailable,
            attempt: client.map { "no duet named '\($0)' is running" } ?? "no duet is running",
            result: "",
            hint: client != nil && !names.isEmpty
                ? "try --to \(names)" : "start one with 'duet SONG'")
    }

    /// Nil where nobody listens any more.
    private static func connect(
        to place: RunningPlace, _ attempt: String
    ) throws(DuetError) -> RunningDuet? {
        let descriptor = UnixSocket.make()
        guard descriptor >= 0 else {
            throw DuetError(
                status: .failure, attempt: attempt, result: errorText(errno), hint: "")
        }
        let running = RunningDuet(descriptor)
        var limit = timeval(tv_sec: patience, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, size)
        }
        switch UnixSocket.connect(descriptor, to: place.path) {
        case 0: return UnixSocket.isOwn(descriptor) ? running : nil
        case ECONNREFUSED:
            unlink(place.path.cString)
            return nil
        case ENOENT: return nil
        // The limit is over, and as many wait as it lets wait.
        case EAGAIN: throw silent
        case let code:
            throw DuetError(
                status: .unavailable, attempt: attempt, result: errorText(code), hint: "")
        }
    }

    /// Sends a command, and returns what was answered: without `ok`, or why it was refused. Throws
    /// where no answer comes in time, and where the run ends before it answers.
    func ask(_ action: Action) throws(DuetError) -> Result<String, Refusal> {
        try ask(line: action.line)
    }

    /// As `ask(_:)`, by the line of a command.
    func ask(line: String) throws(DuetError) -> Result<String, Refusal> {
        try send(line)
        let answer = SafeText.clean(try self.line())
        return answer.hasPrefix("ok ")
            ? .success(String(answer.dropFirst(3)))
            : .failure(Refusal(reason: String(answer.dropFirst("error ".count))))
    }

    /// What has come behind the last answer.
    func takeRest() -> [UInt8] {
        defer { read = [] }
        return read
    }

    /// Sends the line of a command.
    func send(_ line: String) throws(DuetError) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EINTR else {
                guard errno == EPIPE else { throw Self.failure(errno) }
                // It listens no more: what it said last, such as why, is still to be read.
                break
            }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private func line() throws(DuetError) -> String {
        let end = Clock.seconds + Double(Self.patience)
        while true {
            if let end = read.firstIndex(of: UInt8(ascii: "\n")) {
                defer { read.removeFirst(end + 1) }
                return String(decoding: read[..<end], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            guard count > 0 || count < 0 && errno == EINTR else {
                throw Self.failure(count == 0 ? ECONNRESET : errno)
            }
            guard read.count < 65_536, Clock.seconds < end else { throw Self.silent }
            read += bytes[..<max(0, count)]
        }
    }

    /// Why a socket took or brought nothing.
    private static func failure(_ code: Int32) -> DuetError {
        code == EAGAIN
            ? silent
            : DuetError(
                status: .unavailable, attempt: "cannot reach the running duet",
                result: [EPIPE, ECONNRESET].contains(code)
                    ? "it has ended" : errorText(code),
                hint: "")
    }

    private static let silent = DuetError(
        status: .unavailable, attempt: "cannot reach the running duet",
        result: "it did not respond within \(patience) s",
        hint: "it may be stopped (Ctrl-Z): 'fg' in its terminal")
}
