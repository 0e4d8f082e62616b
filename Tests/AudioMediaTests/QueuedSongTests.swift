import AudioGraph
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import AudioMedia

/// Songs whose frames fill a queue player's buffers.
@Suite struct QueuedSongTests {
    /// What a player plays of a song, in a graph of the song's rate.
    private static func play(
        _ song: QueuedSong, frames: Int, seeking target: Int? = nil
    ) throws -> [[Float]] {
        let graph = Graph(sampleRate: song.format.sampleRate)
        let (io, player) = (
            HardwareIO(inputChannels: 0),
            QueuePlayerNode(format: song.format, frames: 1000, fill: song.fill)
        )
        try graph.add(io)
        try graph.add(player)
        try graph.connect(player, to: io)
        try graph.prepare()
        try graph.start()
        if let target { player.seek(to: target) { song.seek(to: target) } }
        player.start()
        return try OfflineRenderer(graph).render(frames: frames)
    }

    @Test func anMP3IsPlayedToItsLastFrame() throws {
        let song = try QueuedSong(.file(path: MusicFile.constant.url.path))
        let expected = try MusicFile.constant.decodedByMpg123
        let count = expected.count / 2
        let out = try Self.play(song, frames: count + 100)
        for side in 0..<2 {
            #expect((0..<count).allSatisfy { abs(out[side][$0] - expected[2 * $0 + side]) < 1e-4 })
            #expect(out[side][count...].allSatisfy { $0 == 0 })
        }
        #expect(song.failure == nil && song.length == count)
    }

    @Test func aSeekIsExact() throws {
        let path = try MusicFile.constant.url.path
        let whole = try Self.play(QueuedSong(.file(path: path)), frames: 30_000)
        let part = try Self.play(QueuedSong(.file(path: path)), frames: 10_000, seeking: 20_000)
        // A seek fades in.
        for side in 0..<2 {
            #expect(
                (300..<10_000).allSatisfy { abs(part[side][$0] - whole[side][20_000 + $0]) < 1e-4 })
        }
    }

    /// Two parts, in another order, and then the rest: the song's own frames, without a gap.
    @Test func partsAreScheduled() throws {
        let path = try MusicFile.constant.url.path
        let whole = try Self.play(QueuedSong(.file(path: path)), frames: 30_000)
        let song = try QueuedSong(.file(path: path))
        let graph = Graph(sampleRate: song.format.sampleRate)
        let (io, player) = (
            HardwareIO(inputChannels: 0), QueuePlayerNode(format: song.format, frames: 1000)
        )
        for node in [io, player] { try graph.add(node) }
        try graph.connect(player, to: io)
        try graph.prepare()
        try graph.start()
        let played = Guarded<[Int]>([])
        let length = try #require(song.length)
        let parts = [
            12_000..<15_000, 15_000..<15_001, 0..<12_000, length..<length + 5,
            length - 10..<Int.max,
        ]
        for (index, frames) in parts.enumerated() {
            try player.schedule(song, frames: frames) { wasPlayed in
                played.withLock { $0.append(wasPlayed ? index : -1) }
            }
        }
        player.start()
        player.stop(.whenPlayed)
        let out = try OfflineRenderer(graph).render(frames: 16_000)
        for side in 0..<2 {
            let expected = whole[side][12_000..<15_001] + whole[side][..<12_000]
            #expect(zip(out[side], expected).allSatisfy { abs($0 - $1) < 1e-4 })
            #expect(out[side][15_011...].allSatisfy { $0 == 0 })
        }
        #expect(player.position == 15_011 && !player.isRunning && song.failure == nil)
        #expect(poll { played.withLock { $0 } == [0, 1, 2, 3, 4] })
        // A player of another format says so.
        let other = QueuePlayerNode(format: StreamFormat(sampleRate: 48_000, channelCount: 1))
        #expect(throws: QueueError.self) { try other.schedule(song) }
    }

    @Test func whatIsNoSongIsRefused() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appendingPathComponent("list.m3u")
        try Data("#EXTM3U\nsong.mp3\n".utf8).write(to: url)
        #expect(throws: SongError.self) { try QueuedSong(.file(path: url.path)) }
        #expect(throws: SongError.self) { try QueuedSong(.file(path: "/nowhere.mp3")) }
    }
}
