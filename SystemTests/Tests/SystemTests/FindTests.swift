import Foundation
import Rig
import Testing

/// Songs found by typing, in the list and in music folders.
@Suite(.serialized, .disabled(if: JackServer.isPipeWire)) struct FindTests {
    private let stage: Stage
    /// What `find` answers.
    private struct Answer: Decodable {
        struct Song: Decodable {
            let number: Int?
            let title: String?
            let text, location: String
        }
        let count: Int
        let complete: Bool
        let songs: [Song]
    }

    init() throws {
        stage = try Stage()
        for (folder, name) in [
            ("ABBA/Gold", "ABBA - Dancing Queen"), ("AC-DC", "Thunderstruck"),
            ("Édith Piaf", "Milord"),
        ] {
            let place = stage.path("music/\(folder)")
            try FileManager.default.createDirectory(
                atPath: place, withIntermediateDirectories: true)
            let song = try stage.folder.song("\(name).mp3", seconds: 20, rate: 44_100)
            try FileManager.default.moveItem(atPath: song.path, toPath: "\(place)/\(name).mp3")
        }
    }

    private var state: [String: String] { ["XDG_STATE_HOME": stage.path("state")] }
    private var index: String { stage.path("state/duet/music-index") }

    private func find(_ words: String, by client: LineClient) throws -> Answer {
        let line = try client.ask("find \(words)")
        let answer = try #require(line.hasPrefix("ok find ") ? line.dropFirst(8) : nil, "\(line)")
        return try JSONDecoder().decode(Answer.self, from: Data(answer.utf8))
    }

    private func waitForIndex(_ client: LineClient) throws {
        #expect(poll(seconds: 60) { (try? find("x", by: client).complete) == true })
    }

    /// Every key is a word on the page: space pauses nothing, and q does not quit.
    @Test func songsAreFoundAndAdded() throws {
        let screen = try stage.screen(
            ["play", stage.song("first song.mp3"), "--music", stage.path("music")],
            environment: state)
        try screen.wait(for: "▶ 0:0")
        try screen.press("/")
        try screen.wait(for: "3 songs in the music folders")
        try screen.type("que dan")
        try screen.wait(for: "▸ ABBA - Dancing Queen.mp3")
        try screen.press("Enter")
        try screen.wait(for: "added, as song 2: ABBA - Dancing Queen.mp3")
        try screen.wait(for: "  song 2")
        // The next character begins anew.
        try screen.type("acdc")
        try screen.wait(for: "▸ Thunderstruck.mp3")
        try screen.press("Tab")
        try screen.wait(for: "next, as song 2: Thunderstruck.mp3")
        try screen.type("s")
        let found = try screen.wait { lines in
            lines.contains { $0.contains("▸ first song.mp3") && $0.hasSuffix("song 1, plays now") }
        }
        #expect(found.contains { $0.contains(" 1 found") })
        try screen.press("Enter")
        try screen.wait(for: "added again, as song 4: first song.mp3")
        try screen.type("zzz q")
        try screen.wait(for: "nothing found")
        try screen.press("Escape")
        try screen.wait { !$0.contains { $0.contains("find: ") } }
        try screen.press("P")
        try screen.wait(for: "song 1 of 4")
        #expect(try screen.lines().contains { $0.contains("▶ 0:") })
        try screen.press("Escape")
        try screen.wait { !$0.contains { $0.contains("song 1 of 4") } }
        try screen.press("q")
        if try !screen.lines().contains(where: { $0.contains("stopped") }) { try screen.press("q") }
        try screen.wait(for: "stopped")
    }

    @Test func scriptsFindAndAdd() throws {
        let (duet, client) = try stage.startCommanded(
            ["play", stage.song(), "--music", stage.path("music")],
            environment: state.mapValues { $0 })
        try waitForIndex(client)
        let found = try find("piaf MILORD", by: client)
        #expect(found.count == 1 && found.songs[0].number == nil)
        #expect(found.songs[0].location == stage.path("music/Édith Piaf/Milord.mp3"))
        #expect(try client.ask("add \(found.songs[0].location)") == "ok add 2")
        #expect(try find("edith", by: client).songs.map(\.number) == [2])
        #expect(try find("nothing", by: client).count == 0)
        #expect(try client.ask("find") == "error use find WORDS")
        #expect(try client.ask("trigger /quit") == "ok /quit")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(FileManager.default.fileExists(atPath: index))
    }

    /// After kill −9 the next run finds what this one knew; nothing is kept where nothing is to be.
    @Test func indexOutlivesKilling() throws {
        let words = ["play", try stage.song(), "--music", stage.path("music")]
        let environment = state.mapValues { Optional($0) }
        let (first, client) = try stage.startCommanded(
            words + ["--no-memory"], environment: environment)
        try waitForIndex(client)
        #expect(!FileManager.default.fileExists(atPath: index))
        try stage.kill(first)
        let (second, other) = try stage.startCommanded(words, environment: environment)
        try waitForIndex(other)
        try stage.kill(second)
        #expect(FileManager.default.fileExists(atPath: index))
        try FileManager.default.moveItem(atPath: stage.path("music"), toPath: stage.path("away"))
        let (third, last) = try stage.startCommanded(words, environment: environment)
        try third.waitFor { events in
            events.all(Events.Warning.self).contains { $0.message.hasPrefix("music folders: ") }
        }
        #expect(try find("queen", by: last).count == 0)
        _ = try last.ask("trigger /quit")
        _ = try third.child.waitForExit()
    }
}
