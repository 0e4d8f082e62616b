import CJack
import Glibc
import Synchronization
import SystemSupport

/// Makes a client's connections as its patchbay wants them, and tells what becomes of them.
///
/// Belongs to one control thread.
final class ConnectionKeeper {
    private let opened: OpenClient
    private(set) var patchbay: Patchbay
    /// Names of ports that were registered since the patchbay looked at all ports last; nil when
    /// no port came or went since then.
    private var registered: Set<String>?

    init(_ opened: OpenClient, patchbay: Patchbay) {
        self.opened = opened
        self.patchbay = patchbay
    }

    /// What is connected, by whomever, as far as `collectChanges` has told, and what is to be
    /// connected; the client's own ports as `:port`.
    var wires: Set<JackWire> { Set(patchbay.allWires.map { $0.nameless(opened.name) }) }

    /// From now on wants the connections that it has, and none that a selection would choose.
    func keep() { patchbay.keep() }

    /// Makes the first connections of a client that has just become active.
    func begin() -> [JackEvent] {
        registered = []
        return update()
    }

    /// What JACK has told of ports and connections since the last call.
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

    /// Connects what is to be connected when ports have come or gone. While the server hangs this
    /// is left to the next call.
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

    /// Waits until what was asked for is connected and its latency known, but no longer than
    /// `milliseconds`: what is refused or absent is not waited for.
    func awaitConnections(milliseconds: Int) {
        let facts = ClientFacts(opened)
        _ = PolledWait.run(milliseconds: milliseconds) {
            opened.isLost
                || patchbay.awaited.allSatisfy { facts.isConnected($0) == true }
                    && facts.isLatencyKnown
        }
    }

    /// Asks the server for what `work` wants, and notes what it refuses as a change. A server that
    /// hangs is waited for 1 s, and asked for the rest when it goes on.
    private func request(_ work: PatchbayWork) {
        guard !work.disconnect.isEmpty || !work.connect.isEmpty else { return }
        // Freed after the handle is closed.
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
