import CJack
import Glibc

// Connections as the server makes them, or does not.
extension JackClient {
    /// Asks the server for what `work` wants, and notes what it refuses as a change. A server that
    /// hangs is waited for 1 s, and asked for the rest when it goes on.
    func connect(_ work: PatchbayWork) {
        guard !work.disconnect.isEmpty || !work.connect.isEmpty else { return }
        // Freed after the handle is closed.
        nonisolated(unsafe) let context = unsafe context
        unsafe handle.ask { client in
            for wire in work.disconnect { unsafe jack_disconnect(client, wire.from, wire.to) }
            for wire in work.connect {
                let code = unsafe jack_connect(client, wire.from, wire.to)
                if code != 0 && code != EEXIST { unsafe context.pointee.note(.refused(wire)) }
            }
        }
    }

    /// From now on wants the connections that it has, as for `JackConfiguration.wires`, and none
    /// that it would choose.
    public func keepWires() { patchbay.keep() }

    /// A warning for each connection that the server was asked for and did not make.
    func overdueConnections() -> [JackEvent] {
        // The graph changes between two cycles, and PipeWire's session manager takes its time.
        patchbay.warnAboutOverdue(
            at: statistics.frames, patience: max(16 * period, sampleRate / 4),
            isConnected: isConnected
        ).map { .warning($0) }
    }

    /// Waits until what was asked for is connected and its latency known, but no longer than
    /// `milliseconds`: what is refused or absent is not waited for.
    public func awaitConnections(milliseconds: Int = 100) {
        guard isUsable else { return }
        _ = waitUntil(milliseconds: milliseconds) {
            unsafe isShutDown
                || (patchbay.awaited.allSatisfy { isConnected($0) == true }
                    && isLatencyKnown(context.pointee.inputs, JackCaptureLatency)
                    && isLatencyKnown(context.pointee.outputs, JackPlaybackLatency))
        }
    }

    private func isLatencyKnown(
        _ ports: [OpaquePointer], _ mode: jack_latency_callback_mode_t
    ) -> Bool {
        unsafe ports.allSatisfy { port in unsafe jack_port_connected(port) == 0 }
            || LatencyRange.union(of: ports, mode: mode) != .zero
    }

    /// Nil when one of the ports is gone.
    private func isConnected(_ wire: JackWire) -> Bool? {
        guard let from = unsafe jack_port_by_name(client, wire.from),
            let to = unsafe jack_port_by_name(client, wire.to)
        else { return nil }
        return unsafe jack_port_is_mine(client, from) != 0
            ? jack_port_connected_to(from, wire.to) != 0
            : jack_port_connected_to(to, wire.from) != 0
    }
}
