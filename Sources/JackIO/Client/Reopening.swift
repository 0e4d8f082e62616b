import AudioGraph
import CRealtime
import Glibc
import Synchronization

/// Brings a client back whose server was lost: tries again and again, on a thread of its own,
/// since a server that hangs may hold it for ever.
///
/// A private server is started again. The name is that of before: one that is still taken, as by
/// what the server has not noticed to be gone, is waited for, but no more than 5 s.
///
/// Used by the control thread.
public final class Reopening {
    /// The client that is back, not yet active, and the server that was started for it.
    public struct Return {
        public let client: JackClient
        public let privateServer: PrivateServer?
    }

    /// Milliseconds between two tries.
    private static let pause = 100
    /// How long a taken name is waited for.
    private static let patience = Duration.seconds(5)
    /// How long libjack may take to let the lost client go: with another client of this process
    /// it keeps what it knows of the lost server.
    private static let closing = 5000

    private final class Shared: Sendable {
        // Safety: `Return` goes from the thread that makes it to the one that takes it.
        struct Box: @unchecked Sendable { var value: Return? }
        let found = Mutex(Box())
        let end: Signpost
        let descriptor: Int32

        init(end: Signpost, descriptor: Int32) {
            self.end = end
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }
    }

    private let shared: Shared

    /// Readable when the client is back.
    public var eventDescriptor: Int32 { shared.descriptor }

    /// Begins to try.
    ///
    /// - Parameters:
    ///   - lost: the client to bring back.
    ///   - startsServer: whether the lost server was a private one, to be started again.
    public init(_ lost: LostClient, startsServer: Bool) throws(JackError) {
        let attempt = "waiting for the JACK server"
        let descriptor = crealtime_event_create()
        guard descriptor >= 0 else { throw .system(attempt: attempt, code: errno) }
        guard let end = Signpost() else {
            Glibc.close(descriptor)
            throw .system(attempt: attempt, code: errno)
        }
        let shared = Shared(end: end, descriptor: descriptor)
        self.shared = shared
        let code = DetachedThread.start("jack-reopen") {
            Self.run(lost, startsServer: startsServer, shared)
        }
        guard code == 0 else { throw .system(attempt: attempt, code: code) }
    }

    deinit { shared.end.set() }

    /// The client, once it is back; once only.
    public func take() -> Return? {
        _ = crealtime_event_clear(shared.descriptor)
        return shared.found.withLock { box in
            defer { box.value = nil }
            return box.value
        }
    }

    private static func run(_ lost: LostClient, startsServer: Bool, _ shared: Shared) {
        _ = lost.closing?.wait(milliseconds: closing)
        var nameWasTaken: ContinuousClock.Instant?
        repeat {
            guard let found = open(lost, startsServer: startsServer) else { continue }
            if found.client.name != lost.configuration.name {
                let since = nameWasTaken ?? .now
                nameWasTaken = since
                if .now - since < patience {
                    found.client.close()
                    continue
                }
            }
            shared.found.withLock { $0.value = found }
            crealtime_event_signal(shared.descriptor)
            return
        } while !shared.end.wait(milliseconds: pause)
    }

    private static func open(_ lost: LostClient, startsServer: Bool) -> Return? {
        if let client = try? JackClient(lost.configuration, server: lost.server, after: lost) {
            return Return(client: client, privateServer: nil)
        }
        guard startsServer else { return nil }
        let choice = ServerChoice(name: lost.server)
        guard
            let (client, server) = try? choice.openPrivately(
                lost.configuration, after: lost, say: { _ in }, warn: { _ in })
        else { return nil }
        return Return(client: client, privateServer: server)
    }
}
