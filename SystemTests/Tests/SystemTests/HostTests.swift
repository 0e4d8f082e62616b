import Foundation
import Rig
import Testing

/// What a host needs in an evening: a list that tells who sings what, keys that take nothing away by mistake,
/// and a list that outlives the program. Not under PipeWire, whose socket is in the folder that these tests
/// have for themselves.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct HostTests {
    private let stage: Stage
    private let environment: [String: String]

    init() throws {
        stage = try Stage()
        try FileManager.default.createDirectory(
            atPath: stage.path("run"), withIntermediateDirectories: false)
        environment = [
            "XDG_RUNTIME_DIR": stage.path("run"), "XDG_STATE_HOME": stage.path("state"),
        ]
    }

    /// Ten songs for each of three singers, in folders of their own. Returns the folder around them.
    private func makeSongs(seconds: Double = 60) throws -> String {
        let song = try stage.song("made.wav", seconds: seconds)
        for singer in ["Anna", "Bob", "Carla"] {
            let folder = stage.path("evening/\(singer)")
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            for number in 1...10 {
                try FileManager.default.copyItem(
                    atPath: song, toPath: "\(folder)/\(singer) \(number).wav")
            }
        }
        return stage.path("evening")
    }

    private func screen(_ words: [String]) throws -> Tmux {
        try stage.screen(words, environment: environment)
    }

    /// Runs a command of duet on another terminal; returns how it ended, and what it printed.
    private func run(
        _ words: [String]
    ) throws -> (status: ChildProcess.Exit, output: String, errors: String) {
        let child = try ChildProcess(
            Duet.path, words, environment: environment.mapValues { Optional($0) })
        let status = try child.waitForExit()
        return (status, child.output, child.errors)
    }

    /// The number of the process on a terminal.
    private func process(on tmux: Tmux) throws -> Int32 {
        try #require(Int32(try tmux.tell("#{pane_pid}")))
    }

    /// Thirty songs in folders, a second terminal with the words, songs for singers from a third; the program
    /// is killed in the middle of it, and nothing is lost: list, order, singers, keys, place.
    @Test func anEveningOutlivesAKill() throws {
        let folder = try makeSongs()
        let host = try screen(["sing", "--between", "pause", "--fair-turns", folder])
        try host.wait(for: "▶ 0:0")
        let words = try Tmux(
            "\(environment.map { "\($0)=\($1)" }.joined(separator: " ")) exec \(Duet.path) stage")
        for singer in ["Dora", "Emil", "Dora"] {
            let song = folder + "/Anna/Anna 1.wav"
            let added = try run(["add", "--next", "--singer", singer, song])
            #expect(added.status == .code(0), "\(added.errors)")
        }
        try host.press("P")
        try host.wait(for: "song 1 of 33")
        try host.wait { $0.contains { $0.contains("2  Dora  Anna 1.wav") && $0.contains("1:00") } }
        // One song goes, another one moves, and a mistake is taken back.
        try host.press("Down")
        try host.press("S-Down")
        try host.wait(for: "▸   3  Dora")
        try host.press("End")
        try host.press("DC")
        try host.wait(for: "removed: Carla 10.wav")
        try host.type("u")
        try host.wait(for: "back in the list: Carla 10.wav")
        try host.press("DC")
        try host.wait(for: "song 1 of 32")
        // Dora has her key, her tempo and her sound.
        try host.press("Home")
        try host.press("Down")
        try host.press("Down")
        try host.press("Enter")
        try host.press("P")
        for key in "kkTx" { try host.type(String(key)) }
        try host.wait(for: "natural")
        try words.wait(for: "Anna 1")
        let list = stage.path("state/duet/lists")
        let isWritten = poll(seconds: 30) {
            let file = (try? FileManager.default.contentsOfDirectory(atPath: list))?.first
            let text = file.flatMap {
                try? String(contentsOfFile: "\(list)/\($0)", encoding: .utf8)
            }
            return text?.contains("song-set\t/song/key\t-2") == true
        }
        #expect(isWritten)
        kill(try process(on: host), SIGKILL)
        try host.waitForEnd()
        // jackd may wait for who was killed.
        stage.server.kill()
        try stage.server.restart()

        let other = try screen(["sing", stage.song("other.mp3")])
        try other.wait(for: "your last list is kept (32 songs, at song 3): 'duet --resume'")
        try other.press("C-c")
        try other.wait(for: "stopped 0:0")

        let again = try screen(["--resume"])
        try again.wait { lines in
            ["key -2", "tempo 105", "natural"].allSatisfy { word in
                lines.contains { $0.contains(word) }
            }
        }
        try again.press("P")
        try again.wait(for: "song 3 of 32")
        try again.wait { lines in
            ["2  Emil  Anna 1.wav", "3  Dora  Anna 1.wav", "4  Dora  Anna 1.wav"].allSatisfy {
                row in lines.contains { $0.contains(row) }
            }
        }
        // The next one is Dora's too, with her key; the one after nobody's.
        try again.press("P")
        try again.type("n")
        try again.wait(for: "key -2")
        try again.type("n")
        try again.wait { !$0.contains { $0.contains("key -2") || $0.contains("natural") } }
        try again.press("C-c")
        try again.wait(for: "stopped 0:0")
    }

    /// What a user did not mean is asked for twice; a page is closed first; Ctrl-C never asks.
    @Test func aPageIsClosedByTheKeyThatQuits() throws {
        let songs = try ["one.mp3", "two.mp3", "three.mp3"].map { try stage.song($0, seconds: 90) }
        let tmux = try screen(["sing", "--mic", "none"] + songs)
        try tmux.wait(for: "▶ 0:0")
        try tmux.press("P")
        try tmux.wait(for: "song 1 of 3")
        try tmux.press("BSpace")
        try tmux.wait(for: "the song plays: backspace again removes it")
        try tmux.press("Down")
        try tmux.press("Up")
        // Another key has come between.
        try tmux.press("BSpace")
        try tmux.wait(for: "the song plays: backspace again removes it")
        try tmux.press("BSpace")
        try tmux.wait(for: "song 1 of 2")
        try tmux.type("k")
        try tmux.wait(for: "k changes nothing on this page")
        try tmux.type("q")
        try tmux.wait { !$0.contains { $0.contains("song 1 of 2") } }
        try tmux.type("q")
        try tmux.wait(for: "1 song is to come: q again quits")
        try tmux.type("q")
        try tmux.wait(for: "stopped 0:0")
        try tmux.wait(for: "the list of 2 songs is kept: 'duet --resume'")
        let second = try screen(["sing", "--mic", "none"] + songs)
        try second.wait(for: "▶ 0:0")
        try second.press("C-c")
        try second.wait(for: "stopped 0:0")
    }

    /// A key of the user's own asks, too, as in a keys.conf of an earlier version; commands never do.
    @Test func anyKeyThatQuitsAsks() throws {
        let config = try stage.configure("keys.conf", "Q trigger /quit\nj trigger /list/down\n")
        let songs = try ["one.mp3", "two.mp3", "three.mp3"].map { try stage.song($0, seconds: 90) }
        let own = config.compactMapValues { $0 }.merging(environment) { $1 }
        let tmux = try stage.screen(
            ["sing", "--mic", "none", "--control", stage.control] + songs, environment: own)
        try tmux.wait(for: "▶ 0:0")
        try tmux.press("P")
        // A key that is the user's own for the list is so on its page.
        try tmux.type("j")
        try tmux.wait(for: "▸▶ 2  one.mp3")
        try tmux.press("P")
        try tmux.type("Q")
        try tmux.wait(for: "1 song is to come: Q again quits")
        let commands = try stage.commands()
        #expect(try commands.ask("trigger /quit") == "ok /quit")
        try tmux.wait(for: "stopped 0:0")
    }

    /// All songs of the folders are in the list before their turn comes, with what they are called.
    @Test func foldersAreInTheListFromTheBeginning() throws {
        let folder = try makeSongs(seconds: 20)
        let duet = try stage.start(
            ["sing", "--mic", "none", stage.song("first.mp3"), folder], isHeard: false,
            environment: environment.mapValues { Optional($0) }, streams: .pipes)
        try duet.waitFor { events in
            guard let list = events.all(Events.List.self).last else { return false }
            return list.count == 31
                && list.songs.dropFirst().allSatisfy { abs(($0.duration ?? 0) - 20) < 0.1 }
        }
        duet.child.signal(SIGTERM)
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// Between two songs the screen says who is next, and music plays meanwhile.
    @Test func breaksTellWhoIsNext() throws {
        let songs = try ["one.mp3", "two.mp3"].map { try stage.song($0, seconds: 2) }
        let host = try screen(["sing", "--between", "pause", "--mic", "none"] + songs)
        try host.wait(for: "▶ 0:0")
        #expect(try run(["add", "--singer", "Dora", songs[0]]).status == .code(0))
        try host.wait { lines in
            ["space starts", "then, in about 1 min: Dora · one.mp3", "2 songs, about 1 min"]
                .allSatisfy { text in lines.contains { $0.contains(text) } }
        }
        try host.type(" ")
        try host.wait { !$0.contains { $0.contains("space starts") } }
        try host.wait(for: "the last song")
        try host.type(" ")
        try host.wait(for: "end of list · again: space · q quits")
        try host.type(" ")
        try host.wait { !$0.contains { $0.contains("end of list") } }
        try host.wait(for: "end of list · again: space · q quits")
        try host.type("q")
        try host.wait(for: "stopped 0:0")
    }

    @Test func breaksHaveMusic() throws {
        let folder = stage.path("break")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: stage.song("tone.wav", seconds: 5), toPath: folder + "/tone.wav")
        let songs = try ["one.mp3", "two.mp3"].map { try stage.song($0, seconds: 2) }
        let (duet, client) = try stage.startCommanded(
            ["sing", "--mic", "none", "--between", "pause", "--levels", "--break-music", folder]
                + songs, after: Events.Levels.self)
        func outPeaks() throws -> [Double] {
            try duet.all(Events.Levels.self).map { $0.out.peak[0] }
        }
        // The song is over: its bus is silent, and the output is 15 dB softer than it was.
        try duet.waitFor { events in
            let levels = events.all(Events.Levels.self)
            guard let last = levels.last, let loud = levels.map({ $0.out.peak[0] }).max() else {
                return false
            }
            return last.song.peak[0] < -100 && abs(last.out.peak[0] - (loud - 15)) < 1
        }
        let loud = try #require(try outPeaks().max())
        #expect(try client.ask("set /transport/play on").hasPrefix("ok"))
        try duet.waitFor { abs(($0.all(Events.Levels.self).last?.out.peak[0] ?? 0) - loud) < 0.5 }
        try duet.quit(by: client)
    }

    /// The run goes on until nothing is heard any more of what reverb and echo have left.
    @Test func theLastEchoIsHeard() throws {
        let song = try stage.song("short.mp3", seconds: 1)
        let duet = try stage.start(
            ["sing", "--mic", "none", "--mic-preset", "plate", song], streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(0))
        let end = try #require(try duet.all(Events.Ended.self).last).frames
        let bye = try #require(try duet.all(Events.Bye.self).last).frames
        #expect(bye - end > 2 * 44_100)
    }

    /// All that is kept goes by one command, which asks where it can.
    @Test func everythingIsForgottenByOneCommand() throws {
        let state = stage.path("state/duet")
        try FileManager.default.createDirectory(
            atPath: state + "/songs", withIntermediateDirectories: true)
        try "x".write(toFile: state + "/songs/a.conf", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: state + "/songs/link", withDestinationPath: stage.folder.url.path)
        #expect(try run(["forget"]).status == .code(64))
        let done = try run(["forget", "--yes"])
        #expect(done.status == .code(0) && done.output == "deleted \(state): 2 files\n")
        #expect(!FileManager.default.fileExists(atPath: state))
        #expect(FileManager.default.fileExists(atPath: stage.folder.url.path))
        #expect(try run(["forget", "--yes"]).output == "nothing is kept\n")
    }
}
