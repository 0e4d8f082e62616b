import CJack
import CRealtime
import Glibc
import Synchronization
import SystemSupport

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
        takeChanges()
        // A dying server tells so before it takes its ports away: they are not to be given up.
        if isActive, !isShutDown { patch() }
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
                pending.append(.warning(.noRealtimeScheduling))
            }
        }
        if unsafe context.pointee.signals.latencyChanges.exchange(0, ordering: .acquiring) > 0 {
            let latency = self.latency
            if latency != reported.latency { pending.append(.latency(latency)) }
            reported.latency = latency
        }
    }

    private func takeChanges() {
        let changes = unsafe context.pointee.changes.withLock { list in
            defer { list = [] }
            return list
        }
        for change in changes {
            switch change {
            case .registered(let name): registered = (registered ?? []).union([name])
            case .unregistered: registered = registered ?? []
            case .connected(let from, let to):
                let isOurs = patchbay.note(connected: .init(from: from, to: to))
                pending.append(.connected(from: from, to: to, isOurs: isOurs))
            case .disconnected(let from, let to):
                let wasOurs = patchbay.note(
                    disconnected: .init(from: from, to: to), at: monotonicSeconds())
                pending.append(.disconnected(from: from, to: to, isOurs: wasOurs))
            case .refused(let wire): patchbay.note(refused: wire)
            }
        }
    }

    /// Connects what is to be connected now that ports have come or gone. While the server hangs
    /// this is left to the next call.
    func patch() {
        guard let new = registered,
            let sources = JackPort.list(by: handle, offering: JackPortIsOutput),
            let sinks = JackPort.list(by: handle, offering: JackPortIsInput)
        else { return }
        registered = nil
        let work = patchbay.work(
            sources: sources, sinks: sinks, registered: new, at: statistics.frames)
        connect(work)
        takeChanges()
        pending += work.warnings.map { .warning($0) }
        if !pending.isEmpty { unsafe context.pointee.signals.wake() }
    }
}
