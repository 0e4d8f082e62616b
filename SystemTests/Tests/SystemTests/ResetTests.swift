import Foundation
import Rig
import Testing

/// What `z` does.
@Suite(.serialized) struct ResetTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private var state: URL { stage.folder.url.appendingPathComponent("state") }

    private func start(_ arguments: [String], songs: [String] = ["a.mp3"]) throws -> Duet {
        let paths = try songs.map { name in
            let file = stage.folder.url.appendingPathComponent(name)
            return FileManager.default.fileExists(atPath: file.path)
                ? file.path : try stage.folder.song(name, seconds: 60).path
        }
        let duet = try stage.start(
            arguments + ["--out", "none"] + paths, environment: ["XDG_STATE_HOME": state.path])
        try duet.wait(for: Events.Playing.self)
        return duet
    }

    private func quit(_ duet: Duet) throws {
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
    }

    /// Presets and what they set, songs' effects, and what was set at the start; and what does not
    /// return, since that would be louder.
    @Test func everythingReturnsToTheStartAndBack() throws {
        let place = stage.folder.url.appendingPathComponent("control").path
        let duet = try start([
            "sing", "--mic", "none", "--stay", "--song-pan", "left", "--mic-preset", "hall",
            "--mic-volume", "0.5", "--ceiling", "-1", "--control", place,
        ])
        let client = try LineClient(path: place)
        let harmless = [
            "/song/pan", "/song/key", "/song/volume", "/mic/preset", "/mic/reverb",
            "/mic/reverb/wet", "/song/eq/preset", "/song/eq/band/1", "/mic/pan",
        ]
        let risky = ["/mic/mute", "/mic/volume", "/out/volume", "/out/limiter/ceiling"]
        func values(_ places: [String]) throws -> [String] {
            try places.map { try client.ask("get \($0)") }
        }
        func set(_ lines: [String]) throws {
            for line in lines { #expect(try client.ask("set \(line)").hasPrefix("ok")) }
        }
        let start = try values(harmless)
        try set([
            "/song/key 2", "/mic/reverb/wet 50", "/song/eq/preset rock", "/song/pan 0.5",
            "/mic/mute on", "/mic/volume 0.25", "/out/volume 0.5", "/out/limiter/ceiling -6",
        ])
        let (before, low) = (try values(harmless), try values(risky))
        #expect(zip(before, start).count { $0 != $1 } == 6)
        #expect(try client.ask("trigger /reset") == "ok /reset")
        #expect(try values(harmless) == start && values(risky) == low)
        // What is changed in between is undone, too.
        try set(["/song/volume 0.5", "/mic/pan 1"])
        #expect(try client.ask("trigger /reset") == "ok /reset")
        #expect(try values(harmless) == before && values(risky) == low)
        // The third press resets again; and what was louder before it does not come back.
        try set([
            "/mic/mute off", "/mic/volume 4", "/out/volume 2", "/out/limiter/ceiling 0",
            "/out/limiter/bypass on",
        ])
        #expect(try client.ask("trigger /reset") == "ok /reset")
        let safe = ["off", "0.5", "1", "-1"]
        #expect(try values(risky) == zip(risky, safe).map { "ok \($0) \($1)" })
        #expect(try client.ask("trigger /reset") == "ok /reset")
        #expect(try values(harmless) == before)
        #expect(try values(risky) == zip(risky, safe).map { "ok \($0) \($1)" })
        #expect(try client.ask("get /out/limiter/bypass") == "ok /out/limiter/bypass off")
        try quit(duet)
    }

    /// What a live stream cannot have stays as it is, and does not keep all else from its start.
    @Test func whatTheSongCannotHaveIsLeftOut() throws {
        let bytes = [UInt8](try Data(contentsOf: stage.folder.song("radio.mp3", seconds: 5)))
        let station = try ScriptedServer { exchange in
            exchange.send("ICY 200 OK\r\nicy-name: Q\r\ncontent-type: audio/mpeg\r\n\r\n")
            while exchange.send(bytes) {}
        }
        let place = stage.folder.url.appendingPathComponent("control").path
        let song = try stage.folder.song("a.mp3", seconds: 60).path
        let duet = try stage.start(
            [
                "sing", "--mic", "none", "--out", "none", "--stay", "--no-memory", "--tempo", "110",
                "--control", place, song, station.address(),
            ], environment: ["XDG_STATE_HOME": state.path])
        try duet.wait(for: Events.Playing.self)
        let client = try LineClient(path: place)
        func ask(_ line: String, _ answer: String) throws {
            #expect(try client.ask(line) == "ok \(answer)")
        }
        try ask("set /song/tempo 100", "/song/tempo 100")
        try ask("set /mic/pan 1", "/mic/pan 1")
        try ask("trigger /transport/next", "/transport/next")
        try duet.waitFor { $0.all(Events.Source.self).count == 2 }
        try ask("trigger /reset", "/reset")
        try ask("get /mic/pan", "/mic/pan 0")
        try ask("get /song/tempo", "/song/tempo 100")
        // And back.
        try ask("trigger /reset", "/reset")
        try ask("get /mic/pan", "/mic/pan 1")
        try quit(duet)
    }

    /// What is remembered of the song goes with the first press, and comes with the second.
    @Test(arguments: [1, 2, 3]) func theSongIsForgotten(presses: Int) throws {
        let first = try start(["play"])
        #expect(try first.type("K", changes: "/song/key").value == 1)
        try quit(first)
        let second = try start(["play"])
        // The value that is remembered is told, too.
        try second.waitFor { $0.value(of: "/song/key")?.value == 1 }
        for press in 1...presses {
            #expect(try second.type("z", changes: "/song/key").value == (press == 2 ? 1 : 0))
        }
        try quit(second)
        let third = try start(["play"])
        #expect(try third.type("K", changes: "/song/key").value == (presses == 2 ? 2 : 1))
        #expect(try third.all(Events.Remembered.self).isEmpty == (presses != 2))
        try quit(third)
    }

    /// An option has put back what is remembered of the song: the first press finds nothing to change,
    /// forgets it, and the second brings that back, too.
    @Test(arguments: [1, 2]) func aResetThatChangesNothingIsUndone(presses: Int) throws {
        let first = try start(["play"])
        #expect(try first.type("K", changes: "/song/key").value == 1)
        try quit(first)
        let place = stage.folder.url.appendingPathComponent("control").path
        let second = try start(["play", "--key", "0", "--control", place])
        let client = try LineClient(path: place)
        for _ in 1...presses { #expect(try client.ask("trigger /reset") == "ok /reset") }
        #expect(try second.all(Events.Parameter.self).isEmpty)
        try quit(second)
        let third = try start(["play"])
        #expect(try third.type("K", changes: "/song/key").value == Double(presses))
        try quit(third)
    }

    /// The song that comes is not another one.
    @Test func aResetWhileTheSongOpensIsUndone() throws {
        let song = try stage.folder.song(seconds: 60)
        let pipe = stage.folder.url.appendingPathComponent("pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let place = stage.folder.url.appendingPathComponent("control").path
        let duet = try stage.start(
            ["play", "--no-memory", "--out", "none", "--control", place, pipe])
        try duet.wait(for: Events.Ready.self)
        let client = try LineClient(path: place)
        #expect(try client.ask("set /song/key 2").hasPrefix("ok"))
        #expect(try client.ask("trigger /reset") == "ok /reset")
        #expect(try client.ask("get /song/key") == "ok /song/key 0")
        let writer = try ChildProcess("sh", ["-c", "cat \"$0\" > \"$1\"", song.path, pipe])
        try duet.wait(for: Events.Playing.self)
        #expect(try client.ask("trigger /reset") == "ok /reset")
        #expect(try client.ask("get /song/key") == "ok /song/key 2")
        try quit(duet)
        withExtendedLifetime(writer) {}
    }

    /// When another song has begun, the next press resets again.
    @Test func anotherSongEndsTheWayBack() throws {
        let duet = try start(["play", "--no-memory"], songs: ["a.mp3", "b.mp3"])
        #expect(try duet.type("K", changes: "/song/key").value == 1)
        #expect(try duet.type("z", changes: "/song/key").value == 0)
        try duet.wait(for: Events.Source.self, after: { duet.child.type("n") })
        for value in [-1.0, -2] {
            #expect(try duet.type("k", changes: "/song/key").value == value)
        }
        #expect(try duet.type("z", changes: "/song/key").value == 0)
        #expect(try duet.type("z", changes: "/song/key").value == -2)
        try quit(duet)
    }

    @Test func theKeySaysWhatItDid() throws {
        let song = try stage.folder.song(seconds: 60).path
        let screen = try stage.screen(["sing", "--mic", "none", "--out", "none", song])
        try screen.wait(for: "▶ 0:0")
        try screen.type("z")
        try screen.wait(for: "nothing to reset")
        try screen.type("z")
        try screen.wait(for: "everything is as before the reset")
        try screen.type("z")
        try screen.wait(for: "nothing to reset")
        for (keys, note) in [
            ("Kmz", "everything reset (not mic mute); z again undoes it"),
            ("z", "restored: song key"), ("z-z", "restored: song key (not mic volume)"),
        ] {
            try screen.type(keys)
            try screen.wait(for: note)
        }
        try screen.type("q")
    }
}
