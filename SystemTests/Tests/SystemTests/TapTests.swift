import Foundation
import Rig
import Testing

/// Words without times get them from a user who taps along.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct TapTests {
    private let stage: Stage
    private var environment: [String: String] {
        ["XDG_STATE_HOME": stage.path("state"), "XDG_CACHE_HOME": stage.path("cache")]
    }

    init() throws { stage = try Stage() }

    /// A song of 20 s with words in its tags.
    private func song(_ words: String = "one two\n\n[Chorus]\nthree four") throws -> String {
        let plain = try stage.folder.song("plain.mp3", seconds: 20)
        let path = stage.path("song.flac")
        try Tool.run([
            "ffmpeg", "-loglevel", "error", "-i", plain.path, "-metadata", "title=Lantern",
            "-metadata", "lyrics=\(words)", path,
        ])
        return path
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test func wordsAreTimedOnTheirPage() throws {
        let song = try song()
        let screen = try stage.screen(
            ["play", song, "--loop", "--control", stage.path("control")], environment: environment)
        try screen.wait(for: "▶ 0:01")
        try screen.type("L")
        try screen.wait(for: "enter time them by tapping")
        try screen.press("Enter")
        try screen.wait(for: "tap each line as it begins: 0 of 2 marked")
        try screen.type("s")
        try screen.wait(for: "0 of 2 marked · half tempo")
        try screen.type(" ")
        try screen.wait(for: "1 of 2 marked · half tempo")
        try screen.type("s")
        try screen.wait { $0.contains { $0.hasSuffix("1 of 2 marked") } }
        // The next second of the song.
        try screen.wait(for: "▶ 0:04")
        try screen.type(" ")
        try screen.wait(for: "all 2 lines have their times")
        try screen.press("BSpace")
        try screen.wait(for: "1 of 2 marked")
        try screen.wait(for: "▶ 0:04")
        try screen.type(" ")
        try screen.wait(for: "all 2 lines have their times")
        try screen.type(" s")
        try screen.wait(for: "tap each word as it is sung: 0 of 4 marked · half tempo")
        // Whoever closes the page hears the song as before, with the words that are timed so far.
        try screen.press("Escape")
        try screen.wait(for: "words timed by line, kept in \(stage.path("song.lrc"))")
        #expect(try stage.commands().ask("get /song/tempo") == "ok /song/tempo 100")
        // What was marked goes on.
        try screen.type("L")
        try screen.press("Enter")
        try screen.wait(for: "tap each word as it is sung: 0 of 4 marked")
        try screen.press("C-c")
        try screen.waitForEnd()
        let lines = try text(stage.path("song.lrc")).split(separator: "\n")
        #expect(lines.count == 3 && lines[0].hasPrefix("[re:duet "))
        #expect(lines[1].hasSuffix("]one two") && lines[2].hasSuffix("]three four"))
    }

    /// By a script: the marks are told as words at once, and never take the place of a file.
    @Test func aScriptMarksWords() throws {
        let song = try song()
        let file = stage.path("song.lrc")
        try "one two\nthree four\n".write(toFile: file, atomically: true, encoding: .utf8)
        let (duet, commands) = try stage.startCommanded(
            ["play", song, "--loop"], environment: environment)
        try duet.wait(for: Events.Words.self) { !$0.lines.isEmpty }
        for line in 0..<2 {
            #expect(try commands.ask("trigger /tap/mark") == "ok /tap/mark")
            try duet.wait(for: Events.Words.self) { words in
                words.lines.count { $0.seconds != nil } == line + 1
            }
            for _ in 0..<2 { try duet.waitForNext(Events.Position.self) }
        }
        #expect(try commands.ask("trigger /tap/mark") == "ok /tap/mark")
        #expect(try commands.ask("trigger /tap/undo") == "ok /tap/undo")
        #expect(try commands.ask("trigger /tap/slow") == "ok /tap/slow")
        #expect(try commands.ask("get /song/tempo") == "ok /song/tempo 50")
        duet.child.signal(SIGTERM)
        _ = try duet.end()
        #expect(try text(file) == "one two\nthree four\n")
        let folder = stage.path("state/duet/lyrics")
        let kept = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(kept.count == 1)
        #expect(try text("\(folder)/\(kept.first ?? "")").contains("]three four"))
        // They are the words of the song from then on.
        let (again, _) = try stage.startCommanded(
            ["play", song, "--loop"], environment: environment)
        try again.wait(for: Events.Words.self) { words in
            words.lines.allSatisfy { $0.seconds != nil } && words.lines.count == 2
        }
        again.child.signal(SIGTERM)
        _ = try again.end()
    }

    @Test func whatCannotBeTimedSaysWhy() throws {
        let (duet, commands) = try stage.startCommanded(
            ["play", try stage.song(seconds: 20), "--loop"], environment: environment)
        #expect(
            try commands.ask("trigger /page/tap")
                == "error this song has no words that could be timed")
        #expect(
            try commands.ask("trigger /tap/mark")
                == "error this song has no words that could be timed")
        duet.child.signal(SIGTERM)
        _ = try duet.end()
    }
}
