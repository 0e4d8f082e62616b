import CJack
import CRealtime
import Synchronization

/// Something that happened to a client, as `JackClient.drainEvents` and `KeptClient.update` return
/// it.
public enum JackEvent: Sendable, Equatable {
    /// So many cycles came too late since the last event, the last of them by about `microseconds` (0 when
    /// the server does not say).
    case xrun(count: Int, microseconds: Int)
    /// The period is `frames` frames from now on.
    case period(frames: Int)
    /// The server's sample rate has changed to this value in Hz.
    case sampleRate(Int)
    /// The server runs faster than real time, or no longer does.
    case freewheel(Bool)
    /// The latency from the microphone to the ear has changed.
    case latency(JackLatency)
    /// A port of the client was connected, by any program; `isOurs`: the client asked for it.
    case connected(from: String, to: String, isOurs: Bool)
    /// A port of the client was disconnected, by any program; `isOurs`: the client had asked for
    /// the connection.
    case disconnected(from: String, to: String, isOurs: Bool)
    /// A side that a warning said has no port to connect to has all its connections now.
    case sideConnected(JackWarning.Side)
    /// Something did not work, but the sound goes on.
    case warning(JackWarning)
    /// The server is gone or has thrown the client out; only `close` remains. Returned once.
    case shutdown(reason: String)
    /// After `shutdown`, or an absence of this program: `KeptClient` has another client, to be
    /// activated. `JackClient` never returns it.
    case back
}

/// The numbers of a client's server as its last events told them.
struct ToldNumbers {
    /// Frames in a cycle.
    var period: Int
    /// In Hz.
    var sampleRate: Int
    var xruns = 0
    var isFreewheeling = false
    var latency: JackLatency?
    var hasSeenScheduling = false

    /// The numbers of a client that is not active yet.
    init(of client: OpaquePointer) {
        period = unsafe Int(jack_get_buffer_size(client))
        // At least 1, as this is used as a divisor; `MixGraph` refuses unusable rates.
        sampleRate = unsafe max(1, Int(jack_get_sample_rate(client)))
    }
}

extension JackClient {
    /// Returns the events since the last call, and connects ports that have appeared. Never waits
    /// for an event; talking to the server may block briefly.
    public func drainEvents() -> [JackEvent] {
        if case .closed = state { return [] }
        _ = crealtime_event_clear(eventDescriptor)
        guard !isLossTold else { return [] }
        defer { pending = [] }
        if isLost {
            isLossTold = true
            return pending + takeChanges() + [.shutdown(reason: lossReason)]
        }
        if isLatencyStale {
            // A server that does not answer is asked again at the next event.
            isLatencyStale =
                unsafe handle.ask { unsafe jack_recompute_total_latencies($0) } == nil
        }
        pending += newNumbers() + takeChanges()
        // A dying server says so before it removes its ports. Their connections are still wanted,
        // so the patchbay must not see that the ports have gone.
        if case .active = state, !isLost { pending += connect() }
        // Connections take time: jackd makes them between two cycles, PipeWire's session manager
        // even later.
        pending += overdueWarnings(patience: max(16 * period, sampleRate / 4))
        pending += patchbay.settleWarnings().map { .sideConnected($0) }
        return pending
    }

    /// The events for all numbers that have changed since their last event.
    private func newNumbers() -> [JackEvent] {
        var events: [JackEvent] = []
        let xruns = unsafe context.pointee.xruns.load(ordering: .acquiring)
        let delay = unsafe context.pointee.xrunMicroseconds.load(ordering: .relaxed)
        // One event, however many there are: they are not to push out other news.
        if xruns > numbers.xruns {
            events.append(.xrun(count: xruns - numbers.xruns, microseconds: delay))
        }
        numbers.xruns = xruns
        let period = Int(unsafe context.pointee.period.load(ordering: .acquiring))
        if period > 0 && period != numbers.period {
            numbers.period = period
            events.append(.period(frames: period))
        }
        let rate = Int(unsafe context.pointee.sampleRate.load(ordering: .acquiring))
        if rate > 0 && rate != numbers.sampleRate {
            numbers.sampleRate = rate
            events.append(.sampleRate(rate))
        }
        let isFreewheeling = unsafe context.pointee.isFreewheeling.load(ordering: .acquiring)
        if isFreewheeling != numbers.isFreewheeling {
            numbers.isFreewheeling = isFreewheeling
            events.append(.freewheel(isFreewheeling))
        }
        if !numbers.hasSeenScheduling, statistics.cycles > 0, !isLost {
            numbers.hasSeenScheduling = true
            if !scheduling.isRealtime { events.append(.warning(.noRealtimeScheduling)) }
        }
        let changes = unsafe context.pointee.latencyChanges.exchange(0, ordering: .acquiring)
        if changes > 0, !isLost {
            let latency = latency
            if latency != numbers.latency { events.append(.latency(latency)) }
            numbers.latency = latency
        }
        return events
    }
}
