import CJack
import CRealtime
import Glibc
import Synchronization

// What happens to a client, as the control thread sees it.
extension JackClient {
    /// What happened since the last call, and connects ports that have appeared. Never waits for
    /// an event; talking to the server may block briefly.
    public func drainEvents() -> [JackEvent] {
        guard !isClosed else { return [] }
        _ = crealtime_event_clear(eventDescriptor)
        if isShutDown {
            guard !reported.isShutDown else { return [] }
            reported.isShutDown = true
            takeChanges()
            defer { pending = [] }
            return pending + [.shutdown(reason: shutdownReason)]
        }
        takeScalars()
        let reborn = takeChanges()
        // A dying server tells so before it takes its ports away: they are not to be given up.
        if isActive, !isShutDown, let reborn { patch(reborn: reborn) }
        pending += overdueConnections()
        defer { pending = [] }
        return pending
    }

    var shutdownReason: String {
        let status = unsafe context.pointee.signals.shutdownStatus.load(ordering: .relaxed)
        return status & JackClientZombie.rawValue != 0
            ? "the JACK server threw the client out" : "the JACK server has ended"
    }

    private func takeScalars() {
        let xruns = unsafe context.pointee.signals.xruns.load(ordering: .acquiring)
        let delay = unsafe context.pointee.signals.xrunMicroseconds.load(ordering: .relaxed)
        // The server says only the last one's delay.
        for _ in reported.xruns..<xruns { pending.append(.xrun(microseconds: delay)) }
        reported.xruns = xruns
        let period = Int(unsafe context.pointee.signals.period.load(ordering: .acquiring))
        if period > 0 && period != reported.period {
            reported.period = period
            pending.append(.period(frames: period))
        }
        let rate = Int(unsafe context.pointee.signals.sampleRate.load(ordering: .acquiring))
        if rate > 0 && rate != reported.sampleRate {
            reported.sampleRate = rate
            pending.append(.sampleRate(rate))
        }
        let freewheel = unsafe context.pointee.signals.isFreewheeling.load(ordering: .acquiring)
        if freewheel != reported.isFreewheeling {
            reported.isFreewheeling = freewheel
            pending.append(.freewheel(freewheel))
        }
        if !reported.scheduling && statistics.cycles > 0 {
            reported.scheduling = true
            if !scheduling.isRealtime {
                pending.append(
                    .warning(
                        "JACK calls us without realtime scheduling: dropouts are likely; "
                            + "“duet doctor” says what to do"))
            }
        }
        if unsafe context.pointee.signals.latencyChanges.exchange(0, ordering: .acquiring) > 0 {
            let latency = self.latency
            if latency != reported.latency { pending.append(.latency(latency)) }
            reported.latency = latency
        }
    }

    /// The names of new ports; nil when no port came or went.
    @discardableResult private func takeChanges() -> Set<String>? {
        let changes = unsafe context.pointee.changes.withLock { list in
            defer { list = [] }
            return list
        }
        var reborn: Set<String>?
        for change in changes {
            switch change {
            case .registered(let name): reborn = (reborn ?? []).union([name])
            case .unregistered: reborn = reborn ?? []
            case .connected(let from, let to):
                patchbay.note(connected: .init(from: from, to: to))
                pending.append(.connected(from: from, to: to))
            case .disconnected(let from, let to):
                patchbay.note(disconnected: .init(from: from, to: to), at: .now)
                pending.append(.disconnected(from: from, to: to))
            }
        }
        return reborn
    }

    func patch(reborn: Set<String>) {
        let work = patchbay.work(
            sources: unsafe JackPort.list(client, handle, offering: JackPortIsOutput),
            sinks: unsafe JackPort.list(client, handle, offering: JackPortIsInput), reborn: reborn,
            at: statistics.frames)
        for wire in work.disconnect { unsafe jack_disconnect(client, wire.from, wire.to) }
        for wire in work.connect { connect(wire) }
        pending += work.warnings.map { .warning($0) }
        if !pending.isEmpty { unsafe context.pointee.signals.wake() }
    }
}
