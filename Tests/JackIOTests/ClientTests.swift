import AudioGraph
import Glibc
import JackIO
import TestSupport
import Testing

extension LiveTests {
    @Suite(.serialized) struct ClientTests {
        @Test func portsAreNamedAsPromised() throws {
            let server = try JackServer()
            let mono = try LiveClient(server)
            #expect(mono.client.name == "duet")
            #expect(mono.client.sampleRate == 48_000 && mono.client.period == 128)
            // Each server lists the ports in its own order.
            let listed = try server.tool("jack_lsp", ["-p", "duet:"])
            let properties = listed.split(separator: "\n").map { $0.filter { $0 != "\t" } }
            let directions = stride(from: 0, to: properties.count - 1, by: 2).map {
                properties[$0] + " " + properties[$0 + 1]
            }
            #expect(
                directions.sorted() == [
                    "duet:mic properties: input,", "duet:out_left properties: output,",
                    "duet:out_right properties: output,",
                ])
            let stereo = try JackClient(
                .init(name: "stereo", microphoneChannels: 2), server: server.name)
            #expect(stereo.microphonePorts == ["stereo:mic_left", "stereo:mic_right"])
            let play = try JackClient(
                .init(name: "play", microphoneChannels: 0), server: server.name)
            #expect(try server.tool("jack_lsp", ["play:"]) == "play:out_left\nplay:out_right\n")
            #expect(stereo.close() && play.close() && mono.client.close())
            // PipeWire removes the ports a little later.
            #expect(try poll { try server.tool("jack_lsp", ["duet"]) == "" })
        }

        // PipeWire tells each client that it got the wanted name, even if that was taken.
        @Test(.disabled(if: JackServer.isPipeWire)) func takenNameGetsASuffixAndAWarning() throws {
            let server = try JackServer()
            let first = try JackClient(.init(name: "duet"), server: server.name)
            let second = try JackClient(.init(name: "duet"), server: server.name)
            #expect(first.name == "duet" && second.name.hasPrefix("duet-"))
            #expect(first.drainEvents() == [])
            #expect(
                second.drainEvents().first
                    == .warning(.nameTaken(wanted: "duet", given: second.name)))
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func absentServerIsNamed() throws {
            do throws(JackError) {
                _ = try JackClient(.init(name: "duet"), server: "duet-test-absent")
                Issue.record("opened")
            } catch { #expect(error == .noServer(name: "duet-test-absent")) }
        }

        /// libjack frees what is left of a lost server when a client is opened: not while another
        /// thread closes it.
        @Test(.disabled(if: JackServer.isPipeWire)) func lostClientsAreClosedBeforeTheNextIsOpened()
            throws
        {
            for _ in 0..<5 {
                let server = try JackServer()
                let clients = try (0..<6).map { number in
                    try JackClient(.init(name: "duet\(number)"), server: server.name)
                }
                server.kill()
                for client in clients {
                    #expect(poll { client.isLost })
                    client.close()
                }
                do throws(JackError) {
                    _ = try JackClient(.init(name: "duet"), server: "duet-test-absent")
                    Issue.record("opened")
                } catch { #expect(error == .noServer(name: "duet-test-absent")) }
            }
        }

        /// A client that no thread can be made to close is left open, and is not waited for.
        @Test(.disabled(if: JackServer.isPipeWire)) func aClientThatStaysOpenIsNotAwaited() throws {
            let server = try JackServer()
            let first = try JackClient(.init(name: "first"), server: server.name)
            #expect(Descriptors.exhausted { first.close() })
            let second = try JackClient.open(.init(name: "second"), server: server.name)
            #expect(try server.tool("jack_lsp", []).contains("first:mic"))
            #expect(second.close())
            // libjack frees what is left of it when another server's client is opened.
            server.kill()
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func periodChangeIsFollowed() throws {
            let server = try JackServer()
            let live = try LiveClient(server)
            for frames in [1024, 64, 8192, 128] {
                _ = try server.tool("jack_bufsize", ["\(frames)"])
                #expect(live.wait { $0 == .period(frames: frames) })
                #expect(live.client.period == frames)
                #expect(live.waitForFrames(live.client.statistics.frames + 2 * frames))
            }
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func stoppedClientIsAnXrunForOthers() throws {
            let server = try JackServer(waitsForClients: false)
            let live = try LiveClient(server)
            let other = try Witness(
                ["--name", "late", "--pass", "1", "--wait", "--connect-from", "duet:out_left:0"],
                server: server)
            suspend(other.processID)
            // jackd counts no xrun for a cycle that was late itself: it is given more than one.
            let cycled = live.waitForFrames(live.client.statistics.frames + 32 * 128)
            // jackd may be asking it for its latency, and tells nobody anything until it answers.
            kill(other.processID, SIGCONT)
            let xrun = live.wait { if case .xrun = $0 { true } else { false } }
            // The server may have thrown it out by now: it would wait for its cycles for ever.
            kill(other.processID, SIGKILL)
            #expect(cycled)
            #expect(xrun)
            #expect(live.client.statistics.xruns > 0)
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func killedServerIsToldAndClosedAtOnce() throws
        {
            let server = try JackServer()
            let live = try LiveClient(server)
            #expect(live.waitForFrames(1000))
            server.kill()
            #expect(live.wait { if case .shutdown = $0 { true } else { false } })
            #expect(live.client.isLost)
            #expect(live.client.drainEvents() == [])
            #expect(live.client.close())
            #expect(live.client.statistics.frames >= 1000)
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func clientLivesOnInTheNextServer() throws {
            let first = try JackServer()
            let live = try LiveClient(first)
            #expect(live.waitForFrames(1000))
            first.kill()
            #expect(live.wait { if case .shutdown = $0 { true } else { false } })
            #expect(live.client.close())
            let second = try JackServer()
            let again = try JackClient(.init(name: "duet", microphone: .none), server: second.name)
            try again.activate(rendering: live.monitor.graph)
            #expect(again.name == "duet")
            #expect(try server(second, connects: "duet:out_left"))
            #expect(again.close())
        }

        private func server(_ server: JackServer, connects port: String) throws -> Bool {
            try server.tool("jack_lsp", ["-c", port]).contains("system:playback_1")
        }

        @Test(.disabled(if: JackServer.isPipeWire)) func hangingServerIsLeftBehind() throws {
            let server = try JackServer()
            let live = try LiveClient(server)
            #expect(live.waitForFrames(1000))
            server.suspend()
            // `close` returns, though libjack waits for an answer that does not come.
            #expect(live.client.close())
            server.kill()
        }

        @Test func callbackTimesAreTakenOnRequest() throws {
            let server = try JackServer()
            let plain = try LiveClient(server)
            let measured = try LiveClient(
                server,
                .init(
                    name: "timed", microphone: .none, outputs: .none, measuresCallbackTime: true))
            #expect(plain.waitForFrames(1000) && measured.waitForFrames(1000))
            #expect(plain.client.statistics.worstNanoseconds == 0)
            let times = measured.client.statistics
            #expect(times.worstNanoseconds > 0 && times.totalNanoseconds >= times.worstNanoseconds)
        }

        @Test(.disabled(if: JackServer.isPipeWire), arguments: [true, false])
        func missingRealtimeSchedulingIsAWarning(isRealtime: Bool) throws {
            let server = try JackServer(isRealtime: isRealtime)
            let live = try LiveClient(server)
            #expect(live.waitForFrames(1000))
            let told = (live.client.drainEvents() + live.client.drainEvents()).filter {
                $0 == .warning(.noRealtimeScheduling)
            }
            let allowsRealtime = try live.client.report().rights.allowsRealtime
            #expect(told.count == (isRealtime && allowsRealtime ? 0 : 1))
        }

        @Test func reportHasTheFacts() throws {
            let server = try JackServer()
            let live = try LiveClient(server)
            #expect(live.waitForFrames(1000))
            let report = try live.client.report()
            #expect(report.sampleRate == 48_000 && report.period == live.client.period)
            #expect(report.isPipeWire == JackServer.isPipeWire)
            guard !JackServer.isPipeWire else { return }
            #expect(report.capturePorts.map(\.name) == ["system:capture_1", "system:capture_2"])
            #expect(report.playbackPorts.map(\.name) == ["system:playback_1", "system:playback_2"])
            #expect(report.roundTrip?.roundTripFrames ?? 0 > 0)
            #expect(report.scheduling.isRealtime == report.rights.allowsRealtime)
            #expect(report.scheduling.isRealtime == (report.scheduling.priority > 0))
        }
    }
}
