import Foundation
import Rig
import Testing

/// The last take, played while the song stands still.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct InterludeTests {
    private let stage: Stage
    private let takes: String

    init() throws {
        stage = try Stage(period: 1024)
        takes = stage.path("takes")
    }

    private func waitForTake(_ state: String, of duet: Duet, after action: () throws -> Void) throws
    {
        try duet.wait(for: Events.Take.self, after: action) { $0.state == state }
    }

    /// A duet that has recorded a take of some seconds.
    private func recorded(
        _ songs: [String], _ options: [String] = [], seconds: Double = 3
    ) throws -> (duet: Duet, client: LineClient) {
        let duet = try stage.start(
            ["sing"] + songs + ["--mic", "none", "--record=\(takes)", "--no-replay-gain"] + options,
            takesCommands: true)
        try duet.wait(for: Events.Take.self) { $0.state == "recording" }
        try duet.wait(for: Events.Position.self) { $0.seconds >= seconds }
        let client = try stage.commands()
        try waitForTake("saved", of: duet) {
            try tell("set /record off", client)
        }
        return (duet, client)
    }

    private func tell(_ words: String, _ client: LineClient) throws {
        let answer = try client.ask(words)
        try #require(answer.hasPrefix("ok"))
    }

    private func place(_ client: LineClient) throws -> Double {
        let answer = try client.ask("get /transport/position")
        return try #require(Double(answer.split(separator: " ").last ?? ""))
    }

    /// Plays the take, and waits until it is heard.
    private func begin(_ duet: Duet, _ client: LineClient) throws {
        try duet.wait(
            for: Events.NowPlaying.self,
            after: { try tell("trigger /take/play", client) }
        ) { $0.title?.hasPrefix("take ") == true }
    }

    @Test(arguments: [true, false]) func theSongGoesOnWhereItWas(isByKey: Bool) throws {
        try stage.folder.write("one.lrc", "[00:00.50]first\n[00:01.50]second\n[00:50.00]late")
        let (duet, client) = try recorded([stage.song("one.mp3"), stage.song("two.mp3")])
        let before = try place(client)
        try begin(duet, client)
        let now = try #require(try duet.all(Events.NowPlaying.self).last)
        #expect(now.title == "take 1 of one.mp3" && now.url?.hasSuffix("001/mix.wav") == true)
        #expect(try client.ask("get /mic/mute") == "ok /mic/mute on")
        #expect(try place(client) < before)
        #expect(
            try client.ask("set /record on") == "error a take is played; R ends that first")
        // The words are those of the take.
        try duet.wait(for: Events.Lyrics.self, after: {}) { $0.line == "second" }
        // Seeks and pauses are the take's.
        #expect(try client.ask("toggle /transport/play") == "ok /transport/play off")
        #expect(try client.ask("toggle /transport/play") == "ok /transport/play on")
        try waitForTake("played", of: duet) {
            if isByKey {
                try tell("trigger /take/play", client)
            } else {
                try tell("set /transport/position 2.5", client)
            }
        }
        let after = try place(client)
        #expect(after >= before && after < before + 1.5)
        #expect(try client.ask("get /mic/mute") == "ok /mic/mute off")
        #expect(try client.ask("get /transport/play") == "ok /transport/play on")
        #expect(try duet.all(Events.NowPlaying.self).last?.title == "one.mp3")
        try duet.wait(for: Events.Position.self) { $0.seconds > after + 1 }
        #expect(try duet.all(Events.List.self).allSatisfy { $0.count == 2 })
        try duet.quit(by: client)
    }

    @Test func aPausedSongStaysWhereItIs() throws {
        let (duet, client) = try recorded([stage.song()])
        try duet.wait(
            for: Events.Paused.self,
            after: { try tell("set /transport/play off", client) })
        let before = try place(client)
        try begin(duet, client)
        #expect(try client.ask("get /transport/play") == "ok /transport/play on")
        try waitForTake("played", of: duet) {}
        #expect(try client.ask("get /transport/play") == "ok /transport/play off")
        // It faded out for a moment after it was paused.
        #expect(try abs(place(client) - before) < 0.05)
        try duet.quit(by: client)
    }

    /// A user's own mute counts, before and meanwhile.
    @Test func whoUnmutesWantsItSo() throws {
        let (duet, client) = try recorded([stage.song()])
        for (words, result) in [("off", "off"), ("on", "on")] {
            try begin(duet, client)
            #expect(try client.ask("set /mic/mute \(words)") == "ok /mic/mute \(words)")
            try waitForTake("played", of: duet) { try tell("trigger /take/play", client) }
            #expect(try client.ask("get /mic/mute") == "ok /mic/mute \(result)")
        }
        // Muted before, muted after.
        try begin(duet, client)
        try waitForTake("played", of: duet) { try tell("trigger /take/play", client) }
        #expect(try client.ask("get /mic/mute") == "ok /mic/mute on")
        try duet.quit(by: client)
    }

    @Test func anotherSongEndsTheTake() throws {
        let (duet, client) = try recorded([stage.song("one.mp3"), stage.song("two.mp3")])
        try begin(duet, client)
        try waitForTake("played", of: duet) {
            try tell("trigger /transport/next", client)
        }
        try duet.wait(for: Events.Source.self) { $0.url.hasSuffix("two.mp3") }
        #expect(try client.ask("get /mic/mute") == "ok /mic/mute off")
        try begin(duet, client)
        try waitForTake("played", of: duet) {
            try tell("set /list/song 1", client)
        }
        try duet.wait(for: Events.Position.self, after: {}) { $0.seconds > 0.5 }
        #expect(try duet.all(Events.NowPlaying.self).last?.title == "one.mp3")
        #expect(try client.ask("get /transport/play") == "ok /transport/play on")
        try duet.quit(by: client)
    }

    /// Neither the song's values nor its place on a side change the take.
    @Test func theTakeIsHeardAsItWas() throws {
        let song = try NoiseSong(in: stage.folder, seconds: 60)
        let (duet, client) = try recorded(
            [song.path], ["--song-pan", "right", "--song-volume", "0.5", "--key", "0"])
        let ears = try Witness(recording: 100_000_000, of: stage.client, server: stage.server)
        try duet.wait(for: Events.Connected.self) { $0.to.hasSuffix(":in_2") }
        try begin(duet, client)
        try waitForTake("played", of: duet) {}
        let heard = try ears.stop().channels[1]
        try duet.quit(by: client)
        let take = try #require(try RecordedTake.all(in: takes).first)
        let mix = try take.channels("mix.wav")
        #expect(mix[0].allSatisfy { $0 == 0 })
        let (middle, length) = (48_000, 24_000)
        let wanted = Array(mix[1][middle..<middle + length])
        let found = heard.indices.dropLast(length).first { start in
            heard[start] == wanted[0] && heard[start..<start + length].elementsEqual(wanted)
        }
        #expect(found != nil)
    }

    @Test func theScreenSaysHowToReturn() throws {
        let screen = try stage.screen(["sing", stage.song(), "--mic", "none"])
        try screen.wait(for: "▶ 0:0")
        try screen.type("r")
        try screen.wait(for: "● rec 0:02")
        try screen.type("r")
        try screen.wait(for: "take saved")
        try screen.type("R")
        try screen.wait { $0.contains { $0.contains("take ") && $0.contains(" of song.mp3") } }
        try screen.wait(for: "muted")
        try screen.wait(for: "R returns to the song")
        try screen.type("R")
        try screen.wait(for: "back to the song")
        try screen.wait { !$0.contains { $0.contains("muted") } }
        try screen.type("q")
    }

    /// It works beside a take that is sung to, too.
    @Test func aTakeIsHeardBetweenTheVoicesOfAnother() throws {
        let take = try HandmadeTake(
            in: stage.folder.url.appendingPathComponent("2026-11-27 003"), seconds: 60)
        let (duet, client) = try stage.startCommanded(["sing", take.folder.path, "--mic", "none"])
        try duet.wait(for: Events.Position.self) { $0.seconds > 2 }
        try waitForTake("saved", of: duet) { try tell("set /record off", client) }
        let before = try place(client)
        try begin(duet, client)
        #expect(
            try duet.all(Events.NowPlaying.self).last?.title?.hasPrefix("take 4 of A – Tune")
                == true)
        try waitForTake("played", of: duet) { try tell("trigger /take/play", client) }
        #expect(try place(client) >= before)
        try duet.wait(for: Events.Position.self) { $0.seconds > before + 1 }
        try duet.quit(by: client)
    }
}
