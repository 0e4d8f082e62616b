import CJack
import Synchronization

/// Turns the numbers that JACK's callbacks leave in `LiveSignals` into events: an event for each
/// number that has changed since its last event. Control thread.
struct ReportedNumbers {
    /// Frames in a cycle, as of the last event.
    private(set) var period: Int
    /// The sample rate in Hz, as of the last event.
    private(set) var sampleRate: Int
    private var xruns = 0
    private var isFreewheeling = false
    private var latency: JackLatency?
    private var hasSeenScheduling = false

    /// The numbers of a client that is not active yet.
    init(_ opened: OpenClient) {
        period = unsafe Int(jack_get_buffer_size(opened.client))
        // At least 1, as this is used as a divisor; `MixGraph` refuses unusable rates.
        sampleRate = unsafe max(1, Int(jack_get_sample_rate(opened.client)))
    }

    /// The events for all that has changed in `opened`, whose server must be there.
    mutating func changes(of opened: OpenClient) -> [JackEvent] {
        var events: [JackEvent] = []
        let xruns = unsafe opened.context.pointee.signals.xruns.load(ordering: .acquiring)
        let delay = unsafe opened.context.pointee.signals.xrunMicroseconds.load(ordering: .relaxed)
        // The server reports the delay of the last xrun only; all get that delay.
        for _ in self.xruns..<xruns { events.append(.xrun(microseconds: delay)) }
        self.xruns = xruns
        let period = Int(unsafe opened.context.pointee.signals.period.load(ordering: .acquiring))
        if period > 0 && period != self.period {
            self.period = period
            events.append(.period(frames: period))
        }
        let rate = Int(unsafe opened.context.pointee.signals.sampleRate.load(ordering: .acquiring))
        if rate > 0 && rate != sampleRate {
            sampleRate = rate
            events.append(.sampleRate(rate))
        }
        let freewheel = unsafe opened.context.pointee.signals.isFreewheeling.load(
            ordering: .acquiring)
        if freewheel != isFreewheeling {
            isFreewheeling = freewheel
            events.append(.freewheel(freewheel))
        }
        return events + rights(of: opened) + latencyChange(of: opened)
    }

    private mutating func rights(of opened: OpenClient) -> [JackEvent] {
        guard !hasSeenScheduling, opened.statistics.cycles > 0, !opened.isLost else { return [] }
        hasSeenScheduling = true
        return ClientFacts(opened).scheduling.isRealtime ? [] : [.warning(.noRealtimeScheduling)]
    }

    private mutating func latencyChange(of opened: OpenClient) -> [JackEvent] {
        let changes = unsafe opened.context.pointee.signals.latencyChanges.exchange(
            0, ordering: .acquiring)
        guard changes > 0, !opened.isLost else { return [] }
        let latency = ClientFacts(opened).latency(sampleRate: sampleRate)
        defer { self.latency = latency }
        return latency == self.latency ? [] : [.latency(latency)]
    }
}
