import Foundation
import Rig
import Testing

/// Songs played through a real server, from files, the web and standard input.
@Suite(.serialized) struct LiveTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func start(
        _ arguments: [String], streams: ChildProcess.Streams = .terminal
    ) throws -> Duet {
        try stage.start(arguments, streams: streams)
    }

    private func ports(of client: String) throws -> Set<String> {
        Set(
            try stage.server.tool("jack_lsp", []).split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix(client + ":") })
    }

    @Test func aSongFromItsBeginningToItsEnd() throws {
        let song = try stage.folder.song(seconds: 1, rate: 44_100)
        let web = try FileServer(root: stage.folder.url)
        let address = web.url("song.mp3").replacing("//", with: "//singer:secret@")
        let duet = try start(["play", address], streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(0))
        let source = try #require(try duet.first(Events.Source.self))
        #expect(source.url == web.url(song.lastPathComponent))
        #expect(source.rate == 44_100)
        #expect(source.channels == 2)
        #expect(source.bitrate == 192)
        #expect(source.duration == 1)
        #expect(try duet.first(Events.Ended.self)?.frames == 48_000)
        try duet.expectNoUnderrun()
        let names = try duet.told.map(\.name)
        let order = ["ready", "source", "playing", "ended", "bye"].map { names.firstIndex(of: $0) }
        #expect(order.allSatisfy { $0 != nil })
        #expect(order.compactMap { $0 } == order.compactMap { $0 }.sorted())
    }

    /// In a playlist, with an MP3 between them, and the last begun in its middle by a key.
    @Test func soundFilesAreSongsToo() throws {
        let mp3 = try stage.folder.song("b.mp3", seconds: 1, rate: 44_100)
        for name in ["a.flac", "c.ogg"] {
            let file = stage.path(name)
            try Tool.run(["ffmpeg", "-v", "error", "-stream_loop", "9", "-i", mp3.path, file])
        }
        let list = try stage.folder.write("list.m3u", "a.flac\nb.mp3\nc.ogg\n")
        let duet = try start(["play", list.path, "--start-at", "0:09"])
        try duet.waitFor { $0.all(Events.Source.self).count == 3 }
        duet.child.type("\u{1B}[C")
        try duet.wait(for: Events.Seeked.self)
        try duet.wait(for: Events.Bye.self)
        let sources = try duet.all(Events.Source.self)
        #expect(
            sources.map { $0.codec } == ["FLAC", "MPEG 1 layer III", "Ogg Vorbis"])
        #expect(sources.allSatisfy { $0.seekable == true })
        let ended = try duet.all(Events.Ended.self)
        #expect(ended.map { ($0.frames) / 48_000 } == [10, 1, 10])
        try duet.expectNoUnderrun()
    }

    /// A server that is busy for a moment refuses the client once.
    @Test(.disabled(if: JackServer.isPipeWire)) func aClientThatIsRefusedOnceStartsAnew() throws {
        let refusal = try Preload("refuse-activation", in: stage.folder)
        try refusal.begin()
        let duet = try stage.start(
            ["sing", try stage.folder.song(seconds: 30).path], environment: refusal.environment)
        try duet.wait(for: Events.Playing.self)
        #expect(refusal.holds)
        #expect(try duet.first(Events.Ready.self)?.client == stage.client)
        #expect(try ports(of: stage.client).count == 3)
        try duet.waitFor { events in
            Set(events.all(Events.Connected.self).map(\.to)).isSuperset(of: [
                "\(stage.client):mic", "system:playback_1", "system:playback_2",
            ])
        }
        try duet.quit()
    }

    @Test func pauseAndSeek() throws {
        let duet = try start([try stage.folder.song(seconds: 60).path, "--start-at", "0:20"])
        try duet.wait(for: Events.Playing.self)
        duet.child.type(" ")
        try duet.wait(for: Events.Paused.self)
        duet.child.type(" ")
        // Arrows in both directions at once: the seek back starts where the seeks forward end.
        duet.child.type("\u{1B}[C\u{1B}[C\u{1B}[D")
        try duet.waitFor { $0.all(Events.Seeked.self).count > 1 }
        let seeked = try duet.all(Events.Seeked.self)
        #expect(seeked[0].seconds == 20)
        let seconds = try #require(seeked.last?.seconds)
        #expect((25..<35).contains(seconds), "from 20 s or a little more: \(seconds)")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    @Test func nextAndBefore() throws {
        let first = try stage.folder.song("first.mp3", seconds: 60)
        let second = try stage.folder.song("second.mp3", seconds: 60)
        let duet = try start(["play", first.path, second.path])
        for (key, song, count) in [("", first, 1), ("n", second, 1), ("b", first, 2)] {
            duet.child.type(key)
            try duet.waitFor {
                $0.all(Events.Source.self).count { $0.url == song.path } == count
            }
        }
        // No song follows the second, so the second plays on.
        duet.child.type("nn")
        try duet.waitFor { $0.all(Events.Source.self).count { $0.url == second.path } == 2 }
        #expect(try duet.first(Events.Ended.self) == nil)
        try duet.quit()
    }

    // PipeWire tells each client that its name is plain "duet".
    @Test(.disabled(if: JackServer.isPipeWire)) func theClientsPorts() throws {
        let song = try stage.folder.song(seconds: 60).path
        let duet = try start(["sing", song, "--stereo-mic", "--out", "none", "--mic", "none"])
        try duet.wait(for: Events.Ready.self)
        #expect(
            try ports(of: stage.client) == [
                "\(stage.client):mic_left", "\(stage.client):mic_right", "\(stage.client):out_left",
                "\(stage.client):out_right",
            ])
        let other = try start(["play", song])
        try other.wait(for: Events.Ready.self)
        let name = try #require(try other.first(Events.Ready.self)?.client)
        #expect(name != stage.client && name.hasPrefix(stage.client))
        #expect(try ports(of: name) == ["\(name):out_left", "\(name):out_right"])
        #expect(try duet.first(Events.Connected.self) == nil)
        for program in [duet, other] {
            program.child.type("q")
            #expect(try program.child.waitForExit() == .code(0))
        }
    }

    @Test func twoSongsAtOnce() throws {
        let first = try stage.folder.song("first.mp3", seconds: 1)
        let second = try stage.folder.song("second.mp3", seconds: 2)
        let duet = try start(
            [
                "mix", first.path, second.path, "--song-pan", "right", "--second-pan", "left",
                "--levels", "--out", "none",
            ])
        #expect(try duet.child.waitForExit() == .code(0))
        let ends = try duet.all(Events.Ended.self)
        #expect(ends.map { $0.bus } == [0, 1])
        #expect(ends.map { $0.frames } == [48_000, 96_000])
        // The first song is on the right only, the second on the left.
        let levels = try duet.all(Events.Levels.self)
        let loudest = try #require(levels.max { $0.song.peak[1] < $1.song.peak[1] })
        #expect(loudest.song.peak[0] == -120 && loudest.song.peak[1] > -30)
        #expect(loudest.mic?.peak[1] == -120)
    }

    /// What is heard is as loud as the file that `render` makes of it.
    @Test func theLoudnessIsThatOfTheFile() throws {
        let song = try stage.folder.song(seconds: 5)
        let file = stage.folder.url.appendingPathComponent("out.wav").path
        let render = try Duet.run(["render", song.path, "-o", file, "--json"])
        let told = try #require(try render.first(Events.Loudness.self))
        let duet = try start(["play", song.path, "--levels", "--out", "none"])
        #expect(try duet.child.waitForExit() == .code(0))
        let levels = try duet.all(Events.Levels.self).map(\.loudness)
        #expect(levels.first?.shortTerm == nil)
        let last = try #require(levels.last { $0.shortTerm != nil })
        for (value, expected) in [
            (last.integrated, told.integrated), (last.truePeak, told.truePeak),
        ] {
            #expect(abs(try #require(value) - (try #require(expected))) < 0.3, "\(last), \(told)")
        }
    }

    @Test func theLogTellsWhatHappens() throws {
        let song = try stage.folder.song(seconds: 0.2)
        let duet = try start(["play", song.path, "-v"], streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(0))
        let log = duet.child.errors
        for words in [
            "ready client=\"\(stage.client)\"", "connected from=", "source bus=0", "ended",
        ] {
            #expect(log.contains("debug duet: \(words)"), "\(words)")
        }
        #expect(!log.contains("position"))
    }

    private func peak(_ event: [String: Any], _ bus: String, _ side: Int) -> Double {
        ((event[bus] as? [String: Any])?["peak"] as? [Double])?[side] ?? -.infinity
    }

    @Test func theDemoSings() throws {
        let duet = try start(["demo", "--start-at", "0:10", "--duration", "3", "--levels"])
        #expect(try duet.child.waitForExit() == .code(0))
        let wires = try duet.all(Events.Connected.self)
        let mic = wires.filter { $0.to == "\(stage.client):mic" }
        #expect(!mic.isEmpty)
        #expect(mic.allSatisfy { $0.from.hasPrefix("\(stage.client)-voice:") })
        #expect(wires.contains { $0.from == "\(stage.client):out_left" })
        #expect(try duet.first(Events.Playing.self) != nil)
        // Bus 1 is a microphone, not a song, also when the demo's voice sings into it.
        #expect(try duet.all(Events.Source.self).allSatisfy { $0.bus == 0 })
        #expect(try duet.all(Events.Playing.self).allSatisfy { $0.bus == 0 })
        let levels = try duet.all(Events.Levels.self)
        for peaks in [
            levels.map(\.song.peak), levels.compactMap(\.mic?.peak), levels.map(\.out.peak),
        ] {
            #expect((peaks.map { $0[0] }.max() ?? -120) > -40)
        }
        let frames = try #require(try duet.first(Events.Bye.self)?.frames)
        #expect(frames >= 3 * 48_000)
    }

    @Test func theDemoShowsWhatCanBeDone() throws {
        let duet = try start(["demo", "--start-at", "0:19"])
        try duet.waitFor { $0.value(of: "/song/vocals/remove")?.value == 100 }
        #expect(try duet.told.value(of: "/song/key") == nil)
        try duet.waitFor { $0.value(of: "/mic/reverb")?.value == 1 }
        try duet.waitFor { $0.value(of: "/song/key")?.value == 2 }
        try duet.quit()
    }

    @Test func aSongFromStandardInput() throws {
        let song = try stage.folder.song(seconds: 1)
        let shell = try ChildProcess(
            "sh",
            [
                "-c", #"cat "$0" | "$1" play - -s "$2" -n "$3" --json"#, song.path,
                Duet.path, stage.server.name, stage.client,
            ])
        #expect(try shell.waitForExit() == .code(0))
        #expect(shell.output.contains("\"event\":\"ended\",\"time\":"))
        #expect(shell.output.contains("\"frames\":48000"))
    }

    // Not under PipeWire, which belongs to the user and is not killed.
    @Test(.disabled(if: JackServer.isPipeWire)) func aServerThatComesBackIsGoneOnWith() throws {
        let duet = try start([try stage.folder.song(seconds: 60).path, "--server-wait", "20"])
        try duet.wait(for: Events.Playing.self)
        stage.server.kill()
        try duet.wait(for: Events.Server.self) { $0.state == "lost" }
        let again = try ChildProcess(
            "jackd", ["-n", stage.server.name, "-r", "-d", "dummy", "-r", "48000", "-p", "128"])
        try duet.wait(for: Events.Server.self) { $0.state == "back" }
        // The same names, and the same connections.
        try duet.waitFor {
            $0.all(Events.Connected.self).count { $0.to == "\(stage.client):mic" } == 2
        }
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        again.signal(SIGTERM)
        try again.waitForExit()
    }
}
