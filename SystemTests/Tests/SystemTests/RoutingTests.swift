import Foundation
import Rig
import Testing

/// The program's connections, and the latency that it reports.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct RoutingTests {
    private let folder: TemporaryFolder
    private let client = Duet.clientName()

    init() throws { folder = try TemporaryFolder() }

    private func start(
        _ arguments: [String], on server: JackServer, streams: ChildProcess.Streams = .pipes
    ) throws -> Duet {
        try Duet(arguments + ["-s", server.name, "-n", client], streams: streams)
    }

    // jackd(1), -a: with A the server refuses connections, with e it reports success and does
    // nothing.
    @Test(arguments: ["A", "e"])
    func aServerThatLetsNobodyConnectIsPlayedOn(mode: String) throws {
        let server = try JackServer(options: ["-a", mode])
        let song = try folder.song(seconds: 2)
        let duet = try start(["play", song.path, "--json"], on: server)
        #expect(try duet.child.waitForExit() == .code(0))
        let refused = try duet.all(Events.Warning.self).map(\.message)
            .filter { $0.contains("jackd -a") }
        #expect(refused.count == 2)
        #expect(refused.first?.contains("\(client):out_left to system:playback_1") == true)
        #expect(try duet.first(Events.Ended.self)?.frames == 96_000)
    }

    /// duet connects its own ports, and leaves those of other programs as they are.
    @Test func connectionsOfOthersStay() throws {
        let server = try JackServer()
        _ = try server.tool("jack_connect", ["system:capture_1", "system:playback_1"])
        _ = try server.tool("jack_connect", ["system:capture_2", "system:playback_1"])
        let others = try server.tool("jack_lsp", ["-c"])
        let duet = try start(
            ["sing", try folder.song(seconds: 60).path, "--json"], on: server, streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        try duet.waitForNext(Events.Position.self)
        let all = try server.tool("jack_lsp", ["-c"]).split(separator: "\n")
        #expect(all.contains { $0.hasPrefix("   \(client):out_left") })
        // A port of duet's, with the connections below it, and duet's among those of another.
        var isOwn = false
        let rest = all.filter { line in
            if !line.hasPrefix(" ") { isOwn = line.hasPrefix("\(client):") }
            return !isOwn && !line.contains("\(client):")
        }
        #expect(rest == others.split(separator: "\n"))
        try duet.quit()
        #expect(try server.tool("jack_lsp", ["-c"]) == others)
    }

    /// With --direct-outs each source has outputs of its own, after volume and pan: what another
    /// program records there of the microphone is the formula, bit for bit.
    @Test func eachSourceHasOutputsOfItsOwn() throws {
        let server = try JackServer(period: 1024)
        let duet = try start(
            [
                "sing", try folder.song(seconds: 60).path, "--json", "--direct-outs", "--mic",
                "none", "--out", "none", "--mic-pan", "left", "--mic-volume", "0.5",
            ], on: server, streams: .terminal)
        try duet.wait(for: Events.Playing.self)
        let ports = try server.tool("jack_lsp", []).split(separator: "\n")
            .filter { $0.hasPrefix(client) }.map { $0.dropFirst(client.count + 1) }
        #expect(
            Set(ports) == [
                "mic", "out_left", "out_right", "song_out_left", "song_out_right", "mic_out_left",
                "mic_out_right",
            ])
        // By then the microphone has faded in.
        try duet.waitForNext(Events.Position.self)
        try duet.waitForNext(Events.Position.self)
        let witness = try Witness(
            [
                "--noise", "5", "--frames", "9600", "--wait", "--connect-to", "\(client):mic:0",
                "--connect-from", "\(client):mic_out_left:0",
                "--connect-from", "\(client):mic_out_right:1",
                "--connect-from", "\(client):song_out_left:2",
            ], server: server, record: 3)
        try witness.begin()
        let heard = try witness.finish().channels
        let start = try #require(heard[0].firstIndex { $0 != 0 })
        let sung = Noise(seed: 5).prefix(9600 - start)
        #expect(firstDifference(heard[0][start...], sung.map { $0 * 0.5 }) == nil)
        #expect(heard[1].allSatisfy { $0 == 0 } && heard[2].contains { abs($0) > 0.01 })
        try duet.quit()
    }

    @Test func theLatencyIsToldLive() throws {
        let server = try JackServer(waitsForClients: false)
        let duet = try start(["--json", try folder.song(seconds: 60).path], on: server)
        let ready = try duet.wait(for: Events.Ready.self)
        let frames = ready.micLatencyFrames
        func latencies(_ events: [any Event]) -> [Int] {
            events.all(Events.Latency.self).compactMap {
                let (capture, playback) = ($0.captureFrames, $0.playbackFrames)
                guard abs($0.ms * 48 - Double(capture + playback)) < 0.01 else { return nil }
                return capture + playback
            }
        }
        // This dummy driver has one period in and, as it does not wait for its clients, two out.
        #expect(frames == 3 * 128)
        try duet.waitFor { latencies($0).last == frames }
        _ = try server.tool("jack_bufsize", ["512"])
        try duet.waitFor { latencies($0).last == 3 * 512 }
        _ = try server.tool("jack_disconnect", ["system:capture_1", "\(client):mic"])
        try duet.waitFor { latencies($0).last == 2 * 512 }
        duet.child.signal(SIGTERM)
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// What units add to the microphone's way is told, in events and to JACK.
    @Test func theLatencyOfUnitsIsToldLive() throws {
        let server = try JackServer(waitsForClients: false)
        let duet = try start(
            ["--json", "--voice-processing", try folder.song(seconds: 60).path], on: server)
        // Three periods, two frames of the processor's and its shortest period.
        let frames = 3 * 128 + 2 * 256 + 256
        #expect(try duet.wait(for: Events.Ready.self).micLatencyFrames == frames)
        let ports = try server.tool("jack_lsp", ["-l", "\(client):out_left"])
        #expect(ports.contains("capture latency = [ \(frames - 256) \(frames - 256) ]"))
        duet.child.signal(SIGTERM)
        #expect(try duet.child.waitForExit() == .code(0))
    }

    @Test func theStatusLineShowsTheLatency() throws {
        let server = try JackServer(waitsForClients: false, period: 512)
        let duet = try start(
            Duet.statusLine + [try folder.song(seconds: 60).path], on: server, streams: .terminal)
        try duet.child.waitForOutput("ear 32 ms")
        _ = try server.tool("jack_bufsize", ["256"])
        try duet.child.waitForOutput("ear 16 ms")
        _ = try server.tool("jack_disconnect", ["system:capture_1", "\(client):mic"])
        try duet.child.waitForOutput("ear –")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }
}
