import Testing

@testable import JackIO
@testable import DuetApp

/// The doctor's report about a server.
@Suite struct FindingReportTests {
    private func lines(
        period: Int = 128, latency: Int? = 384, sources: [String] = ["system:capture_1"],
        others: [String] = [], alias: String = "alsa_pcm:hw:0:in1", hasCard: Bool = true,
        isRealtime: Bool = true, allowsRealtime: Bool = true, lockedMemory: Int = 100 << 20
    ) -> [String] {
        let half = latency.map { LatencyRange(minimum: $0 / 2, maximum: $0 / 2) }
        let report = SystemReport(
            server: "default", isPipeWire: false, libjackVersion: "1", sampleRate: 48_000,
            period: period, scheduling: ThreadScheduling(thread: nil, isServerRealtime: isRealtime),
            rights: RealtimeRights(
                allowsRealtime: allowsRealtime, group: "audio", isInGroup: false,
                hasGroupLimits: true, hasRealtimeKit: false, hasDebianJackd: true),
            lockedMemory: lockedMemory, lockedMemoryLimit: 8 << 20,
            capturePorts: sources.map { JackPort(name: $0, isPhysical: true) },
            otherSources: others.map { JackPort(name: $0) },
            playbackPorts: [
                JackPort(name: "system:playback_1", aliases: [alias], isPhysical: true)
            ],
            isDummy: alias.hasPrefix("dummy"), hasSoundCard: hasCard,
            roundTrip: half.map { JackLatency(capture: $0, playback: $0, sampleRate: 48_000) })
        let shell = ShellAdvice(
            isRoot: false, hasApt: true, hasSystemd: true, hasRuntimeFolder: true)
        return Finding.all(in: report, shell).map(\.line)
    }

    private func commands(_ lines: [String]) -> Int { lines.count { $0.contains("jackd -") } }

    @Test func aDummySaysThatNothingIsHeardAndOneCommand() {
        let dummy = lines(period: 1024, latency: 2048, alias: "dummy_pcm:dummy:in1")
        #expect(
            dummy[1] == "!    JACK uses its dummy driver: no sound\n     start it on "
                + "the sound card: jackd -d alsa -r 48000 -p 128")
        #expect(commands(dummy) == 1)
        let bare = lines(alias: "dummy_pcm:dummy:in1", hasCard: false)
        #expect(
            bare[1]
                == "!    JACK uses its dummy driver: no sound; connect a sound card")
        #expect(commands(bare) == 0)
    }

    @Test func theMicrophoneThatIsTakenIsNamed() {
        let names = (1...3).map { "system:capture_\($0)" }
        #expect(
            lines(sources: names).contains(
                "ok   microphone ports: \(names.joined(separator: ", ")); duet takes "
                    + "system:capture_1 unless --mic names another"))
        #expect(lines().contains("ok   microphone ports: system:capture_1"))
    }

    @Test func aLongPeriodGetsOneCommand() {
        let long = lines(period: 1024, latency: 2048)
        #expect(commands(long) == 1 && long.last?.contains("jackd -d alsa -r 48000 -p 64") == true)
        let unknown = lines(period: 1024, latency: nil)
        #expect(commands(unknown) == 1 && unknown[2].hasPrefix("!    period: 1024"))
    }

    @Test func aLatencyThatCannotBeIsNotKnown() {
        #expect(
            lines(latency: 0).last
                == "!    monitoring latency: unknown, JACK reports only 0 frames\n     measure it with "
                + "'duet doctor --measure'")
        #expect(lines(latency: 128).last?.contains("2.7 ms (128 frames)") == true)
    }

    /// A latency that disturbs singers is no good latency, on whichever server.
    @Test func aLongLatencyIsCalledSo() {
        for alias in ["alsa_pcm:hw:0:in1", "dummy_pcm:dummy:in1"] {
            let long = lines(period: 1024, latency: 2048, alias: alias).last
            #expect(long?.hasPrefix("!    monitoring latency: 42.7 ms") == true)
            #expect(long?.contains("\n     from 20 ms on it disturbs singers") == true)
            let short = lines(latency: 384, alias: alias).last
            #expect(short?.contains("disturbs") == false)
        }
    }

    @Test func candidatesForAMicrophoneAreNamed() {
        #expect(
            lines(sources: [], others: ["capture:capture_MONO", "synth:out"]).contains(
                "no   microphone ports: none\n     connect a microphone and select its card, or use "
                    + "another port: duet --mic NAME song.mp3 (ports: capture:capture_MONO, synth:out)"
            ))
        #expect(lines(sources: []).contains { $0.hasSuffix(": duet --mic NAME song.mp3") })
    }

    @Test func theStepsToRealtimeRightsAreSaidOnce() {
        func steps(_ lines: [String]) -> [String] { lines.filter { $0.contains("log in again") } }
        let both = lines(allowsRealtime: false, lockedMemory: 0)
        #expect(steps(both).count == 1)
        #expect(steps(both).first?.hasPrefix("!    realtime scheduling: none") == true)
        #expect(
            both.contains(
                "!    locked memory: at most 8 MiB, too little for JACK; same steps as above"
            ))
        let memory = lines(lockedMemory: 0)
        #expect(steps(memory).count == 1)
        #expect(steps(memory).first?.hasPrefix("!    locked memory") == true)
    }
}
