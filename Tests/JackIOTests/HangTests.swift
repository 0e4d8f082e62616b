import Synchronization
import TestSupport
import Testing

@testable import JackIO

extension LiveTests {
    /// A server that is stopped while a client is in it.
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire, "the user's is not stopped"))
    final class HangTests {
        private let server: JackServer

        init() throws { server = try JackServer() }

        deinit { goOn() }

        /// Lets the server go on, and returns when libjack has closed the clients that were left
        /// behind. While the server ends it might never close them (docs/design.md).
        private func goOn() {
            server.resume()
            ClientHandle.awaitClosings()
        }

        @Test func aClientIsNotActivated() throws {
            let client = try JackClient(.init(name: "duet"), server: server.name)
            let monitor = try MonitorGraph(sampleRate: client.sampleRate)
            server.suspend()
            #expect(throws: JackError.serverSilent(name: server.name)) {
                try client.activate(rendering: monitor.graph)
            }
            client.close()
            // The client that was left behind goes when the server goes on.
            goOn()
            #expect(try !server.tool("jack_lsp", []).contains("duet"))
        }

        @Test func aWaitForActivationCanBeEnded() throws {
            let client = try JackClient(.init(name: "duet"), server: server.name)
            let monitor = try MonitorGraph(sampleRate: client.sampleRate)
            server.suspend()
            #expect(throws: JackError.stopped) {
                try client.activate(rendering: monitor.graph, unless: { true })
            }
        }

        /// A probe that is closed while the server hangs is among the clients that libjack is to close: no
        /// other is opened meanwhile.
        @Test func theEndOfAProbeIsAwaited() throws {
            func closings() -> Int {
                ClientHandle.pendingClosings.load(ordering: .sequentiallyConsistent)
            }
            let watcher = try JackClient(
                .init(name: "duet", microphone: .none, outputs: .none), server: server.name)
            var probe: LoopProbe? = try LoopProbe("duet-loop", beside: watcher)
            #expect(probe != nil && closings() == 0)
            server.suspend()
            probe = nil
            #expect(closings() == 1)
            goOn()
            #expect(closings() == 0)
            #expect(try !server.tool("jack_lsp", []).contains("duet-loop"))
            watcher.close()
        }

        /// While the server hangs, every other call of a playing client returns, and the connection
        /// that it wants is made when the server goes on.
        @Test func aConnectionIsMadeLater() throws {
            let patterns = try PortSelection(patterns: ["guest:"])
            let live = try LiveClient(
                server, .init(name: "duet", microphone: .none, outputs: patterns))
            let guest = try Witness(["--name", "guest", "--wait"], server: server, record: 2)
            // JACK reports the guest's ports a moment after it makes them.
            #expect(
                try poll { try server.tool("jack_lsp", ["-p", "guest:"]).contains("properties") })
            server.suspend()
            for _ in 0..<3 { _ = live.client.drainEvents() }
            #expect(!live.client.setPeriod(256))
            live.client.awaitConnections()
            #expect(throws: JackError.serverSilent(name: server.name)) {
                try live.client.report()
            }
            #expect(live.client.transport != nil && live.client.wires.count == 2)
            server.resume()
            #expect(
                live.wait { event in
                    if case .connected(_, let to, _) = event { to == "guest:in_2" } else { false }
                })
            try guest.begin()
            _ = try guest.finish()
        }
    }
}
