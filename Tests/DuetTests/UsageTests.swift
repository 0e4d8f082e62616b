import Foundation
import TestSupport
import Testing

@testable import duet

/// The program as a whole where no sound is made.
@Suite struct UsageTests {
    @Test func aCommandBehindAnOption() throws {
        let duet = try DuetProgram.run(["-n", "x", "play", "song.mp3"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.errors.contains("the command comes first"))
    }

    @Test func wrongUsageIsOneLine() throws {
        let duet = try DuetProgram.run(["song", "--song-volume", "9"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.output.isEmpty)
        #expect(duet.complaint.count == 1)
        #expect(duet.child.errors.split(separator: "\n").count == 1)
        #expect(duet.child.errors.contains("'9'"))
    }

    @Test func theNameAloneGetsAnExample() throws {
        let duet = try DuetProgram.run([])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.complaint.count == 1)
        #expect(duet.child.errors.contains("duet demo"))
    }

    @Test func levelsAreForLiveCommands() throws {
        let duet = try DuetProgram.run(["render", "a.mp3", "-o", "b.wav", "--json", "--levels"])
        #expect(try duet.child.waitForExit() == .code(64))
    }

    @Test func wrongUsageIsAnEventToo() throws {
        let duet = try DuetProgram.run(["song", "--json", "--mic-pan", "x"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.event("error")?["code"] as? Int == 64)
        #expect((duet.event("error")?["message"] as? String)?.contains("--mic-pan") == true)
    }

    @Test(arguments: [["--version"], ["--help"], ["help", "mix"], ["sing", "-h"]])
    func answers(arguments: [String]) throws {
        let duet = try DuetProgram.run(arguments)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(!duet.child.output.isEmpty)
        #expect(duet.child.errors.isEmpty)
    }

    @Test(arguments: [[], ["--no-limiter"], ["mix"], ["play"], ["--stereo-mic"]])
    func theGraph(arguments: [String]) throws {
        let duet = try DuetProgram.run(["graph"] + arguments)
        #expect(try duet.child.waitForExit() == .code(0))
        let text = duet.child.output
        #expect(text.contains("mixer") && text.contains("guard"))
        #expect(text.contains("limiter") != arguments.contains("--no-limiter"))
        #expect(text.contains("second song") == arguments.contains("mix"))
        #expect(text.contains("mono") == !(arguments.contains { $0 != "--no-limiter" }))
        #expect(text.contains("feedback") == (arguments.isEmpty || arguments == ["--stereo-mic"]))
    }

    @Test(arguments: ["/", "/no-such-folder/song.mp3"])
    func aSongThatIsNotThereNeedsNoServer(song: String) throws {
        let duet = try DuetProgram.run(
            [song, "--no-start-server", "-s", "no-such-server", "--json"])
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(duet.event("error")?["code"] as? Int == 66)
        #expect(duet.complaint.count == 1)
    }

    @Test(arguments: [["http://host/song"], ["play", "song", "next"], ["mix", "a", "b"]])
    func withoutAServer(arguments: [String]) throws {
        let duet = try DuetProgram.run(
            arguments + ["--no-start-server", "-s", "no-such-server", "--json"],
            environment: ["JACK_NO_START_SERVER": nil, "XDG_RUNTIME_DIR": "/nowhere"])
        #expect(try duet.child.waitForExit() == .code(69))
        #expect(duet.event("error")?["code"] as? Int == 69)
        #expect(duet.complaint.count == 1)
    }

    @Test func theDoctorNamesAMissingServer() throws {
        let duet = try DuetProgram.run(
            ["doctor", "-s", "no-such-server"], environment: ["XDG_RUNTIME_DIR": "/nowhere"])
        #expect(try duet.child.waitForExit() == .code(1))
        #expect(duet.child.output.hasPrefix("no   JACK server"))
    }

    // The tests' PipeWire has no physical capture port, which the doctor says.
    @Test(.disabled(if: JackServer.isPipeWire)) func theDoctorLooksAtAServer() throws {
        let server = try JackServer()
        let duet = try DuetProgram.run(["doctor", "-s", server.name])
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(duet.child.output.contains("ok   microphone ports: system:capture_1"))
        #expect(duet.child.output.contains("ok   sample rate: 48000 Hz"))
    }

    @Test func standardInputIsOneSong() throws {
        let duet = try DuetProgram.run(["mix", "-", "-"])
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.complaint.count == 1)
        #expect(duet.child.errors.contains("standard input"))
    }
}
