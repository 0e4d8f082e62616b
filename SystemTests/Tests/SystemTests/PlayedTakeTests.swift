import Foundation
import Rig
import Testing

/// Takes that are played, and sung to.
@Suite(.serialized) struct PlayedTakeTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func take(
        seconds: Int = 60, values: String = "", facts: String = ""
    ) throws -> HandmadeTake {
        try HandmadeTake(
            in: stage.folder.url.appendingPathComponent("2026-11-27 003"), seconds: seconds,
            values: values, facts: facts)
    }

    private func ears() throws -> Witness {
        try Witness(recording: 100_000_000, of: stage.client, server: stage.server)
    }

    /// How many samples of the song are heard whole, and how many of these have the voice's frame of the
    /// same number beside them.
    private func check(
        _ channels: [[Float]], offset: Int = 0, _ what: String
    ) throws -> (song: Int, both: Int) {
        let songs = HandmadeTake.frames(channels[0], gain: HandmadeTake.gain(channels[0]))
        let voices = HandmadeTake.frames(channels[1], gain: HandmadeTake.gain(channels[1]))
        var (song, both) = (0, 0)
        for (index, frame) in songs.enumerated() {
            guard let frame else { continue }
            song += 1
            guard let voice = voices[index] else { continue }
            both += 1
            try #require(voice == frame - offset, "\(what): sample \(index), frame \(frame)")
        }
        return (song, both)
    }

    /// Asks for a change, and waits until the song is heard again.
    private func ask(_ words: String, of client: LineClient, _ duet: Duet) throws {
        try duet.wait(for: Events.Position.self, after: { try tell(words, client) })
    }

    private func tell(_ words: String, _ client: LineClient) throws {
        let answer = try client.ask(words)
        try #require(answer.hasPrefix("ok"))
    }

    @Test(arguments: ["play", "sing"])
    func songAndVoiceStayTogetherThroughSeeksAndPauses(command: String) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        print("PlayedTakeTests: seed \(seed)")
        let take = try take()
        let duet = try stage.start(
            [command, take.folder.path, "--stay"] + (command == "sing" ? ["--mic", "none"] : []),
            takesCommands: true)
        try duet.wait(for: Events.Playing.self)
        let client = try stage.commands()
        let ears = try ears()
        for _ in 0..<20 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                try tell("toggle /transport/play", client)
                try ask("toggle /transport/play", of: client, duet)
            case 1: try ask("trigger /transport/previous", of: client, duet)
            case 2:
                let place = Double.random(in: 5..<40, using: &random)
                for words in [
                    "set /transport/position \(place)", "set /transport/loop/a \(place)",
                    "set /transport/loop/b \(place + 0.7)",
                ] {
                    try tell(words, client)
                }
                for _ in 0..<3 { try duet.waitForNext(Events.Position.self) }
                try tell("set /transport/loop/a off", client)
                try ask("set /transport/loop/b off", of: client, duet)
            default:
                let place = Double.random(in: 0..<50, using: &random)
                try ask("set /transport/position \(place)", of: client, duet)
            }
        }
        let channels = try ears.stop().channels
        try duet.quit(by: client)
        let (song, both) = try check(channels, "seed \(seed)")
        #expect(song > 10 * HandmadeTake.rate, "seed \(seed)")
        if both * 100 < song * 98 { try duet.excuse("seed \(seed): \(both) of \(song) frames") }
    }

    @Test func theOffsetMovesTheVoiceAndIsKept() throws {
        let take = try take()
        let duet = try stage.start(["play", take.folder.path])
        try duet.wait(for: Events.Playing.self)
        #expect(try duet.type("'", changes: "/take/offset").value == 0.005)
        #expect(try duet.type(";", changes: "/take/offset").value == 0)
        #expect(try duet.type("'", changes: "/take/offset").value == 0.005)
        try duet.waitForNext(Events.Position.self)
        let ears = try ears()
        for _ in 0..<2 { try duet.waitForNext(Events.Position.self) }
        let (song, both) = try check(ears.stop().channels, offset: 240, "5 ms later")
        #expect(both > HandmadeTake.rate && both > song * 9 / 10)
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
        let text = try String(contentsOf: take.file("take.json"), encoding: .utf8)
        #expect(text.contains("\"offset\": 0.005"))
        let again = try stage.start(["play", take.folder.path], takesCommands: true)
        try again.wait(for: Events.Playing.self)
        let client = try stage.commands()
        #expect(try client.ask("get /take/offset") == "ok /take/offset 0.005")
        #expect(try client.ask("set /take/offset 2").hasPrefix("error use -1…1 s"))
        // A way that is longer than a fade: the voice is sought, and is soon heard again.
        let others = try Witness(recording: 100_000_000, of: stage.client, server: stage.server)
        try ask("set /take/offset 0.4", of: client, again)
        try again.waitForNext(Events.Position.self)
        let channels = try others.stop().channels.map { Array($0.suffix(48_000)) }
        let moved = try check(channels, offset: 19_200, "0.4 s later")
        #expect(moved.both > HandmadeTake.rate * 9 / 10)
        try again.quit(by: client)
    }

    @Test func changesComeAtTheirPlacesUnlessTheUserHasTheValue() throws {
        let take = try take(
            facts: """
                , "changes": [
                    {"frame": 480000, "address": "/mic/volume", "value": "0.5"},
                    {"frame": 480000, "address": "/mic/pan", "value": "0.25"},
                    {"frame": 960000, "address": "/mic/volume", "value": "0.25"},
                    {"frame": 960000, "address": "/song/tempo", "value": "80"}]
                """)
        let duet = try stage.start(["play", take.folder.path], takesCommands: true)
        try duet.wait(for: Events.Playing.self)
        let client = try stage.commands()
        func seek(to seconds: Int, volume: Double) throws {
            try duet.wait(
                for: Events.Parameter.self,
                after: { _ = try client.ask("set /transport/position \(seconds)") }
            ) { $0.address == "/mic/volume" && $0.value == volume }
        }
        try seek(to: 12, volume: 0.5)
        #expect(try client.ask("get /mic/pan") == "ok /mic/pan 0.25")
        try seek(to: 30, volume: 0.25)
        #expect(try client.ask("get /song/tempo") == "ok /song/tempo 100")
        #expect(try client.ask("set /song/tempo 90").hasPrefix("error a take keeps its key"))
        #expect(try client.ask("set /mic/pan right") == "ok /mic/pan 1")
        try seek(to: 2, volume: 1)
        try seek(to: 12, volume: 0.5)
        #expect(try client.ask("get /mic/pan") == "ok /mic/pan 1")
        try duet.quit(by: client)
    }

    @Test func optionsWinOverTheTake() throws {
        let take = try take(
            values: ", \"/mic/volume\": \"0.5\", \"/song/volume\": \"0.5\"",
            facts: ", \"changes\": [{\"frame\": 0, \"address\": \"/mic/mute\", \"value\": \"on\"}]")
        let duet = try stage.start(
            ["play", take.folder.path, "--set", "/mic/volume=0.75", "--set", "/mic/mute=off"],
            takesCommands: true)
        try duet.wait(for: Events.Playing.self)
        let client = try stage.commands()
        #expect(try client.ask("get /mic/volume") == "ok /mic/volume 0.75")
        #expect(try client.ask("get /song/volume") == "ok /song/volume 0.5")
        #expect(try client.ask("get /mic/mute") == "ok /mic/mute off")
        try duet.quit(by: client)
    }

    @Test func aDuetIsRecordedBesideTheFirstTake() throws {
        let take = try take()
        let duet = try stage.start(["sing", take.folder.path, "--mic", "none"])
        try duet.wait(for: Events.Playing.self)
        for _ in 0..<3 { try duet.waitForNext(Events.Position.self) }
        duet.child.type("q")
        #expect(try duet.end().exit == .code(0))
        let names = try FileManager.default.contentsOfDirectory(
            atPath: stage.folder.url.path
        ).filter { $0.hasSuffix(" 004") }
        let second = try #require(names.first)
        // What was sung to is the duet's song.
        let bytes = try Tool.run(["sox", stage.path("\(second)/song.wav"), "-t", "f32", "-"])
        let samples = bytes.withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
        let channels = (0..<2).map { side in
            stride(from: side, to: samples.count, by: 2).map { samples[$0] }
        }
        let (song, both) = try check(channels, "song.wav")
        #expect(both > HandmadeTake.rate && both > song * 9 / 10)
        let third = try stage.screen(["play", stage.path(second)])
        try third.wait(for: "A – Tune · take \(second)")
    }

    /// A take of two voices is sung to with one microphone: the buses of the voices lie in the song.
    @Test func aTakeOfTwoVoicesIsSungTo() throws {
        let takes = stage.path("takes")
        let singers = try stage.start(
            [
                "sing", stage.song(), "--mic", "none", "--second-mic", "none",
                "--record=\(takes)",
            ], isHeard: false)
        try singers.wait(for: Events.Take.self) { $0.state == "recording" }
        try singers.wait(for: Events.Position.self) { $0.seconds > 2 }
        try singers.quit()
        let take = try #require(try RecordedTake.all(in: takes).first)
        let (duet, client) = try stage.startCommanded(["sing", take.folder.path, "--mic", "none"])
        #expect(try client.ask("set /mic/volume 0.5") == "ok /mic/volume 0.5")
        #expect(try client.ask("set /mic2/volume 0.5").hasPrefix("error "))
        try duet.quit(by: client)
        #expect(try RecordedTake.all(in: takes).count == 2)
    }

    /// The new take belongs to its writer alone: who plays it meanwhile does not write what is in the
    /// file since the play began.
    @Test func playingATakeThatIsRecordedLosesNothingOfIt() throws {
        let takes = stage.path("takes")
        let singer = try stage.start(
            ["sing", stage.song(), "--mic", "none", "--record=\(takes)"], isHeard: false)
        try singer.wait(for: Events.Take.self) { $0.state == "recording" }
        try singer.wait(for: Events.Position.self) { $0.seconds > 3 }
        let take = try #require(try RecordedTake.all(in: takes).first)
        let player = try stage.start(
            ["play", take.folder.path], as: Duet.clientName(), isHeard: false)
        try player.wait(for: Events.Playing.self)
        try player.type("'", changes: "/take/offset")
        let warning = try player.wait(for: Events.Warning.self)
        #expect(warning.message.contains("still being recorded; move the voices again after that"))
        try singer.type("m", changes: "/mic/mute")
        try singer.quit()
        try player.quit()
        let facts = try take.facts
        #expect(facts.complete && facts.frames > 3 * 48_000)
        #expect(facts.changes.map(\.address) == ["/mic/mute"])
    }

    /// What cannot be is refused with what can be.
    @Test func theLastTakeIsPlayedAfterTheRun() throws {
        let take = try take()
        let duet = try stage.start(
            ["sing", take.folder.path, "--mic", "none"], takesCommands: true)
        try duet.wait(for: Events.Take.self)
        let client = try stage.commands()
        #expect(
            try client.ask("trigger /take/play")
                == "error a take is being recorded; end it first")
        try duet.quit(by: client)
        let alone = try stage.start(["play", take.folder.path], takesCommands: true)
        try alone.wait(for: Events.Playing.self)
        let other = try stage.commands()
        #expect(
            try other.ask("trigger /take/play")
                == "error nothing was recorded in this run; home restarts the take that plays")
        try alone.quit(by: other)
        let plain = try Duet.run([
            "sing", take.folder.path, "--mic", "none", "-s", stage.server.name, "--plain",
            "--duration", "2", "--record=\(stage.path("it's"))",
        ])
        #expect(
            (plain.output + plain.errors).contains(
                "; play it: duet play '\(stage.folder.url.path)/it'\\''s/20"))
        // It says at its start that it records, and then which keys do something with the take.
        let sung = try stage.start(
            ["sing", take.folder.path, "--mic", "none"] + Duet.statusLine, events: false)
        try sung.child.waitForOutput("recording; r ends it:")
        try sung.child.waitForOutput("rec 0:01")
        sung.child.type("r")
        // The line may be broken anywhere.
        try sung.child.waitForOutput {
            $0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                .contains("; R plays it, D deletes it")
        }
        sung.child.type("qq")
        #expect(try sung.child.waitForExit() == .code(0))
        let screen = try stage.screen(
            ["sing", take.folder.path, "--mic", "none"], columns: 250)
        try screen.wait(for: "● rec 0:0")
        try screen.type("qq")
        // The command has a line of its own.
        try screen.wait { $0.contains { $0.hasPrefix("duet play '") } }
    }

    /// The words of the song are in time with a take that begins in its middle, seeks and pauses.
    @Test(arguments: ["play", "sing"]) func aTakeHasTheWordsOfItsSong(command: String) throws {
        let song = try stage.song()
        let lines = (1..<60).map { String(format: "[00:%02d.00]line %d", $0, $0) }
        try stage.folder.write("song.lrc", lines.joined(separator: "\n"))
        let takes = stage.path("takes")
        let (singer, client) = try stage.startCommanded(
            ["sing", song, "--mic", "none", "--start-at", "10", "--record=\(takes)"],
            after: Events.Take.self)
        try singer.wait(for: Events.Position.self) { $0.seconds > 12.5 }
        try ask("set /transport/position 30.2", of: client, singer)
        try singer.wait(for: Events.Position.self) { $0.seconds > 31.5 }
        try singer.quit(by: client)
        let take = try #require(try RecordedTake.all(in: takes).first)
        let facts = try take.facts
        let duet = try stage.start(
            [command, take.folder.path] + (command == "sing" ? ["--mic", "none"] : []))
        try duet.wait(for: Events.Lyrics.self) { $0.line == "line 31" }
        try duet.quit()
        for told in try duet.all(Events.Lyrics.self) {
            guard let line = told.line, let number = Double(line.dropFirst("line ".count)) else {
                continue
            }
            // Where the song was then, by what take.json says.
            let frame = told.seconds * Double(facts.rate) - Double(facts.lead)
            let part = facts.songs.last { Double($0.frame) <= frame + 100 } ?? facts.songs[0]
            let place = part.place + (frame - Double(part.frame)) / Double(facts.rate)
            let isStart = abs(frame - Double(part.frame)) < 24_000
            #expect(abs(place - number) < (isStart ? 1.1 : 0.4), "\(told), at \(place)")
        }
        #expect(try duet.first(Events.Words.self)?.timed == true)
    }

    /// Where the song is gone, the take plays without words, and no word of a warning.
    @Test func aTakeWithoutItsSongHasNoWords() throws {
        let duet = try stage.start(["play", try take().folder.path])
        try duet.wait(for: Events.Position.self) { $0.seconds > 1 }
        #expect(try duet.all(Events.Warning.self).isEmpty)
        #expect(try duet.all(Events.Words.self).allSatisfy { $0.lines.isEmpty })
        try duet.quit()
    }

    @Test func takesAreRefusedWhereSongsAreMeant() throws {
        let take = try take(seconds: 1)
        try stage.folder.write("list.m3u", "song.mp3\n")
        for (words, hint) in [
            (["mix", stage.path("last"), try stage.song()], "duet render "),
            (["mix", try stage.song(), take.folder.path], "duet render "),
            (["add", stage.path("last")], "duet play "),
        ] {
            let duet = try Duet.run(words)
            #expect(duet.exit == .code(64))
            #expect(duet.errors.contains("that is a take") && duet.errors.contains(hint))
        }
    }

    @Test func theScreenSaysWhichTakePlays() throws {
        let take = try take()
        let screen = try stage.screen(["play", take.folder.path])
        try screen.wait(for: "A – Tune · take 2026-11-27 003")
        try screen.type("'")
        try screen.wait(for: "take's voice +5 ms")
    }

    @Test func wrongTakesAreRefused() throws {
        let take = try take(seconds: 1)
        func refusal(_ words: [String]) throws -> (exit: ChildProcess.Exit?, errors: String) {
            let duet = try Duet.run(words + ["-s", stage.server.name])
            return (duet.exit, duet.errors)
        }
        let twice = try refusal(["play", take.folder.path, take.folder.path])
        #expect(twice.exit == .code(64) && twice.errors.contains("a take is played by itself"))
        let loop = try refusal(["play", take.folder.path, "--loop"])
        #expect(loop.exit == .code(64) && loop.errors.contains("--loop does not go with a take"))
        try FileManager.default.removeItem(at: take.file("voice.wav"))
        for command in ["play", "sing"] {
            let lost = try refusal([command, take.folder.path])
            #expect(lost.exit == .code(66) && lost.errors.contains("voice.wav"))
        }
    }
}
