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
        /// make it active all the same. `metadata`: what patchbays were told.
        case active(metadata: [JackMetadata.Property])
        /// The server is gone, and that was told.
        case lost(wasActive: Bool)
        case closed(End)
    }

    private struct End {
        let statistics: CallbackStatistics
        /// Whether the server was gone by then.
        let wasLost: Bool
        /// Set when libjack is done with the client; nil when libjack was not asked to close it.
        let closing: EventFlag?
    }

    private let opened: OpenClient
    private var state = State.open
    private var rendered = RenderedGraph()

    init(_ opened: OpenClient) { self.opened = opened }

    var isActive: Bool { if case .active = state { true } else { false } }

    var isClosed: Bool { end != nil }

    /// Whether the server is gone; of a client that is closed, whether it was gone by then.
    var isLost: Bool {
        switch state {
        case .open, .active: opened.isLost
        case .lost: true
        case .closed(let end): end.wasLost
        }
    }

    /// Whether `noticeLoss` has told that the server is gone.
    var isLossTold: Bool { if case .lost = state { true } else { false } }

    /// The client while libjack may be asked about it; nil when it is closed or its server is gone.
    var usable: OpenClient? { isClosed || isLost ? nil : opened }

    /// What the process callback has done so far; after `close`, what it had done until then.
    var statistics: CallbackStatistics { end?.statistics ?? opened.statistics }

    /// Set when libjack is done with the closed client; nil when the client is not closed, or
    /// libjack was not asked to close it.
    var closing: EventFlag? { end?.closing }

    private var end: End? { if case .closed(let end) = state { end } else { nil } }

    /// Starts the cycles, which render `graph`, and tells patchbays of the client. Once.
    ///
    /// - Parameter isCancelled: asked 20 times a second while the server does not answer; true
    ///   ends the wait, which takes 4 s at most.
    /// - Throws: `serverLost`, `serverSilent`, `stopped`, `activationFailed`.
    func activate(rendering graph: AudioGraph, unless isCancelled: () -> Bool) throws(JackError) {
        if case .lost(wasActive: false) = state { throw .serverLost(reason: opened.lossReason) }
        guard case .open = state else { preconditionFailure("a client is activated once") }
        render(graph)
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

    /// As `RenderedGraph.replace`. Not for a client that is closed: what the callbacks are given is
    /// freed.
    func render(_ graph: AudioGraph) {
        precondition(!isClosed)
        rendered.replace(by: graph, in: opened)
    }

    /// Whether the server is gone, which the caller tells now. Not for a client that is closed.
    func noticeLoss() -> Bool {
        guard isLost else { return false }
        state = .lost(wasActive: isActive)
        return true
    }

    /// Fades out, deactivates and closes the client, as `JackClient.close` says.
    ///
    /// - Parameters:
    ///   - period: frames of a cycle.
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
        unsafe opened.context.pointee.signals.isGone.store(true, ordering: .sequentiallyConsistent)
        let graphIsFree = opened.awaitEndOfCycle()
        let teardown = ClientTeardown(
            opened, isActive: wasActive, graph: rendered.graph, metadata: wasLost ? nil : metadata)
        rendered = RenderedGraph()
        let closing = BoundedCall.start { teardown.close() }
        state = .closed(End(statistics: statistics, wasLost: wasLost, closing: closing))
        // Callbacks still come, and use what the teardown would free.
        if closing == nil { _ = unsafe Unmanaged.passRetained(teardown) }
        if !wasLost { _ = closing?.wait(milliseconds: 1000) }
        return graphIsFree
    }
}
