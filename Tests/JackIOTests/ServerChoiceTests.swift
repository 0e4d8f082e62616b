import Testing

@testable import JackIO

@Suite struct ServerChoiceTests {
    static let nothing = ServerChoice.Situation(
        isPipeWireLibrary: false, pipeWireAnswers: false, pipeWireLibrary: nil, hasRerun: false,
        hasPipeWire: { false }, hasJackd: { true })

    func choice(startsServer: Bool) -> ServerChoice {
        var choice = ServerChoice(name: "x")
        choice.startsServer = startsServer
        return choice
    }

    @Test func withoutAnythingAServerIsStartedUnlessForbidden() {
        #expect(choice(startsServer: true).step(Self.nothing) == .start)
        #expect(choice(startsServer: false).step(Self.nothing) == .fail(.noServer(name: "x")))
    }

    @Test func pipeWireComesFirstAndOnce() {
        var situation = Self.nothing
        situation.pipeWireAnswers = true
        #expect(choice(startsServer: true).step(situation) == .fail(.pipeWireLibraryMissing))
        situation.pipeWireLibrary = "/lib/pw"
        for startsServer in [true, false] {
            #expect(
                choice(startsServer: startsServer).step(situation) == .rerun(library: "/lib/pw"))
        }
        situation.hasRerun = true
        #expect(choice(startsServer: true).step(situation) == .fail(.pipeWireLibraryMissing))
    }

    @Test func pipeWiresLibraryCannotUseAJackd() {
        var situation = Self.nothing
        situation.isPipeWireLibrary = true
        #expect(choice(startsServer: true).step(situation) == .fail(.pipeWireNotRunning))
        situation.pipeWireAnswers = true
        #expect(
            choice(startsServer: true).step(situation) == .fail(.serverSilent(name: "x")))
    }

    /// Where no jackd is installed, the error names what this machine lacks.
    @Test(
        arguments: [
            (false, nil, .jackdMissing), (true, nil, .pipeWireLibraryMissing),
            (true, "/lib/pw", .pipeWireNotRunning),
        ] as [(Bool, String?, JackError)])
    func withoutJackdTheMissingPartIsNamed(
        hasPipeWire: Bool, library: String?, error: JackError
    ) {
        var situation = Self.nothing
        situation.pipeWireLibrary = library
        situation.hasPipeWire = { hasPipeWire }
        situation.hasJackd = { false }
        for startsServer in [true, false] {
            #expect(choice(startsServer: startsServer).step(situation) == .fail(error))
        }
    }

    /// A folder of PATH may be on a disk that hangs.
    @Test func whereItDecidesNothingPATHIsNotSearched() {
        var situation = Self.nothing
        situation.hasPipeWire = {
            Issue.record("searched"); return false
        }
        #expect(choice(startsServer: true).step(situation) == .start)
        situation.hasJackd = situation.hasPipeWire
        situation.pipeWireAnswers = true
        situation.pipeWireLibrary = "/lib/pw"
        #expect(choice(startsServer: true).step(situation) == .rerun(library: "/lib/pw"))
        situation.isPipeWireLibrary = true
        #expect(choice(startsServer: true).step(situation) == .fail(.serverSilent(name: "x")))
    }

    @Test(
        arguments: [
            ([:], []),
            (["XDG_RUNTIME_DIR": "/run/1"], ["/run/1/pipewire-0"]),
            (["XDG_RUNTIME_DIR": "/run/1", "PIPEWIRE_REMOTE": "other"], ["/run/1/other"]),
            (["XDG_RUNTIME_DIR": "/run/1", "PIPEWIRE_REMOTE": "/tmp/pw"], ["/tmp/pw"]),
            (
                ["PIPEWIRE_RUNTIME_DIR": "/run/2", "XDG_RUNTIME_DIR": "/run/1"],
                ["/run/2/pipewire-0", "/run/1/pipewire-0"]
            ),
        ] as [([String: String], [String])])
    func pipeWiresSocketIsWhereItsLibraryLooks(environment: [String: String], expected: [String]) {
        #expect(PipeWire.sockets { environment[$0] } == expected)
    }

    @Test func jackdsErrorsNameTheCause() {
        let told = """
            \u{1B}[31mERROR: Too many servers already active\u{1B}[0m

            JackServer::Open failed with -1
            Failed to open server

            """
        #expect(
            PrivateServer.cause(in: told)
                == "Too many servers already active; JackServer::Open failed with -1; "
                + "Failed to open server")
        #expect(PrivateServer.cause(in: "") == nil)
        #expect(PrivateServer.obstacle(in: told) == .otherServers)
        #expect(PrivateServer.obstacle(in: "hw:0 already in use") == .cardInUse)
        #expect(PrivateServer.obstacle(in: "Cannot lock memory") == nil)
        // A repeated line counts once, at its last place. Of many lines the last are kept, of a
        // long text the beginning.
        #expect(PrivateServer.cause(in: "a\nb\na\nc\nd\ne\nf") == "a; c; d; e; f")
        #expect(
            PrivateServer.cause(in: String(repeating: "x", count: 70_000))?.count == 500)
    }

    @Test func everyErrorIsOneLine() {
        let errors: [JackError] = [
            .noServer(name: "a"), .refused(client: "a", server: "b", status: 4),
            .portRefused(port: "a:b"), .activationFailed(step: "jack_activate", code: -1),
            .serverLost(reason: "x"), .pipeWireLibraryMissing, .pipeWireNotRunning,
            .pipeWireRestartFailed(code: 2), .jackdMissing,
            .privateServerFailed(command: "jackd", reason: "ended with code 1", log: "/tmp/l"),
            .system(attempt: "x", code: 24),
        ]
        for error in errors {
            #expect(!error.description.isEmpty && !error.description.contains("\n"))
        }
        #expect("\(errors[1])".contains("the name is taken"))
        #expect("\(errors[9])".contains("/tmp/l"))
    }
}
