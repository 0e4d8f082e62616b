import Foundation
import Rig
import Testing

/// A song never closes the microphone: the end of a list, and songs that cannot be played.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct ListEndTests {
    private let stage: Stage
    /// What is in no format that is played.
    private let broken: String

    init() throws {
        stage = try Stage()
        broken = try stage.folder.write("broken.mp3", "<html>no song</html>").path
    }

    /// Singers at a terminal keep their microphone, whatever ended the list.
    @Test(
        arguments: [
            ["a", "b"], ["a", "broken"], ["list.m3u"], ["--between", "pause", "a"], ["a"],
        ])
    func aListAtATerminalStaysOpen(names: [String]) throws {
        let end = "end of \(names.last == "a" ? "song" : "list") · again: space · q quits"
        let songs = try ["a", "b"].map { ($0, try stage.song("\($0).mp3", seconds: 1)) }
        let list = songs.map(\.1).joined(separator: "\n")
        let files = Dictionary(uniqueKeysWithValues: songs + [("broken", broken)])
            .merging(["list.m3u": try stage.folder.write("list.m3u", list).path]) { $1 }
        let tmux = try stage.screen(["sing"] + names.map { files[$0] ?? $0 })
        try tmux.wait(for: end)
        for key in ["b", " "] {
            try tmux.type(key)
            try tmux.wait { $0.contains { $0.contains("▶ 0:0") } }
            try tmux.wait(for: end)
        }
        if names.contains("broken") { try tmux.wait(for: "cannot play") }
        try tmux.type("q")
        try tmux.wait(for: "stopped 0:0")
    }

    /// Another command than `sing`, `--no-stay` and `--duration` end with the songs, and so does a run in which
    /// none was heard.
    @Test(
        arguments: [
            (["sing", "--no-stay", "a"], 0), (["play", "a", "b"], 0),
            (["sing", "--no-stay", "a", "b"], 0),
            (["sing", "--no-stay", "--between", "pause", "a"], 0),
            (["sing", "broken", "broken"], 66),
        ] as [([String], Int)])
    func otherRunsEnd(words: [String], code: Int) throws {
        let files = [
            "a": try stage.song("a.mp3", seconds: 1), "b": try stage.song("b.mp3", seconds: 1),
            "broken": broken,
        ]
        let tmux = try Tmux("PS1='$ ' sh")
        let line = [Duet.path] + words.map { files[$0] ?? $0 }
        let run = line + ["-s", stage.server.name, "-n", stage.client, "--plain"]
        try tmux.type(run.joined(separator: " ") + "; echo \"exit $?.\"\n")
        try tmux.wait(for: "exit \(code).")
    }

    /// Songs that cannot be played are passed over, keep their places, and are told once each.
    @Test func nextLeadsToASongThatCanBePlayed() throws {
        let (first, last) = try (stage.song("a.mp3"), stage.song("b.mp3"))
        let (duet, client) = try stage.startCommanded(["sing", first, broken, broken, last])
        #expect(try client.ask("trigger /transport/next") == "ok /transport/next")
        try duet.waitFor { $0.all(Events.Source.self).last?.url == last }
        try duet.waitFor {
            $0.all(Events.List.self).last?.songs.map(\.state)
                == ["waiting", "refused", "refused", "playing"]
        }
        #expect(try duet.all(Events.Warning.self).count { $0.message.contains(broken) } == 2)
        #expect(try client.ask("trigger /transport/previous") == "ok /transport/previous")
        try duet.waitFor { $0.all(Events.Source.self).last?.url == first }
        try duet.quit(by: client)
    }

    /// Where none follows that can be played, the present one goes on, and the reason is told.
    @Test(arguments: ["trigger /transport/next", "set /list/song 2"])
    func aChoiceThatCannotBePlayedKeepsTheSong(command: String) throws {
        let (duet, client) = try stage.startCommanded(["sing", stage.song(), broken])
        #expect(try client.ask(command).hasPrefix("ok"))
        let warning = try duet.wait(for: Events.Warning.self) { $0.message.contains(self.broken) }
        #expect(warning.message.hasPrefix("cannot play"))
        try duet.waitFor { $0.all(Events.List.self).last?.playing == 1 }
        // It plays on: no other song began, and none was paused.
        try duet.waitFor { events in
            events.last { $0 is Events.Position }.map { $0.time > warning.time } ?? false
        }
        #expect(try duet.all(Events.Source.self).count == 1)
        #expect(try client.ask("trigger /transport/next") == "error no next song")
        try duet.quit(by: client)
    }

    /// The last song cannot be played, and is told when another one is added behind it.
    @Test func theRefusalOfALastSongIsTold() throws {
        let (duet, client) = try stage.startCommanded([
            "play", stage.song("a.mp3", seconds: 2), broken,
        ])
        try duet.waitFor { $0.all(Events.List.self).last?.songs.last?.state == "refused" }
        let next = try stage.song("b.mp3", seconds: 1)
        #expect(try client.ask("add \(next)") == "ok add 3")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.all(Events.Warning.self).count { $0.message.contains(broken) } == 1)
        #expect(try duet.all(Events.Ended.self).count == 2)
    }

    /// A song that is chosen in pause plays; one that cannot be played leaves the pause as it is.
    @Test func aChoiceInPause() throws {
        let (first, last) = try (stage.song("a.mp3"), stage.song("b.mp3"))
        let (duet, client) = try stage.startCommanded(["play", first, broken, last])
        #expect(try client.ask("set /transport/play off") == "ok /transport/play off")
        try duet.wait(for: Events.Paused.self)
        #expect(try client.ask("set /list/song 2") == "ok /list/song 2")
        try duet.wait(for: Events.Warning.self) { $0.message.contains(self.broken) }
        #expect(try client.ask("get /transport/play") == "ok /transport/play off")
        #expect(try client.ask("set /list/song 3") == "ok /list/song 3")
        try duet.waitFor { events in
            let source = events.lastIndex { ($0 as? Events.Source)?.url == last }
            return source.map { events[$0...].contains { $0 is Events.Playing } } ?? false
        }
        #expect(try client.ask("get /transport/play") == "ok /transport/play on")
        try duet.quit(by: client)
    }

    /// A server that sends a song of a minute once it is signalled.
    private func slowServer() throws -> (ScriptedServer, DispatchSemaphore) {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stage.song("b.mp3"))))
        let isHeld = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { exchange in
            isHeld.wait()
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
            exchange.send(bytes)
        }
        return (server, isHeld)
    }

    /// A pause that is pressed while a chosen song is opened holds for that song. Until it begins the
    /// place is that of the song that is heard.
    @Test func aPauseAfterAChoiceHolds() throws {
        let (web, isHeld) = try slowServer()
        defer { isHeld.signal() }
        let (duet, client) = try stage.startCommanded(["play", stage.song(), web.address()])
        #expect(try client.ask("set /transport/position 20") == "ok /transport/position 20")
        try duet.wait(for: Events.Seeked.self)
        #expect(try client.ask("trigger /transport/next") == "ok /transport/next")
        let place = try client.ask("get /transport/position").split(separator: " ").last
        // What is heard is a latency behind what was sought.
        let seconds = try #require(place.flatMap { Double($0) })
        #expect(seconds > 19)
        #expect(try client.ask("set /transport/play off") == "ok /transport/play off")
        try duet.wait(for: Events.Paused.self)
        isHeld.signal()
        try duet.waitFor { $0.all(Events.Source.self).last?.url == web.address() }
        #expect(try client.ask("get /transport/play") == "ok /transport/play off")
        #expect(try duet.all(Events.Playing.self).count <= 2)
        try duet.quit(by: client)
    }

    /// Each refusal of a last song is told, also where several become the last one in turn.
    @Test func everyRefusalIsTold() throws {
        let (duet, client) = try stage.startCommanded([
            "play", stage.song("a.mp3", seconds: 4), broken,
        ])
        try duet.waitFor { $0.all(Events.List.self).last?.songs.last?.state == "refused" }
        let other = try stage.folder.write("other.mp3", "no song, too").path
        #expect(try client.ask("add \(other)") == "ok add 3")
        try duet.waitFor { $0.all(Events.List.self).last?.songs.last?.state == "refused" }
        #expect(try client.ask("add \(stage.song("b.mp3", seconds: 1))") == "ok add 4")
        #expect(try duet.child.waitForExit() == .code(0))
        for name in [broken, other] {
            #expect(try duet.all(Events.Warning.self).count { $0.message.contains(name) } == 1)
        }
    }

    /// While the network is absent the screen says why, of which song, and counts down to the next try.
    @Test func anAbsenceIsCountedDown() throws {
        let port = try Listener.freePort()
        let tmux = try stage.screen(["sing", "http://127.0.0.1:\(port)/b.mp3"])
        for seconds in [2, 1] {
            try tmux.wait {
                $0.contains { $0.contains(": connection refused; retrying in \(seconds) s") }
            }
        }
        try tmux.type("P")
        try tmux.wait {
            $0.contains {
                $0.contains("1  b.mp3 (127.0.0.1:\(port): connection refused; retrying ")
            }
        }
        try tmux.type("q")
        try tmux.wait(for: "stopped 0:0")
    }

    /// While a chosen song is opened the present one plays on, and the screen says what it waits for.
    @Test func aChosenSongIsWaitedFor() throws {
        let (web, isHeld) = try slowServer()
        defer { isHeld.signal() }
        let tmux = try stage.screen(["sing", try stage.song("a.mp3"), web.address("b.mp3")])
        try tmux.wait { $0.contains { $0.contains("▶ 0:") } }
        try tmux.type("n")
        try tmux.wait(for: "opening b.mp3…")
        try tmux.wait { $0.contains { $0.contains("▶ 0:") } && $0[0].contains(" a.mp3") }
        isHeld.signal()
        try tmux.wait { $0.contains { $0.contains("▶ 0:0") } && $0[0].contains(" b.mp3") }
        try tmux.type("qq")
        try tmux.wait(for: "stopped 0:0")
    }
}
