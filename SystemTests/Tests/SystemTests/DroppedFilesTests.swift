import Foundation
import Rig
import Testing

/// Files that are dropped onto the terminal, or typed, while `a` has opened its line.
@Suite(.serialized) struct DroppedFilesTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// A song of that name in a folder of its own.
    private func add(_ name: String) throws {
        let url = stage.folder.url.appendingPathComponent("music/\(name)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        _ = try stage.folder.song("music/\(name)", seconds: 60)
    }

    /// The screen of a duet that plays, with the page of its list.
    private func screen() throws -> Tmux {
        let song = try stage.folder.song(seconds: 60).path
        let tmux = try stage.screen(["play", song], columns: 120)
        try tmux.wait { $0.contains { $0.contains("▶ 0:") } }
        try tmux.type("P")
        return tmux
    }

    private func end(_ tmux: Tmux) throws {
        // The first closes the page. Beside a list `q` asks, and behind a paste each key comes alone.
        try tmux.type("q")
        try tmux.wait(for: "lim 0.0")
        try tmux.type("q")
        try tmux.wait(for: "again quits")
        try tmux.type("q")
        try tmux.waitForEnd()
    }

    @Test func severalInTheQuotesOfAShell() throws {
        for name in ["one song.mp3", "Don't.mp3", "plain.mp3", "100 %.mp3"] { try add(name) }
        let folder = stage.folder.url.appendingPathComponent("music").path
        let tmux = try screen()
        try tmux.type("a")
        try tmux.wait(for: "add a song: _")
        try tmux.paste(
            #"'\#(folder)/one song.mp3' '\#(folder)/Don'\''t.mp3' \#(folder)/plain.mp3 "#
                + "file://\(folder)/100%20%25.mp3")
        try tmux.wait(for: "25.mp3_")
        try tmux.type("\r")
        try tmux.wait { lines in
            ["2  one song.mp3", "3  Don't.mp3", "4  plain.mp3", "5  100 %.mp3"].allSatisfy { song in
                lines.contains { $0.contains(song) }
            }
        }
        try end(tmux)
    }

    @Test func aWholeLineThatIsAFile() throws {
        try add("it's my song.mp3")
        let tmux = try screen()
        try tmux.type("a")
        try tmux.wait(for: "add a song: _")
        try tmux.type("\(stage.folder.url.path)/music/it's my song.mp3\r")
        try tmux.wait(for: "2  it's my song.mp3")
        try end(tmux)
    }

    @Test func tabCompletes() throws {
        for name in ["My Song.mp3", "My Sonnet.mp3", "other/x.mp3"] { try add(name) }
        let tmux = try screen()
        try tmux.type("a")
        try tmux.wait(for: "add a song: _")
        try tmux.type("\(stage.folder.url.path)/mu\t")
        try tmux.wait(for: "/music/_")
        try tmux.type("My S\t")
        try tmux.wait { lines in
            lines.contains { $0.hasSuffix(#"/music/My\ Son_"#) }
                && lines.contains { $0.contains("2 names: My Song.mp3, My Sonnet.mp3") }
        }
        try tmux.type("g\t")
        try tmux.wait(for: #"/music/My\ Song.mp3_"#)
        try tmux.type("\r")
        try tmux.wait(for: "2  My Song.mp3")
        try end(tmux)
    }

    /// A name that is wrong comes back, to be corrected; the others are added.
    @Test func whatIsRefusedComesBack() throws {
        try add("there.mp3")
        let folder = stage.folder.url.appendingPathComponent("music").path
        let tmux = try screen()
        try tmux.type("a")
        try tmux.wait(for: "add a song: _")
        try tmux.type("\(folder)/there.mp3 /no\\ such.mp3\r")
        try tmux.wait(for: #"add a song: /no\ such.mp3_"#)
        try tmux.wait(for: "2  there.mp3")
        try tmux.press("Escape")
        try tmux.wait { !$0.contains { $0.contains("add a song:") } }
        try end(tmux)
    }

    /// One line comes back, in whole or in part; several do not, and what follows them stays.
    @Test func whatIsRefusedOfPastedLines() throws {
        for name in ["one.mp3", "two.mp3"] { try add(name) }
        let folder = stage.folder.url.appendingPathComponent("music").path
        let tmux = try screen()
        func isClosed(_ lines: [String]) -> Bool { !lines.contains { $0.contains("add a song:") } }
        try tmux.type("a")
        try tmux.wait(for: "add a song: _")
        try tmux.paste("'\(folder)/one.mp3' '/no such.mp3'\n")
        try tmux.wait(for: #"add a song: /no\ such.mp3_"#)
        try tmux.wait(for: "2  one.mp3")
        try tmux.press("Escape")
        try tmux.wait(until: isClosed)
        try tmux.type("a")
        try tmux.wait(for: "add a song: _")
        try tmux.paste("/no.mp3\n\(folder)/two.mp3\n/nor this.mp3\n")
        try tmux.wait { lines in isClosed(lines) && lines.contains { $0.contains("3  two.mp3") } }
        try tmux.type("a")
        try tmux.wait(for: "add a song: _")
        try tmux.paste("/no.mp3\n\(folder)/on")
        try tmux.wait(for: "add a song: \(folder)/on_")
        try tmux.type("e.mp3\r")
        try tmux.wait(for: "4  one.mp3")
        try end(tmux)
    }
}
