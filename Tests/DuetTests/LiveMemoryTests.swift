import Foundation
import TestSupport
import Testing

/// Whole programs that remember what users change of songs.
@Suite(.serialized) struct LiveMemoryTests {
    let folder: TemporaryFolder
    let server: JackServer
    let client = DuetProgram.clientName()

    init() throws {
        folder = try TemporaryFolder()
        server = try JackServer()
    }

    var environment: [String: String?] {
        ["XDG_STATE_HOME": path("state"), "XDG_CONFIG_HOME": path("config")]
    }

    func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    func start(
        _ words: [String], environment: [String: String?]? = nil
    ) throws -> DuetProgram {
        try DuetProgram(
            words + ["-s", server.name, "-n", client, "--json"],
            environment: environment ?? self.environment, streams: .terminal)
    }

    /// The text of each file of the memory, without the comment, by the song in that. Drafts are
    /// none.
    func kept() throws -> [String: String] {
        let songs = folder.url.appendingPathComponent("state/duet/songs")
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
    func remembered(_ duet: DuetProgram) -> [[String: String]] {
        duet.events.filter { $0["event"] as? String == "remembered" }.map { event in
            let values = event["values"] as? [[String: Any]] ?? []
            return Dictionary(
                uniqueKeysWithValues: values.map {
                    ($0["address"] as? String ?? "", $0["text"] as? String ?? "")
                })
        }
    }

    /// Types keys, each when the value of the one before is told.
    func type(_ keys: String, in duet: DuetProgram) throws {
        for key in keys { try duet.waitForNext("parameter") { duet.child.type(String(key)) } }
    }

    /// Waits until the `number`th song has been opened, the first being 1.
    func waitForSong(_ number: Int, in duet: DuetProgram) throws {
        try duet.waitFor { $0.count { $0["event"] as? String == "source" } >= number }
    }

    func value(_ address: String, in duet: DuetProgram) -> String? {
        duet.events.last {
            $0["event"] as? String == "parameter" && $0["address"] as? String == address
        }?["text"] as? String
    }

    /// Whether effects that were remembered begin with their song. `OwnEffectsTests` holds that to the
    /// frame; here the program may be held up for longer than the 0.25 s that a song waits for them.
    private func beginsWithSong(_ effects: [String: Any]) -> Bool {
        (effects["frame"] as? Int ?? .max) < 2 * 48_000
    }

    /// What is changed by keys comes back, until it is changed back.
    @Test func aSongComesBackAsItWas() throws {
        let song = try folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.waitForEvent("playing")
        #expect(first.event("remembered") == nil)
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
        let link = path("link.mp3")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: song)
        let second = try start(["play", link])
        try second.waitForEvent("remembered")
        #expect(
            remembered(second) == [
                [
                    "/song/volume": "-1.0 dB", "/song/key": "+2", "/song/tempo": "95 %",
                    "/song/vocals/remove": "100 %", "/lyrics/offset": "+100 ms",
                ]
            ])
        #expect(second.event("remembered")?["url"] as? String == link)
        let effects = try second.waitForEvent("effects")
        #expect(beginsWithSong(effects) && effects["key"] as? Double == 2)
        #expect(effects["tempo"] as? Double == 95)
        try type("kk0TvoK", in: second)
        try second.quit()
        #expect(try kept() == [song: "/song/key=1\n"])

        let third = try start(["play", song])
        try third.waitForEvent("remembered")
        #expect(remembered(third) == [["/song/key": "+1"]])
        try type("k", in: third)
        try third.quit()
        #expect(try kept() == [:])
    }

    /// People read a line.
    @Test func peopleAreTold() throws {
        let song = try folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.waitForEvent("playing")
        try type("KKv", in: first)
        try first.quit()
        let second = try DuetProgram(
            ["play", song, "-s", server.name, "-n", client, "--plain"], environment: environment)
        try second.child.waitForOutput("remembered for this song: key +2, vocals out 100 %")
        second.child.signal(SIGTERM)
        #expect(try second.child.waitForExit() == .code(0))
    }

    /// Of two songs each has what is its own, and the second begins with it: what was remembered of
    /// the first does not stay.
    @Test func eachSongHasItsOwn() throws {
        let songs = try ["a", "b", "c"].map { try folder.song("\($0).mp3", seconds: 3).path }
        try folder.write("all.m3u", songs.joined(separator: "\n"))
        let first = try start(["play", path("all.m3u"), "--stay"])
        try first.waitForEvent("playing")
        try type("KK", in: first)
        try waitForSong(2, in: first)
        // By hand it stays, as ever.
        try type("k", in: first)
        #expect(value("/song/key", in: first) == "+1")
        try waitForSong(3, in: first)
        try type("9", in: first)
        try first.waitFor { $0.count { $0["event"] as? String == "ended" } == 3 }
        try first.quit()
        // What is changed while a song comes holds for that song from its first frame on.
        let keys = first.events.filter { $0["event"] as? String == "effects" }
            .compactMap { $0["key"] as? Double }
        #expect(keys.contains(2) && !keys.contains(0), "\(keys)")
        #expect(
            try kept() == [
                songs[0]: "/song/key=2\n", songs[1]: "/song/key=1\n",
                songs[2]: "/song/volume=-1dB\n",
            ])

        let second = try start(["play"] + songs)
        #expect(try second.child.waitForExit(limit: 60) == .code(0))
        #expect(
            remembered(second) == [
                ["/song/key": "+2"], ["/song/key": "+1"], ["/song/volume": "-1.0 dB"],
            ])
        let effects = second.events.filter { $0["event"] as? String == "effects" }
        #expect(effects.compactMap { $0["key"] as? Double } == [2, 1, 0])
        #expect(effects.allSatisfy(beginsWithSong), "\(effects)")
        #expect(value("/song/volume", in: second) == "-1.0 dB")
        #expect(value("/song/key", in: second) == "0")
    }

    /// A song that follows itself goes on as it was changed, although what is remembered of it was read
    /// before that.
    @Test func aSongThatFollowsItself() throws {
        let song = try folder.song(seconds: 3).path
        let first = try start(["play", song, "--stay"])
        try first.waitForEvent("playing")
        try type("KK", in: first)
        try first.quit()
        let second = try start(["play", song, "--loop"])
        // The key that is remembered is heard, before it is changed.
        try second.waitForEvent("effects")
        try type("K", in: second)
        for _ in 0..<2 { try second.waitForNext("source") }
        try second.waitForNext("position")
        #expect(value("/song/key", in: second) == "+3" && remembered(second).count == 1)
        let keys = second.events.filter { $0["event"] as? String == "effects" }
            .compactMap { $0["key"] as? Double }
        #expect(keys == [2, 3])
        try second.quit()
        #expect(try kept() == [song: "/song/key=3\n"])
    }

    /// A song that is added while another plays has what is remembered of it, also where the song
    /// that is heard is taken out for it. What is remembered of that song does not stay, also where
    /// it was changed by hand; what was not remembered and is changed does.
    @Test func aSongThatIsAdded() throws {
        let songs = try ["a", "b"].map { try folder.song("\($0).mp3", seconds: 60).path }
        let control = path("control")
        for song in songs {
            let first = try start(["play", song])
            try first.waitForEvent("playing")
            try type(song == songs[0] ? "K" : "t", in: first)
            try first.quit()
        }
        let second = try start(["play", songs[0], "--control", control])
        try second.waitForEvent("remembered")
        // What is remembered is told as a parameter too.
        second.child.type("K9")
        try second.waitFor { events in
            [("/song/key", "+2"), ("/song/volume", "-1.0 dB")].allSatisfy { address, text in
                events.contains {
                    $0["address"] as? String == address && $0["text"] as? String == text
                }
            }
        }
        let asker = try LineClient(path: control)
        #expect(try asker.ask("add \(songs[1])") == "ok add 2")
        #expect(try asker.ask("set /list/song 2").hasPrefix("ok"))
        try second.waitFor { $0.count { $0["event"] as? String == "remembered" } == 2 }
        #expect(remembered(second) == [["/song/key": "+1"], ["/song/tempo": "95 %"]])
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
        let song = try folder.song(seconds: 60).path
        let place = folder.url.appendingPathComponent("config/duet")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try folder.write("config/duet/duet.conf", "/song/key=-1\n/song/tempo=90\n")
        let first = try start(["play", song, "--song-volume", "0.5"])
        try first.waitForEvent("playing")
        try type("K", in: first)
        #expect(value("/song/key", in: first) == "0")
        try first.quit()
        #expect(try kept() == [song: "/song/key=0\n"])

        let second = try start(["play", song, "--control", path("control")])
        try second.waitForEvent("remembered")
        #expect(remembered(second) == [["/song/key": "0"]])
        let asker = try LineClient(path: path("control"))
        #expect(try asker.ask("get /song/key") == "ok /song/key 0")
        #expect(try asker.ask("get /song/tempo") == "ok /song/tempo 90")
        #expect(try asker.ask("set /song/volume -3dB").hasPrefix("ok"))
        try second.quit()
        #expect(try kept() == [song: "/song/volume=-3dB\n/song/key=0\n"])

        for words in [["--key", "3"], ["--set", "/song/key=3"]] {
            let third = try start(["play", song] + words)
            try third.waitForEvent("remembered")
            #expect(remembered(third) == [["/song/volume": "-3.0 dB"]])
            try third.quit()
        }
        #expect(try kept() == [song: "/song/volume=-3dB\n/song/key=0\n"])
        let fourth = try start(["play", song, "--key", "3", "--song-volume=1"])
        try fourth.waitForEvent("playing")
        try type("k", in: fourth)
        try fourth.quit()
        #expect(fourth.event("remembered") == nil)
        #expect(try kept() == [song: "/song/volume=-3dB\n/song/key=2\n"])
    }

    @Test func itCanBeForgottenAndLeftAlone() throws {
        let song = try folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.waitForEvent("playing")
        try type("KK9", in: first)
        try first.quit()
        let before = try kept()
        #expect(before == [song: "/song/volume=-1dB\n/song/key=2\n"])

        let second = try start(["play", song, "--no-memory"])
        try second.waitForEvent("playing")
        try type("k", in: second)
        try second.quit()
        #expect(second.event("remembered") == nil && value("/song/key", in: second) == "-1")
        #expect(try kept() == before)

        let third = try start(["play", song, "--forget"])
        #expect(
            try third.waitForEvent("warning")["message"] as? String
                == "what was remembered for this song is forgotten")
        #expect(try kept() == [:] && third.event("remembered") == nil)
        try type("t", in: third)
        #expect(value("/song/tempo", in: third) == "95 %")
        try third.quit()
        #expect(try kept() == [song: "/song/tempo=95\n"])

        let fourth = try DuetProgram.run(["play", song, "--forget", "--no-memory"])
        #expect(try fourth.child.waitForExit() == .code(64))
    }

    /// What is changed while a song is forgotten is remembered, and stays so when the song begins again
    /// in the same run.
    @Test func whatIsForgottenIsForgottenOnce() throws {
        let songs = try ["a", "b"].map { try folder.song("\($0).mp3", seconds: 60).path }
        for song in songs {
            let first = try start(["play", song])
            try first.waitForEvent("playing")
            try type("9", in: first)
            try first.quit()
        }
        let duet = try start(["play", "--forget"] + songs)
        func forget(_ count: Int) throws {
            try duet.waitFor { events in
                events.count { $0["event"] as? String == "warning" } == count
            }
        }
        try forget(1)
        try type("K", in: duet)
        try duet.waitForNext("source") { duet.child.type("n") }
        try forget(2)
        try type("t", in: duet)
        for (index, key) in ["b", "n"].enumerated() {
            try duet.waitForNext("source") { duet.child.type(key) }
            try duet.waitFor { events in
                events.count { $0["event"] as? String == "remembered" } == index + 1
            }
        }
        #expect(remembered(duet) == [["/song/key": "+1"], ["/song/tempo": "95 %"]])
        try duet.quit()
        #expect(duet.events.count { $0["event"] as? String == "warning" } == 2)
        #expect(try kept() == [songs[0]: "/song/key=1\n", songs[1]: "/song/tempo=95\n"])
    }

    /// What was remembered of a song does not stay for a station, which keeps its own tempo: the song
    /// after the station has the tempo from before the song.
    @Test func aStationBetweenSongs() throws {
        let songs = try ["a", "b"].map { try folder.song("\($0).mp3", seconds: 60).path }
        let place = folder.url.appendingPathComponent("config/duet")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try folder.write("config/duet/duet.conf", "/song/tempo=80\n")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: songs[1])))
        let station = try ScriptedServer { exchange in
            exchange.send("ICY 200 OK\r\nicy-name: Q\r\ncontent-type: audio/mpeg\r\n\r\n")
            exchange.send(bytes)
            exchange.waitForClient()
        }
        let first = try start(["play", songs[0]])
        try first.waitForEvent("playing")
        try type("t9", in: first)
        try first.quit()
        let control = path("control")
        let second = try start([
            "play", songs[0], station.address(), songs[1], "--control", control,
        ])
        try second.waitForEvent("remembered")
        let asker = try LineClient(path: control)
        let (tempo, volume) = ("get /song/tempo", "get /song/volume")
        #expect(try asker.ask(tempo) == "ok /song/tempo 75")
        #expect(try asker.ask(volume) != "ok /song/volume 1")
        try second.waitForNext("source") { second.child.type("n") }
        try second.waitForNext("position")
        #expect(try asker.ask(volume) == "ok /song/volume 1")
        #expect(try asker.ask(tempo) == "ok /song/tempo 75")
        try second.waitForNext("source") { second.child.type("n") }
        try second.waitForNext("position")
        #expect(try asker.ask(tempo) == "ok /song/tempo 80")
        try second.quit()
        #expect(try kept() == [songs[0]: "/song/volume=-1dB\n/song/tempo=75\n"])
    }

    /// Both songs of `mix` have what is theirs.
    @Test func twoSongsAtOnce() throws {
        let songs = try ["a", "b"].map { try folder.song("\($0).mp3", seconds: 60).path }
        let control = path("control")
        let first = try start(["mix"] + songs + ["--control", control])
        try first.waitFor { $0.count { $0["event"] as? String == "playing" } == 2 }
        let asker = try LineClient(path: control)
        for line in ["set /song/key 2", "set /second/key -3", "set /lyrics/offset 1"] {
            #expect(try asker.ask(line).hasPrefix("ok"))
        }
        try first.quit()
        #expect(
            try kept() == [
                songs[0]: "/song/key=2\n/lyrics/offset=1\n", songs[1]: "/song/key=-3\n",
            ])
        let second = try start(["mix"] + songs.reversed())
        try second.waitFor { $0.count { $0["event"] as? String == "remembered" } == 2 }
        let told = remembered(second)
        #expect(told.contains(["/song/key": "-3"]) && told.contains(["/second/key": "+2"]))
        try second.quit()
    }

    /// What a session keeps wins.
    @Test func aSessionWins() throws {
        let song = try folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.waitForEvent("playing")
        try type("KK", in: first)
        try first.quit()
        try folder.write(
            "\(client).duet", "duet session\t1\nsong\t0\t\(song)\nset\t/song/volume\t0.25\n")
        let manager = try SessionServer(
            .open(path: path(client), displayName: "evening", clientID: client))
        let control = path("control")
        let second = try DuetProgram(
            ["sing", "-s", server.name, "--json", "--control", control],
            environment: environment.merging(["NSM_URL": manager.url]) { $1 })
        try second.waitForEvent("playing")
        let asker = try LineClient(path: control)
        #expect(try asker.ask("get /song/key") == "ok /song/key 0")
        _ = try asker.ask("set /song/tempo 90")
        _ = try asker.ask("trigger /quit")
        #expect(try second.child.waitForExit() == .code(0))
        #expect(second.event("remembered") == nil)
        #expect(try kept() == [song: "/song/key=2\n/song/tempo=90\n"])
        manager.end()
    }

    /// Neither `render` nor the demo reads or writes it.
    @Test func filesAndTheDemoHaveNone() throws {
        let song = try folder.song(seconds: 60).path
        let first = try start(["play", song])
        try first.waitForEvent("playing")
        try type("KK", in: first)
        try first.quit()
        let before = try kept()
        let render = try DuetProgram.run(
            ["render", song, "-o", path("out.wav"), "--duration", "1", "--json"],
            environment: environment)
        #expect(try render.child.waitForExit() == .code(0))
        #expect(render.event("remembered") == nil)
        let demo = try start(["demo"])
        try demo.waitForEvent("playing")
        try type("K", in: demo)
        try demo.quit()
        #expect(try kept() == before)
    }
}
