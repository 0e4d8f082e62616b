import JackIO
import Testing

@testable import DuetApp

/// The texts that the user reads when something is wrong with JACK.
@Suite struct JackTextTests {
    private static let wire = JackWire(from: "duet:out_left", to: "fx:in")

    @Test func everyErrorIsOneLineWithAHint() {
        let errors: [JackError] = [
            .noServer(name: "a"), .serverSilent(name: "a"),
            .refused(client: "a", server: "b", status: 4), .portRefused(port: "a:b"),
            .activationFailed(step: "jack_activate", code: -1), .serverLost(reason: "x"),
            .noServerCameBack(name: "a", seconds: 1.5), .pipeWireLibraryMissing, .pipeWireSilent,
            .pipeWireRestartFailed(code: 2), .jackdMissing,
            .privateServerFailed(command: "jackd", reason: "ended with code 1", log: "/tmp/l"),
            .system(attempt: "x", code: 24),
        ]
        for error in errors.map({ DuetError($0) }) {
            #expect(!error.message.isEmpty && !error.hint.isEmpty)
            #expect(!error.line.contains("\n"))
        }
        #expect(
            DuetError(JackError.noServer(name: "a")).line
                == "no JACK server “a” is running; start one (qjackctl, or jackd), or leave out "
                + "--no-start-server and JACK_NO_START_SERVER")
        #expect(DuetError(JackError.jackdMissing).hint.contains("jackd2"))
    }

    @Test(
        arguments: [
            (nil, "start one yourself (qjackctl, or jackd)"),
            (
                .otherServers,
                "start duet again if you have just started a server; else end other servers, or "
                    + "remove /dev/shm/jack-shm-registry when none runs"
            ),
            (.cardInUse, "end the program that has the card"),
        ] as [(JackError.ServerObstacle?, String)])
    func aPrivateServersLogIsNamedOnce(
        obstacle: JackError.ServerObstacle?, advice: String
    ) {
        let error = DuetError(
            JackError.privateServerFailed(
                command: "jackd", reason: "ended with code 3", obstacle: obstacle, log: "/tmp/l"))
        #expect(error.line == "“jackd” ended with code 3; \(advice); its output is in /tmp/l")
    }

    @Test(
        arguments: [
            (
                .nameTaken(wanted: "duet", given: "duet-01"),
                "the client name “duet” is taken; this is “duet-01”"
            ),
            (
                .noMatch(.secondMicrophone, patterns: ["x"], candidates: ["a:b"]),
                "no microphone port matches “x”; connected when one appears; candidates for "
                    + "--second-mic: a:b"
            ),
            (
                .noRealtimeScheduling,
                "no realtime scheduling: expect dropouts; run 'duet doctor'"
            ),
            (
                .noSoundCard,
                "no sound card can play: the dummy server runs, and nothing will be heard"
            ),
            (
                .noPhysicalPort(.microphone, candidates: ["a:out", "b:out"]),
                "no physical microphone port; connected when one appears; candidates for --mic: "
                    + "a:out, b:out"
            ),
            (
                .noPhysicalPort(.outputs, candidates: []),
                "no physical playback pair of ports; connected when one appears"
            ),
            (
                .noMatch(.outputs, patterns: ["a", "b"], candidates: ["c:in"]),
                "no playback port matches “a”, “b”; connected when one appears; candidates for "
                    + "--out: c:in"
            ),
            (
                .portsNotBack(["a:1", "a:2"]),
                "not there yet: “a:1”, “a:2”; connected when it is"
            ),
            (
                .connectionRefused(wire),
                "connecting duet:out_left to fx:in failed: the JACK server lets no client connect "
                    + "itself (jackd -a); connect them in a patchbay"
            ),
            (
                .connectionIgnored(wire),
                "connecting duet:out_left to fx:in was ignored: the JACK server lets no client "
                    + "connect itself (jackd -a); connect them in a patchbay"
            ),
            (
                .connectionRefusedOrInactive(wire, client: "fx"),
                "connecting duet:out_left to fx:in failed: “fx” is not active yet, and connected "
                    + "when it is; or the JACK server lets no client connect itself (jackd -a), "
                    + "then connect them in a patchbay"
            ),
            (
                .serverNotBack(.jackdMissing),
                "the JACK server does not come back yet: no JACK server is running, and there is "
                    + "no jackd to start; install the package jackd2"
            ),
        ] as [(JackWarning, String)])
    func aWarningSaysWhatToDo(warning: JackWarning, text: String) {
        #expect(warning.text == text)
    }
}
