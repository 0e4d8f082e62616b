import Foundation
import Rig
import Testing

/// Which ends of songs end the program: a single key must not take the microphone from a singer.
@Suite(.serialized) struct SongEndTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func start(_ arguments: [String], json: Bool = true) throws -> Duet {
        try stage.start(arguments + (json ? [] : ["--plain"]), events: json)
    }

    private func ends(_ duet: Duet) throws -> Int {
        try duet.all(Events.Ended.self).count
    }

    @Test func nextOnTheLastSongSaysSo() throws {
        let duet = try start([try stage.folder.song(seconds: 60).path], json: false)
        try duet.child.waitForOutput("playing")
        duet.child.type("n")
        try duet.child.waitForOutput("no next song")
        duet.child.type("m")
        try duet.child.waitForOutput("mic muted")
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(!duet.child.output.contains("ended"))
    }

    // A paused song stays paused.
    @Test func nextOnTheLastSongChangesNothing() throws {
        let duet = try start(["play", try stage.folder.song(seconds: 60).path])
        try duet.wait(for: Events.Playing.self)
        duet.child.type(" ")
        try duet.wait(for: Events.Paused.self)
        duet.child.type("n9")
        try duet.wait(for: Events.Parameter.self)
        #expect(try duet.all(Events.Playing.self).count == 1)
        try duet.quit()
    }

    @Test(arguments: ["sing", "play"])
    func aSeekPastTheEndKeepsTheProgramOpen(command: String) throws {
        let duet = try start([command, try stage.folder.song(seconds: 12).path])
        try duet.wait(for: Events.Playing.self)
        duet.child.type("\u{1B}[C\u{1B}[C\u{1B}[C")
        try duet.wait(for: Events.Ended.self)
        // duet still reads keys.
        duet.child.type("9")
        try duet.wait(for: Events.Parameter.self)
        // After a seek back from the end the song plays to its end, and that ends the program.
        duet.child.type("\u{1B}[D")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try ends(duet) == 2)
        try duet.expectNoUnderrun()
    }

    /// Two MP3s joined into one file: the header counts the frames of the first alone.
    @Test func aSeekIntoTheSecondOfTwoJoinedFiles() throws {
        let one = try Data(contentsOf: stage.folder.song("one.mp3", seconds: 12))
        let two = try Data(contentsOf: stage.folder.song("two.mp3", seconds: 8, frequency: 330))
        let joined = stage.folder.url.appendingPathComponent("joined.mp3")
        try (one + two).write(to: joined)
        let duet = try start(["play", joined.path])
        try duet.wait(for: Events.Playing.self)
        let source = try #require(try duet.first(Events.Source.self))
        #expect(source.duration.map { (11.9...12.1).contains($0) } == true)
        duet.child.type("\u{1B}[C\u{1B}[C\u{1B}[C")
        try duet.waitFor { ($0.all(Events.Seeked.self).last?.seconds ?? 0) >= 15 }
        #expect(try duet.child.waitForExit() == .code(0))
        // Behind the last frame of both comes what the second encoder has put there.
        let ended = try duet.all(Events.Ended.self)
        #expect(ended.count == 1)
        #expect((Double(20 * 48_000)...20.2 * 48_000).contains(Double(ended[0].frames)))
        try duet.expectNoUnderrun()
    }

    // A song of unknown length: its end is known only when it comes.
    @Test func aSeekPastAnUnknownEnd() throws {
        let bytes = [UInt8](try Data(contentsOf: stage.folder.song(seconds: 6, rate: 44_100)))
        let web = try ScriptedServer { exchange in
            exchange.send("HTTP/1.0 200 OK\r\n\r\n")
            exchange.send(bytes)
        }
        let duet = try start([web.address()])
        try duet.wait(for: Events.Playing.self)
        duet.child.type("\u{1B}[C\u{1B}[C")
        try duet.wait(for: Events.Ended.self)
        duet.child.type("9")
        try duet.wait(for: Events.Parameter.self)
        try duet.quit()
    }

    @Test func aSeekPastTheEndOfOneSongGoesToTheNext() throws {
        let songs = try ["a.mp3", "b.mp3"].map { try stage.folder.song($0, seconds: 4).path }
        let duet = try start(songs)
        try duet.wait(for: Events.Playing.self)
        duet.child.type("\u{1B}[C")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try ends(duet) == 2)
    }

    @Test func stayKeepsTheMicrophoneOpen() throws {
        let duet = try start([try stage.folder.song(seconds: 1).path, "--stay"])
        try duet.wait(for: Events.Ended.self)
        duet.child.type("m")
        try duet.wait(for: Events.Parameter.self)
        // A key plays the song again.
        duet.child.type("b")
        try duet.waitFor { $0.all(Events.Ended.self).count == 2 }
        try duet.quit()
    }

    @Test func aStartBehindTheEndSaysSo() throws {
        let song = try stage.folder.song(seconds: 2).path
        let alone = try start([song, "--start-at", "1:30"])
        #expect(try alone.child.waitForExit() == .code(66))
        let message = try #require(try alone.first(Events.Failure.self)?.message)
        #expect(message.contains("from 1:30 on: it ends at 0:02"), "\(message)")
        let other = try stage.folder.song("other.mp3", seconds: 2).path
        let both = try start([song, other, "--start-at", "1:30"])
        #expect(try both.child.waitForExit() == .code(0))
        let warning = try both.all(Events.Warning.self).first { $0.message.contains("1:30") }
        #expect(warning?.message.contains(song) == true)
        #expect(try ends(both) == 2)
    }

    @Test func renderSaysThatAStartIsBehindAnEnd() throws {
        let songs = try [("a.mp3", 2.0), ("b.mp3", 3.0)].map {
            try stage.folder.song($0.0, seconds: $0.1).path
        }
        let list = try stage.folder.write("list.m3u", songs.joined(separator: "\n"))
        let duet = try Duet.run([
            "render", list.path, "--start-at", "1:30", "-o",
            stage.path("out.wav"), "--json",
        ])
        #expect(try duet.child.waitForExit() == .code(0))
        let warning = try #require(try duet.first(Events.Warning.self)?.message)
        #expect(warning.contains("\(songs[0]) from 1:30 on: it ends at 0:02"), "\(warning)")
    }

    /// When no song could be opened, no key to play it again is offered.
    @Test func whatCannotBeOpenedIsNotOffered() throws {
        let songs = ["a.mp3", "b.mp3"].map { stage.folder.url.appendingPathComponent($0).path }
        let duet = try start(["play", "--stay"] + songs, json: false)
        try duet.child.waitForOutput("ended")
        duet.child.type("9")
        try duet.child.waitForOutput("song volume")
        #expect(!duet.child.output.contains("plays again"))
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
    }

    /// The list is not over while its next song is still being opened.
    @Test func aNextSongThatHangsIsOpened() throws {
        let web = try ScriptedServer { $0.waitForClient() }
        let songs = [try stage.folder.song(seconds: 2).path, web.address("next.mp3")]
        let duet = try stage.start(["play"] + songs + Duet.statusLine, events: false)
        try duet.child.waitForOutput("playing 0:01")
        try duet.child.waitForOutput("opening 0:0")
        #expect(!duet.child.output.contains("ended"))
        // Of a list: twice.
        duet.child.type("qq")
        let exit = try duet.child.waitForExit()
        #expect(exit == .code(0), "\(duet.child.output.suffix(500)) \(duet.child.errors)")
    }

    /// When the end of the song ends the program, no key to play it again is offered.
    @Test func anEndThatEndsTheProgramOffersNoKeys() throws {
        let song = try stage.folder.song(seconds: 2).path
        let duet = try start(["play", "--start-at", "5:00", song], json: false)
        #expect(try duet.child.waitForExit() == .code(66))
        #expect(!duet.child.output.contains("plays again"))
        #expect(!duet.child.output.contains("ended"))
    }

    /// The line that is left in the terminal says that all was heard.
    @Test func theLastLineSaysThatTheSongHasEnded() throws {
        let duet = try start(["play", try stage.folder.song(seconds: 1).path], json: false)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(duet.child.output.contains("ended 0:01"))
        #expect(!duet.child.output.contains("stopping"))
        // What was never heard has not ended, and who quits after the end is told that duet stops.
        let missing = ["no1.mp3", "no2.mp3"].map {
            stage.folder.url.appendingPathComponent($0).path
        }
        let lost = try start(["play"] + missing, json: false)
        #expect(try lost.child.waitForExit() == .code(66))
        #expect(!lost.child.output.contains("ended"))
        let stays = try start(
            ["play", "--stay", try stage.folder.song("b.mp3", seconds: 1).path], json: false)
        try stays.child.waitForOutput("ended")
        stays.child.type("q")
        #expect(try stays.child.waitForExit() == .code(0))
        #expect(stays.child.output.contains("stopping"))
        // The line that is left says that it is done.
        let last = stays.child.output.split(separator: "stopping").last
        #expect(last?.contains("stopped 0:01/0:01  xruns ") == true)
    }

    @Test func whatIsOverSaysWhatToDo() throws {
        let duet = try start(["play", try stage.folder.song(seconds: 3).path], json: false)
        try duet.child.waitForOutput("playing")
        duet.child.type("\u{1B}[C")
        try duet.child.waitForOutput("end of song · again: space")
        // After the end there is no song to pause.
        duet.child.type(" \u{1B}[D")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(!duet.child.output.contains("paused"))
    }
}
