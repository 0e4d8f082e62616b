import Foundation
import Rig
import Testing

/// The list of songs of a running program, changed while nothing is heard, or at once after another
/// change; and songs that keys add.
@Suite(.serialized) struct ListPauseRunTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// Sends lines at once, and returns their answers.
    private func ask(_ client: LineClient, _ lines: [String]) throws -> [String] {
        client.send(lines.map { $0 + "\n" }.joined())
        return try lines.map { _ in try client.line() ?? "closed" }
    }

    /// Ends a run whose output is for people.
    private func end(_ duet: Duet) throws {
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    private func count(_ duet: Duet, _ name: String) throws -> Int {
        try duet.told.count { $0.name == name }
    }

    /// The last song waits, and is taken out; the one behind it cannot be played: the run ends, and says
    /// why.
    @Test func nothingIsLeftToWaitFor() throws {
        let broken = try stage.folder.write("broken.mp3", "no song").path
        let (duet, client) = try stage.startCommanded([
            "play", stage.song("a.mp3", seconds: 1), stage.song("b.mp3", seconds: 60), broken,
            "--between", "pause",
        ])
        try duet.wait(for: Events.Paused.self)
        #expect(
            try ask(client, ["set /list/selected 2", "trigger /list/remove"])
                == ["ok /list/selected 2", "ok /list/remove"])
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(try duet.first(Events.Failure.self)?.message ?? "" != "")
    }

    /// What is added when all is over cannot be played: all is over as before.
    @Test func whatIsAddedAtTheEndCannotBePlayed() throws {
        let broken = try stage.folder.write("broken.mp3", "no song").path
        let (duet, client) = try stage.startCommanded([
            "play", stage.song("a.mp3", seconds: 1), "--stay", "--between", "pause",
        ])
        try duet.wait(for: Events.Ended.self)
        let over = "error the songs are over"
        #expect(try poll { try client.ask("set /transport/play on") == over })
        try duet.wait(
            for: Events.Warning.self,
            after: {
                let answer = try client.ask("add \(broken)")
                #expect(answer == "ok add 2")
            })
        #expect(try poll { try client.ask("set /transport/play on") == over })
        #expect(
            try client.ask("trigger /list/remove")
                == "error no song follows the one that was heard last: it stays")
        try duet.quit(by: client)
    }

    /// A song that comes in the place of one that was taken out does not sound by itself where nothing
    /// sounded.
    @Test func removingBeginsNothingAloud() throws {
        let (duet, client) = try stage.startCommanded([
            "play", stage.song("a.mp3", seconds: 1), stage.song("b.mp3", seconds: 1), "--stay",
        ])
        try duet.waitFor { $0.all(Events.Ended.self).count == 2 }
        #expect(
            try poll { try client.ask("set /transport/play on") == "error the songs are over" })
        let playing = try count(duet, "playing")
        try duet.wait(
            for: Events.Paused.self,
            after: {
                let answers = try ask(
                    client, ["set /list/selected 2", "trigger /list/up", "trigger /list/remove"])
                #expect(answers == ["ok /list/selected 2", "ok /list/up", "ok /list/remove"])
            })
        #expect(try client.ask("get /transport/play") == "ok /transport/play off")
        #expect(try count(duet, "playing") == playing)
        try duet.wait(
            for: Events.Playing.self,
            after: {
                let answer = try client.ask("toggle /transport/play")
                #expect(answer == "ok /transport/play on")
            })
        try duet.quit(by: client)
    }

    @Test func inPauseItStaysInPause() throws {
        let (duet, client) = try stage.startCommanded([
            "play", stage.song("a.mp3"), stage.song("b.mp3"),
        ])
        try duet.wait(
            for: Events.Paused.self,
            after: {
                let answer = try client.ask("set /transport/play off")
                #expect(answer == "ok /transport/play off")
            })
        let before = try count(duet, "playing")
        #expect(try client.ask("trigger /list/remove") == "ok /list/remove")
        // It was paused before, and the song is another one: either is told.
        try duet.waitFor { events in
            let names = events.map(\.name)
            guard let start = names.lastIndex(of: "source"), names[..<start].contains("source")
            else { return false }
            return names[start...].contains { ["paused", "seeked"].contains($0) }
        }
        #expect(try client.ask("get /transport/play") == "ok /transport/play off")
        #expect(try client.ask("get /transport/position") == "ok /transport/position 0")
        #expect(try count(duet, "playing") == before)
        try duet.wait(
            for: Events.Playing.self,
            after: {
                let answer = try client.ask("toggle /transport/play")
                #expect(answer == "ok /transport/play on")
            })
        try duet.quit(by: client)
    }

    /// One change after the other, without a moment between them, means the same as with one.
    @Test func changesAtOnce() throws {
        let songs = try ["a.mp3", "b.mp3", "c.mp3", "d.mp3"].map { try stage.song($0) }
        let (duet, client) = try stage.startCommanded(["play"] + songs)
        #expect(
            try ask(
                client,
                [
                    "set /list/song 3", "get /list/song", "insert \(songs[0])",
                    "set /list/selected 3", "trigger /list/remove", "insert \(songs[1])",
                    "get /list/song",
                ])
                == [
                    "ok /list/song 3", "ok /list/song 3", "ok insert 4", "ok /list/selected 3",
                    "ok /list/remove", "ok insert 4", "ok /list/song 3",
                ])
        try duet.waitFor { events in
            let list = events.all(Events.List.self).last
            return list?.songs.map { $0.url.suffix(5) }
                == ["a.mp3", "b.mp3", "a.mp3", "b.mp3", "d.mp3"] && list?.playing == 3
        }
        try duet.quit(by: client)
    }

    /// In a mix the song that waits is named, also that of the second bus.
    @Test func theSecondSongThatWaitsIsNamed() throws {
        let list = try stage.folder.write(
            "list.m3u",
            "#EXTM3U\n#EXTINF:1,One\n\(stage.song("b.mp3", seconds: 1))\n#EXTINF:9,Her Song\n"
                + "\(stage.song("c.mp3"))\n")
        let duet = try stage.start(
            ["mix", stage.song("a.mp3"), list.path, "--plain", "--between", "pause"], events: false,
            isHeard: false)
        try duet.child.waitForOutput("next: Her Song, press space")
        try end(duet)
    }

    /// Where nothing shows what is typed, keys stay commands. A key of the user's that adds a song which
    /// is not there takes no keys either. PipeWire is looked for in the folder that is changed here.
    @Test(.disabled(if: JackServer.isPipeWire)) func keysStayCommands() throws {
        let ofTheUser = try stage.configure("keys.conf", "F5 add \(stage.path("none.mp3"))\n")
        let environment = ofTheUser.merging(["XDG_RUNTIME_DIR": stage.folder.url.path]) { $1 }
        let (duet, client) = try stage.startCommanded(
            ["sing", "--mic", "none", stage.song("a.mp3")],
            environment: environment, streams: .terminal)
        try duet.wait(for: Events.Parameter.self, after: { duet.child.type("am") })
        #expect(
            try client.ask("trigger /list/type")
                == "error cannot type a song here; use 'duet add SONG'")
        try duet.wait(for: Events.Parameter.self, after: { duet.child.type("\u{1B}[15~m") })
        #expect(try client.ask("get /mic/mute") == "ok /mic/mute off")
        try duet.quit()
    }

    /// Where what is typed is shown, such a key says why, and types nothing.
    @Test func aKeyThatAddsSaysWhyItDidNot() throws {
        let ofTheUser = try stage.configure("keys.conf", "F5 add \(stage.path("none.mp3"))\n")
        let duet = try stage.start(
            ["sing", "--mic", "none", stage.song("a.mp3"), "--plain"], events: false,
            isHeard: false, environment: ofTheUser)
        try duet.child.waitForOutput("playing 0:0")
        duet.child.type("\u{1B}[15~")
        try duet.child.waitForOutput("No such file")
        duet.child.type("m")
        try duet.child.waitForOutput("mic muted")
        #expect(!duet.child.output.contains("add a song:"))
        try end(duet)
    }

    /// A disk that hangs holds up neither the keys nor other senders of commands. The song is added when the
    /// disk has had 2 s to say whether it is there; what its sender asks for next comes after it.
    @Test func aDiskThatHangsKeepsNobodyFromTheKeys() throws {
        let preload = try Preload("hold-disk", in: stage.folder)
        let (duet, client) = try stage.startCommanded(
            ["sing", "--mic", "none", stage.song("a.mp3")],
            environment: preload.environment, streams: .terminal)
        try preload.begin()
        client.send("add \(stage.path("disk/b.mp3"))\nget /list/selected\n")
        #expect(poll { preload.holds })
        let other = try stage.commands()
        #expect(try other.ask("set /song/volume 0.5") == "ok /song/volume 0.5")
        try duet.wait(for: Events.Parameter.self, after: { duet.child.type("m") })
        #expect(try client.line() == "ok add 2" && client.line() == "ok /list/selected 1")
        #expect(preload.holds)
        preload.release()
        // What the disk says at last adds it no second time.
        #expect(try client.ask("add http://127.0.0.1:1/c.mp3") == "ok add 3")
        try duet.quit()
    }

    /// Many songs on a slow disk, pasted at once, keep nobody from the keys.
    @Test func aSlowDiskKeepsNobodyFromTheKeys() throws {
        let preload = try Preload("slow-disk", in: stage.folder)
        let duet = try stage.start(
            ["sing", "--mic", "none", stage.song("a.mp3"), "--plain"], events: false,
            isHeard: false, environment: preload.environment)
        try duet.child.waitForOutput("playing 0:0")
        try FileManager.default.createDirectory(
            atPath: stage.path("disk"), withIntermediateDirectories: false)
        let name = try stage.song("disk/b.mp3")
        let names = String(repeating: name + "\n", count: 600)
        duet.child.type("a")
        try duet.child.waitForOutput("add a song: ")
        duet.child.type("\u{1B}[200~\(names)\u{1B}[201~")
        duet.child.type("m")
        try duet.child.waitForOutput("mic muted")
        try end(duet)
    }
}
