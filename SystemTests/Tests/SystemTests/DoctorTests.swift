import Foundation
import Rig
import Testing

/// The doctor at a real server.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct DoctorTests {
    @Test(arguments: [["--out", "x"], ["--seconds", "1"]])
    func optionsGoWithTheirCheck(arguments: [String]) throws {
        let duet = try Duet.run(["doctor"] + arguments)
        #expect(try duet.child.waitForExit() == .code(64))
    }

    @Test func aLoopIsMeasured() throws {
        let server = try JackServer()
        let wire = try Witness(
            ["--name", "wire", "--pass", "1", "--delay", "100", "--wait"], server: server)
        let arguments = ["doctor", "-s", server.name, "--measure"]
        let through = try Duet.run(arguments + ["--out", "^wire:", "--mic", "^wire:"])
        #expect(try through.child.waitForExit() == .code(0))
        #expect(
            through.child.output.contains(
                "ok   measured round trip from wire:in_1 to wire:out_1: 228 frames, 4.8 ms\n"))
        let open = try Duet.run(arguments)
        #expect(try open.child.waitForExit() == .code(0))
        #expect(open.child.output.contains("nothing came back from system:playback_1 and"))
        let missing = try Duet.run(arguments + ["--mic", "no-such-port"])
        #expect(try missing.child.waitForExit() == .code(1))
        #expect(missing.child.output.contains("none, no port to listen to; name one with --mic"))
        let plain = try Duet.run(["doctor", "-s", server.name])
        #expect(!plain.child.output.contains("measured"))
        try wire.begin()
        _ = try wire.finish()
    }

    /// Takes use what was measured; a measurement of the same path takes the place of the older one.
    @Test func aMeasuredRoundTripIsKept() throws {
        let server = try JackServer()
        let folder = try TemporaryFolder()
        let cable = try Witness(cable: "cable", delay: 100, server: server)
        defer { try? cable.end() }
        func measure(_ state: String) throws -> Duet {
            try Duet.run(
                [
                    "doctor", "-s", server.name, "--measure", "--out", "^cable:", "--mic",
                    "^cable:",
                ], environment: ["XDG_STATE_HOME": folder.url.path + state])
        }
        for _ in 0..<2 {
            let duet = try measure("/state")
            #expect(try duet.child.waitForExit() == .code(0))
            // The cable declares its delay right.
            #expect(duet.output.contains("cable:out_1: 228 frames, 4.8 ms\n"))
            #expect(duet.output.contains("ok   JACK reports 228 frames of it: 128 in, 100 out\n"))
            #expect(duet.output.contains("ok   saved; takes on these ports use these 228 frames\n"))
        }
        let file = folder.url.appendingPathComponent("state/duet/round-trips")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(
            lines.dropFirst() == [
                "frames=228 reported=228 out=cable:in_1 out=cable:in_2 mic=cable:out_1 rate=48000 "
                    + "period=128 driver=jackd"
            ])
        let facts = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(facts[.posixPermissions] as? Int == 0o600)
        // A folder in which nothing can be written, for root neither.
        try folder.write("file", "")
        let unkept = try measure("/file")
        #expect(try unkept.child.waitForExit() == .code(0))
        #expect(unkept.output.contains("cable:out_1: 228 frames"))
        #expect(unkept.output.contains("!    the round trip is not saved: cannot write "))
    }

    /// A server that is busy for a moment refuses the doctor's own client once, or that of the
    /// measurement.
    @Test(arguments: ["0", "1"]) func aClientThatIsRefusedOnceStartsAnew(passing: String) throws {
        let server = try JackServer()
        let folder = try TemporaryFolder()
        let refusal = try Preload("refuse-activation", in: folder)
        try refusal.begin()
        let duet = try Duet.run(
            ["doctor", "-s", server.name, "--measure"],
            environment: refusal.environment.merging(["PASS": passing]) { $1 })
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(refusal.holds)
        #expect(duet.child.output.contains("nothing came back from system:playback_1 and"))
    }

    @Test func aServerThatRefusesIsNotCalledOneWithoutPorts() throws {
        let server = try JackServer(options: ["-a", "E"])
        let duet = try Duet.run(["doctor", "-s", server.name, "--measure"])
        #expect(
            duet.child.output.contains(
                "none, the JACK server does not let clients connect themselves to system:playback_1"
            ))
        #expect(!duet.child.output.contains("no port to"))
    }

    // The server's cycles take so long that the noise would not end before the limit.
    @Test func aServerThatDiesMeanwhileIsLost() throws {
        let server = try JackServer(driverOptions: ["-w", "50000"])
        let duet = try Duet(["doctor", "-s", server.name, "--measure"])
        // The doctor prints nothing at this point, so JACK's own tool tells when it is connected.
        #expect(
            try poll {
                try server.tool("jack_lsp", ["-c", "system:capture_1"]).contains("duet-loop:mic")
            })
        server.kill()
        #expect(try duet.child.waitForExit() == .code(1))
        #expect(
            duet.child.output.hasSuffix(
                "no   JACK server: the JACK server has ended; start the server again\n"))
        #expect(!duet.child.output.contains("nothing came back"))
    }

    private func period(_ server: JackServer) throws -> String {
        try server.tool("jack_bufsize", []).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func periodsAreTriedAndPutBack() throws {
        let server = try JackServer(period: 512)
        let duet = try Duet.run([
            "doctor", "-s", server.name, "--period", "--seconds", "0.2",
        ])
        #expect(try duet.child.waitForExit() == .code(0))
        for tried in [64, 128, 256] {
            #expect(duet.child.output.contains("period \(tried) ("), "\(tried)")
        }
        #expect(duet.child.output.contains("shortest period without xruns"))  // or that none is
        #expect(duet.child.output.hasSuffix("the period is 512 frames again\n"))
        #expect(try period(server) == "512")
    }

    // Also when two signals come at once, which happens to a stopped process (SIGSTOP). They are
    // two different signals, since a signal that is sent twice meanwhile is delivered once.
    @Test(arguments: [[SIGINT], [SIGTERM], [SIGSTOP, SIGINT, SIGTERM, SIGCONT]])
    func aStopPutsThePeriodBack(signals: [Int32]) throws {
        let server = try JackServer(period: 512)
        let duet = try Duet(["doctor", "-s", server.name, "--period", "--seconds", "600"])
        #expect(try poll { try period(server) == "64" })
        for signal in signals { duet.child.signal(signal) }
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(duet.child.output.contains("the test of periods was stopped"))
        #expect(try period(server) == "512")
    }

    @Test func aDummyIsKnownByItsPorts() throws {
        let server = try JackServer(period: 1024)
        let duet = try Duet.run(["doctor", "-s", server.name])
        #expect(try duet.child.waitForExit() == .code(0))
        let lines = duet.child.output.split(separator: "\n")
        #expect(lines[1].hasPrefix("!    JACK uses its dummy driver: no sound"))
        #expect(lines.count { $0.contains("jackd -") } <= 1, "\(duet.child.output)")
    }

    /// This PipeWire has two nodes: a stereo sink, and a mono source without hardware.
    @Test func pipeWiresNodesAreWhatTheyAre() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../scripts/pipewire-headless").standardizedFileURL.path
        let duet = try Program(script, [Duet.path, "doctor"])
        _ = duet.line(after: "the end")
        #expect(duet.waitForEnd() == 1)
        #expect(
            duet.lines.contains("ok   playback ports: playback:playback_FL, playback:playback_FR"))
        #expect(duet.lines.contains { $0.hasSuffix("song.mp3 (ports: capture:capture_MONO)") })
    }
}
