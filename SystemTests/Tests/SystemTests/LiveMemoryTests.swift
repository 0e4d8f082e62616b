import Foundation
import Rig
import Testing

/// Whole programs that remember what users change of songs.
@Suite(.serialized) struct LiveMemoryTests {
    let stage: Stage

    init() throws { stage = try Stage() }

    var environment: [String: String?] {
        ["XDG_STATE_HOME": stage.path("state"), "XDG_CONFIG_HOME": stage.path("config")]
    }

    func start(
        _ words: [String], environment: [String: String?]? = nil
    ) throws -> Duet {
        try stage.start(words, environment: environment ?? self.environment)
    }

    /// The text of each file of the memory, without the comment, by the song in that. Drafts are
    /// none.
    func kept() throws -> [String: String] {
        let songs = stage.folder.url.appendingPathComponent("state/duet/songs")
        var kept: [String: String] = [:]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: songs.path)) ?? []
        for name in names where name.hasSuffix(".conf") {
            let text = try String(contentsOf: songs.appendingPathComponent(name), encoding: .utf8)
            let end = try #require(text.firstIndex(of: "\n"))
            kept[String(text[..<end].dropFirst(2))] = String(text[text.index(after: end)...])
        }
        return kept
    }

    /// What `duet` says that it remembers, by address; of each song of its own.
    func remembered(_ duet: Duet) throws -> [[String: String]] {
        try duet.all(Events.Remembered.self).map { event in
            Dictionary(uniqueKeysWithValues: event.values.map { ($0.address, $0.text) })
        }
    }

    /// Types keys, each when the value of the one before is told.
    func type(_ keys: String, in duet: Duet) throws {
        for key in keys {
            try duet.wait(for: Events.Parameter.self, after: { duet.child.type(String(key)) })
        }
    }

    /// Waits until the `number`th song has been opened, the first being 1.
    func waitForSong(_ number: Int, in duet: Duet) throws {
        try duet.waitFor { $0.all(Events.Source.self).count >= number }
    }

    func value(_ address: String, in duet: Duet) throws -> String? {
        try duet.told.value(of: address)?.text
    }

    /// Whether effects that were remembered begin with their song. `OwnEffectsTests` holds that to the
    /// frame; here the program may be held up for longer than the 0.25 s that a song waits for them.
    private func beginsWithSong(_ effects: Events.Effects) -> Bool {
        effects.frame < 2 * 48_000
    }

    /// What is changed by keys comes back, until it is changed back.
    @Test func aSongComesBackAsItWas() throws {
        let song = try stage.folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.wait(for: Events.Playing.self)
        #expect(try first.first(Events.Remembered.self) == nil)
        try type("KK9tvO", in: first)
        // What is of no song is not remembered.
        try type(",", in: first)
        try first.quit()
        #expect(
            try kept() == [
                song:
                    "/song/volume=-1dB\n/song/key=2\n/song/tempo=95\n/song/vocals/remove=100\n"
                    + "/lyrics/offset=0.1\n"
            ])

        // By another name of the same file.
        let link = stage.path("link.mp3")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: song)
        let second = try start(["play", link])
        try second.wait(for: Events.Remembered.self)
        #expect(
            try remembered(second) == [
                [
                    "/song/volume": "-1.0 dB", "/song/key": "+2", "/song/tempo": "95 %",
                    "/song/vocals/remove": "100 %", "/lyrics/offset": "+100 ms",
                ]
            ])
        #expect(try second.first(Events.Remembered.self)?.url == link)
        let effects = try second.wait(for: Events.Effects.self)
        #expect(beginsWithSong(effects) && effects.key == 2)
        #expect(effects.tempo == 95)
        try type("kk0TvoK", in: second)
        try second.quit()
        #expect(try kept() == [song: "/song/key=1\n"])

        let third = try start(["play", song])
        try third.wait(for: Events.Remembered.self)
        #expect(try remembered(third) == [["/song/key": "+1"]])
        try type("k", in: third)
        try third.quit()
        #expect(try kept() == [:])
    }

    /// People read a line.
    @Test func peopleAreTold() throws {
        let song = try stage.folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.wait(for: Events.Playing.self)
        try type("KKv", in: first)
        try first.quit()
        let second = try stage.start(
            ["play", song, "--plain"], events: false, environment: environment, streams: .pipes)
        try second.child.waitForOutput("remembered for this song: key +2, vocals removed 100 %")
        second.child.signal(SIGTERM)
        #expect(try second.child.waitForExit() == .code(0))
    }

    /// Of two songs each has what is its own, and the second begins with it: what was remembered of
    /// the first does not stay.
    @Test func eachSongHasItsOwn() throws {
        let songs = try ["a", "b", "c"].map { try stage.folder.song("\($0).mp3", seconds: 3).path }
        try stage.folder.write("all.m3u", songs.joined(separator: "\n"))
        let first = try start(["play", stage.path("all.m3u"), "--stay"])
        try first.wait(for: Events.Playing.self)
        try type("KK", in: first)
        try waitForSong(2, in: first)
        // The next singer does not get the key of the one before.
        try first.waitFor { $0.value(of: "/song/key")?.text == "0" }
        try type("k", in: first)
        #expect(try value("/song/key", in: first) == "-1")
        try waitForSong(3, in: first)
        try type("9", in: first)
        try first.waitFor { $0.all(Events.Ended.self).count == 3 }
        try first.quit()
        let keys = try first.all(Events.Effects.self)
            .map(\.key)
        #expect(keys == [2, 0, -1, 0], "\(keys)")
        #expect(
            try kept() == [
                songs[0]: "/song/key=2\n", songs[1]: "/song/key=-1\n",
                songs[2]: "/song/volume=-1dB\n",
            ])

        let second = try start(["play"] + songs)
        #expect(try second.child.waitForExit(limit: 60) == .code(0))
        #expect(
            try remembered(second) == [
                ["/song/key": "+2"], ["/song/key": "-1"], ["/song/volume": "-1.0 dB"],
            ])
        let effects = try second.all(Events.Effects.self)
        #expect(effects.map(\.key) == [2, -1, 0])
        #expect(effects.allSatisfy(beginsWithSong), "\(effects)")
        #expect(try value("/song/volume", in: second) == "-1.0 dB")
        #expect(try value("/song/key", in: second) == "0")
    }

    /// What a user sets for a song is there when it comes again in the run, also if nothing is remembered.
    @Test func aSongComesBackInTheRun() throws {
        let songs = try ["a", "b"].map { try stage.folder.song("\($0).mp3", seconds: 60).path }
        let duet = try start(["play", "--no-memory", "--control", stage.control] + songs)
        try duet.wait(for: Events.Playing.self)
        let asker = try stage.commands()
        for line in ["set /song/key 2", "set /song/vocals/only on", "set /song/volume 0.5"] {
            #expect(try asker.ask(line).hasPrefix("ok"))
        }
        for (key, values) in [("n", ["0", "off", "0.5"]), ("b", ["2", "on", "0.5"])] {
            try duet.wait(for: Events.Source.self, after: { duet.child.type(key) })
            let addresses = ["/song/key", "/song/vocals/only", "/song/volume"]
            for (address, value) in zip(addresses, values) {
                #expect(
                    poll { (try? asker.ask("get \(address)")) == "ok \(address) \(value)" })
            }
        }
        try duet.quit()
        #expect(try duet.first(Events.Remembered.self) == nil && kept().isEmpty)
    }

    /// What is set right after another song was chosen is that one's, though the first is still heard.
    @Test func whatIsSetAfterAChoice() throws {
        let songs = try ["a", "b"].map { try stage.folder.song("\($0).mp3", seconds: 60).path }
        let duet = try start(["play", "--control", stage.control] + songs)
        try duet.wait(for: Events.Playing.self)
        let asker = try stage.commands()
        for (line, answer) in [
            ("set /list/song 2", "/list/song 2"), ("set /song/key 3", "/song/key 3"),
        ] { #expect(try asker.ask(line) == "ok \(answer)") }
        try waitForSong(2, in: duet)
        #expect(try asker.ask("get /song/key") == "ok /song/key 3")
        try duet.quit()
        #expect(try kept() == [songs[1]: "/song/key=3\n"])
    }

    /// A song that follows itself goes on as it was changed, although what is remembered of it was read
    /// before that.
    @Test func aSongThatFollowsItself() throws {
        let song = try stage.folder.song(seconds: 3).path
        let first = try start(["play", song, "--stay"])
        try first.wait(for: Events.Playing.self)
        try type("KK", in: first)
        try first.quit()
        let second = try start(["play", song, "--loop"])
        // The key that is remembered is heard, before it is changed.
        try second.wait(for: Events.Effects.self)
        try type("K", in: second)
        for _ in 0..<2 { try second.waitForNext(Events.Source.self) }
        try second.waitForNext(Events.Position.self)
        #expect(try value("/song/key", in: second) == "+3" && remembered(second).count == 1)
        let keys = try second.all(Events.Effects.self)
            .map(\.key)
        #expect(keys == [2, 3])
        try second.quit()
        #expect(try kept() == [song: "/song/key=3\n"])
    }

    /// A song that is added while another plays has what is remembered of it, also where the song
    /// that is heard is taken out for it. What is remembered of that song does not stay, also where
    /// it was changed by hand; what was not remembered and is changed does.
    @Test func aSongThatIsAdded() throws {
        let songs = try ["a", "b"].map { try stage.folder.song("\($0).mp3", seconds: 60).path }
        for song in songs {
            let first = try start(["play", song])
            try first.wait(for: Events.Playing.self)
            try type(song == songs[0] ? "K" : "t", in: first)
            try first.quit()
        }
        let second = try start(["play", songs[0], "--control", stage.control])
        try second.wait(for: Events.Remembered.self)
        // What is remembered is told as a parameter too.
        second.child.type("K9")
        for (address, text) in [("/song/key", "+2"), ("/song/volume", "-1.0 dB")] {
            try second.wait(for: Events.Parameter.self) { $0.address == address && $0.text == text }
        }
        let asker = try stage.commands()
        #expect(try asker.ask("add \(songs[1])") == "ok add 2")
        #expect(try asker.ask("set /list/song 2").hasPrefix("ok"))
        try second.waitFor { $0.all(Events.Remembered.self).count == 2 }
        #expect(try remembered(second) == [["/song/key": "+1"], ["/song/tempo": "95 %"]])
        #expect(try asker.ask("get /song/key") == "ok /song/key 0")
        #expect(try asker.ask("get /song/volume") != "ok /song/volume 1")
        try second.quit()
        #expect(
            try kept() == [
                songs[0]: "/song/volume=-1dB\n/song/key=2\n", songs[1]: "/song/tempo=95\n",
            ])
    }

    /// Options win; what is as the configuration says is not remembered, and memory wins over that.
    @Test func optionsWinAndTheConfigurationDoesNot() throws {
        let song = try stage.folder.song(seconds: 60).path
        _ = try stage.configure("duet.conf", "/song/key=-1\n/song/tempo=90\n")
        let first = try start(["play", song, "--song-volume", "0.5"])
        try first.wait(for: Events.Playing.self)
        try type("K", in: first)
        #expect(try value("/song/key", in: first) == "0")
        try first.quit()
        #expect(try kept() == [song: "/song/key=0\n"])

        let second = try start(["play", song, "--control", stage.control])
        try second.wait(for: Events.Remembered.self)
        #expect(try remembered(second) == [["/song/key": "0"]])
        let asker = try stage.commands()
        #expect(try asker.ask("get /song/key") == "ok /song/key 0")
        #expect(try asker.ask("get /song/tempo") == "ok /song/tempo 90")
        #expect(try asker.ask("set /song/volume -3dB").hasPrefix("ok"))
        try second.quit()
        #expect(try kept() == [song: "/song/volume=-3dB\n/song/key=0\n"])

        for words in [["--key", "3"], ["--set", "/song/key=3"]] {
            let third = try start(["play", song] + words)
            try third.wait(for: Events.Remembered.self)
            #expect(try remembered(third) == [["/song/volume": "-3.0 dB"]])
            try third.quit()
        }
        #expect(try kept() == [song: "/song/volume=-3dB\n/song/key=0\n"])
        let fourth = try start(["play", song, "--key", "3", "--song-volume=1"])
        try fourth.wait(for: Events.Playing.self)
        try type("k", in: fourth)
        try fourth.quit()
        #expect(try fourth.first(Events.Remembered.self) == nil)
        #expect(try kept() == [song: "/song/volume=-3dB\n/song/key=2\n"])
    }

    @Test func itCanBeForgottenAndLeftAlone() throws {
        let song = try stage.folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.wait(for: Events.Playing.self)
        try type("KK9", in: first)
        try first.quit()
        let before = try kept()
        #expect(before == [song: "/song/volume=-1dB\n/song/key=2\n"])

        let second = try start(["play", song, "--no-memory"])
        try second.wait(for: Events.Playing.self)
        try type("k", in: second)
        try second.quit()
        #expect(
            try second.first(Events.Remembered.self) == nil
                && value("/song/key", in: second) == "-1")
        #expect(try kept() == before)

        let third = try start(["play", song, "--forget"])
        #expect(
            try third.wait(for: Events.Warning.self).message
                == "what was remembered for this song is forgotten")
        #expect(try kept() == [:] && third.first(Events.Remembered.self) == nil)
        try type("t", in: third)
        #expect(try value("/song/tempo", in: third) == "95 %")
        try third.quit()
        #expect(try kept() == [song: "/song/tempo=95\n"])

        let fourth = try Duet.run(["play", song, "--forget", "--no-memory"])
        #expect(try fourth.child.waitForExit() == .code(64))
    }

    /// What is changed while a song is forgotten is remembered, and stays so when the song begins again
    /// in the same run.
    @Test func whatIsForgottenIsForgottenOnce() throws {
        let songs = try ["a", "b"].map { try stage.folder.song("\($0).mp3", seconds: 60).path }
        for song in songs {
            let first = try start(["play", song])
            try first.wait(for: Events.Playing.self)
            try type("9", in: first)
            try first.quit()
        }
        let duet = try start(["play", "--forget"] + songs)
        func forget(_ count: Int) throws {
            try duet.waitFor {
                $0.all(Events.Warning.self).count == count
            }
        }
        try forget(1)
        try type("K", in: duet)
        try duet.wait(for: Events.Source.self, after: { duet.child.type("n") })
        try forget(2)
        try type("t", in: duet)
        for (index, key) in ["b", "n"].enumerated() {
            try duet.wait(for: Events.Source.self, after: { duet.child.type(key) })
            try duet.waitFor {
                $0.all(Events.Remembered.self).count == index + 1
            }
        }
        #expect(try remembered(duet) == [["/song/key": "+1"], ["/song/tempo": "95 %"]])
        try duet.quit()
        #expect(try duet.all(Events.Warning.self).count == 2)
        #expect(try kept() == [songs[0]: "/song/key=1\n", songs[1]: "/song/tempo=95\n"])
    }

    /// What was remembered of a song does not stay for a station, which keeps its own tempo, and not that of
    /// the configuration: the song after the station has that.
    @Test func aStationBetweenSongs() throws {
        let songs = try ["a", "b"].map { try stage.folder.song("\($0).mp3", seconds: 60).path }
        _ = try stage.configure("duet.conf", "/song/tempo=80\n")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: songs[1])))
        let station = try ScriptedServer { exchange in
            exchange.send("ICY 200 OK\r\nicy-name: Q\r\ncontent-type: audio/mpeg\r\n\r\n")
            exchange.send(bytes)
            exchange.waitForClient()
        }
        let first = try start(["play", songs[0]])
        try first.wait(for: Events.Playing.self)
        try type("t9", in: first)
        try first.quit()
        let second = try start([
            "play", songs[0], station.address(), songs[1], "--control", stage.control,
        ])
        try second.wait(for: Events.Remembered.self)
        let asker = try stage.commands()
        let (tempo, volume) = ("get /song/tempo", "get /song/volume")
        #expect(try asker.ask(tempo) == "ok /song/tempo 75")
        #expect(try asker.ask(volume) != "ok /song/volume 1")
        try second.wait(for: Events.Source.self, after: { second.child.type("n") })
        try second.waitForNext(Events.Position.self)
        #expect(try asker.ask(volume) == "ok /song/volume 1")
        #expect(try asker.ask(tempo) == "ok /song/tempo 100")
        try second.wait(for: Events.Source.self, after: { second.child.type("n") })
        try second.waitForNext(Events.Position.self)
        #expect(try asker.ask(tempo) == "ok /song/tempo 80")
        try second.quit()
        #expect(try kept() == [songs[0]: "/song/volume=-1dB\n/song/tempo=75\n"])
    }

    /// Both songs of `mix` have what is theirs.
    @Test func twoSongsAtOnce() throws {
        let songs = try ["a", "b"].map { try stage.folder.song("\($0).mp3", seconds: 60).path }
        let first = try start(["mix"] + songs + ["--control", stage.control])
        try first.waitFor { $0.all(Events.Playing.self).count == 2 }
        let asker = try stage.commands()
        for line in ["set /song/key 2", "set /second/key -3", "set /lyrics/offset 1"] {
            #expect(try asker.ask(line).hasPrefix("ok"))
        }
        try first.quit()
        #expect(
            try kept() == [
                songs[0]: "/song/key=2\n/lyrics/offset=1\n", songs[1]: "/song/key=-3\n",
            ])
        let second = try start(["mix"] + songs.reversed())
        try second.waitFor { $0.all(Events.Remembered.self).count == 2 }
        let told = try remembered(second)
        #expect(told.contains(["/song/key": "-3"]) && told.contains(["/second/key": "+2"]))
        try second.quit()
    }

    /// What a session keeps wins.
    @Test func aSessionWins() throws {
        let song = try stage.folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.wait(for: Events.Playing.self)
        try type("KK", in: first)
        try first.quit()
        try stage.folder.write(
            "\(stage.client).duet", "duet session\t1\nsong\t0\t\(song)\nset\t/song/volume\t0.25\n")
        let manager = try SessionServer(
            .open(path: stage.path(stage.client), displayName: "evening", clientID: stage.client))
        let second = try Duet(
            ["sing", "-s", stage.server.name, "--json", "--control", stage.control],
            environment: environment.merging(["NSM_URL": manager.url]) { $1 })
        try second.wait(for: Events.Playing.self)
        let asker = try stage.commands()
        #expect(try asker.ask("get /song/key") == "ok /song/key 0")
        _ = try asker.ask("set /song/tempo 90")
        _ = try asker.ask("trigger /quit")
        #expect(try second.child.waitForExit() == .code(0))
        #expect(try second.first(Events.Remembered.self) == nil)
        #expect(try kept() == [song: "/song/key=2\n/song/tempo=90\n"])
        manager.end()
    }

    /// Neither `render` nor the demo reads or writes it.
    @Test func filesAndTheDemoHaveNone() throws {
        let song = try stage.folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.wait(for: Events.Playing.self)
        try type("KK", in: first)
        try first.quit()
        let before = try kept()
        let render = try Duet.run(
            ["render", song, "-o", stage.path("out.wav"), "--duration", "1", "--json"],
            environment: environment)
        #expect(try render.child.waitForExit() == .code(0))
        #expect(try render.first(Events.Remembered.self) == nil)
        let demo = try start(["demo"])
        try demo.wait(for: Events.Playing.self)
        try type("K", in: demo)
        try demo.quit()
        #expect(try kept() == before)
    }
}
