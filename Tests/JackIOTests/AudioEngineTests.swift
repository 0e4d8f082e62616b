import AudioGraph
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import JackIO

extension LiveTests {
    /// Engines, each with its client, its graph and, as a rule, its thread.
    @Suite(
        .serialized, .timeLimit(.minutes(2)),
        .disabled(if: JackServer.isPipeWire, "ends and restarts its server"))
    struct AudioEngineTests {
        /// An engine that passes the microphone on, half as loud, to the left.
        private struct Stage {
            let engine: AudioEngine
            let mixer = MixerNode(inputs: 1)

            init(
                _ server: JackServer, _ name: String = "duet",
                microphone: PortSelection = .none, patience: Double = .infinity,
                housekeeping: AudioEngine.Housekeeping = .ownThread
            ) throws {
                engine = try AudioEngine(
                    JackClient.open(
                        JackConfiguration(name: name, microphone: microphone, outputs: .none),
                        server: server.name),
                    patience: patience, housekeeping: housekeeping)
                let io = HardwareIO(inputChannels: 1)
                try engine.edit { graph in
                    for node in [io, mixer] as [AudioNode] { try graph.add(node) }
                    try graph.connect(io, bus: 1, to: mixer)
                    try graph.connect(mixer, to: io)
                    mixer.inputs[0].volume = Volume(gain: 0.5)
                    mixer.inputs[0].pan = .left
                }
                try engine.start()
            }

            var frames: Int { engine.edit { $0.renderedFrames } }

            /// Waits until so many frames were rendered; false after 10 s.
            func renders(_ count: Int) -> Bool { poll { frames >= count } }
        }

        /// The hardware that a graph makes by itself has as many channels as the client captures.
        @Test(arguments: [0, 1, 2, 6]) func theGraphsOwnHardwareFitsTheClient(count: Int) throws {
            let server = try JackServer()
            let engine = try AudioEngine(
                JackClient.open(
                    JackConfiguration(
                        name: "duet", microphoneChannels: count, microphone: .none,
                        outputs: .none), server: server.name))
            engine.edit { graph in
                _ = graph.mainMixer
                #expect(graph.outputNode.inputChannelCount == count)
            }
            try engine.start()
            #expect(poll { engine.edit { $0.renderedFrames } > 1000 })
            engine.stop()
        }

        /// A longer period is answered: the client waits for nothing.
        @Test func aPeriodIsAnswered() throws {
            let server = try JackServer()
            let stage = try Stage(server)
            #expect(stage.renders(1000))
            let other = try JackClient.open(
                JackConfiguration(name: "other", microphone: .none, outputs: .none),
                server: server.name)
            #expect(other.setPeriod(4096))
            other.close()
            #expect(
                poll {
                    stage.engine.edit { _ in
                        stage.engine.client.context.pointee.periodTaken.load(ordering: .acquiring)
                    } == 4096
                })
            stage.engine.stop()
        }

        /// A period that the graph was not made for is answered before libjack asks, at the start.
        @Test func theFirstPeriodIsAnswered() throws {
            let server = try JackServer(period: 8192)
            let stage = try Stage(server)
            stage.engine.edit { _ in
                let context = stage.engine.client.context
                #expect(context.pointee.periodTaken.load(ordering: .acquiring) == 8192)
            }
            #expect(stage.renders(10_000))
            stage.engine.stop()
        }

        /// An engine whose server has ended before it begins says so, and is not connected.
        @Test func anEngineThatCannotBeginIsNotConnected() async throws {
            let server = try JackServer()
            let engine = try AudioEngine(
                JackClient.open(
                    JackConfiguration(name: "duet", microphone: .none, outputs: .none),
                    server: server.name))
            engine.edit { _ = $0.mainMixer }
            server.kill()
            #expect(throws: JackError.self) { try engine.start() }
            #expect(!engine.isConnected && engine.failure != nil)
            for await event in engine.events() { Issue.record("an event: \(event)") }
            engine.stop()
        }

        /// Ten xruns are one event, and push no other out.
        @Test func manyXrunsAreOneEvent() throws {
            let server = try JackServer()
            let client = try JackClient.open(
                JackConfiguration(name: "duet", microphone: .none, outputs: .none),
                server: server.name)
            _ = client.drainEvents()
            client.context.pointee.xruns.add(10, ordering: .releasing)
            let events = client.drainEvents()
            #expect(
                events.compactMap { event in
                    if case .xrun(let count, _) = event { count } else { nil }
                } == [10])
            client.close()
        }

        /// A graph ends where its engine does, and not on a thread of libjack's.
        @Test func aGraphEndsWithItsEngine() throws {
            let server = try JackServer()
            weak var graph: Graph?
            do {
                let engine = try AudioEngine(
                    JackClient.open(
                        JackConfiguration(name: "duet", microphone: .none, outputs: .none),
                        server: server.name), housekeeping: .manual)
                engine.edit { _ = $0.mainMixer }
                try engine.start()
                graph = engine.graph
                engine.stop()
            }
            #expect(graph == nil)
        }

        /// How many threads of engines there are.
        private func threads() throws -> Int {
            let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            return tasks.count { task in
                (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))
                    == "jack-engine\n"
            }
        }

        private func isShutdown(_ event: JackEvent) -> Bool {
            if case .shutdown = event { true } else { false }
        }

        /// Reads events until one satisfies `condition`; false where they end before.
        private func read(
            _ events: inout AsyncStream<JackEvent>.Iterator,
            until condition: (JackEvent) -> Bool
        ) async -> Bool {
            while let event = await events.next(isolation: nil) {
                if condition(event) { return true }
            }
            return false
        }

        /// A third client plays noise into the microphone and hears half of it on the left.
        private func isHeard(_ stage: Stage, _ server: JackServer) throws -> Bool {
            // The microphone fades in over a second.
            guard stage.renders(stage.frames + 60_000) else { return false }
            let witness = try Witness(
                [
                    "--noise", "42", "--connect-to", "duet:mic:0", "--connect-from",
                    "duet:out_left:0", "--connect-from", "duet:out_right:1", "--frames", "9600",
                    "--wait",
                ], server: server, record: 2)
            try witness.begin()
            let heard = try witness.finish().channels
            let start = try #require(heard[0].firstIndex { $0 != 0 })
            let noise = Noise(seed: 42).prefix(9600).map { $0 * 0.5 }
            return heard[1].allSatisfy { $0 == 0 }
                && firstDifference(heard[0][start...], noise.prefix(9600 - start)) == nil
        }

        @Test func itIsHeard() throws {
            let server = try JackServer()
            let stage = try Stage(server)
            #expect(stage.engine.isConnected && stage.engine.graph.sampleRate == 48_000)
            #expect(try isHeard(stage, server))
            #expect(throws: JackError.alreadyActive(client: "duet")) { try stage.engine.start() }
            stage.engine.stop()
        }

        /// An engine that has rendered, and whose server is gone; and the events after that.
        private func lost() async throws -> (
            JackServer, Stage, AsyncStream<JackEvent>.Iterator
        ) {
            let server = try JackServer()
            let stage = try Stage(server)
            var events = stage.engine.events().makeAsyncIterator()
            #expect(stage.renders(4800))
            server.kill()
            #expect(await read(&events, until: isShutdown))
            return (server, stage, events)
        }

        @Test func aLostServersReturnIsNobodysWork() async throws {
            let (server, stage, rest) = try await lost()
            var events = rest
            #expect(!stage.engine.isConnected)
            let frames = stage.frames
            // An edit while nobody renders.
            stage.engine.edit { _ in stage.mixer.outputVolume = Volume(gain: 1) }
            try server.restart()
            #expect(await read(&events) { $0 == .back })
            #expect(
                stage.engine.isConnected
                    && stage.engine.edit { _ in stage.engine.client.name } == "duet")
            #expect(stage.renders(frames + 4800))
            #expect(try isHeard(stage, server))
            stage.engine.stop()
        }

        @Test func theGraphTakesTheRateOfTheServerThatIsBack() async throws {
            let (server, stage, rest) = try await lost()
            var events = rest
            try server.restart(rate: 44_100)
            #expect(await read(&events) { $0 == .back })
            #expect(await events.next(isolation: nil) == .sampleRate(44_100))
            #expect(stage.engine.edit { $0.sampleRate } == 44_100)
            #expect(try isHeard(stage, server))
            stage.engine.stop()
        }

        /// A song was decoded for the rate that is gone.
        @Test func aGraphThatRefusesTheRateEndsTheEngine() async throws {
            let server = try JackServer()
            let stage = try Stage(server)
            let events = stage.engine.events()
            try stage.engine.edit { try $0.add(SongSource(sampleRate: 48_000)) }
            #expect(stage.renders(4800))
            server.kill()
            #expect(poll { !stage.engine.isConnected })
            try server.restart(rate: 44_100)
            for await event in events { #expect(event != .back) }
            #expect(
                stage.engine.failure
                    == .graph(.otherRate(node: "song", rate: 48_000, graph: 44_100)))
            #expect(try poll { try threads() == 0 })
        }

        @Test func aServerThatIsNotAwaitedEndsTheEngine() async throws {
            let server = try JackServer()
            let stage = try Stage(server, patience: 0)
            let events = stage.engine.events()
            #expect(stage.renders(4800))
            server.kill()
            var last: JackEvent?
            for await event in events { last = event }
            #expect(last.map(isShutdown) == true)
            #expect(
                stage.engine.failure == .serverLost(reason: "the JACK server has ended"))
        }

        @Test func aLoopOfTheUsersLooksAfterIt() throws {
            let server = try JackServer()
            let stage = try Stage(server, housekeeping: .manual)
            /// Turns until an event satisfies `condition`; false after 20 s.
            func turn(until condition: (JackEvent) -> Bool) throws -> Bool {
                let end = monotonicSeconds() + 20
                while monotonicSeconds() < end {
                    if try stage.engine.turn().contains(where: condition) { return true }
                    #expect(stage.engine.secondsLeft <= 0.1)
                    var wait = PollSet(stage.engine.descriptors)
                    wait.wait(seconds: stage.engine.secondsLeft)
                }
                return false
            }
            #expect(stage.renders(4800))
            server.kill()
            #expect(try turn(until: isShutdown))
            try server.restart()
            #expect(try turn { $0 == .back })
            #expect(stage.renders(9600))
            #expect(try threads() == 0)
            #expect(try stage.engine.edit { _ in try stage.engine.turn() } == [])
            // Nothing is collected behind the loop's back.
            var heard: [Int] = []
            let listener = stage.engine.graph.addListener(whenHeard: true) {
                heard.append($0.frame ?? -1)
            }
            stage.mixer.inputs[0].pan = .right
            #expect(stage.renders(stage.frames + 4800) && heard == [])
            try stage.engine.turn()
            #expect(heard.count == 1 && heard[0] > 0)
            listener.cancel()
            stage.engine.stop()
            #expect(try stage.engine.turn() == [])
        }

        @Test func stoppingEndsThreadClientAndSequences() async throws {
            let server = try JackServer()
            let stage = try Stage(server)
            let (events, changes) = (stage.engine.events(), stage.engine.changes())
            #expect(try poll { try threads() == 1 })
            #expect(stage.renders(4800))
            // Within an edit, too, which the thread waits for.
            stage.engine.edit { _ in stage.engine.stop() }
            for await _ in events {}
            for await _ in changes {}
            for await _ in stage.engine.events() {}
            #expect(try poll { try threads() == 0 })
            #expect(try !server.tool("jack_lsp", []).contains("duet"))
            #expect(stage.engine.failure == nil && !stage.engine.isConnected)
            stage.engine.stop()
            #expect(throws: JackError.closed(client: "duet")) { try stage.engine.start() }
        }

        /// So does letting it go.
        @Test func anEngineThatIsGoneLeavesNothing() throws {
            let server = try JackServer()
            var stage: Stage? = try Stage(server)
            #expect(stage?.renders(4800) == true)
            stage = nil
            #expect(try poll { try threads() == 0 })
            #expect(try !server.tool("jack_lsp", []).contains("duet"))
        }

        @Test func twoEnginesPlayInOneProcess() throws {
            let server = try JackServer()
            let first = try Stage(server)
            let second = try Stage(
                server, "second",
                microphone: .one(try PortPattern(pattern: "duet:out_left")))
            #expect(try poll { try threads() == 2 })
            #expect(try isHeard(first, server))
            #expect(second.renders(48_000))
            first.engine.stop()
            #expect(second.renders(second.frames + 4800) && second.engine.isConnected)
            #expect(try poll { try threads() == 1 })
            second.engine.stop()
        }

        /// Many threads edit; tasks hear of each change, and of its frame.
        @Test func changesAreSequences() async throws {
            let server = try JackServer()
            let stage = try Stage(server)
            let engine = stage.engine
            let (told, heard) = (engine.changes(), engine.changes(whenHeard: true))
            let mixer = stage.mixer
            await withTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        for step in 1...100 {
                            // An edit within an edit.
                            engine.edit { graph in
                                engine.edit { _ in
                                    let mixer = graph.nodes.compactMap { $0 as? MixerNode }[0]
                                    mixer.inputs[0].pan = Pan(Double(step) / 200)
                                }
                            }
                        }
                    }
                }
            }
            let frame = Guarded(-1)
            engine.edit(heard: { held in frame.withLock { $0 = held } }) { _ in
                mixer.inputs[0].pan = .right
            }
            var last: ParameterChange?
            for await change in told {
                #expect(change.unit === mixer)
                last = change
                if change.value == 1 { break }
            }
            #expect(last?.address == ParameterAddress(.pan, scope: .input) && last?.frame == nil)
            for await change in heard where change.value == 1 {
                #expect(change.frame == frame.withLock(\.self) && change.frame ?? -1 >= 0)
                break
            }
            let properties = engine.propertyChanges("inputs", of: mixer)
            let count = mixer.inputs.count
            engine.edit { _ in _ = mixer.addInput() }
            for await change in properties {
                #expect(change.unit === mixer && change.value == .number(Int64(count + 1)))
                break
            }
            engine.stop()
        }
    }
}
