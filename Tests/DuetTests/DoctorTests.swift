import Foundation
import JackIO
import TestSupport
import Testing

@testable import DuetApp

/// The lines that the doctor prints for given facts.
@Suite struct FindingTests {
    private func advice(
        _ frames: Int, known: Int? = nil, period: Int, rate: Int = 48_000, pipeWire: Bool = false
    ) -> String {
        LatencyAdvice(
            frames: frames, known: known ?? frames, period: period, rate: rate,
            isPipeWire: pipeWire
        ).text
    }

    @Test func theWayBelowFiveMillisecondsIsReckoned() {
        #expect(advice(192, period: 64) == "")
        let usual = advice(384, period: 128)
        #expect(usual.hasPrefix("3 periods of 128 at 48000 Hz; "))
        #expect(usual.contains("3 × 64 = 192 frames, 4.0 ms: jackd -d alsa -r 48000 -p 64"))
        // 240 frames are 5 ms, not less.
        #expect(advice(3 * 256 + 48, period: 256).contains("3 × 32 + 48 = 144 frames"))
        // The converters' delay may be longer than a period.
        let converters = advice(3 * 64 + 100, known: 192, period: 64)
        #expect(converters.contains("3 periods of 64 + 100"))
        #expect(converters.contains("3 × 32 + 100 = 196 frames"))
        #expect(advice(384, period: 128, pipeWire: true).contains("PIPEWIRE_QUANTUM=64/48000"))
    }

    @Test func whatNoPeriodShortensIsSaid() {
        let long = advice(3 * 64 + 250, known: 192, period: 64)
        #expect(long.contains("no period alone") && long.contains("-n 2"))
    }

    private func loop(
        _ frames: Int?, to maximum: Int? = nil, isPhysical: Bool = true
    ) -> [Finding] {
        Finding.loop(
            LoopMeasurement(
                outputs: ["system:playback_1"], microphone: "system:capture_1", refused: [],
                isPhysical: isPhysical,
                reported: JackLatency(
                    capture: LatencyRange(minimum: 64, maximum: 64),
                    playback: LatencyRange(minimum: 128, maximum: 128), sampleRate: 48_000),
                period: 64,
                roundTrip: frames.map { LatencyRange(minimum: $0, maximum: maximum ?? $0) }),
            isPipeWire: false)
    }

    @Test func whatJACKDoesNotKnowIsTheConverters() {
        let more = loop(237)
        #expect(more[0].line.hasPrefix("ok   measured round trip from system:playback_1 to"))
        #expect(more[0].line.hasSuffix("237 frames, 4.9 ms"))
        #expect(more[1].line.contains("JACK reports 192 frames of it: 64 in, 128 out"))
        #expect(more[1].line.contains("take 45 more"))
        #expect(more[1].line.contains("raise") && more[1].line.contains("-I by 22 and -O by 23"))
        #expect(loop(192)[1] == .ok("JACK reports 192 frames of it: 64 in, 128 out"))
        let less = loop(180)[1].line
        #expect(less.contains("take 12 less") && less.contains("lower"))
        #expect(less.contains("-I by 6 and -O by 6"))
        #expect(loop(237, isPhysical: false)[1].line.contains("leads through a program"))
    }

    @Test func whatAPeriodShortensIsWhatJACKKnows() {
        let long = loop(3 * 64 + 150)[0].line
        #expect(long.hasPrefix("!    ") && long.contains("342 frames, 7.1 ms: 3 periods of 64"))
        #expect(long.contains("64 + 150 at 48000 Hz; under 5 ms with 3 × 16 + 150 = 198 frames"))
        #expect(long.hasSuffix("4.1 ms: jackd -d alsa -r 48000 -p 16"))
        let tooLong = loop(1000)[0].line
        #expect(tooLong.hasPrefix("!    ") && tooLong.contains("3 periods of 64 + 808 at"))
        // A program's delay may depend on the period in any way, so there is no advice.
        for frames in [528, 1000] {
            let through = loop(frames, isPhysical: false)[0]
            #expect(through.verdict == .ok && through.advice.isEmpty)
        }
    }

    @Test func whatIsNotMeasuredIsSaid() {
        #expect(loop(nil).map(\.line).first?.contains("nothing came back") == true)
        #expect(loop(190, to: 254)[0].line.contains("190–254 frames, 5.3 ms: it varies"))
    }

    /// The lines for a loop that was not connected.
    private func open(
        _ outputs: [String], _ microphone: String?, refused: [String] = []
    ) -> String {
        let open = LoopMeasurement(
            outputs: outputs, microphone: microphone, refused: refused, isPhysical: false,
            reported: JackLatency(capture: .zero, playback: .zero, sampleRate: 48_000),
            period: 64, roundTrip: nil)
        return Finding.loop(open, isPipeWire: false).map(\.line).joined(separator: "\n")
    }

    @Test func whatWasNotConnectedIsSaid() {
        let none = "!    measured round trip: none"
        let missing = "no   measured round trip: none: there is no port "
        #expect(open([], "in:1") == missing + "to play to (--out)")
        #expect(open(["out:1"], nil) == missing + "to listen to (--mic)")
        #expect(
            open([], nil, refused: ["out:1", "in:1"])
                == none + ", the server lets no client connect itself to out:1, in:1 (jackd -a): "
                + "start it without -a to measure")
    }

    @Test func theWayToRealtimeRights() {
        func text(_ isMember: Bool, _ hasLimits: Bool) -> String {
            RealtimeAdvice(group: "audio", isMember: isMember, hasLimits: hasLimits).text
        }
        #expect(
            text(false, false)
                == "put '@audio - rtprio 95' and '@audio - memlock unlimited' into "
                + "/etc/security/limits.d/audio.conf (Debian: 'sudo dpkg-reconfigure jackd2', "
                + "yes), then 'sudo adduser $USER audio', then log in again")
        #expect(text(false, true) == "'sudo adduser $USER audio', then log in again")
        #expect(text(true, true) == "log in again")
        #expect(!text(true, false).contains("adduser"))
        var pipeWire = RealtimeAdvice(group: "pipewire", isMember: false, hasLimits: true)
        pipeWire.isPipeWire = true
        #expect(pipeWire.text.hasPrefix("install rtkit"))
        #expect(pipeWire.text.contains("adduser $USER pipewire"))
        pipeWire.hasRealtimeKit = true
        #expect(pipeWire.text.contains("systemctl status rtkit-daemon"))
    }

    @Test func theShortestCleanPeriodIsNamed() {
        func lines(_ xruns: [Int?]) -> [String] {
            Finding.periods(
                zip(PeriodTrial.periods, xruns).map { .init(period: $0, xruns: $1) },
                rate: 48_000, seconds: 10, isPipeWire: false
            ).map(\.line)
        }
        let usual = lines([3, 0, 0])
        #expect(usual[0].hasPrefix("!    period 64 (1.3 ms): 3 xruns in 10 s"))
        #expect(usual[1] == "ok   period 128 (2.7 ms): 0 xruns in 10 s")
        #expect(usual[3].contains("128; set it with: jackd -d alsa -r 48000 -p 128"))
        #expect(lines([nil, 1, 0])[0].contains("refused"))
        #expect(lines([nil, 1, 0])[3].contains("-p 256"))
        #expect(lines([1, 1, 1])[3].contains("none of these"))
    }
}

/// The doctor at a real server.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct DoctorTests {
    @Test(arguments: [["--mic", "x"], ["--out", "x"], ["--seconds", "1"]])
    func optionsGoWithTheirCheck(arguments: [String]) throws {
        let duet = try DuetProgram.run(["doctor"] + arguments)
        #expect(try duet.child.waitForExit() == .code(64))
    }

    @Test func aLoopIsMeasured() throws {
        let server = try JackServer()
        let wire = try Witness(
            ["--name", "wire", "--pass", "1", "--delay", "100", "--wait"], server: server)
        let arguments = ["doctor", "-s", server.name, "--measure"]
        let through = try DuetProgram.run(arguments + ["--out", "^wire:", "--mic", "^wire:"])
        #expect(try through.child.waitForExit() == .code(0))
        #expect(
            through.child.output.contains(
                "ok   measured round trip from wire:in_1 to wire:out_1: 228 frames, 4.8 ms\n"))
        let open = try DuetProgram.run(arguments)
        #expect(try open.child.waitForExit() == .code(0))
        #expect(open.child.output.contains("nothing came back from system:playback_1 and"))
        let missing = try DuetProgram.run(arguments + ["--mic", "no-such-port"])
        #expect(try missing.child.waitForExit() == .code(1))
        #expect(missing.child.output.contains("there is no port to listen to (--mic)"))
        let plain = try DuetProgram.run(["doctor", "-s", server.name])
        #expect(!plain.child.output.contains("measured"))
        try wire.begin()
        _ = try wire.finish()
    }

    /// A server that is busy for a moment refuses the doctor's own client once, or that of the
    /// measurement.
    @Test(arguments: ["0", "1"]) func aClientThatIsRefusedOnceStartsAnew(passing: String) throws {
        let server = try JackServer()
        let folder = try TemporaryFolder()
        let refusal = try Preload("refuse-activation", in: folder)
        try refusal.begin()
        let duet = try DuetProgram.run(
            ["doctor", "-s", server.name, "--measure"],
            environment: refusal.environment.merging(["PASS": passing]) { $1 })
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(refusal.holds)
        #expect(duet.child.output.contains("nothing came back from system:playback_1 and"))
    }

    @Test func aServerThatRefusesIsNotCalledOneWithoutPorts() throws {
        let server = try JackServer(options: ["-a", "E"])
        let duet = try DuetProgram.run(["doctor", "-s", server.name, "--measure"])
        #expect(
            duet.child.output.contains(
                "none, the server lets no client connect itself to system:playback_1, "))
        #expect(!duet.child.output.contains("there is no port"))
    }

    // The server's cycles take so long that the noise would not end before the limit.
    @Test func aServerThatDiesMeanwhileIsLost() throws {
        let server = try JackServer(driverOptions: ["-w", "50000"])
        let duet = try DuetProgram(["doctor", "-s", server.name, "--measure"])
        // The doctor prints nothing at this point, so JACK's own tool tells when it is connected.
        #expect(
            try poll {
                try server.tool("jack_lsp", ["-c", "system:capture_1"]).contains("duet-loop:mic")
            })
        server.kill()
        #expect(try duet.child.waitForExit() == .code(1))
        #expect(
            duet.child.output.hasSuffix(
                "no   JACK server: the JACK server has ended: start the server again\n"))
        #expect(!duet.child.output.contains("nothing came back"))
    }

    private func period(_ server: JackServer) throws -> String {
        try server.tool("jack_bufsize", []).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func periodsAreTriedAndPutBack() throws {
        let server = try JackServer(period: 512)
        let duet = try DuetProgram.run([
            "doctor", "-s", server.name, "--period", "--seconds", "0.2",
        ])
        #expect(try duet.child.waitForExit() == .code(0))
        for tried in [64, 128, 256] {
            #expect(duet.child.output.contains("period \(tried) ("), "\(tried)")
        }
        #expect(duet.child.output.contains("shortest period without xruns"))
        #expect(duet.child.output.hasSuffix("the period is 512 frames again\n"))
        #expect(try period(server) == "512")
    }

    // Also when two signals come at once, which happens to a stopped process (SIGSTOP). They are
    // two different signals, since a signal that is sent twice meanwhile is delivered once.
    @Test(arguments: [[SIGINT], [SIGTERM], [SIGSTOP, SIGINT, SIGTERM, SIGCONT]])
    func aStopPutsThePeriodBack(signals: [Int32]) throws {
        let server = try JackServer(period: 512)
        let duet = try DuetProgram(["doctor", "-s", server.name, "--period", "--seconds", "600"])
        #expect(try poll { try period(server) == "64" })
        for signal in signals { duet.child.signal(signal) }
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(duet.child.output.contains("not finished"))
        #expect(try period(server) == "512")
    }
}
