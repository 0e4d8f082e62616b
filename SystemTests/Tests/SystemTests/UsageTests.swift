import Foundation
import Rig
import Testing

/// Uses of the whole program that make no sound.
@Suite struct UsageTests {
    @Test func aCommandBehindAnOption() throws {
        let duet = try Duet.run(["-n", "x", "play", "song.mp3"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.errors.contains("put the command first"))
    }

    @Test func wrongUsageIsOneLine() throws {
        let duet = try Duet.run(["song", "--song-volume", "9"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.output.isEmpty)
        #expect(duet.complaint.count == 1)
        #expect(duet.child.errors.split(separator: "\n").count == 1)
        #expect(duet.child.errors.contains("'9'"))
    }

    @Test func theNameAloneGetsAnExample() throws {
        let duet = try Duet.run([])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.complaint.count == 1)
        #expect(duet.child.errors.contains("duet demo"))
    }

    @Test func levelsAreForLiveCommands() throws {
        let duet = try Duet.run(["render", "a.mp3", "-o", "b.wav", "--json", "--levels"])
        #expect(try duet.child.waitForExit() == .code(64))
    }

    @Test func wrongUsageIsAnEventToo() throws {
        let duet = try Duet.run(["song", "--json", "--mic-pan", "x"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(try duet.first(Events.Failure.self)?.code == 64)
        #expect(try (duet.first(Events.Failure.self)?.message)?.contains("--mic-pan") == true)
    }

    @Test(arguments: [["--version"], ["--help"], ["--help-all"], ["help", "mix"], ["sing", "-h"]])
    func answers(arguments: [String]) throws {
        let duet = try Duet.run(arguments)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(!duet.child.output.isEmpty)
        #expect(duet.child.errors.isEmpty)
    }

    @Test func helpOnACommandThatIsNotThere() throws {
        let duet = try Duet.run(["help", "redner"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.output.isEmpty && duet.complaint.count == 1)
        #expect(duet.child.errors.contains("no command 'redner'; did you mean render?"))
    }

    /// What is nearly a command would be a song, and with options of the command a wrong use of
    /// another.
    @Test(arguments: [
        (["rendr", "song.mp3", "-o", "a.wav"], "no command or song 'rendr'; did you mean render?"),
        (["doctr"], "did you mean doctor?"), (["ad", "song.mp3", "--json"], "did you mean add"),
    ])
    func aCommandThatIsMistyped(arguments: [String], hint: String) throws {
        let duet = try Duet.run(arguments)
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.complaint.count == 1 && duet.child.errors.contains(hint), "\(duet.complaint)")
    }

    /// A file that is there, a path, and what only resembles `sing`, are songs.
    @Test(arguments: [("plays", 69), ("./doctr", 66), ("song", 66), ("banana", 66)])
    func aSongThatResemblesACommand(song: String, code: Int32) throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder.url.appendingPathComponent("plays"))
        let duet = try ChildProcess(
            "/bin/bash",
            [
                "-c", "cd \(folder.url.path) && exec \"$@\"", "bash", Duet.path, song,
                "-s", "no-such-server",
            ], environment: ["JACK_NO_START_SERVER": "1", "XDG_RUNTIME_DIR": "/nowhere"])
        #expect(try duet.waitForExit() == .code(code), "\(duet.errors)")
    }

    /// The number behind the option would be a song; an option that the command has not is named
    /// first.
    @Test(arguments: [
        (["play", "--remove-vocals", "60", "song.mp3"], "write --remove-vocals=60"),
        (["render", "--remove-vocals", "60", "song.mp3", "-o", "a.wav"], "--remove-vocals=60"),
        (["--duck", "-5", "song.mp3"], "write --duck=-5"),
        (["--duck", "5", "song.mp3"], "--duck: use -40…0 dB or off, not '5'"),
        (
            ["play", "--duck", "5", "song.mp3"],
            "'duet play' has no microphone; use --duck with 'duet sing'"
        ),
    ])
    func aNumberThatWouldBeASong(arguments: [String], hint: String) throws {
        let duet = try Duet.run(arguments)
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.complaint.count == 1 && duet.child.errors.contains(hint), "\(duet.complaint)")
    }

    @Test(arguments: [
        ["graph"], ["--version"], ["--help"], ["doctor", "-s", "no-such-server"],
    ])
    func aFullDiskIsAnError(arguments: [String]) throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(full) }
        let duet = try ChildProcess(
            Duet.path, arguments,
            environment: ["JACK_NO_START_SERVER": "1", "XDG_RUNTIME_DIR": "/nowhere"],
            streams: .output(full))
        #expect(try duet.waitForExit() == .code(74))
        #expect(
            duet.errors == "duet: cannot write to standard output: No space left on device\n")
    }

    @Test(arguments: [["-"], ["play", "a.mp3", "-"], ["render", "-", "-o", "a.wav"]])
    func aTerminalIsNoSong(arguments: [String]) throws {
        let duet = try Duet(
            arguments + (arguments[0] == "render" ? [] : ["-s", "no-such-server"]),
            streams: .terminal)
        try duet.child.waitForOutput { text in
            text.contains("it is this terminal, from which no song comes; ")
                && text.contains("duet - < song.mp3")
        }
        #expect(try duet.child.waitForExit() == .code(64))
    }

    // The name -dash.mp3 holds -h, which must not count as a call for help.
    @Test(arguments: [
        ["-dash.mp3"], ["play", "-dash.mp3"], ["render", "-dash.mp3", "-o", "a.wav"],
    ])
    func aDashBeforeAName(arguments: [String]) throws {
        let duet = try Duet.run(arguments)
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.complaint.count == 1 && duet.child.output.isEmpty)
        #expect(duet.child.errors.contains("for a file, write ./-dash.mp3"))
        let told = try Duet.run(["-s", "no-such-server", "--", "-dash.mp3"])
        #expect(try told.child.waitForExit() == .code(66))
    }

    @Test(arguments: [[], ["--no-limiter"], ["mix"], ["play"], ["--stereo-mic"]])
    func theGraph(arguments: [String]) throws {
        let duet = try Duet.run(["graph"] + arguments)
        #expect(try duet.child.waitForExit() == .code(0))
        let text = duet.child.output
        #expect(text.contains("mixer") && text.contains("guard"))
        #expect(
            text.contains("limiter (latency 0 frames, bypassed)")
                == arguments.contains("--no-limiter"))
        #expect(text.contains("second song") == arguments.contains("mix"))
        #expect(text.contains("mono") == !(arguments.contains { $0 != "--no-limiter" }))
        #expect(text.contains("feedback") == !["mix", "play"].contains(arguments.first))
    }

    /// An address that the vocabulary has, and this command has not.
    @Test func aValueOfASourceThatIsNotThere() throws {
        let duet = try Duet.run(["graph", "play", "--set", "/mic/pan=0"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.errors.contains("--set: no address /mic/pan; did you mean "))
        let mix = try Duet.run(["graph", "mix", "--set", "/second/pan=left"])
        #expect(try mix.child.waitForExit() == .code(0))
    }

    @Test func theAddresses() throws {
        let duet = try Duet.run(["addresses"])
        #expect(try duet.child.waitForExit() == .code(0))
        let lines = duet.child.output.split(separator: "\n")
        #expect(
            lines.contains { $0.hasPrefix("/out/limiter/ceiling ") && $0.hasSuffix("-60…0 dB") })
        let json = try Duet.run(["addresses", "--json"])
        let found = try #require(
            JSONSerialization.jsonObject(with: Data(json.child.output.utf8)) as? [[String: Any]])
        let law = try #require(found.first { $0["address"] as? String == "/out/pan-law" })
        #expect(lines.count == found.count)
        // What belongs to the run and to no unit has values of its own.
        let names = found.filter { $0["unit"] as? String != "trigger" }
            .compactMap { $0["address"] as? String }
            .filter { name in
                !["/transport/", "/list/", "/strip", "/record", "/take/"].contains {
                    name.hasPrefix($0)
                }
            }
        #expect(Set(names) == Set((Address.ofFour + Address.ofMix).map(\.name)))
        #expect(law["choices"] as? [String] == ["constant-power", "linear", "balance"])
        #expect(law["default"] as? String == "constant-power")
        #expect(found.last?["unit"] as? String == "trigger")
    }

    @Test(arguments: ["/media", "/no-such-folder/song.mp3"])
    func aSongThatIsNotThereNeedsNoServer(song: String) throws {
        let duet = try Duet.run(
            [song, "--no-start-server", "-s", "no-such-server", "--json"])
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(try duet.first(Events.Failure.self)?.code == 66)
        #expect(duet.complaint.count == 1)
    }

    @Test(arguments: [["http://host/song"], ["play", "song", "next"], ["mix", "a", "b"]])
    func withoutAServer(arguments: [String]) throws {
        let duet = try Duet.run(
            arguments + ["--no-start-server", "-s", "no-such-server", "--json"],
            environment: ["JACK_NO_START_SERVER": nil, "XDG_RUNTIME_DIR": "/nowhere"])
        #expect(try duet.child.waitForExit() == .code(69))
        #expect(try duet.first(Events.Failure.self)?.code == 69)
        #expect(duet.complaint.count == 1)
    }

    /// Neither a server nor a jackd to start: what is to be installed or started is said at once.
    @Test func withoutJackdTheNextStepIsNamed() throws {
        let environment = [
            "JACK_NO_START_SERVER": nil, "XDG_RUNTIME_DIR": nil, "DBUS_SESSION_BUS_ADDRESS": nil,
            "PATH": "/nowhere",
        ]
        let duet = try Duet.run(["demo", "-s", "no-such-server"], environment: environment)
        #expect(try duet.child.waitForExit() == .code(69))
        let complaint = try #require(duet.complaint.first)
        let hasPipeWire = ["lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64", "lib"].contains
        {
            access("/usr/\($0)/pipewire-0.3/jack/libjack.so.0", R_OK) == 0
        }
        #expect(
            complaint.contains(
                hasPipeWire
                    ? "PipeWire is not running; " : "jackd is not installed; "), "\(complaint)")
        let doctor = try Duet.run(["doctor", "-s", "no-such-server"], environment: environment)
        #expect(try doctor.child.waitForExit() == .code(1))
        // The same words, in two places.
        let advice = complaint.split(separator: "; ").last.map {
            $0.trimmingCharacters(in: .newlines)
        }
        #expect(doctor.child.output.contains(try #require(advice)), "\(doctor.child.output)")
    }

    @Test func theDoctorNamesAMissingServer() throws {
        let duet = try Duet.run(
            ["doctor", "-s", "no-such-server"], environment: ["XDG_RUNTIME_DIR": "/nowhere"])
        #expect(try duet.child.waitForExit() == .code(1))
        #expect(duet.child.output.hasPrefix("no   JACK server"))
    }

    // The tests' PipeWire has no physical capture port, which the doctor says.
    @Test(.disabled(if: JackServer.isPipeWire)) func theDoctorLooksAtAServer() throws {
        let server = try JackServer()
        let duet = try Duet.run(["doctor", "-s", server.name])
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(duet.child.output.contains("ok   microphone ports: system:capture_1"))
        #expect(duet.child.output.contains("ok   sample rate: 48000 Hz"))
    }

    @Test func standardInputIsOneSong() throws {
        let duet = try Duet.run(["mix", "-", "-"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.complaint.count == 1)
        #expect(duet.child.errors.contains("standard input"))
    }
}
