import Foundation
import Rig
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

    /// The samples that `render ARGUMENTS` makes, without the header of the WAV file.
    private func rendered(_ arguments: String...) throws -> (duet: Duet, samples: [Float]) {
        let duet = try Duet.run(
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
        #expect(try duet.all(Events.Source.self).count == 2)
        #expect(try (duet.first(Events.Warning.self)?.message)?.contains("nowhere.mp3") == true)
    }

    @Test(arguments: ["", "file://"]) func aFolderIsRenderedInOrder(scheme: String) throws {
        let music = folder.url.appendingPathComponent("music")
        try FileManager.default.createDirectory(at: music, withIntermediateDirectories: false)
        for (name, file) in [("two.mp3", "2.mp3"), ("one.mp3", "10.mp3")] {
            try FileManager.default.copyItem(
                atPath: path(name), toPath: music.appendingPathComponent(file).path)
        }
        let (_, first) = try rendered(path("one.mp3"))
        let (_, second) = try rendered(path("two.mp3"))
        let (duet, both) = try rendered(scheme + music.path)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(firstDifference(both, second + first) == nil)
    }

    /// Of 200,000 missing songs the first are named, and then the number of the others.
    @Test func ofManyMissingSongsTheFirstAreNamed() throws {
        let missing = (0..<200_000).map { "missing\($0).mp3\n" }.joined()
        func warnings(_ duet: Duet) throws -> [String] {
            try duet.all(Events.Warning.self).map(\.message)
                .filter { $0.contains("missing") || $0.contains("more songs") }
        }
        let server = try JackServer()
        let list = try folder.write("list.m3u", missing)
        let live = try Duet.run([
            "play", list.path, "-s", server.name, "-n", Duet.clientName(), "--json", "--out",
            "none",
        ])
        #expect(try live.child.waitForExit() == .code(66))
        #expect(try warnings(live).count == 10)
        #expect(try warnings(live).last?.contains("cannot open 19989 more songs") == true)
        #expect(
            try live.first(Events.Failure.self)?.message.contains("missing19998.mp3") == true)
        let before = try folder.write("before.m3u", "\(missing.prefix(100_000))\none.mp3\n")
        let (duet, _) = try rendered(before.path)
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try warnings(duet).count == 11)
        #expect(try duet.first(Events.Source.self) != nil)
    }

    @Test func aListsTitleIsTold() throws {
        let list = try folder.write("list.m3u", "#EXTINF:1,Someone - By the list\none.mp3\n")
        let (duet, _) = try rendered(list.path)
        #expect(try duet.first(Events.Tags.self)?.title == "Someone - By the list")
    }

    @Test func aLoopIsRenderedWithoutASeam() throws {
        let (_, once) = try rendered(path("one.mp3"))
        let (duet, looped) = try rendered(path("one.mp3"), "--loop", "--duration", "2.5")
        #expect(try duet.child.waitForExit() == .code(0))
        let expected = Array((once + once + once).prefix(5 * 44_100))
        #expect(firstDifference(looped, expected) == nil)
        let endless = try Duet.run([
            "render", path("one.mp3"), "-o", path("x.wav"), "--loop",
        ])
        #expect(endless.exit == .code(64))
    }

    @Test func songsFollowLive() throws {
        let server = try JackServer()
        let duet = try Duet(
            [
                "play", path("one.mp3"), path("two.mp3"), "-s", server.name, "-n",
                Duet.clientName(), "--json", "--out", "none",
            ])
        #expect(try duet.child.waitForExit() == .code(0))
        let order = try duet.told.map(\.name).filter {
            ["source", "playing", "ended", "bye"].contains($0)
        }
        #expect(
            order == ["source", "playing", "ended", "source", "playing", "ended", "bye"])
        try duet.expectNoUnderrun()
        // Two seconds of songs without a pause between them.
        let ended = try duet.all(Events.Ended.self)
        #expect(ended.map { $0.frames } == [48_000, 48_000])
    }

    @Test func keysGoToTheNextAndBack() throws {
        let server = try JackServer()
        let list = try folder.write("list.pls", "[playlist]\nFile1=one.mp3\nFile2=two.mp3\n")
        let duet = try Duet(
            [
                "play", "--loop", list.path, "-s", server.name, "-n", Duet.clientName(),
                "--json", "--out", "none",
            ], streams: .terminal)
        func played(_ events: [any Event]) -> [String] {
            events.all(Events.Source.self).map { String($0.url.suffix(7)) }
        }
        try duet.wait(for: Events.Playing.self)
        duet.child.type("n")
        try duet.waitFor { played($0).count >= 2 }
        duet.child.type("b")
        try duet.waitFor { played($0).count >= 3 }
        duet.child.type("q")
        #expect(try duet.child.waitForExit() == .code(0))
        #expect(try Array(played(duet.told).prefix(3)) == ["one.mp3", "two.mp3", "one.mp3"])
    }
}
