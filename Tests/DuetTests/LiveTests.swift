import Foundation
import TestSupport
import Testing

/// Songs played through a real server, from files, the web and standard input.
@Suite(.serialized) struct LiveTests {
    private let server: JackServer
    private let folder: TemporaryFolder
    private let client = DuetProgram.clientName()

    init() throws {
        server = try JackServer()
        folder = try TemporaryFolder()
    }

    private func start(
        _ arguments: [String], streams: ChildProcess.Streams = .terminal
    ) throws -> DuetProgram {
        try DuetProgram(arguments + ["-s", server.name, "-n", client, "--json"], streams: streams)
    }

    private func ports(of client: String) throws -> Set<String> {
        Set(
            try server.tool("jack_lsp", []).split(separator: "\n").map(String.init)
                .filter { $0.hasPrefix(client + ":") })
    }

    @Test func aSongFromItsBeginningToItsEnd() throws {
        let song = try folder.song(seconds: 1, rate: 44_100)
        let web = try FileServer(root: folder.url)
        let address = web.url("song.mp3").replacing("//", with: "//singer:secret@")
        let duet = try start(["play", address], streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(0))
        let source = try #require(duet.event("source"))
        #expect(source["url"] as? String == web.url(song.lastPathComponent))
        #expect(source["rate"] as? Int == 44_100)
        #expect(source["channels"] as? Int == 2)
        #expect(source["bitrate"] as? Int == 192)
        #expect(source["duration"] as? Double == 1)
        #expect(duet.event("ended")?["frames"] as? Int == 48_000)
        try duet.expectNoUnderrun()
        let names = duet.events.compactMap { $0["event"] as? String }
        let order = ["ready", "source", "playing", "ended", "bye"].map { names.firstIndex(of: $0) }
        #expect(order.allSatisfy { $0 != nil })
        #expect(order.compactMap { $0 } == order.compactMap { $0 }.sorted())
    }

    /// In a playlist, with an MP3 between them, and the last begun in its middle by a key.
    @Test func soundFilesAreSongsToo() throws {
        let mp3 = try folder.song("b.mp3", seconds: 1, rate: 44_100)
        for name in ["a.flac", "c.ogg"] {
            let file = folder.url.appendingPathComponent(name).path
            try Tool.run(["ffmpeg", "-v", "error", "-stream_loop", "9", "-i", mp3.path, file])
        }
        let list = try folder.write("list.m3u", "a.flac\nb.mp3\nc.ogg\n")
        let duet = try start(["play", list.path, "--start-at", "0:09"])
        try duet.waitFor { $0.filter { $0["event"] as? String == "source" }.count == 3 }
        duet.child.type("\u{1B}[C")
        try duet.waitForEvent("seeked")
        try duet.waitForEvent("bye")
        let sources = duet.events.filter { $0["event"] as? String == "source" }
        #expect(
            sources.map { $0["codec"] as? String } == ["FLAC", "MPEG 1 layer III", "Ogg Vorbis"])
        #expect(sources.allSatisfy { $0["seekable"] as? Bool == true })
        let ended = duet.events.filter { $0["event"] as? String == "ended" }
        #expect(ended.map { ($0["frames"] as? Int ?? 0) / 48_000 } == [10, 1, 10])
        try duet.expectNoUnderrun()
    }

    /// A server that is busy for a moment refuses the client once.
    @Test(.disabled(if: JackServer.isPipeWire)) func aClientThatIsRefusedOnceStartsAnew() throws {
        let refusal = try Preload("refuse-activation", in: folder)
        try refusal.begin()
        let duet = try DuetProgram(
            ["sing", try folder.song(seconds: 30).path, "-s", server.name, "-n", client, "--json"],
            environment: refusal.environment, streams: .terminal)
        try duet.waitForEvent("playing")
        #expect(refusal.holds)
        #expect(duet.event("ready")?["client"] as? String == client)
        #expect(try ports(of: client).count == 3)
        try duet.waitFor { events in
            Set(events.compactMap { $0["to"] as? String }).isSuperset(of: [
                "\(client):mic", "system:playback_1", "system:playback_2",
            ])
        }
        try duet.quit()
    }

    @Test func pauseAndSeek() throws {
        let duet = try start([try folder.song(seconds: 60).path, "--start-at", "0:20"])
        try duet.waitForEvent("playing")
        duet.child.type(" ")
        try duet.waitForEvent("paused")
        duet.child.type(" ")
        // Arrows in both directions at once: the seek back starts where the seeks forward end.
        duet.child.type("\u{1B}[C\u{1B}[C\u{1B}[D")
        try duet.waitFor { $0.filter { $0["event"] as? String == "seeked" }.count > 1 }
        let seeked = duet.events.filter { $0["event"] as? String == "seeked" }
        #expect(seeked[0]["seconds"] as? Double == 20)
        let seconds = try #require(seeked.last?["seconds"] as? Double)
        #expect((25..<35).contains(seconds), "from 20 s or a little more: \(seconds)")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    @Test func nextAndBefore() throws {
        let first = try folder.song("first.mp3", seconds: 60)
        let second = try folder.song("second.mp3", seconds: 60)
        let duet = try start(["play", first.path, second.path])
        for (key, song, count) in [("", first, 1), ("n", second, 1), ("b", first, 2)] {
            duet.child.type(key)
            try duet.waitFor {
                $0.filter { $0["url"] as? String == song.path }.count == count
            }
        }
        // No song follows the second, so the second plays on.
        duet.child.type("nn")
        try duet.waitFor { $0.filter { $0["url"] as? String == second.path }.count == 2 }
        #expect(duet.event("ended") == nil)
        try duet.quit()
    }

    // PipeWire tells each client that its name is plain "duet".
    @Test(.disabled(if: JackServer.isPipeWire)) func theClientsPorts() throws {
        let song = try folder.song(seconds: 60).path
        let duet = try start(["sing", song, "--stereo-mic", "--out", "none", "--mic", "none"])
        try duet.waitForEvent("ready")
        #expect(
            try ports(of: client) == [
                "\(client):mic_left", "\(client):mic_right", "\(client):out_left",
                "\(client):out_right",
            ])
        let other = try start(["play", song])
        try other.waitForEvent("ready")
        let name = try #require(other.event("ready")?["client"] as? String)
        #expect(name != client && name.hasPrefix(client))
        #expect(try ports(of: name) == ["\(name):out_left", "\(name):out_right"])
        #expect(duet.event("connected") == nil)
        for program in [duet, other] {
            program.child.type("q")
            #expect(try program.child.waitForExit() == .code(0))
        }
    }

    @Test func twoSongsAtOnce() throws {
        let first = try folder.song("first.mp3", seconds: 1)
        let second = try folder.song("second.mp3", seconds: 2)
        let duet = try start(
            [
                "mix", first.path, second.path, "--song-pan", "right", "--second-pan", "left",
                "--levels", "--out", "none",
            ])
        #expect(try duet.child.waitForExit() == .code(0))
        let ends = duet.events.filter { $0["event"] as? String == "ended" }
        #expect(ends.map { $0["bus"] as? Int } == [0, 1])
        #expect(ends.map { $0["frames"] as? Int } == [48_000, 96_000])
        // The first song is on the right only, the second on the left.
        let loudest = try #require(
            duet.events.filter { $0["event"] as? String == "levels" }
                .max { peak($0, "song", 1) < peak($1, "song", 1) })
        #expect(peak(loudest, "song", 0) == -120)
        #expect(peak(loudest, "song", 1) > -30)
        #expect(peak(loudest, "mic", 1) == -120)
    }

    @Test func theLogTellsWhatHappens() throws {
        let song = try folder.song(seconds: 0.2)
        let duet = try start(["play", song.path, "-v"], streams: .pipes)
        #expect(try duet.child.waitForExit() == .code(0))
        let log = duet.child.errors
        for words in ["ready client=\"\(client)\"", "connected from=", "source bus=0", "ended"] {
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
        let wires = duet.events.filter { $0["event"] as? String == "connected" }
        let mic = wires.filter { $0["to"] as? String == "\(client):mic" }
        #expect(!mic.isEmpty)
        #expect(mic.allSatisfy { ($0["from"] as? String)?.hasPrefix("\(client)-voice:") == true })
        #expect(wires.contains { $0["from"] as? String == "\(client):out_left" })
        #expect(duet.event("playing") != nil)
        // Bus 1 is a microphone, not a song, also when the demo's voice sings into it.
        #expect(!duet.events.contains { $0["bus"] as? Int == 1 })
        let levels = duet.events.filter { $0["event"] as? String == "levels" }
        for bus in ["song", "mic", "out"] {
            #expect((levels.map { peak($0, bus, 0) }.max() ?? -120) > -40, "\(bus)")
        }
        let frames = try #require(duet.event("bye")?["frames"] as? Int)
        #expect(frames >= 3 * 48_000)
    }

    @Test func theDemoShowsWhatCanBeDone() throws {
        let duet = try start(["demo", "--start-at", "0:19"])
        func value(_ address: String, in events: [[String: Any]]) -> Any? {
            events.last {
                $0["event"] as? String == "parameter" && $0["address"] as? String == address
            }?["value"]
        }
        try duet.waitFor { value("/song/vocals/remove", in: $0) as? Double == 100 }
        #expect(value("/song/key", in: duet.events) == nil)
        try duet.waitFor { value("/mic/reverb", in: $0) as? Bool == true }
        try duet.waitFor { value("/song/key", in: $0) as? Double == 2 }
        try duet.quit()
    }

    @Test func aSongFromStandardInput() throws {
        let song = try folder.song(seconds: 1)
        let shell = try ChildProcess(
            "sh",
            [
                "-c", #"cat "$0" | "$1" play - -s "$2" -n "$3" --json"#, song.path,
                DuetProgram.path, server.name, client,
            ])
        #expect(try shell.waitForExit() == .code(0))
        #expect(shell.output.contains("\"event\":\"ended\",\"time\":"))
        #expect(shell.output.contains("\"frames\":48000"))
    }

    // Not under PipeWire, which belongs to the user and is not killed.
    @Test(.disabled(if: JackServer.isPipeWire)) func aServerThatComesBackIsGoneOnWith() throws {
        let duet = try start([try folder.song(seconds: 60).path, "--server-wait", "20"])
        try duet.waitForEvent("playing")
        server.kill()
        try duet.waitFor { $0.contains { $0["state"] as? String == "lost" } }
        let again = try ChildProcess(
            "jackd", ["-n", server.name, "-r", "-d", "dummy", "-r", "48000", "-p", "128"])
        try duet.waitFor { $0.contains { $0["state"] as? String == "back" } }
        // The same names, and the same connections.
        try duet.waitFor {
            $0.filter { $0["to"] as? String == "\(client):mic" }.count == 2
        }
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        again.signal(SIGTERM)
        try again.waitForExit()
    }
}
