import AudioMedia
import Glibc
import Logging
import SystemSupport

/// Where scripts send commands, a line each: a descriptor that this program was given, a pipe, or a
/// Unix socket of this user alone.
///
/// Main thread; no call waits, but `init` and `close` for at most 2 s each for a disk.
final class ControlChannel: JournalListener, ScreenAudience {
    /// How many may be connected at a time.
    private static let mostClients = 8

    private var clients: [ControlClient] = []
    /// Whose turn it was to be shown the screen, among those that are.
    private var turn = 0
    /// How many clients there were.
    private var count = 0
    /// The socket that is connected to.
    private var listener: Int32?
    /// The socket's place, to be removed at the end.
    private let path: FileName?
    /// When connections are accepted again after the process had no descriptor left, in seconds of
    /// the clock.
    private var acceptTime = 0.0
    private var refused = RefusedLines()

    /// - Parameter place: the number of a descriptor, or a path.
    convenience init(_ place: String) throws(DuetError) {
        if let descriptor = Int32(place) {
            self.init(client: try Self.client(on: descriptor))
        } else {
            try self.init(at: FileName(place))
        }
    }

    private init(client: ControlClient) {
        path = nil
        clients = [client]
    }

    /// - Parameter place: of a pipe (mkfifo) that is there, or of a socket to make.
    init(at place: FileName) throws(DuetError) {
        let opened: Result<(descriptor: Int32, isPipe: Bool), DuetError>? =
            BoundedCall.answer(milliseconds: 2000, unless: { Signals.isStopping }) {
                Result { () throws(DuetError) in try Self.open(place) }
            }
        guard let opened else {
            throw Self.refused("\(place)", "the disk did not respond within 2 s")
        }
        let (descriptor, isPipe) = try opened.get()
        path = isPipe ? nil : place
        if isPipe {
            clients = [ControlClient(descriptor, isSocket: false)]
        } else {
            listener = descriptor
        }
    }

    /// A socket by which other programs of this user find the run of a client of that name; nil where
    /// the system has no folder for it, or it cannot be used, which `warn` is told.
    static func own(
        client: String, warn: (String) throws(DuetError) -> Void
    ) throws(DuetError) -> ControlChannel? {
        guard let folder = UserFolder.runtime else { return nil }
        guard let place = RunningPlace(folder: folder, client: client, process: getpid()) else {
            try warn("duet add cannot reach this run: \(RunningPlace.tooLong(folder).reason)")
            return nil
        }
        let prepared: Result<Void, Refusal>? = BoundedCall.answer(
            milliseconds: 2000, unless: { Signals.isStopping }
        ) {
            Result { () throws(Refusal) in try RunningPlace.prepare(folder) }
        }
        let reason: String
        switch prepared {
        case .success?:
            do throws(DuetError) { return try ControlChannel(at: place.path) } catch {
                reason = error.result
            }
        case .failure(let refusal)?: reason = refusal.reason
        case nil: reason = "the disk did not respond within 2 s"
        }
        try warn("duet add cannot reach this run: \(folder): \(reason)")
        return nil
    }

    /// The client on a descriptor that this program was given. Its mode is left as it is: others may
    /// use it, too.
    private static func client(on descriptor: Int32) throws(DuetError) -> ControlClient {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            throw refused("\(descriptor)", errorText(errno), status: .usage)
        }
        switch facts.st_mode & S_IFMT {
        case S_IFSOCK: return ControlClient(descriptor, isSocket: true)
        case S_IFIFO:
            guard fcntl(descriptor, F_GETFL) & O_ACCMODE != O_WRONLY else {
                throw refused("\(descriptor)", "it is the end for writing", status: .usage)
            }
            let own = Glibc.open(
                "/proc/self/fd/\(descriptor)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard own >= 0 else { throw refused("\(descriptor)", errorText(errno)) }
            return ControlClient(own, isSocket: false)
        default:
            throw refused("\(descriptor)", "it is neither a socket nor a pipe", status: .usage)
        }
    }

    private static func refused(
        _ place: String, _ result: String, status: ExitStatus = .cannotCreate
    ) -> DuetError {
        DuetError(
            status: status, attempt: "cannot take commands from \(place)", result: result,
            hint: "name a descriptor, or a path in a folder of yours")
    }

    private static func open(_ place: FileName) throws(DuetError) -> (Int32, isPipe: Bool) {
        var facts = stat()
        let isThere = lstat(place.cString, &facts) == 0
        if isThere, facts.st_mode & S_IFMT == S_IFIFO {
            guard facts.st_uid == geteuid() else {
                throw refused("\(place)", "the pipe is another user's")
            }
            guard facts.st_mode & 0o077 == 0 else {
                throw refused(
                    "\(place)", "other users may open the pipe (make it with mkfifo -m 600)")
            }
            // For writing too: it does not end when a writer leaves.
            let descriptor = Glibc.open(place.cString, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { throw refused("\(place)", errorText(errno)) }
            return (descriptor, true)
        }
        guard place.bytes.count <= UnixSocket.longestPath else {
            throw refused("\(place)", "the path is longer than \(UnixSocket.longestPath) bytes")
        }
        guard !isThere || facts.st_mode & S_IFMT == S_IFSOCK else {
            throw refused("\(place)", "there is a file of that name")
        }
        let (descriptor, code) = UnixSocket.listen(at: place)
        if let descriptor { return (descriptor, false) }
        throw refused(
            "\(place)",
            code == EADDRINUSE ? "another program takes commands there" : errorText(code))
    }

    /// Removes the socket.
    func close() {
        for client in clients { Glibc.close(client.descriptor) }
        clients = []
        // While the name is there the socket listens: another program would replace one that refuses,
        // and the name that is removed would be that program's.
        if let path { _ = BoundedCall.run(milliseconds: 2000) { unlink(path.cString) } }
        if let listener { Glibc.close(listener) }
        listener = nil
    }

    /// Descriptors that are readable when there is something to do.
    var descriptors: [Int32] {
        clients.filter(\.isListenedTo).map(\.descriptor)
            + (Clock.seconds < acceptTime ? [] : listener.map { [$0] } ?? [])
    }

    /// Descriptors of clients that did not take all; writable when they may be sent the rest.
    var writers: [Int32] { clients.filter(\.hasUnsent).map(\.descriptor) }

    /// Seconds until a line is to be carried out, or those that were refused are to be told.
    var secondsLeft: Double {
        clients.contains(where: \.hasLine) ? 0 : refused.secondsLeft(at: Clock.seconds)
    }

    /// Reads what has come, and sends each line's answer: `ok …`, or `error` and why. On a pipe, where
    /// nobody gets it, `warn` is told of what was refused, at most every two seconds.
    ///
    /// - Parameters:
    ///   - obey: does what a line asks for, and returns the answer, or nil where the function that it is given
    ///     takes the answer later. Until then the lines behind it wait.
    ///   - snapshot: all values and facts as they are now, for `get *` and `subscribe`.
    func update(
        _ waiter: PollSet, obey: Obey, snapshot: () -> Event,
        warn: (String) throws(DuetError) -> Void
    ) throws(DuetError) {
        for index in clients.indices {
            clients[index].send()
            if clients[index].isListenedTo, waiter.isReady(clients[index].descriptor) {
                clients[index].readLines()
            }
            var hasSnapshot = false
            while let line = clients[index].nextLine() {
                clients[index].awaitAnswer()
                switch try answer(line, of: clients[index], obey: obey) {
                // All lyrics, many times over, would be too much for one turn.
                case .success(let line) where line.hasPrefix(StageTerminal.command + " "):
                    guard let terminal = StageTerminal(line: line) else {
                        clients[index].refuseStage()
                        continue
                    }
                    clients[index].show(on: terminal)
                case .success("subscribe") where hasSnapshot, .success("get *") where hasSnapshot:
                    clients[index].answer("error everything was asked for a moment ago")
                case .success("subscribe"):
                    hasSnapshot = true
                    // First: it reports what is due, also to subscribers.
                    let all = snapshot()
                    clients[index].answer("ok subscribe")
                    clients[index].answer(all)
                    clients[index].subscribe()
                case .success("get *"):
                    hasSnapshot = true
                    let all = snapshot()
                    clients[index].answer(all)
                case let result?: send(result, to: index)
                case nil: break
                }
            }
        }
        if let message = refused.take(at: Clock.seconds) { try warn(message) }
        for client in clients where client.hasEnded { Glibc.close(client.descriptor) }
        clients.removeAll(where: \.hasEnded)
        if let listener, waiter.isReady(listener) { accept(from: listener) }
    }

    /// Whether somebody sees what singers see.
    var isPresent: Bool { clients.contains(where: \.isStage) }

    /// Shows it to one of them, each in its turn: however many they are, they cost no more than one.
    func show(_ screen: ScreenState) {
        let stages = clients.indices.filter { clients[$0].isStage && !clients[$0].hasUnsent }
        guard !stages.isEmpty else { return }
        turn = (turn + 1) % stages.count
        clients[stages[turn]].show(screen)
    }

    /// Tells subscribers of events.
    func hear(_ news: Journal.News) {
        guard case .event(let event) = news else { return }
        let time = Clock.seconds
        for index in clients.indices { clients[index].tell(event, at: time) }
    }

    /// Does what a line asks for.
    typealias Obey =
        (String, _ later: @escaping (Result<String, Refusal>) -> Void) throws(DuetError)
        -> Result<String, Refusal>?

    private func send(_ answer: Result<String, Refusal>, to index: Int) {
        switch answer {
        case .success(let text): clients[index].answer("ok \(text)")
        case .failure(let refusal):
            Logger(label: "duet").info("a command was refused: \(refusal.reason)")
            if !clients[index].isSocket { refused.add(refusal) }
            clients[index].answer("error \(refusal.reason)")
        }
    }

    private func answer(
        _ line: Result<String, Refusal>, of client: ControlClient, obey: Obey
    ) throws(DuetError) -> Result<String, Refusal>? {
        guard case .success(let text) = line else { return line }
        let line = text.withoutSpaceAround
        let isStage = line.hasPrefix(StageTerminal.command + " ")
        guard line == "subscribe" || line == "get *" || isStage else {
            return try obey(line) { [unowned self, number = client.number] answer in
                // It may have left.
                let index = clients.firstIndex { $0.number == number }
                if let index { send(answer, to: index) }
            }
        }
        return client.isSocket
            ? .success(line) : .failure(Refusal(reason: "'\(line)' needs a socket"))
    }

    private func accept(from listener: Int32) {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else {
            if errno != EAGAIN { acceptTime = Clock.seconds + 1 }
            return
        }
        var client = ControlClient(descriptor, isSocket: true)
        guard UnixSocket.isOwn(descriptor) else {
            client.answer("error another user's program runs here")
            Glibc.close(descriptor)
            return
        }
        // Connections that were left open must not keep others out: the longest idle one is closed.
        let now = Clock.seconds
        if clients.count >= Self.mostClients,
            let idle = clients.indices.filter({ clients[$0].isIdle(at: now) })
                .min(by: { clients[$0].useTime < clients[$1].useTime })
        {
            Glibc.close(clients.remove(at: idle).descriptor)
        }
        guard clients.count < Self.mostClients else {
            client.answer("error \(Self.mostClients) others are connected already")
            Glibc.close(descriptor)
            return
        }
        count += 1
        client.number = count
        clients.append(client)
    }
}
