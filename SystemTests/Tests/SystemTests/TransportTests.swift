import Foundation
import Rig
import Testing

/// The song follows JACK's transport, or duet leads the transport, exactly to the frame.
@Suite(.serialized) struct TransportTests {
    private let stage: Stage
    private let song: NoiseSong
    /// JACK's own tool. It keeps running: under PipeWire a request is lost when the tool ends at
    /// once.
    private let tool: Program

    init() throws {
        stage = try Stage(period: 1024)
        song = try NoiseSong(in: stage.folder, seconds: 30)
        tool = try Program(
            "/usr/bin/jack_transport", [], environment: ["JACK_DEFAULT_SERVER": stage.server.name])
        // PipeWire forgets what a client asks for that takes no part in its cycles yet.
        if JackServer.isPipeWire {
            try startTransport()
            command("stop")
        }
    }

    /// Asks until the transport rolls.
    private func startTransport() throws {
        var attempts = 0
        repeat {
            try #require(attempts < 50)
            attempts += 1
            command("locate 0", "play")
        } while try rolls().last != true
    }

    private func start(_ role: String, _ arguments: [String] = []) throws -> Duet {
        try stage.start(["play", song.path, "--transport", role, "--no-replay-gain"] + arguments)
    }

    private func record(seconds: Int) throws -> Witness {
        try Witness(recording: seconds * 48_000, of: stage.client, server: stage.server)
    }

    /// Has the tool carry out `commands`, and waits until it has.
    private func command(_ commands: String...) {
        tool.write((commands + ["help help"]).map { $0 + "\n" }.joined())
        _ = tool.line(after: "help\t")
    }

    /// Waits for a `seeked` with such a time in seconds. There may be others: of a place that was asked
    /// for before, since PipeWire rolls on while duet seeks, and of every stop, after its fade.
    private func wait(
        _ duet: Duet, toSeek seconds: ClosedRange<Double>, after action: () throws -> Void
    ) throws {
        try duet.wait(for: Events.Seeked.self, after: action) { seconds.contains($0.seconds) }
    }

    /// Whether the transport rolls in each period of the next tenth of a second.
    private func rolls() throws -> [Bool] {
        let witness = try Witness(
            ["--name", Duet.clientName(), "--frames", "4800"], server: stage.server, record: 1)
        return try witness.finish().periods.map { $0.transport != nil }
    }

    @Test func theSongFollows() throws {
        command("stop", "locate 0")
        let duet = try start("follow")
        // By then the client has faded in.
        try duet.wait(for: Events.Position.self)
        let recorder = try record(seconds: 60)
        try duet.wait(for: Events.Playing.self, after: { command("play") })
        try duet.waitForNext(Events.Position.self)
        // While duet follows the transport, the keys for pause and seek have no effect.
        duet.child.type(" \u{1B}[C")
        try duet.wait(for: Events.Paused.self, after: { command("stop") })
        // This frame is no multiple of the period.
        try duet.wait(
            for: Events.Playing.self,
            after: {
                try wait(duet, toSeek: 13...16) { command("locate 654321", "play") }
            })
        try duet.waitForNext(Events.Position.self)
        // Locates the transport while it rolls: back, and beyond the end.
        try wait(duet, toSeek: 0...2) { command("locate 77") }
        try duet.waitForNext(Events.Position.self)
        try duet.wait(for: Events.Ended.self, after: { command("locate 9999999") })
        try wait(duet, toSeek: 0.9...3) { command("locate 48000") }
        try duet.waitForNext(Events.Position.self)
        try duet.wait(for: Events.Paused.self, after: { command("stop") })
        let heard = try song.expectTransport(recorder.stop())
        // PipeWire 0.3.65 does not wait for slow clients when it is located while it rolls.
        #expect(heard.late <= (JackServer.isPipeWire ? heard.frames / 4 : 0))
        #expect(heard.stretches.count >= 4 && heard.frames > 96_000, "\(heard)")
        try duet.quit()
    }

    /// A server names a length that no song can have: the length counts as unknown, and the
    /// transport and the keys still move the song.
    @Test func theSongOfAServerThatNamesAnyLength() throws {
        // The MP3 has no header that says how long it is.
        let bytes = try Array(repeatElement(MusicFile.headerless.bytes, count: 4).joined())
        let length = "3200000000000000000"
        let web = try ScriptedServer { exchange in
            let start = exchange.rangeStart ?? 0
            let part = "Content-Range: bytes \(start)-3199999999999999999/\(length)\r\n"
            exchange.send(
                "HTTP/1.1 \(start > 0 ? "206 Partial Content\r\n\(part)" : "200 OK\r\n")"
                    + "ETag: \"1\"\r\nContent-Length: \(length)\r\n\r\n")
            exchange.send(Array(bytes.dropFirst(start)))
            exchange.waitForClient()
        }
        let duet = try stage.start(["play", web.address(), "--transport", "lead"])
        try duet.wait(for: Events.Position.self)
        try duet.wait(for: Events.Seeked.self, after: { duet.child.type("\u{1B}[C") })
        try duet.waitForNext(Events.Position.self)
        try duet.quit()
    }

    @Test func theSongLeads() throws {
        command("stop", "locate 4800")
        let duet = try start("lead", ["--start-at", "2"])
        try duet.wait(for: Events.Playing.self)
        try duet.waitForNext(Events.Position.self)
        let recorder = try record(seconds: 60)
        try duet.waitForNext(Events.Position.self)
        try duet.wait(for: Events.Paused.self, after: { duet.child.type(" ") })
        let position = try duet.all(Events.Position.self).last
        let place = try #require(position?.seconds)
        try wait(duet, toSeek: place + 4...place + 9) { duet.child.type("\u{1B}[C") }
        try duet.wait(for: Events.Playing.self, after: { duet.child.type(" ") })
        try duet.wait(
            for: Events.Playing.self,
            after: {
                try wait(duet, toSeek: 0...2) { duet.child.type("b") }
            })
        // Other programs can stop the transport too.
        try duet.wait(for: Events.Paused.self, after: { command("stop") })
        try duet.wait(
            for: Events.Playing.self,
            after: {
                try wait(duet, toSeek: 4.9...7) { command("locate 240000", "play") }
            })
        for _ in 0..<2 { try duet.waitForNext(Events.Position.self) }
        let heard = try song.expectTransport(recorder.stop())
        // PipeWire 0.3.65 does not wait for slow clients when it is located while it rolls.
        #expect(heard.late <= (JackServer.isPipeWire ? heard.frames / 4 : 0))
        #expect(heard.stretches.count >= 3 && heard.frames > 48_000, "\(heard)")
        try duet.quit()
        #expect(try rolls().allSatisfy { !$0 })
    }

    /// A song that a stalled server has delayed by seconds is in time again at once, not slowly.
    @Test func aSongThatIsLateCatchesUp() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: song.path)))
        let gate = FaultServer.Gate()
        // The server sends two seconds, and the rest when the gate opens.
        let web = try FaultServer { _ in
            [
                .head("HTTP/1.1 200 OK", ["Content-Length: \(bytes.count)"]),
                .bytes(Array(bytes[..<48_000])), .gate(gate), .bytes(Array(bytes[48_000...])),
            ]
        }
        let duet = try stage.start([
            "play", web.address(), "--transport", "lead", "--no-replay-gain",
        ])
        try duet.wait(for: Events.Underrun.self)
        try duet.waitForNext(Events.Position.self)
        let recorder = try record(seconds: 2)
        gate.open()
        try duet.wait(for: Events.Recovered.self)
        let heard = try song.expectTransport(recorder.finish(), isLate: true)
        print("heard again after \(heard.late) of \(heard.frames) frames")
        #expect(heard.late < 48_000)
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// Of two songs the shorter has ended, and sounds again when the transport goes back.
    @Test func aSongThatIsOverComesBack() throws {
        let short = try stage.folder.song("short.mp3", seconds: 1).path
        let duet = try stage.start(["mix", short, song.path, "--transport", "lead"])
        try duet.wait(for: Events.Ended.self)
        duet.child.type("\u{1B}[D")
        try duet.waitFor { $0.all(Events.Ended.self).count { $0.bus == 0 } == 2 }
        try duet.quit()
    }

    /// A leading duet stops the transport at the end of its song, but not at a key for the next
    /// song.
    @Test func theNextSongIsNone() throws {
        let duet = try start("lead")
        try duet.wait(for: Events.Playing.self)
        duet.child.type("n9")
        try duet.wait(for: Events.Parameter.self)
        try duet.quit()
        #expect(try rolls().allSatisfy { !$0 })
    }

    /// With `--transport follow` the song ends once, though the transport rolls on.
    @Test func aSongEndsOnceForWhoFollows() throws {
        command("stop", "locate 0")
        let short = try stage.folder.song("short.mp3", seconds: 2).path
        let duet = try stage.start(["play", short, "--transport", "follow"])
        try duet.wait(for: Events.Paused.self)
        try duet.wait(for: Events.Ended.self, after: { command("play") })
        try duet.waitForNext(Events.Position.self)
        try duet.waitForNext(Events.Position.self)
        let names = try duet.told.map(\.name)
        #expect(names.count { $0 == "ended" } == 1 && names.count { $0 == "playing" } == 1)
        // There may have been seeks before the end.
        #expect(!names.drop { $0 != "ended" }.contains("seeked"))
        try duet.quit()
    }

    /// A song that cannot be opened stops nobody's transport.
    @Test func aLeaderThatNeverBeganStopsNothing() throws {
        try startTransport()
        let web = try FileServer(root: stage.folder.url)
        let duet = try stage.start(
            ["play", web.url("nosuch.mp3"), "--transport", "lead", "--duration", "1"],
            streams: .pipes)
        _ = try duet.child.waitForExit()
        let after = try rolls()
        #expect(after.allSatisfy { $0 }, "\(after)")
    }

    @Test(arguments: [
        ["x.mp3", "y.mp3", "--transport", "follow"], ["x.m3u", "--transport", "follow"],
        ["x.mp3", "--loop", "--transport", "lead"],
        ["x.mp3", "--start-at", "3", "--transport", "follow"], ["x.mp3", "--transport", "somehow"],
    ]) func whatHasNoPlaceInIt(arguments: [String]) throws {
        let duet = try stage.start(["play"] + arguments, events: false, streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(64))
        #expect(duet.child.errors.contains("transport"))
    }
}
