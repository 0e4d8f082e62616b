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
            .noServerCameBack(name: "a", seconds: 1.5), .pipeWireLibraryMissing,
            .pipeWireNotRunning,
            .pipeWireRestartFailed(code: 2), .jackdMissing,
            .privateServerFailed(command: "jackd", reason: "ended with code 1", log: "/tmp/l"),
            .system(attempt: "x", code: 24), .graph(.hasDriver), .alreadyActive(client: "a"),
            .closed(client: "a"),
        ]
        for error in errors.map({ DuetError($0) }) {
            #expect(!error.message.isEmpty && !error.hint.isEmpty)
            #expect(!error.line.contains("\n"))
        }
        #expect(
            DuetError(JackError.noServer(name: "a")).line
                == "no JACK server 'a' is running; start one with qjackctl or jackd, or leave out "
                + "--no-start-server and JACK_NO_START_SERVER")
    }

    /// The hint names a command that this user can type on this machine.
    @Test(
        arguments: [
            (
                ShellAdvice(
                    isRoot: false, hasApt: true, hasSystemd: true, hasJackd: false,
                    hasRuntimeFolder: true),
                [
                    "run 'sudo apt install jackd2'",
                    "run 'sudo apt install pipewire-jack'",
                    "run 'systemctl --user start pipewire wireplumber', or install a JACK server: "
                        + "sudo apt install jackd2",
                ]
            ),
            (
                ShellAdvice(
                    isRoot: true, hasApt: true, hasSystemd: true, hasJackd: true,
                    hasRuntimeFolder: false),
                [
                    "run 'apt install jackd2'", "run 'apt install pipewire-jack'",
                    "run duet as an ordinary user: PipeWire does not run as root",
                ]
            ),
            (
                ShellAdvice(
                    isRoot: false, hasApt: false, hasSystemd: false, hasJackd: false,
                    hasRuntimeFolder: false),
                [
                    "install jackd2", "install pipewire-jack",
                    "set XDG_RUNTIME_DIR, then start pipewire and wireplumber, or install a JACK "
                        + "server",
                ]
            ),
        ])
    func aHintFitsTheMachine(shell: ShellAdvice, hints: [String]) {
        let errors: [JackError] = [.jackdMissing, .pipeWireLibraryMissing, .pipeWireNotRunning]
        #expect(errors.map { $0.hint(shell) } == hints)
    }

    @Test(
        arguments: [
            (nil, "start a server yourself, with qjackctl or jackd"),
            (
                .otherServers,
                "if you have just started a server, start duet again; else stop other JACK "
                    + "servers, or remove /dev/shm/jack-shm-registry if none runs"
            ),
            (.cardInUse, "close the program that uses the sound card"),
        ] as [(JackError.ServerObstacle?, String)])
    func aPrivateServersLogIsNamedOnce(
        obstacle: JackError.ServerObstacle?, advice: String
    ) {
        let error = DuetError(
            JackError.privateServerFailed(
                command: "jackd", reason: "ended with code 3", obstacle: obstacle, log: "/tmp/l"))
        #expect(error.line == "'jackd' ended with code 3; \(advice); its output is in /tmp/l")
    }

    @Test(
        arguments: [
            (
                .nameTaken(wanted: "duet", given: "duet-01"),
                "the client name 'duet' is taken; using 'duet-01'"
            ),
            (
                .noMatch(.microphone(2), patterns: ["x"], candidates: ["a:b"]),
                "no microphone port matches 'x'; connects when one appears; for "
                    + "--second-mic try a:b"
            ),
            (
                .noMatch(.microphone(4), patterns: ["x"], candidates: ["a:b"]),
                "no microphone port matches 'x'; connects when one appears; for "
                    + "--fourth-mic try a:b"
            ),
            (
                .noRealtimeScheduling,
                "no realtime scheduling: expect dropouts; run 'duet doctor'"
            ),
            (
                .noSoundCard,
                "no sound card can play; JACK uses its dummy driver, without sound"
            ),
            (
                .noPhysicalPort(.microphone(1), candidates: ["a:out", "b:out"]),
                "no physical microphone port; connects when one appears; for --mic try "
                    + "a:out, b:out"
            ),
            (
                .noPhysicalPort(.outputs, candidates: []),
                "no pair of physical playback ports; connects when one appears"
            ),
            (
                .noMatch(.outputs, patterns: ["a", "b"], candidates: ["c:in"]),
                "no playback port matches 'a', 'b'; connects when one appears; for "
                    + "--out try c:in"
            ),
            (
                .portsNotBack(["a:1", "a:2"]),
                "'a:1', 'a:2' not found; connects when it appears"
            ),
            (
                .connectionRefused(wire),
                "cannot connect duet:out_left to fx:in: the JACK server does not let clients "
                    + "connect themselves (jackd -a); connect them in a patchbay"
            ),
            (
                .connectionIgnored(wire),
                "could not connect duet:out_left to fx:in: the JACK server does not let clients "
                    + "connect themselves (jackd -a); connect them in a patchbay"
            ),
            (
                .connectionRefusedOrInactive(wire, client: "fx"),
                "cannot connect duet:out_left to fx:in: 'fx' is not active yet (connects when "
                    + "it is), or the JACK server does not let clients connect themselves (jackd "
                    + "-a); then connect them in a patchbay"
            ),
            (
                .serverNotBack(.serverLost(reason: "it has ended")),
                "the JACK server is not back yet: it has ended; start the server again"
            ),
        ] as [(JackWarning, String)])
    func aWarningSaysWhatToDo(warning: JackWarning, text: String) {
        #expect(warning.text == text)
    }
}
