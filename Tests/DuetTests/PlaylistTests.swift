import Foundation
import TestSupport
import Testing

/// Several songs in a row, played and rendered by the program.
@Suite(.serialized) struct PlaylistTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try folder.song("one.mp3", seconds: 1, rate: 44_100, frequency: 440)
        _ = try folder.song("two.mp3", seconds: 1, rate: 44_100, frequency: 330)
    }

    private func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }

    private func names(_ duet: DuetProgram) -> [String] {
        duet.events.compactMap { $0["event"] as? String }
    }

    /// The samples that `render ARGUMENTS` makes, without the header of the WAV file.
    private func rendered(_ arguments: String...) throws -> (duet: DuetProgram, samples: [Float]) {
        let duet = try DuetProgram.run(
            ["render"] + arguments + ["-o", path("out.wav"), "--bits", "float", "--json"])
        let sox = try ChildProcess("sox", ["-D", path("out.wav"), "-t", "f32", path("out.f32")])
        _ = try sox.waitForExit()
        let samples = try Data(contentsOf: URL(fileURLWithPath: path("out.f32")))
            .withUnsafeBytes { [Float]($0.bindMemory(to: Float.self)) }
        return (duet, samples)
    }

    @Test func aPlaylistIsRenderedWithoutGaps() throws {
        let list = try folder.write("list.m3u", "one.mp3\nnowhere.mp3\ntwo.mp3\n")
        let (one, first) = try rendered(path("one.mp3"))
        #expect(try one.child.waitForExit() == .code(0))
        let (_, second) = try rendered(path("two.mp3"))
        let (duet, both) = try rendered(list.path)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(firstDifference(both, first + second) == nil)
        #expect(names(duet).filter { $0 == "source" }.count == 2)
        #expect((duet.event("warning")?["message"] as? String)?.contains("nowhere.mp3") == true)
    }

    /// Of 200,000 missing songs the first are named, and then the number of the others.
    @Test func ofManyMissingSongsTheFirstAreNamed() throws {
        let missing = (0..<200_000).map { "missing\($0).mp3\n" }.joined()
        func warnings(_ duet: DuetProgram) -> [String] {
            duet.events.filter { $0["event"] as? String == "warning" }
                .compactMap { $0["message"] as? String }
                .filter { $0.contains("missing") || $0.contains("more songs") }
        }
        let server = try JackServer()
        let list = try folder.write("list.m3u", missing)
        let live = try DuetProgram.run([
            "play", list.path, "-s", server.name, "-n", DuetProgram.clientName(), "--json", "--out",
            "none",
        ])
        #expect(try live.child.waitForExit() == .code(66))
        #expect(warnings(live).count == 10)
        #expect(warnings(live).last?.contains("cannot open 9989 more songs") == true)
        #expect(
            (live.event("error")?["message"] as? String)?.contains("missing9998.mp3") == true)
        let before = try folder.write("before.m3u", "\(missing.prefix(100_000))\none.mp3\n")
        let (duet, _) = try rendered(before.path)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(warnings(duet).count == 11)
        #expect(names(duet).contains("source"))
    }

    @Test func aListsTitleIsTold() throws {
        let list = try folder.write("list.m3u", "#EXTINF:1,Someone - By the list\none.mp3\n")
        let (duet, _) = try rendered(list.path)
        #expect(duet.event("tags")?["title"] as? String == "Someone - By the list")
    }

    @Test func aLoopIsRenderedWithoutASeam() throws {
        let (_, once) = try rendered(path("one.mp3"))
        let (duet, looped) = try rendered(path("one.mp3"), "--loop", "--duration", "2.5")
        #expect(try duet.child.waitForExit() == .code(0))
        let expected = Array((once + once + once).prefix(5 * 44_100))
        #expect(firstDifference(looped, expected) == nil)
        let endless = try DuetProgram.run([
            "render", path("one.mp3"), "-o", path("x.wav"), "--loop",
        ])
        #expect(try endless.child.waitForExit() == .code(64))
    }

    @Test func songsFollowLive() throws {
        let server = try JackServer()
        let duet = try DuetProgram(
            [
                "play", path("one.mp3"), path("two.mp3"), "-s", server.name, "-n",
                DuetProgram.clientName(), "--json", "--out", "none",
            ])
        #expect(try duet.child.waitForExit() == .code(0))
        let order = names(duet).filter { ["source", "playing", "ended", "bye"].contains($0) }
        #expect(
            order == ["source", "playing", "ended", "source", "playing", "ended", "bye"])
        try duet.expectNoUnderrun()
        // Two seconds of songs without a pause between them.
        let ended = duet.events.filter { $0["event"] as? String == "ended" }
        #expect(ended.map { $0["frames"] as? Int } == [48_000, 48_000])
    }

    @Test func keysGoToTheNextAndBack() throws {
        let server = try JackServer()
        let list = try folder.write("list.pls", "[playlist]\nFile1=one.mp3\nFile2=two.mp3\n")
        let duet = try DuetProgram(
            [
                "play", "--loop", list.path, "-s", server.name, "-n", DuetProgram.clientName(),
                "--json", "--out", "none",
            ], streams: .terminal)
        func played(_ events: [[String: Any]]) -> [String] {
            events.filter { $0["event"] as? String == "source" }
                .compactMap { ($0["url"] as? String).map { String($0.suffix(7)) } }
        }
        try duet.waitForEvent("playing")
        duet.child.type("n")
        try duet.waitFor { played($0).count >= 2 }
        duet.child.type("b")
        try duet.waitFor { played($0).count >= 3 }
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(Array(played(duet.events).prefix(3)) == ["one.mp3", "two.mp3", "one.mp3"])
    }
}
