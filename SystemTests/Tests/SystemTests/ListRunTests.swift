import Foundation
import Rig
import Testing

/// The list of songs of a running program, changed by commands.
@Suite(.serialized) struct ListRunTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// The names of the songs in a `list` event.
    private static func names(_ list: Events.List?) -> [String] {
        (list?.songs ?? []).map { $0.url.split(separator: "/").last.map(String.init) ?? "" }
    }

    /// Waits until the list is told so: the names of its songs, and the number of the one that plays.
    private func waitForList(_ duet: Duet, _ names: [String], playing: Int) throws {
        try duet.waitFor { events in
            let list = events.all(Events.List.self).last
            return Self.names(list) == names && list?.playing == playing
                && list?.count == names.count
        }
    }

    @Test func theLastChangeIsReportedAtTheEnd() throws {
        let song = try stage.song("a.mp3")
        let (duet, client) = try stage.startCommanded(["play", song])
        for number in 2...9 { #expect(try client.ask("add \(song)") == "ok add \(number)") }
        #expect(try client.ask("trigger /quit") == "ok /quit")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try duet.all(Events.List.self).last?.count == 9)
    }

    @Test func theListIsChanged() throws {
        let songs = try ["a.mp3", "b.mp3", "c.mp3"].map { try stage.song($0) }
        let (duet, client) = try stage.startCommanded(["play", songs[0], songs[1]])
        try waitForList(duet, ["a.mp3", "b.mp3"], playing: 1)
        #expect(try client.ask("add \(songs[2])") == "ok add 3")
        try waitForList(duet, ["a.mp3", "b.mp3", "c.mp3"], playing: 1)
        // As users name it, spaces and all; a name relative to the program's folder.
        let spaced = try stage.song("d e.mp3")
        #expect(try client.ask("insert   \(spaced) ") == "ok insert 2")
        try waitForList(duet, ["a.mp3", "d e.mp3", "b.mp3", "c.mp3"], playing: 1)
        #expect(try client.ask("get /list/song") == "ok /list/song 1")
        #expect(try client.ask("get /list/selected") == "ok /list/selected 1")
        #expect(try client.ask("set /list/selected 4") == "ok /list/selected 4")
        #expect(try client.ask("trigger /list/up") == "ok /list/up")
        #expect(try client.ask("get /list/selected") == "ok /list/selected 3")
        try waitForList(duet, ["a.mp3", "d e.mp3", "c.mp3", "b.mp3"], playing: 1)
        #expect(try client.ask("trigger /list/down") == "ok /list/down")
        #expect(
            try client.ask("trigger /list/down") == "error the song is the last of the list already"
        )
        #expect(try client.ask("adjust /list/selected 9") == "ok /list/selected 4")
        #expect(try client.ask("trigger /list/play") == "ok /list/play")
        try waitForList(duet, ["a.mp3", "d e.mp3", "b.mp3", "c.mp3"], playing: 4)
        #expect(
            try client.ask("trigger /list/remove")
                == "error no song follows the one that plays: it stays")
        #expect(try client.ask("set /list/song 5") == "error there is no song 5: the list has 4")
        #expect(try client.ask("set /list/song 1") == "ok /list/song 1")
        try duet.waitFor { $0.all(Events.List.self).last?.playing == 1 }
        #expect(
            try client.ask("adjust /list/song -1")
                == "error the song is the first of the list already")
        #expect(try client.ask("set /list/song 2") == "ok /list/song 2")
        try waitForList(duet, ["a.mp3", "d e.mp3", "b.mp3", "c.mp3"], playing: 2)
        // The one that plays is removed: the next begins.
        #expect(try client.ask("set /list/selected 2") == "ok /list/selected 2")
        #expect(try client.ask("trigger /list/remove") == "ok /list/remove")
        try waitForList(duet, ["a.mp3", "b.mp3", "c.mp3"], playing: 2)
        // The song in the place of one that was removed is selected, whatever is added.
        for (line, answer) in [
            ("set /list/selected 3", "set 3"), ("insert \(songs[0])", "3"),
            ("get /list/selected", "4"),
            ("trigger /list/remove", ""), ("add \(songs[2])", "4"), ("get /list/selected", "3"),
            ("trigger /list/remove", ""), ("set /list/selected 1", "1"),
        ] {
            let said = try client.ask(line)
            #expect(said.hasPrefix("ok") && said.hasSuffix(answer.suffix(1)), "\(line): \(said)")
        }
        try waitForList(duet, ["a.mp3", "b.mp3", "c.mp3"], playing: 2)
        #expect(try client.ask("trigger /transport/next") == "ok /transport/next")
        try waitForList(duet, ["a.mp3", "b.mp3", "c.mp3"], playing: 3)
        #expect(
            try duet.all(Events.List.self).last?.songs.map(\.state)
                == ["waiting", "waiting", "playing"])
        #expect(try client.ask("trigger /transport/next") == "error no next song")
        for (line, answer) in [
            ("add -", "standard input (-) works only on the command line"),
            ("add \(stage.path("none.mp3"))", "none.mp3"), ("add ftp://host/x.mp3", "ftp"),
            ("add", "use add SONG"), ("insert ", "use insert SONG"),
            ("set /list/song 0", "use 1…20000, not '0'"), ("toggle /list/selected", "only"),
        ] {
            let said = try client.ask(line)
            #expect(said.hasPrefix("error") && said.contains(answer), "\(line): \(said)")
        }
        try duet.quit(by: client)
    }

    /// What is added when all songs are over begins at once.
    @Test func whatIsAddedToSongsThatAreOverPlays() throws {
        let (duet, client) = try stage.startCommanded([
            "play", stage.song("a.mp3", seconds: 1), "--stay",
        ])
        try duet.wait(for: Events.Ended.self)
        let second = try stage.song("b.mp3")
        try duet.wait(
            for: Events.Playing.self,
            after: {
                let answer = try client.ask("add \(second)")
                #expect(answer == "ok add 2")
            })
        try waitForList(duet, ["a.mp3", "b.mp3"], playing: 2)
        try duet.quit(by: client)
    }

    /// A list has 10,000 songs; what is more is refused, the song plays on, and events stay small.
    @Test func aFloodOfSongs() throws {
        _ = try stage.song("a.mp3", seconds: 120)
        let long = String(repeating: "./", count: 300) + "a.mp3"
        // Most of them come with a playlist: each that is added has the whole list copied. Events tell
        // of the songs near the one that plays, whose names are long.
        let given = LongTests.areRun ? 1 : 19_000
        let names = (0..<given).map { $0 < 150 ? long : "a.mp3" }
        let playlist = stage.path("songs.m3u")
        try names.joined(separator: "\n")
            .write(toFile: playlist, atomically: true, encoding: .utf8)
        let (duet, client) = try stage.startCommanded(["play", playlist])
        let count = LongTests.areRun ? 100_000 : 20_000
        let line = "add \(stage.path(long))\n"
        let sender = Thread { for _ in 0..<count { client.send(line) } }
        sender.start()
        var accepted = 0
        for _ in 0..<count {
            let answer = try client.line() ?? "closed"
            if answer.hasPrefix("ok add ") {
                accepted += 1
            } else {
                #expect(answer == "error the list has 20000 songs, and no room")
                guard answer.hasPrefix("error the list") else { break }
            }
        }
        #expect(accepted == 20_000 - given)
        try duet.waitFor { $0.all(Events.List.self).last?.count == 20_000 }
        let lists = duet.child.output.split(separator: "\n").filter { $0.contains("\"list\"") }
        #expect(lists.map(\.utf8.count).max().map { (40_000..<80_000).contains($0) } == true)
        #expect(try duet.first(Events.Dropped.self) == nil)
        #expect(try client.ask("set /list/selected 20000") == "ok /list/selected 20000")
        #expect(try client.ask("trigger /list/remove") == "ok /list/remove")
        try duet.quit(by: client)
        try duet.expectNoUnderrun()
    }

    /// Control characters of a name reach neither answers nor events.
    @Test func namesAreMadeSafe() throws {
        let (duet, client) = try stage.startCommanded(["play", stage.song("a.mp3")])
        let odd = try stage.song("odd\u{1B}]0;bad\u{7}.mp3")
        #expect(try client.ask("add \(odd)") == "ok add 2")
        #expect(try client.ask("add http://user:secret@127.0.0.1:9/x.mp3") == "ok add 3")
        #expect(try client.ask("set /list/selected 2") == "ok /list/selected 2")
        #expect(try client.ask("add http://host/\u{1B}[2J").hasPrefix("error"))
        let missing = try client.ask("add /nowhere/\u{1B}[2J.mp3")
        #expect(missing.hasPrefix("error") && !missing.contains("\u{1B}"))
        try duet.waitFor { $0.all(Events.List.self).last?.count == 3 }
        #expect(!duet.child.output.contains("secret") && !duet.child.output.contains("\u{1B}"))
        try duet.quit(by: client)
    }

    @Test(arguments: ["follow", "lead"]) func aTransportHasOneSong(role: String) throws {
        let (duet, client) = try stage.startCommanded(
            ["play", stage.song("a.mp3"), "--transport", role],
            after: role == "lead" ? Events.Playing.self : Events.Source.self)
        let hold = "error JACK's transport moves a single song"
        #expect(try client.ask("add \(stage.path("a.mp3"))") == hold)
        #expect(try client.ask("set /list/song 1") == hold)
        #expect(try client.ask("trigger /list/remove") == hold)
        try duet.quit(by: client)
    }

    /// Between two songs the next one waits at its first frame; what is asked for meanwhile holds.
    @Test func theNextSingerIsWaitedFor() throws {
        let (duet, client) = try stage.startCommanded(
            [
                "play", stage.song("a.mp3", seconds: 1), stage.song("b.mp3", seconds: 1),
                stage.song("c.mp3"),
                "--between", "pause",
            ])
        func paused(_ count: Int) throws {
            try duet.waitFor {
                $0.all(Events.Paused.self).count == count
            }
            #expect(try client.ask("get /transport/play") == "ok /transport/play off")
            #expect(try client.ask("get /transport/position") == "ok /transport/position 0")
        }
        try paused(1)
        try waitForList(duet, ["a.mp3", "b.mp3", "c.mp3"], playing: 2)
        try duet.wait(
            for: Events.Playing.self,
            after: {
                let answer = try client.ask("toggle /transport/play")
                #expect(answer == "ok /transport/play on")
            })
        try paused(2)
        try waitForList(duet, ["a.mp3", "b.mp3", "c.mp3"], playing: 3)
        // The singer of the third song has left: the one before comes again, and plays.
        try duet.wait(
            for: Events.Playing.self,
            after: {
                let answer = try client.ask("trigger /transport/previous")
                #expect(answer == "ok /transport/previous")
            })
        try paused(3)
        #expect(try client.ask("set /list/song 1") == "ok /list/song 1")
        try waitForList(duet, ["a.mp3", "b.mp3", "c.mp3"], playing: 1)
        try paused(4)
        try duet.quit(by: client)
        let kinds = try duet.told.map(\.name)
            .filter { ["ended", "paused", "playing", "source"].contains($0) }
        #expect(
            Array(kinds.prefix(6)) == ["source", "playing", "ended", "source", "paused", "playing"])
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// The singer sees whose turn it is, and which key begins, also where another key does.
    @Test func theStatusLineSaysWhatIsNext() throws {
        let ofTheUser = try stage.configure(
            "keys.conf", "space none\np none\nF1 toggle /transport/play\n")
        for (environment, key, typed) in [([:], "space", " "), (ofTheUser, "F1", "\u{1B}OP")] {
            let list = try stage.folder.write(
                "list.m3u",
                "#EXTM3U\n#EXTINF:1,One\n\(stage.song("a.mp3", seconds: 1))\n#EXTINF:1,Her Song\n"
                    + "\(stage.song("b.mp3", seconds: 1))\n")
            let duet = try stage.start(
                ["play", list.path, "--plain", "--between", "pause"], events: false,
                isHeard: false, environment: environment)
            try duet.child.waitForOutput("next: Her Song, press \(key)")
            try duet.child.waitForOutput("paused 0:00")
            duet.child.type(typed)
            try duet.child.waitForExit()
            #expect(duet.child.output.contains("playing 0:0"))
        }
    }
}
