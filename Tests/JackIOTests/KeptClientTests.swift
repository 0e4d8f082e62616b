import AudioGraph
import Glibc
import JackIO
import SystemSupport
import TestSupport
import Testing

extension LiveTests {
    /// A client that is kept through the loss and the return of its server.
    @Suite(.serialized, .disabled(if: JackServer.isPipeWire, "the user's is not killed"))
    struct KeptClientTests {
        private func keep(
            _ server: JackServer, _ configuration: JackConfiguration = .init(name: "duet"),
            patience: Double = .infinity
        ) throws -> (kept: KeptClient, monitor: MonitorGraph) {
            let kept = KeptClient(
                try JackClient.open(configuration, server: server.name), patience: patience)
            let monitor = try MonitorGraph(
                sampleRate: kept.client.sampleRate,
                inputChannels: configuration.microphoneChannels)
            try kept.activate(rendering: monitor.graph)
            return (kept, monitor)
        }

        /// Updates until an event satisfies `condition`; returns all events up to then.
        private func events(
            _ kept: KeptClient, until condition: (JackEvent) -> Bool
        ) throws -> [JackEvent] {
            let end = monotonicSeconds() + 20
            var events: [JackEvent] = []
            var waiter = PollSet()
            while monotonicSeconds() < end {
                let new = try kept.update()
                events += new
                if new.contains(where: condition) { return events }
                waiter.removeAll()
                for descriptor in kept.descriptors { waiter.add(descriptor) }
                waiter.wait(seconds: min(kept.secondsLeft, 1))
            }
            Issue.record("did not come: \(events)")
            return events
        }

        private func isShutdown(_ event: JackEvent) -> Bool {
            if case .shutdown = event { true } else { false }
        }

        private func sinks(of port: String, _ server: JackServer) throws -> Set<String> {
            Set(
                try server.tool("jack_lsp", ["-c", port]).split(separator: "\n").dropFirst()
                    .map { String($0.drop { $0 == " " }) })
        }

        @Test func aLostServersClientComesBackWithItsConnections() throws {
            let server = try JackServer()
            let (kept, monitor) = try keep(server)
            // A connection that only the user makes.
            _ = try server.tool("jack_connect", ["duet:out_left", "system:playback_2"])
            _ = try events(kept) { event in
                if case .connected(_, "system:playback_2", isOurs: false) = event {
                    true
                } else {
                    false
                }
            }
            let wires = kept.wires
            #expect(wires.count == 4 && kept.isPresent)
            server.kill()
            let last = try events(kept, until: isShutdown)
            #expect(last.last.map(isShutdown) == true)
            #expect(!kept.isPresent && kept.isLost && kept.isAwaited && kept.wires == wires)
            let frames = monitor.graph.renderedFrames
            try server.restart()
            #expect(try events(kept) { $0 == .back }.last == .back)
            #expect(kept.isPresent && !kept.isLost && kept.client.name == "duet")
            #expect(monitor.graph.renderedFrames == frames)
            try kept.activate(rendering: monitor.graph)
            kept.client.awaitConnections()
            #expect(kept.wires == wires)
            #expect(
                try poll {
                    try sinks(of: "duet:out_left", server) == [
                        "system:playback_1", "system:playback_2",
                    ]
                })
            #expect(poll { monitor.graph.renderedFrames > frames })
            kept.close()
        }

        @Test func aServerOfAnotherRateGetsAnotherGraph() throws {
            let server = try JackServer()
            let (kept, monitor) = try keep(server)
            server.kill()
            _ = try events(kept, until: isShutdown)
            try server.restart(rate: 44_100)
            _ = try events(kept) { $0 == .back }
            #expect(
                throws: JackError.graph(.otherDriverRate(driver: 44_100, graph: 48_000))
            ) { try kept.activate(rendering: monitor.graph) }
            let other = try MonitorGraph(sampleRate: kept.client.sampleRate)
            try kept.activate(rendering: other.graph)
            #expect(poll { other.graph.renderedFrames > 0 })
            kept.close()
        }

        /// As before Ctrl-Z: the client leaves its server, and comes back into it.
        @Test func aClientThatLeftComesBack() throws {
            let server = try JackServer()
            let (kept, monitor) = try keep(server)
            let wires = kept.wires
            #expect(kept.leave())
            #expect(try !server.tool("jack_lsp", []).contains("duet"))
            #expect(!kept.isPresent && !kept.isLost && kept.wires == wires)
            #expect(try kept.update() == [])
            kept.comeBack()
            // Not a loss, as it did not take long.
            #expect(try events(kept) { $0 == .back } == [.back])
            try kept.activate(rendering: monitor.graph)
            #expect(kept.wires == wires)
            kept.close()
        }

        @Test func aServerIsAwaitedForAsLongAsWasAsked() throws {
            let server = try JackServer()
            let (kept, _) = try keep(server, patience: 0.2)
            server.kill()
            _ = try events(kept, until: isShutdown)
            #expect(kept.isAwaited && kept.secondsLeft <= 0.2)
            #expect(
                throws: JackError.noServerCameBack(name: server.name, seconds: 0.2)
            ) { try events(kept) { _ in false } }
            kept.close()
        }

        @Test func aServerThatIsNotAwaitedIsLostAtOnce() throws {
            let server = try JackServer()
            let (kept, _) = try keep(server, patience: 0)
            server.kill()
            _ = try events(kept, until: isShutdown)
            #expect(!kept.isAwaited)
            #expect(throws: JackError.serverLost(reason: "the JACK server has ended")) {
                try kept.update()
            }
            kept.close()
        }

        /// A client that cannot go on after its return keeps its connections for the next one.
        @Test func aReturnThatFailsIsFollowedByAnother() throws {
            let server = try JackServer()
            let (kept, monitor) = try keep(server)
            let wires = kept.wires
            server.kill()
            _ = try events(kept, until: isShutdown)
            try server.restart()
            _ = try events(kept) { $0 == .back }
            kept.lose(because: "a test")
            #expect(!kept.isPresent && kept.isLost && kept.wires == wires)
            _ = try events(kept) { $0 == .back }
            try kept.activate(rendering: monitor.graph)
            kept.client.awaitConnections()
            #expect(kept.wires == wires && kept.client.name == "duet")
            kept.close()
        }
    }
}
