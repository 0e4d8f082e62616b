import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Playlists as a queue plays them.
@Suite struct PlaylistQueueTests {
    private let folder: TemporaryFolder
    /// Two songs' frames.
    private let first: [Float]
    private let second: [Float]

    init() throws {
        folder = try TemporaryFolder()
        for (file, name) in [(MusicFile.mono, "a b.mp3"), (.headerless, "c.mp3")] {
            try FileManager.default.copyItem(
                at: file.url, to: folder.url.appendingPathComponent(name))
        }
        first = try decodeAll(MusicFile.mono.bytes, chunk: 65_536)
        second = try decodeAll(MusicFile.headerless.bytes, chunk: 65_536)
    }

    /// Plays a queue of `names` to its end, and compares what is heard with `expected`.
    private func play(
        _ names: String..., isExact: Bool = false, expecting expected: [Float]
    ) throws -> SongStage {
        let stage = try SongStage(names, rate: 44_100, isExact: isExact)
        if expected.isEmpty { stage.renderer.patience = 0 }
        // Thousands of names are tried, each on a thread of its own.
        if isExact { stage.renderer.patience = 300_000 }
        stage.song.start()
        var played: [Float] = []
        repeat { played += stage.render(4096) } while stage.source.state != .ended
        #expect(stage.log.wait { $0 == .finished } != nil)
        #expect(played.count >= expected.count)
        #expect(firstDifference(played.prefix(expected.count), expected) == nil)
        #expect(Samples.peak(played.dropFirst(expected.count)) == 0)
        return stage
    }

    private func skipped(_ stage: SongStage) -> [String] {
        stage.log.all.compactMap {
            if case .skipped(let error) = $0 { error.description } else { nil }
        }
    }

    @Test func aListIsTheSongsThatItNames() throws {
        let list = try folder.write("list.m3u", "#EXTM3U\r\na b.mp3\r\n\r\n# no\r\nc.mp3\r\n")
        _ = try play(list.path, expecting: first + second)
    }

    @Test func listsNameListsAndStandAmongSongs() throws {
        try folder.write("inner.pls", "[playlist]\nFile1=c.mp3\nNumberOfEntries=1\n")
        let list = try folder.write("list.m3u", "inner.pls\na b.mp3\n")
        _ = try play(
            folder.url.appendingPathComponent("c.mp3").path, list.path,
            folder.url.appendingPathComponent("c.mp3").path,
            expecting: second + second + first + second)
    }

    /// The list is recognized whichever path it names itself by.
    @Test(arguments: ["list.m3u", "./list.m3u", "LIST/list.m3u"])
    func aListThatNamesItselfSaysSo(name: String) throws {
        let inner = name.replacing("LIST", with: folder.url.path)
        let list = try folder.write("list.m3u", "\(inner)\nc.mp3\n\(inner)\n")
        let stage = try play(list.path, expecting: second)
        #expect(
            skipped(stage)
                == ["cannot open \(list.path) once more: the playlist names itself"])
    }

    @Test func aListThatNamesItselfThroughAnotherSaysSo() throws {
        let list = try folder.write("list.m3u", "a b.mp3\ninner.pls\n")
        let inner = try folder.write(
            "inner.pls", "[playlist]\nFile1=list.m3u\nFile2=c.mp3\nFile3=list.m3u\n")
        let stage = try play(list.path, expecting: first + second)
        #expect(
            skipped(stage) == [
                "cannot open \(list.path) once more: the playlist names itself, through "
                    + inner.path
            ])
    }

    @Test(.ownProcess("a web server")) func aListOfItselfAloneIsAnError() throws {
        let server = try FileServer(root: folder.url)
        try folder.write("only.m3u", "#EXTM3U\nonly.m3u\n")
        let stage = try play(server.url("only.m3u"), expecting: [])
        let error = try #require(stage.log.failure())
        #expect(!error.hadBegun && error.description.contains("only.m3u once more"))
    }

    @Test func listsTooDeepEnd() throws {
        for depth in 0..<Playlist.maximumDepth {
            try folder.write("\(depth).m3u", "\(depth + 1).m3u\nc.mp3\n")
        }
        try folder.write("\(Playlist.maximumDepth).m3u", "c.mp3\n")
        let stage = try play(
            folder.url.appendingPathComponent("0.m3u").path,
            expecting: (0..<Playlist.maximumDepth).flatMap { _ in second })
        #expect(skipped(stage).count == 1)
        #expect(skipped(stage)[0].contains("playlist in \(Playlist.maximumDepth) others"))
    }

    /// Missing songs are found one by one.
    @Test func ofManyMissingSongsTheFirstAreNamed() throws {
        let many = (0..<2000).map { "missing\($0).mp3\n" }.joined()
        let list = try folder.write("list.m3u", many)
        let alone = try play(list.path, expecting: [])
        let told = skipped(alone)
        #expect(told.count == 11)
        #expect(told[9].contains("missing9.mp3"))
        #expect(told.last?.hasPrefix("cannot open 1989 more songs: ") == true)
        #expect(alone.log.failure()?.description.contains("missing1999.mp3") == true)
        let before = try folder.write("before.m3u", "a b.mp3\n\(many)c.mp3\n")
        // This queue waits for the next song, since songs are rendered faster than names are tried.
        let between = try play(before.path, isExact: true, expecting: first + second)
        #expect(skipped(between).count == 11)
        #expect(between.song.error == nil)
        // The rest of the errors is told before the song that ends the row.
        let log = between.log.all
        let rest = log.lastIndex { if case .skipped = $0 { true } else { false } }
        let opened = log.lastIndex { if case .opened = $0 { true } else { false } }
        #expect(try #require(rest) < #require(opened))
    }

    private func missing(_ count: Int) -> [String] {
        (0..<count).map { folder.url.appendingPathComponent("missing\($0).mp3").path }
    }

    /// 34 ms are played for every song that is told missing: for all of them more than the ring
    /// holds.
    @Test(.ownProcess("a web server")) func theRingIsFilledWhileMissingSongsAreFound() throws {
        let gate = FaultServer.Gate()
        let server = try FaultServer { _ in
            [.gate(gate), .head("HTTP/1.1 404 Not Found", ["Content-Length: 0"])]
        }
        let song = folder.url.appendingPathComponent("c.mp3").path
        let stage = try SongStage([song, server.address()] + missing(50), rate: 44_100)
        stage.log.reaction = { event in
            if case .skipped = event { _ = stage.render(1500) }
        }
        defer { stage.log.reaction = nil }
        stage.song.start()
        _ = stage.render(4096)
        stage.renderer.patience = 0
        #expect(poll { stage.source.feed.bufferedFrames >= stage.source.feed.capacity * 3 / 4 })
        gate.open()
        #expect(stage.log.failure()?.description.contains("missing49.mp3") == true)
        #expect(skipped(stage).count == 11)
        #expect(stage.source.underruns == 0 && stage.source.state == .playing)
        stage.song.stop()
    }

    @Test func aQueueOfMissingSongsCanBeStopped() throws {
        let stage = try SongStage(missing(50), rate: 44_100)
        stage.log.reaction = { event in
            if case .skipped = event { stage.song.stop(.whenDrained) }
        }
        defer { stage.log.reaction = nil }
        stage.song.start()
        #expect(stage.log.wait { $0 == .stopped } != nil)
        #expect(stage.song.error == nil && skipped(stage).count < 10)
    }

    @Test func aListsTitleIsForASongWithoutOne() throws {
        let list = try folder.write("list.m3u", "#EXTINF:1,By the list\nc.mp3\na b.mp3\n")
        let stage = try play(list.path, expecting: second + first)
        let titles = stage.log.all.compactMap { event -> String? in
            if case .tags(let tags) = event { tags.title } else { nil }
        }
        #expect(titles == ["By the list"])
    }

    @Test func aSongsOwnTitleCounts() throws {
        // ID3v2.3, TIT2, Latin-1.
        let name = Array("Its own".utf8)
        let frame = Array("TIT2".utf8) + [0, 0, 0, UInt8(name.count + 1), 0, 0, 0] + name
        let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
        try Data(tag + MusicFile.headerless.bytes).write(
            to: folder.url.appendingPathComponent("tagged.mp3"))
        let list = try folder.write("list.m3u", "#EXTINF:1,By the list\ntagged.mp3\n")
        let stage = try play(list.path, expecting: second)
        let titles = stage.log.all.compactMap { event -> String? in
            if case .tags(let tags) = event { tags.title } else { nil }
        }
        #expect(titles == ["Its own"])
    }

    @Test func oneBadEntryIsLeftOut() throws {
        let list = try folder.write("list.m3u", "missing.mp3\nc.mp3\nftp://x/y.mp3\n")
        let stage = try play(list.path, expecting: second)
        #expect(skipped(stage).count == 2)
        #expect(stage.song.error == nil)
    }

    @Test func aListOfNothingIsAnError() throws {
        let list = try folder.write("list.m3u", "#EXTM3U\n")
        let stage = try play(list.path, expecting: [])
        #expect(stage.log.failure()?.hadBegun == false)
    }

    @Test(.ownProcess("a web server")) func remoteListsNameNoFiles() throws {
        let file = folder.url.appendingPathComponent("c.mp3")
        try folder.write(
            "list.m3u", "c.mp3\n\(file.path)\nfile://\(file.path)\na%20b.mp3\n")
        let server = try FileServer(root: folder.url)
        let stage = try play(server.url("list.m3u"), expecting: second + first)
        // An absolute path is looked up on that server, where it is not found.
        #expect(skipped(stage).count == 2)
        #expect(stage.log.all.filter { if case .opened = $0 { true } else { false } }.count == 2)
    }

    @Test(.ownProcess("a web server")) func aListByItsContentType() throws {
        let server = try ScriptedServer { [bytes = try MusicFile.mono.bytes] exchange in
            if exchange.head.contains("/radio ") {
                exchange.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: audio/x-mpegurl\r\n"
                        + "Content-Length: 9\r\n\r\nsong?a=1\n")
            } else {
                exchange.send("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n")
                exchange.send(bytes)
            }
        }
        _ = try play(server.address("radio"), expecting: first)
        #expect(server.requests.last?.contains("GET /song?a=1 ") == true)
    }
}
