import Foundation
import Rig
import Testing

/// What `--plain` prints, for screen readers: each change is a line, once, and nothing is redrawn.
@Suite(.serialized) struct PlainTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func count(_ text: String, in duet: Duet) -> Int { duet.output.ranges(of: text).count }

    @Test(arguments: [true, false]) func eachChangeIsALineOnce(byOption: Bool) throws {
        let words = ["First line", "Chorus", "Second line", "Chorus", "Last line"]
        let lyrics = words.enumerated().map { "[00:0\($0 / 2 + 1).\($0 % 2 * 5)0]\($1)" }
        try stage.folder.write("song.lrc", lyrics.joined(separator: "\n"))
        let song = try stage.song(seconds: 20)
        let duet = try stage.start(
            ["sing", song] + (byOption ? ["--plain"] : []), events: false,
            environment: byOption ? [:] : stage.configure("duet.conf", "plain\n"))
        try duet.child.waitForOutput("Last line\n")
        duet.child.type("kkv")
        try duet.child.waitForOutput("vocals removed 100 %: found by duet\n")
        duet.child.type(" ")
        try duet.child.waitForOutput("paused 0:0")
        duet.child.type(" ")
        #expect(poll { count("playing 0:0", in: duet) == 2 })
        duet.child.type("h")
        try duet.child.waitForOutput("Program: ")
        duet.child.type("a")
        try duet.child.waitForOutput("add a song: ")
        duet.child.type("ab\u{7F}c")
        try duet.child.waitForOutput("ab\nac")
        duet.child.type("\u{1B}")
        try duet.child.waitForOutput("no song added\n")
        duet.child.type("\u{1B}[H")
        #expect(poll(seconds: 30) { count("Last line\n", in: duet) == 2 })
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))

        // Line ends are plain here: any other return is left.
        let marks = ["\u{1B}[?2004h", "\u{1B}[?2004l"]
        let text = marks.reduce(duet.output) { $0.replacing($1, with: "") }
        #expect(!text.contains("\u{1B}") && !text.unicodeScalars.contains("\r"))
        let lines = text.split(separator: "\n").map(String.init)
        let first = try #require(lines.firstIndex(of: "playing 0:00/0:20"), "\(lines)")
        #expect(lines[..<first].contains { $0.contains(song) })
        let help = ["Playing:", "Song:", "Microphone:", "Channel:", "Recording:", "Program:"]
        let expected =
            ["playing 0:00/0:20"] + words + [
                "song key -1", "song key -2", "vocals removed 100 %: found by duet", "paused 0:0",
                "playing 0:0",
            ] + help + ["add a song: ab", "ac", "no song added", "playing 0:00/0:20"] + words + [
                "stopping 0:0", "stopped 0:0",
            ]
        let shown = Array(lines[first...])
        let isAsExpected =
            shown.count == expected.count
            && zip(shown, expected).allSatisfy { shown, expected in
                shown.hasPrefix(expected)
                    && (shown.count == expected.count || expected.last == ":"
                        || expected.hasSuffix("0:0"))
            }
        guard !isAsExpected else { return }
        #expect(text.contains("buffering"), "\(shown)")
        try duet.excuse("other lines: \(shown)")
    }

    /// A song that is paused goes on to no line, however long that takes.
    @Test func aPauseTellsNoLineTwice() throws {
        try stage.folder.write("song.lrc", "[00:01.00]One\n[00:03.50]Two\n[00:05.00]Three\n")
        let song = try stage.song(seconds: 20)
        let duet = try stage.start(["sing", song, "--plain"], events: false)
        try duet.child.waitForOutput("One\n")
        duet.child.type(" ")
        try duet.child.waitForOutput("paused 0:0")
        // Another song passes all of these places meanwhile.
        let other = try stage.start(
            ["play", stage.folder.song("other.mp3", seconds: 20).path], as: Duet.clientName(),
            isHeard: false)
        try other.wait(for: Events.Position.self) { $0.seconds > 4 }
        duet.child.type(" ")
        try duet.child.waitForOutput("Three\n")
        for word in ["One\n", "Two\n", "Three\n"] { #expect(count(word, in: duet) == 1) }
        for run in [duet, other] {
            run.child.type("q")
            #expect(try run.child.waitForExit() == .code(0))
        }
    }

    /// Nothing tells of a level again and again, or draws a bar.
    @Test func aRenderPrintsLines() throws {
        let duet = try Duet(
            ["render", stage.song(), "-o", stage.path("out.wav"), "--plain"], streams: .terminal)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(!duet.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\r" })
        let lines = duet.output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("rendering 0:00/1:00") }, "\(lines)")
        #expect(!lines.contains { $0.contains("[") })
        #expect(lines.contains { $0.hasPrefix("wrote 60.0") })
    }
}
