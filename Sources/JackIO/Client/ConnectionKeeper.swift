import CJack
import Glibc
import Synchronization
import SystemSupport

/// Makes the connections that a client's patchbay wants, and turns their changes into events.
///
/// Belongs to one control thread.
final class ConnectionKeeper {
    private let opened: OpenClient
    private(set) var patchbay: Patchbay
    /// Names of the ports that were registered since the patchbay last looked at all ports; nil
    /// when no port came or went since then.
    private var registered: Set<String>?

    init(_ opened: OpenClient, patchbay: Patchbay) {
        self.opened = opened
        self.patchbay = patchbay
    }

    /// The connections that exist, made by any program, as far as `collectChanges` has told, and
    /// those still to be made. The client's own ports are written `:port`.
    var wires: Set<JackWire> { Set(patchbay.allWires.map { $0.nameless(opened.name) }) }

    /// Keeps the present connections from now on, and makes none that a selection would choose.
    func keep() { patchbay.keep() }

    /// Makes the first connections of a client that has just become active.
    func begin() -> [JackEvent] {
        registered = []
        return update()
    }

    /// The changes of ports and connections that JACK has told since the last call, as events.
    func collectChanges() -> [JackEvent] {
        let changes = unsafe opened.context.pointee.changes.withLock { list in
            defer { list = [] }
            return list
        }
        var events: [JackEvent] = []
        for change in changes {
            switch change {
            case .registered(let name): registered = (registered ?? []).union([name])
            case .unregistered: registered = registered ?? []
            case .connected(let from, let to):
                let isOurs = patchbay.note(connected: .init(from: from, to: to))
                events.append(.connected(from: from, to: to, isOurs: isOurs))
            case .disconnected(let from, let to):
                let wasOurs = patchbay.note(
                    disconnected: .init(from: from, to: to), at: monotonicSeconds())
                events.append(.disconnected(from: from, to: to, isOurs: wasOurs))
            case .refused(let wire): patchbay.note(refused: wire)
            }
        }
        return events
    }

    /// Makes the connections that are wanted now, if ports have come or gone. While the server
    /// hangs, this is left to the next call.
    func update() -> [JackEvent] {
        let facts = ClientFacts(opened)
        guard let new = registered, let sources = facts.ports(offering: JackPortIsOutput),
            let sinks = facts.ports(offering: JackPortIsInput)
        else { return [] }
        registered = nil
        let work = patchbay.work(
            sources: sources, sinks: sinks, registered: new, at: opened.statistics.frames)
        request(work)
        return collectChanges() + work.warnings.map { .warning($0) }
    }

    /// A warning for each connection that the server was asked for and did not make within
    /// `patience` frames.
    func warnAboutOverdue(patience: Int) -> [JackEvent] {
        let facts = ClientFacts(opened)
        return patchbay.warnAboutOverdue(
            at: opened.statistics.frames, patience: patience, isConnected: facts.isConnected
        ).map { .warning($0) }
    }

    /// The sides that were warned of and have got all their connections since the last call.
    func settleWarnings() -> [JackEvent] { patchbay.settleWarnings().map { .sideConnected($0) } }

    /// Waits until the requested connections are made and, where a microphone may be heard, their
    /// latency is known, but no longer than `milliseconds`. Does not wait for refused connections or
    /// absent ports.
    func awaitConnections(milliseconds: Int) {
        let facts = ClientFacts(opened)
        _ = PolledWait.run(milliseconds: milliseconds) {
            opened.isLost
                || patchbay.awaited.allSatisfy { facts.isConnected($0) == true }
                    && (!facts.isMonitoring || facts.isLatencyKnown)
        }
    }

    /// Asks the server to make and remove the connections in `work`, and notes refused ones as
    /// changes. Waits 1 s for a server that hangs; the remaining requests follow when it goes on.
    private func request(_ work: PatchbayWork) {
        guard !work.disconnect.isEmpty || !work.connect.isEmpty else { return }
        // Safety: the context is freed only after the handle is closed.
        nonisolated(unsafe) let context = unsafe opened.context
        unsafe opened.handle.ask { client in
            for wire in work.disconnect { unsafe jack_disconnect(client, wire.from, wire.to) }
            for wire in work.connect {
                let code = unsafe jack_connect(client, wire.from, wire.to)
                if code != 0 && code != EEXIST { unsafe context.pointee.note(.refused(wire)) }
            }
        }
    }
}
