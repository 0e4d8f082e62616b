import CJack
import CRealtime
import Glibc
import Synchronization
import SystemSupport

/// A client from `jack_client_open` to `jack_client_close`: its handles in libjack, and what its
/// callbacks are given.
///
/// Nothing is freed here: `ClientTeardown` does that, on a thread that may be left behind. Belongs
/// to one control thread.
@safe final class OpenClient {
    /// The name that the server gave.
    let name: String
    /// The server's name.
    let server: String
    /// What was asked for.
    let configuration: JackConfiguration
    let client: OpaquePointer
    /// The same, for other threads.
    let handle: ClientHandle
    let context: UnsafeMutablePointer<LiveContext>
    /// Readable (poll(2)) when a callback has news.
    let eventDescriptor: Int32
    /// Hangs up (poll(2)) when the server ends and libjack does not say so; −1 where it does.
    let lifeline: Int32

    /// Enters the running server `server`; makes no ports. Blocks for as long as the server is
    /// silent.
    ///
    /// - Throws: `noServer`, `refused`, `system`.
    init(_ configuration: JackConfiguration, server: String) throws(JackError) {
        JackLog.install()
        unsafe client = try Self.enter(configuration.name, server: server)
        let descriptor = crealtime_event_create()
        guard descriptor >= 0 else {
            let code = errno
            unsafe jack_client_close(client)
            throw .system(attempt: "making a descriptor for JACK’s events", code: code)
        }
        eventDescriptor = descriptor
        handle = unsafe ClientHandle(client)
        // After the client is open: a client that is refused leaves no connection to PipeWire behind.
        lifeline = Libjack.isPipeWire ? PipeWire.connect() : -1
        unsafe context = .allocate(capacity: 1)
        unsafe context.initialize(to: LiveContext(client: client, descriptor: descriptor))
        self.configuration = configuration
        self.server = server
        name = unsafe String(cString: jack_get_client_name(client))
    }

    /// A client called `name`, or with a suffix that the server adds when the name is taken. Not
    /// JackUseExactName first: jackd answers that with a mere JackServerError. Blocks for as long
    /// as the server is silent.
    ///
    /// On a thread without signals, as `activate`: libjack's own inherit that, and they take a
    /// wait that a signal interrupts for the end of their server.
    static func enter(_ name: String, server: String) throws(JackError) -> OpaquePointer {
        // PipeWire's libjack takes a server's name for that of another PipeWire.
        let asked = Libjack.isPipeWire ? nil : server
        var status: UInt32 = 0
        if let client = unsafe cjack_client_open(
            name, JackNoStartServer.rawValue, &status, asked)
        {
            return unsafe client
        }
        throw status & JackServerFailed.rawValue != 0
            ? .noServer(name: server) : .refused(client: name, server: server, status: status)
    }

    /// Whether the server is gone, or has thrown the client out: libjack is not to be asked about
    /// the client any more.
    var isLost: Bool {
        unsafe context.pointee.signals.isShutDown.load(ordering: .acquiring)
            || (lifeline >= 0 && cjack_has_hung_up(lifeline) != 0)
    }

    /// Why `isLost`, as a sentence.
    var lossReason: String {
        let status = unsafe context.pointee.signals.shutdownStatus.load(ordering: .relaxed)
        return status & JackClientZombie.rawValue != 0
            ? "the JACK server threw the client out" : "the JACK server has ended"
    }

    /// What the process callback has done so far.
    var statistics: CallbackStatistics {
        unsafe CallbackStatistics(
            cycles: context.pointee.signals.cycles.load(ordering: .acquiring),
            frames: context.pointee.signals.frames.load(ordering: .relaxed),
            xruns: context.pointee.signals.xruns.load(ordering: .relaxed),
            worstNanoseconds: context.pointee.signals.worstNanoseconds.load(ordering: .relaxed),
            totalNanoseconds: context.pointee.signals.totalNanoseconds.load(ordering: .relaxed))
    }

    /// Waits for the end of the cycle under way, a second at most; whether it has ended.
    func awaitEndOfCycle() -> Bool {
        PolledWait.run(milliseconds: 1000) {
            unsafe !context.pointee.signals.isInCycle.load(ordering: .sequentiallyConsistent)
        }
    }

    /// Fades the outputs out over 10 ms, and waits for that no longer than some cycles.
    ///
    /// - Parameters:
    ///   - period: frames of a cycle.
    ///   - sampleRate: in Hz.
    func fadeOut(period: Int, sampleRate: Int) {
        unsafe context.pointee.signals.isLeaving.store(true, ordering: .relaxed)
        // 10 ms, the cycle under way and the two after; a server that stands still is not
        // waited for. Both numbers are the server's: at 1 Hz a cycle would last for minutes.
        let cycle = min(period * 1000 / sampleRate, 250)
        _ = PolledWait.run(milliseconds: 100 + 4 * cycle) {
            unsafe isLost || context.pointee.signals.hasFadedOut.load(ordering: .acquiring)
        }
    }
}
