import AudioGraph
import CJack
import Glibc
import Synchronization
import SystemSupport

/// The life of a client: open, then active, then perhaps lost, then closed. Belongs to one control
/// thread.
final class ClientLife {
    private enum State {
        /// The ports are there; JACK does not call the client yet.
        case open
        /// JACK calls the client, or may: a call to `jack_activate` that does not come back may
        /// make it active all the same. `metadata`: the properties that were set for patchbays.
        case active(metadata: [JackMetadata.Property])
        /// The server is gone, and `noticeLoss` has told the caller.
        case lost(wasActive: Bool)
        case closed(End)
    }

    private struct End {
        let statistics: CallbackStatistics
        /// Whether the server was gone when the client was closed.
        let wasLost: Bool
    }

    private let opened: OpenClient
    private var state = State.open
    private var rendered = RenderedGraph()

    init(_ opened: OpenClient) { self.opened = opened }

    var isActive: Bool { if case .active = state { true } else { false } }

    var isClosed: Bool { end != nil }

    /// Whether the server is gone; for a closed client, whether it was gone before the close.
    var isLost: Bool {
        switch state {
        case .open, .active: opened.isLost
        case .lost: true
        case .closed(let end): end.wasLost
        }
    }

    /// Whether `noticeLoss` has told that the server is gone.
    var isLossReported: Bool { if case .lost = state { true } else { false } }

    /// The client while libjack may be asked about it; nil when it is closed or its server is gone.
    var usable: OpenClient? { isClosed || isLost ? nil : opened }

    /// The counters of the process callback; after `close`, their last values.
    var statistics: CallbackStatistics { end?.statistics ?? opened.statistics }

    private var end: End? { if case .closed(let end) = state { end } else { nil } }

    /// Starts the cycles, which render `graph`, and sets the metadata for patchbays. To be called
    /// once.
    ///
    /// - Parameters:
    ///   - sampleRate: in Hz.
    ///   - isCancelled: called 20 times a second while the server does not answer; true
    ///     ends the wait, which takes 4 s at most.
    /// - Throws: as `render`, and `alreadyActive`, `serverLost`, `serverSilent`, `stopped`,
    ///   `activationFailed`.
    func activate(
        rendering graph: Graph, sampleRate: Int, unless isCancelled: () -> Bool
    ) throws(JackError) {
        switch state {
        case .open: try render(graph, sampleRate: sampleRate)
        case .lost(wasActive: false): throw .serverLost(reason: opened.lossReason)
        case .active, .lost: throw .alreadyActive(client: opened.name)
        case .closed: throw .closed(client: opened.name)
        }
        state = .active(metadata: [])
        let code = unsafe opened.handle.ask(milliseconds: Opening.patience, unless: isCancelled) {
            unsafe jack_activate($0)
        }
        guard code == 0 else {
            guard !isLost else { throw .serverLost(reason: opened.lossReason) }
            guard let code else {
                throw isCancelled() ? .stopped : .serverSilent(name: opened.server)
            }
            throw .activationFailed(step: "jack_activate", code: Int(code))
        }
        state = .active(metadata: ClientMetadata.describe(opened))
    }

    /// As `RenderedGraph.replace`. Throws `closed`, as the callback data are freed then, or `graph`.
    func render(_ graph: Graph, sampleRate: Int) throws(JackError) {
        guard !isClosed else { throw .closed(client: opened.name) }
        do throws(GraphError) {
            try rendered.replace(by: graph, in: opened, sampleRate: sampleRate)
        } catch {
            throw .graph(error)
        }
    }

    /// Returns whether the server is gone, and if so notes that the caller reports it now. Not for
    /// a closed client.
    func noticeLoss() -> Bool {
        guard isLost else { return false }
        state = .lost(wasActive: isActive)
        return true
    }

    /// Fades out, deactivates and closes the client, as `JackClient.close` says.
    ///
    /// - Parameters:
    ///   - period: frames in a cycle.
    ///   - sampleRate: in Hz.
    func close(period: Int, sampleRate: Int) -> Bool {
        let wasActive: Bool
        var metadata: [JackMetadata.Property] = []
        switch state {
        case .open: wasActive = false
        case .active(let told): (wasActive, metadata) = (true, told)
        case .lost(let active): wasActive = active
        case .closed: return true
        }
        if wasActive && !isLost { opened.fadeOut(period: period, sampleRate: sampleRate) }
        let statistics = opened.statistics
        let wasLost = isLost
        if opened.lifeline >= 0 { Glibc.close(opened.lifeline) }
        unsafe opened.context.pointee.signals.isClientClosed.store(
            true, ordering: .sequentiallyConsistent)
        let graphIsFree = opened.awaitEndOfCycle()
        let teardown = ClientTeardown(
            opened, isActive: wasActive, graph: rendered.graph, metadata: wasLost ? nil : metadata)
        rendered.release(in: opened, isFree: graphIsFree)
        let closing = BoundedCall.start { teardown.close() }
        state = .closed(End(statistics: statistics, wasLost: wasLost))
        if closing == nil { teardown.abandon() }
        if !wasLost { _ = closing?.wait(milliseconds: 1000) }
        return graphIsFree
    }
}
