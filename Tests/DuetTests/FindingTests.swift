import Testing

@testable import DuetApp
@testable import JackIO

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
        #expect(
            usual
                == "for 4.0 ms (3 × 64 frames), set the period to 64: jackd -d alsa -r 48000 -p 64")
        // 240 frames are 5 ms, not less.
        #expect(advice(3 * 256 + 48, period: 256).hasPrefix("for 3.0 ms (3 × 32 + 48 frames)"))
        // The converters' delay may be longer than a period.
        let converters = advice(3 * 64 + 100, known: 192, period: 64)
        #expect(converters.contains("(3 × 32 + 100 frames)"))
        #expect(advice(384, period: 128, pipeWire: true).contains("PIPEWIRE_QUANTUM=64/48000"))
    }

    @Test func whatNoPeriodShortensIsSaid() {
        let long = advice(3 * 64 + 250, known: 192, period: 64)
        #expect(long.contains("no period makes it less") && long.contains("-n 2"))
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
        #expect(more[1].line.contains(", 45 too few"))
        #expect(more[1].line.contains("raise") && more[1].line.contains("-I by 22 and -O by 23"))
        #expect(loop(192)[1] == .ok("JACK reports 192 frames of it: 64 in, 128 out"))
        let less = loop(180)[1].line
        #expect(less.contains(", 12 too many") && less.contains("lower"))
        #expect(less.contains("-I by 6 and -O by 6"))
        #expect(loop(237, isPhysical: false)[1].line.contains("goes through a program"))
    }

    @Test func whatAPeriodShortensIsWhatJACKKnows() {
        let long = loop(3 * 64 + 150)[0].line
        #expect(long.hasPrefix("!    ") && long.contains("342 frames, 7.1 ms\n     for 4.1 ms"))
        #expect(
            long.hasSuffix(
                "(3 × 16 + 150 frames), set the period to 16: jackd -d alsa -r 48000 -p 16"))
        let tooLong = loop(1000)[0].line
        #expect(tooLong.hasPrefix("!    ") && tooLong.contains("no period makes it less than 5 ms"))
        // A program's delay may depend on the period in any way, so there is no advice.
        for frames in [528, 1000] {
            let through = loop(frames, isPhysical: false)[0]
            #expect(through.verdict == .ok && through.advice.isEmpty)
        }
    }

    @Test func whatIsNotMeasuredIsSaid() {
        #expect(loop(nil).map(\.line).first?.contains("nothing came back") == true)
        #expect(loop(190, to: 254)[0].line.contains("190–254 frames, 5.3 ms\n     it varies"))
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
        let missing = "no   measured round trip: none, no port to "
        #expect(open([], "in:1") == missing + "play to; name one with --out")
        #expect(open(["out:1"], nil) == missing + "listen to; name one with --mic")
        #expect(
            open([], nil, refused: ["out:1", "in:1"])
                == none + ", the JACK server does not let clients connect themselves to out:1, in:1"
                + "\n     start it without -a to measure")
    }

    private func realtimeAdvice(
        isInGroup: Bool = false, hasLimits: Bool = false, hasDebianJackd: Bool = true,
        hasRealtimeKit: Bool = false, group: String = "audio", isPipeWire: Bool = false,
        isRoot: Bool = false
    ) -> String {
        let rights = RealtimeRights(
            allowsRealtime: false, group: group, isInGroup: isInGroup, hasGroupLimits: hasLimits,
            hasRealtimeKit: hasRealtimeKit, hasDebianJackd: hasDebianJackd)
        let shell = ShellAdvice(
            isRoot: isRoot, hasApt: true, hasSystemd: true, hasRuntimeFolder: true)
        return RealtimeAdvice(rights, isPipeWire: isPipeWire, shell: shell).text
    }

    @Test func realtimeRightsOnJackd() {
        #expect(
            realtimeAdvice()
                == "run 'sudo dpkg-reconfigure -p high jackd2' and answer yes, then run "
                + "'sudo usermod -aG audio $USER', then log in again")
        #expect(
            realtimeAdvice(hasLimits: true)
                == "run 'sudo usermod -aG audio $USER', then log in again")
        #expect(
            realtimeAdvice(isInGroup: true, hasDebianJackd: false)
                == "add '@audio - rtprio 95' and '@audio - memlock unlimited' to "
                + "/etc/security/limits.d/audio.conf, then log in again")
        #expect(realtimeAdvice(isInGroup: true, hasLimits: true) == "log in again")
        #expect(realtimeAdvice(isRoot: true) == "give this container CAP_SYS_NICE and CAP_IPC_LOCK")
    }

    @Test func realtimeRightsOnPipeWire() {
        #expect(
            realtimeAdvice(hasLimits: true, group: "pipewire", isPipeWire: true)
                == "run 'sudo apt install rtkit', then log in again")
        #expect(
            realtimeAdvice(
                hasLimits: true, hasRealtimeKit: true, group: "pipewire", isPipeWire: true)
                == "run 'sudo usermod -aG pipewire $USER', then log in again")
        #expect(
            realtimeAdvice(
                isInGroup: true, hasLimits: true, group: "pipewire", isPipeWire: true)
                == "log in again")
        #expect(
            realtimeAdvice(hasRealtimeKit: true, isPipeWire: true)
                == "check that rtkit-daemon runs ('systemctl status rtkit-daemon')")
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
