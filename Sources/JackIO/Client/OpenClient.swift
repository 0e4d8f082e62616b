import CJack
import CRealtime
import Glibc
import Synchronization
import SystemSupport

/// A client from `jack_client_open` to `jack_client_close`: its handles in libjack, and the context
/// that its callbacks are given.
///
/// Frees nothing: `ClientTeardown` does that, on a thread that may be left behind. Belongs to one
/// control thread.
@safe final class OpenClient {
    /// The name that the server gave.
    let name: String
    /// The server's name.
    let server: String
    /// The configuration that the client was opened with.
    let configuration: JackConfiguration
    let client: OpaquePointer
    /// `client`, for use on other threads.
    let handle: ClientHandle
    /// Whether the server is to compute all latencies anew: the graph's has changed.
    var isLatencyStale = false
    let context: UnsafeMutablePointer<LiveContext>
    /// Readable (poll(2)) when a callback has news.
    let eventDescriptor: Int32
    /// A descriptor that hangs up (poll(2)) when the server ends, where libjack does not report
    /// that end; −1 where libjack does.
    let lifeline: Int32

    /// Opens a client in the running server `server`; makes no ports. Blocks for as long as the
    /// server is silent.
    ///
    /// - Throws: `noServer`, `refused`, `system`.
    init(_ configuration: JackConfiguration, server: String) throws(JackError) {
        JackLog.install()
        unsafe client = try Self.enter(configuration.name, server: server)
        let descriptor = crealtime_event_create()
        guard descriptor >= 0 else {
            let code = errno
            unsafe jack_client_close(client)
            throw .system(attempt: "making a descriptor for JACK's events", code: code)
        }
        eventDescriptor = descriptor
        handle = unsafe ClientHandle(client)
        // Made after the client is open, so that a refused client leaves no connection behind.
        lifeline = Libjack.isPipeWire ? PipeWire.connect() : -1
        unsafe context = .allocate(capacity: 1)
        unsafe context.initialize(to: LiveContext(client: client, descriptor: descriptor))
        self.configuration = configuration
        self.server = server
        name = unsafe String(cString: jack_get_client_name(client))
    }

    /// Opens a client called `name`; the server adds a suffix when the name is taken.
    /// JackUseExactName is not used: jackd would answer a taken name with a mere JackServerError.
    /// Blocks for as long as the server is silent. A client that was lost is to be closed before.
    ///
    /// To be called on a thread that blocks all signals, as `activate`: libjack's threads inherit
    /// the signal mask, and libjack takes an interrupted wait for the end of the server.
    static func enter(_ name: String, server: String) throws(JackError) -> OpaquePointer {
        PendingClosings.awaitAll()
        // PipeWire's libjack would take the server's name for the name of another PipeWire.
        let asked = Libjack.isPipeWire ? nil : server
        var status: UInt32 = 0
        // jackd refuses a client that does not answer it within 2 s, as where this process was held
        // up; a second time it may.
        for _ in 1...2 {
            if let client = unsafe cjack_client_open(
                name, JackNoStartServer.rawValue, &status, asked)
            {
                return unsafe client
            }
            if status & JackServerError.rawValue == 0 { break }
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

    /// Why the client is lost, as a sentence.
    var lossReason: String {
        let status = unsafe context.pointee.signals.shutdownStatus.load(ordering: .relaxed)
        return status & JackClientZombie.rawValue != 0
            ? "the JACK server threw the client out" : "the JACK server has ended"
    }

    /// The counters of the process callback.
    var statistics: CallbackStatistics {
        unsafe CallbackStatistics(
            cycles: context.pointee.signals.renderedCycles.load(ordering: .acquiring),
            frames: context.pointee.signals.renderedFrames.load(ordering: .relaxed),
            xruns: context.pointee.signals.xruns.load(ordering: .relaxed),
            worstNanoseconds: context.pointee.signals.worstNanoseconds.load(ordering: .relaxed),
            totalNanoseconds: context.pointee.signals.totalNanoseconds.load(ordering: .relaxed))
    }

    /// Waits for the end of the cycle under way, a second at most, and returns whether it ended.
    func awaitEndOfCycle() -> Bool {
        PolledWait.run(milliseconds: 1000) {
            unsafe !context.pointee.signals.isInCycle.load(ordering: .sequentiallyConsistent)
        }
    }

    /// Fades the outputs out over 10 ms, and waits for that at most 100 ms and four cycles.
    ///
    /// - Parameters:
    ///   - period: frames in a cycle.
    ///   - sampleRate: in Hz.
    func fadeOut(period: Int, sampleRate: Int) {
        unsafe context.pointee.signals.isLeaving.store(true, ordering: .relaxed)
        // Enough for 10 ms, the cycle under way and the two after it; no longer, as the server may
        // stand still. A cycle counts as 250 ms at most: period and rate come from the server, and
        // at 1 Hz a cycle would last for minutes.
        let cycle = min(period * 1000 / sampleRate, 250)
        _ = PolledWait.run(milliseconds: 100 + 4 * cycle) {
            unsafe isLost || context.pointee.signals.hasFadedOut.load(ordering: .acquiring)
        }
    }
}
