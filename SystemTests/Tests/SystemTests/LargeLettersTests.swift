import Foundation
import Rig
import Testing

/// Words are drawn by the best way that the terminal answers for.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct LargeLettersTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private static let st = "\u{1B}\\"
    /// What asks for text sizes, and the question that every terminal answers.
    private static let question = "\u{1B}]66;s=2; \(st)\u{1B}[6n"

    private func start(
        _ words: String, _ more: [String] = [], song name: String = "tune"
    ) throws -> Duet {
        let song = try stage.folder.song("\(name).mp3", seconds: 60).path
        try stage.folder.write("\(name).lrc", "[00:00.00]\(words)\n[00:55.00]the end\n")
        let duet = try stage.start(
            ["sing", song, "--mic", "none"] + more, events: false,
            environment: ["TERM": "xterm-256color", "TMUX": nil, "LANG": "C.UTF-8"])
        try duet.child.waitForOutput(Self.question)
        return duet
    }

    private func quit(_ duet: Duet) throws {
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        duet.expectGivenBack()
    }

    /// As Kitty documents: the cursor is two columns on, behind a scaled blank.
    @Test func aTerminalThatScalesTextDrawsTheLetters() throws {
        let duet = try start("Every 星")
        duet.child.type(
            "\u{1B}]11;rgb:0000/0000/0000\(Self.st)\u{1B}[2;3R\u{1B}[3;80R\u{1B}[?62;c")
        let picture = try duet.waitForScreen { $0.scales["E"] != nil && $0.scales["星"] != nil }
        #expect(picture.scales["E"] == picture.scales["星"] && picture.scales["E"] ?? 0 >= 4)
        #expect(picture.unknown.isEmpty && picture.doubleRows.isEmpty)
        // Yellow on black.
        #expect(duet.child.output.contains("\u{1B}[0;1;38;5;221m\u{1B}]66;s="))
        try quit(duet)
    }

    /// As xterm: no text sizes, and half of the columns on a line of double width.
    @Test func linesOfDoubleHeightAreWhereTheyAreReal() throws {
        let duet = try start(
            "A line of so many words that not even two rows of letters at this size do hold it all")
        duet.child.type(
            "\u{1B}]11;rgb:ffff/ffff/ffff\(Self.st)\u{1B}[2;1R\u{1B}[3;40R\u{1B}[?64;1;2;22c")
        let picture = try duet.waitForScreen { screen in
            screen.doubleRows.contains { screen.text(row: $0).contains("A line of so many") }
        }
        let row = picture.doubleRows.first ?? 0
        #expect(picture.text(row: row) == picture.text(row: row + 1) && picture.unknown.isEmpty)
        // Magenta on white.
        #expect(duet.child.output.contains("\u{1B}[0;1;38;5;90m"))
        try quit(duet)
    }

    /// Without any answer letters are blocks; what the user chooses holds.
    @Test func withoutAnAnswerLettersAreBlocks() throws {
        for (more, isLarge) in [([], true), (["--letters", "small"], false)] {
            let duet = try start("Every star", more, song: isLarge ? "large" : "small")
            let picture = try duet.waitForScreen { screen in
                screen.lines.contains { $0.contains(isLarge ? "█▐▌█▟▌" : "Every star") }
            }
            #expect(picture.scales.isEmpty && picture.doubleRows.isEmpty)
            try quit(duet)
        }
    }
}
