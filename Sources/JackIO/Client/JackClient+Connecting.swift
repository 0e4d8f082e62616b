import CJack
import Glibc

// Connections as the server makes them, or does not.
extension JackClient {
    /// Asks the server for `wire`; a warning when it refuses at once. May block briefly.
    func connect(_ wire: Patchbay.Wire) -> JackEvent? {
        let code = unsafe jack_connect(client, wire.from, wire.to)
        if code == 0 { requests.add(wire, at: statistics.frames) }
        guard code != 0 && code != EEXIST else { return nil }
        let areThere =
            unsafe jack_port_by_name(client, wire.from) != nil
            && jack_port_by_name(client, wire.to) != nil
        let reason = areThere ? Self.refusal : "a port is gone (\(code))"
        return .warning("connecting \(wire.from) to \(wire.to) failed: \(reason)")
    }

    /// A warning for each connection that the server said it would make and did not.
    func overdueConnections() -> [JackEvent] {
        // The graph changes between two cycles, and PipeWire's session manager takes its time.
        let overdue = requests.takeOverdue(
            at: statistics.frames, patience: max(16 * period, sampleRate / 4))
        return overdue.filter { !isConnected($0) }.map {
            .warning("connecting \($0.from) to \($0.to) was ignored: \(Self.refusal)")
        }
    }

    /// Waits until what was asked for is connected and its latency known, but no longer than
    /// `milliseconds`: what is refused or absent is not waited for.
    public func awaitConnections(milliseconds: Int = 100) {
        guard isUsable else { return }
        _ = waitUntil(milliseconds: milliseconds) {
            unsafe isShutDown
                || (requests.wires.allSatisfy(isConnected)
                    && isLatencyKnown(context.pointee.inputs, JackCaptureLatency)
                    && isLatencyKnown(context.pointee.outputs, JackPlaybackLatency))
        }
    }

    /// jackd(1), -a: a server may forbid its clients to connect themselves.
    private static let refusal =
        "the JACK server lets no client connect itself (jackd -a); connect them in a patchbay"

    private func isLatencyKnown(
        _ ports: [OpaquePointer], _ mode: jack_latency_callback_mode_t
    ) -> Bool {
        unsafe ports.allSatisfy { port in unsafe jack_port_connected(port) == 0 }
            || LatencyRange.union(of: ports, mode: mode) != .zero
    }

    private func isConnected(_ wire: Patchbay.Wire) -> Bool {
        guard let from = unsafe jack_port_by_name(client, wire.from) else { return false }
        if unsafe jack_port_is_mine(client, from) != 0 {
            return unsafe jack_port_connected_to(from, wire.to) != 0
        }
        guard let to = unsafe jack_port_by_name(client, wire.to) else { return false }
        return unsafe jack_port_connected_to(to, wire.from) != 0
    }
}
