import CJack
import Glibc
import Synchronization
import SystemSupport

/// A client from `jack_client_open` to `jack_client_close`. Several threads may use it, even threads
/// that hang: it is closed when no call is inside libjack any more, and no call is made after that.
@safe final class ClientHandle: @unchecked Sendable {
    private struct State {
        var isOpen = true
        /// Calls that are inside libjack.
        var calls = 0
    }

    /// How long a running server may take to open a client or to start its cycles, in milliseconds;
    /// normally a few.
    static let openingPatience = 4000
    /// How long `ask` waits for an answer by default, in milliseconds: an answer takes a few.
    private static let patience = 1000
    /// How long `deactivate` waits for metadata calls, in milliseconds: such a call takes a few, or
    /// hangs for ever.
    private static let metadataPatience = 500
    /// How long libjack may take to learn that a client has left, in milliseconds.
    private static let tablePatience = 400

    /// The name that the server gave.
    let name: String
    /// The server's name.
    let server: String
    /// For calls that do not wait for the server, while the client is open.
    let client: OpaquePointer
    // Safety: libjack is called only while `state` says that the client is open.
    private let state = Guarded(State())
    /// Held while `ask` or `deactivate` is inside libjack.
    private let turn = Guarded(())

    // MARK: Opening

    /// Opens a client called `wanted` in the running server `server`; the server adds a suffix when
    /// the name is taken. Blocks for as long as the server is silent. A client that was lost is to
    /// be closed before.
    ///
    /// To be called on a thread that blocks all signals, as is activating: libjack's threads inherit
    /// the signal mask, and libjack takes an interrupted wait for the end of the server.
    ///
    /// - Throws: `noServer`, `refused`.
    init(_ wanted: String, server: String) throws(JackError) {
        JackLog.install()
        Self.awaitClosings()
        // PipeWire's libjack would take the server's name for the name of another PipeWire.
        let asked = Libjack.isPipeWire ? nil : server
        var status: UInt32 = 0
        var client: OpaquePointer?
        // jackd refuses a client that does not answer it within 2 s, as where this process was held
        // up; a second time it may.
        for _ in 1...2 {
            // JackUseExactName is not used: jackd would answer a taken name with a mere
            // JackServerError.
            unsafe client = cjack_client_open(wanted, JackNoStartServer.rawValue, &status, asked)
            if unsafe client != nil || status & JackServerError.rawValue == 0 { break }
        }
        guard let client = unsafe client else {
            throw status & JackServerFailed.rawValue != 0
                ? .noServer(name: server) : .refused(client: wanted, server: server, status: status)
        }
        unsafe self.client = client
        self.server = server
        name = unsafe String(cString: jack_get_client_name(client))
    }

    private struct Outcome<Client>: @unchecked Sendable {
        // Safety: the client goes from the thread that opens it to the thread that waits for it.
        let result: Result<Client, JackError>
    }

    /// Runs `open`, which opens a client, on a thread that can be left behind, and returns its client.
    /// A client that is opened after the wait is over is freed, and so closed, at once.
    ///
    /// - Parameters:
    ///   - server: the server's name, for the error.
    ///   - milliseconds: how long to wait; default 4000; negative: without end.
    ///   - isCancelled: called 20 times a second; true ends the wait.
    /// - Throws: as `open`, and `serverSilent`, `stopped`.
    static func wait<Client>(
        for server: String, milliseconds: Int = openingPatience, unless isCancelled: () -> Bool,
        _ open: @escaping @Sendable () throws(JackError) -> Client
    ) throws(JackError) -> Client {
        let outcome = BoundedCall.answer(milliseconds: milliseconds, unless: isCancelled) {
            do throws(JackError) {
                return Outcome(result: .success(try open()))
            } catch {
                return Outcome(result: .failure(error))
            }
        }
        guard let outcome else {
            throw isCancelled() ? .stopped : .serverSilent(name: server)
        }
        return try outcome.result.get()
    }

    /// Whether libjack's table of a server's clients still holds a client that has left the server.
    /// While it does, waits up to 400 ms for libjack to remove that client.
    ///
    /// All clients of this process share that table: libjack reads there how to wake the client that
    /// comes after ours in a cycle. jack2's libjack (1.9.21, and its sources of 2026) does not remove
    /// a client that leaves while `jack_client_open` is at work in this process: the news comes
    /// before libjack knows its own client (JackLibClient::ClientNotifyImp). A later client that gets
    /// the same number is then taken for the client that has left (“already connected”), and our
    /// client never wakes it. libjack frees the table with the last client of this process in that
    /// server.
    ///
    /// To be read after the server has answered a call of our open client. The server handles calls
    /// in order, so it has then removed the shared memory by which it woke the clients that left.
    static var isTableStale: Bool {
        !PolledWait.run(milliseconds: tablePatience, interval: 5) { !holdsRemovedMemory }
    }

    /// Whether this process still maps the memory of a client that has left, which the kernel lists
    /// as “/dev/shm/jack_sem.UID_SERVER_CLIENT (deleted)”.
    private static var holdsRemovedMemory: Bool {
        readText("/proc/self/maps", limit: 1 << 22).split(separator: "\n").contains { line in
            line.hasSuffix(" (deleted)") && line.contains("/dev/shm/")
                && line.contains("jack_sem.")
        }
    }

    // MARK: Calls

    /// Returns what `call` returns; nil when the client is closed. Blocks as long as libjack does.
    @discardableResult func use<Answer: Sendable>(_ call: (OpaquePointer) -> Answer) -> Answer? {
        let isOpen = state.withLock { state in
            if state.isOpen { state.calls += 1 }
            return state.isOpen
        }
        guard isOpen else { return nil }
        defer { state.withLock { $0.calls -= 1 } }
        return unsafe call(client)
    }

    /// As `use`, but on a thread of its own with a time limit. When libjack waits for a server that
    /// hangs, that thread is left behind and the answer is nil; until that call has come back,
    /// every further `ask` returns nil at once.
    ///
    /// - Parameters:
    ///   - milliseconds: how long to wait for the answer; default 1000.
    ///   - isCancelled: called 20 times a second; true ends the wait.
    @discardableResult func ask<Answer: Sendable>(
        milliseconds: Int = patience, unless isCancelled: () -> Bool = { false },
        _ call: @escaping @Sendable (OpaquePointer) -> Answer
    ) -> Answer? {
        guard turn.withLockIfAvailable({ _ in }) != nil else { return nil }
        return BoundedCall.answer(milliseconds: milliseconds, unless: isCancelled) { [self] in
            turn.withLock { _ in unsafe use(call) }
        }
    }

    /// Makes an audio port of the client.
    func makePort(
        _ port: String, _ direction: JackPortFlags
    ) throws(JackError) -> OpaquePointer {
        guard
            let made = unsafe jack_port_register(
                client, port, JACK_DEFAULT_AUDIO_TYPE, UInt(direction.rawValue), 0)
        else { throw .portRefused(port: "\(name):\(port)") }
        return unsafe made
    }

    // MARK: Probes

    /// Begins the cycles of a client that lives for a moment only: see `LoopProbe` and `LevelProbe`.
    ///
    /// - Throws: `activationFailed`, `serverSilent`.
    func beginCycles() throws(JackError) {
        let code = unsafe ask(milliseconds: Self.openingPatience) { unsafe jack_activate($0) }
        guard code == 0 else {
            throw code.map { .activationFailed(step: "jack_activate", code: Int($0)) }
                ?? .serverSilent(name: server)
        }
    }

    /// Asks the server for connections, which it may refuse or ignore. False if it does not answer.
    func request(_ wires: [JackWire]) -> Bool {
        let answer: Void? = unsafe ask { client in
            for wire in wires { unsafe jack_connect(client, wire.from, wire.to) }
        }
        return answer != nil
    }

    // MARK: The end

    /// Clients that libjack is to close, and has not closed yet.
    static let pendingClosings = Atomic<Int>(0)

    /// Waits, 5 s at most, until libjack has closed all clients that it was asked to close, on any
    /// thread. To be called before a client is opened: libjack then frees every client that is left
    /// of a server that has ended (JackLibGlobals::Init), and closing it would read freed memory; and
    /// it keeps its data about that server while one client of it is open.
    static func awaitClosings() {
        _ = PolledWait.run(milliseconds: 5000, interval: 1) {
            pendingClosings.load(ordering: .sequentiallyConsistent) == 0
        }
    }

    /// Deactivates and closes the client, then runs `free`, which frees what its callbacks use: they
    /// may come until libjack has closed the client. All on a thread that can be left behind, as
    /// libjack may wait without limit for a server that hangs. To be called once.
    ///
    /// - Parameters:
    ///   - isActive: whether `jack_activate` was called.
    ///   - metadata: the properties that were set for patchbays, to be removed; nil when the server
    ///     is gone.
    /// - Returns: a flag that is set at the end. Nil where no thread can be made: then the client
    ///   stays open, its callbacks may come at any time, and nobody waits for its end.
    func end(
        isActive: Bool, metadata: [JackMetadata.Property]?,
        then free: @escaping @Sendable () -> Void
    ) -> EventFlag? {
        // libjack closes the database of metadata with the last client.
        JackMetadata.enter()
        Self.pendingClosings.add(1, ordering: .sequentiallyConsistent)
        let end = BoundedCall.start { [self] in
            defer { JackMetadata.leave() }
            if isActive { deactivate() }
            // Where another program never ends its turn, the client would stay in the server for
            // ever, and its name would be taken when we come back.
            if let metadata, JackMetadata.answers {
                JackMetadata.inTurn {
                    JackMetadata.remove(metadata, by: self)
                    // In turn with the removal: jackd searches the database for the client's
                    // leftovers.
                    close()
                }
            } else {
                close()
            }
            Self.pendingClosings.subtract(1, ordering: .sequentiallyConsistent)
            free()
        }
        if end == nil {
            _ = unsafe Unmanaged.passRetained(self)
            Self.pendingClosings.subtract(1, ordering: .sequentiallyConsistent)
            JackMetadata.leave()
        }
        return end
    }

    /// Takes the client out of the server's cycles. Waits for a call of `ask` first: two calls at
    /// once would share a socket, and each might read the other's answer. Waits for metadata calls
    /// too, but only 500 ms, so that a metadata database that hangs does not keep the client in
    /// the cycles; metadata calls that still wait for their turn are not made. Blocks as `use`.
    private func deactivate() {
        turn.withLock { _ in
            _ = PolledWait.run(milliseconds: Self.metadataPatience, interval: 5) {
                state.withLock { $0.calls == 0 }
            }
            unsafe use { unsafe jack_deactivate($0) }
        }
    }

    /// Waits until no call is inside libjack, then closes and frees the client. To be called once;
    /// blocks as `use`.
    func close() {
        state.withLock { $0.isOpen = false }
        while state.withLock({ $0.calls > 0 }) { usleep(10_000) }
        unsafe jack_client_close(client)
    }
}
