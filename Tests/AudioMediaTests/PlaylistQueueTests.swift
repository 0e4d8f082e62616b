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

    /// What a queue of `names` plays to its end.
    private func play(_ names: String..., expecting expected: [Float]) throws -> SongStage {
        let stage = try SongStage(names, rate: 44_100)
        if expected.isEmpty { stage.renderer.patience = 0 }
        stage.song.start()
        var played: [Float] = []
        repeat { played += stage.render(4096) } while stage.source.state != .ended
        #expect(stage.log.wait { $0 == .finished } != nil)
        #expect(played.count >= expected.count)
        #expect(firstDifference(Array(played.prefix(expected.count)), expected) == nil)
        #expect(played.dropFirst(expected.count).allSatisfy { $0 == 0 })
        return stage
    }

    private func skipped(_ stage: SongStage) -> [String] {
        stage.log.all.compactMap { if case .skipped(let error) = $0 { error.message } else { nil } }
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

    @Test func aListThatNamesItselfEnds() throws {
        let list = try folder.write("list.m3u", "list.m3u\nc.mp3\n")
        let stage = try play(
            list.path, expecting: (0..<Playlist.maximumDepth).flatMap { _ in second })
        #expect(skipped(stage).count == 1)
        #expect(skipped(stage)[0].contains("playlist in"))
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
        #expect(stage.log.failure()?.exitCode == 66)
    }

    @Test func remoteListsNameNoFiles() throws {
        let file = folder.url.appendingPathComponent("c.mp3")
        try folder.write(
            "list.m3u", "c.mp3\n\(file.path)\nfile://\(file.path)\na%20b.mp3\n")
        let server = try FileServer(root: folder.url)
        let stage = try play(server.url("list.m3u"), expecting: second + first)
        // An absolute path is one on that server, where it is not found.
        #expect(skipped(stage).count == 2)
        #expect(stage.log.all.filter { if case .opened = $0 { true } else { false } }.count == 2)
    }

    @Test func aListByItsContentType() throws {
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
