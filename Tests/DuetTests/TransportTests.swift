import Foundation
import TestSupport
import Testing

/// JACK's transport moves the song, or is moved by duet, to the frame.
@Suite(.serialized) struct TransportTests {
    private let server: JackServer
    private let folder: TemporaryFolder
    private let client = DuetProgram.clientName()
    private let song: NoiseSong
    /// JACK's own tool. It stays: under PipeWire what it asks for is lost when it ends at once.
    private let tool: Program

    init() throws {
        server = try JackServer(isRealtime: true)
        folder = try TemporaryFolder()
        song = try NoiseSong(in: folder, seconds: 30)
        tool = try Program(
            "/usr/bin/jack_transport", [], environment: ["JACK_DEFAULT_SERVER": server.name])
    }

    private func start(_ role: String, _ arguments: [String] = []) throws -> DuetProgram {
        try DuetProgram(
            [
                "play", song.path, "--transport", role, "--no-replay-gain", "-s", server.name,
                "-n", client, "--json",
            ] + arguments, streams: .terminal)
    }

    private func record(seconds: Int) throws -> Witness {
        try Witness(
            ["--name", DuetProgram.clientName(), "--frames", "\(seconds * 48_000)"]
                + ["left:0", "right:1"].flatMap { ["--connect-from", "\(client):out_\($0)"] },
            server: server, record: 2)
    }

    private func command(_ commands: String...) {
        tool.write(commands.map { $0 + "\n" }.joined())
    }

    /// Returns when one more event of that name has come than there are now.
    private func waitForNext(
        _ name: String, of duet: DuetProgram, after action: () throws -> Void = {}
    ) throws {
        let before = duet.events.count { $0["event"] as? String == name }
        try action()
        try duet.waitFor { events in
            events.count { $0["event"] as? String == name } > before
        }
    }

    private func end(_ duet: DuetProgram) throws {
        duet.child.type("q")
        #expect(try duet.waitForEvent("bye")["underruns"] as? Int == 0)
        #expect(try duet.child.waitForExit() == .code(0))
    }

    @Test func theSongFollows() throws {
        command("stop", "locate 0")
        let duet = try start("follow")
        // The client itself has faded in by then.
        try duet.waitForEvent("position")
        let recorder = try record(seconds: 6)
        try waitForNext("playing", of: duet) { command("play") }
        try waitForNext("position", of: duet)
        // No other place was named, so the keys have no say.
        duet.child.type(" \u{1B}[C")
        try waitForNext("paused", of: duet) { command("stop") }
        // No multiple of the period.
        try waitForNext("playing", of: duet) { command("locate 654321", "play") }
        try waitForNext("position", of: duet)
        // While it rolls: back, and beyond the end.
        try waitForNext("seeked", of: duet) { command("locate 77") }
        try waitForNext("position", of: duet)
        try waitForNext("ended", of: duet) { command("locate 9999999") }
        try waitForNext("seeked", of: duet) { command("locate 48000") }
        try waitForNext("position", of: duet)
        try waitForNext("paused", of: duet) { command("stop") }
        let heard = try song.expectTransport(recorder.finish())
        print(
            "\(heard.frames) frames at their place in \(heard.stretches) stretches, "
                + "\(heard.late) late")
        // PipeWire 0.3.65 waits for nobody when it is located while it rolls.
        #expect(heard.late == 0 || JackServer.isPipeWire)
        #expect(heard.stretches >= 4 && heard.frames > 96_000)
        try end(duet)
    }

    @Test func theSongLeads() throws {
        command("stop", "locate 4800")
        let duet = try start("lead", ["--start-at", "2"])
        try duet.waitForEvent("playing")
        try waitForNext("position", of: duet)
        let recorder = try record(seconds: 5)
        try waitForNext("position", of: duet)
        try waitForNext("paused", of: duet) { duet.child.type(" ") }
        try waitForNext("seeked", of: duet) { duet.child.type("\u{1B}[C") }
        try waitForNext("playing", of: duet) { duet.child.type(" ") }
        try waitForNext("playing", of: duet) { duet.child.type("b") }
        // Others have their say, too.
        try waitForNext("paused", of: duet) { command("stop") }
        try waitForNext("playing", of: duet) { command("locate 240000", "play") }
        let heard = try song.expectTransport(recorder.finish())
        print(
            "\(heard.frames) frames at their place in \(heard.stretches) stretches, "
                + "\(heard.late) late")
        // PipeWire 0.3.65 waits for nobody when it is located while it rolls.
        #expect(heard.late == 0 || JackServer.isPipeWire)
        #expect(heard.stretches >= 3 && heard.frames > 48_000)
        try end(duet)
        let after = try Witness(
            ["--name", DuetProgram.clientName(), "--frames", "4800"], server: server,
            record: 1)
        #expect(try after.finish().periods.allSatisfy { $0.transport == nil })
    }

    @Test(arguments: [
        ["x.mp3", "y.mp3", "--transport", "follow"], ["x.m3u", "--transport", "follow"],
        ["x.mp3", "--loop", "--transport", "lead"],
        ["x.mp3", "--start-at", "3", "--transport", "follow"], ["x.mp3", "--transport", "somehow"],
    ]) func whatHasNoPlaceInIt(arguments: [String]) throws {
        let duet = try DuetProgram(
            ["play"] + arguments + ["-s", server.name, "-n", client], streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.errors.contains("transport"))
    }
}
