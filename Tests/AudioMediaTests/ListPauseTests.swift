import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// The list is changed while nothing is heard: in pause, while the next song waits, after the end.
@Suite struct ListPauseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ file: MusicFile) throws -> String { try file.url.path }

    private func decoded(_ file: MusicFile) throws -> [Float] {
        try decodeAll(file.bytes, chunk: 65_536)
    }

    private func id(_ stage: SongStage, _ number: Int) throws -> Int {
        try #require(stage.song.song(at: number))
    }

    /// Renders until `isTrue`; false when it never is, or anything is heard before.
    private func inSilence(_ stage: SongStage, until isTrue: () throws -> Bool) rethrows -> Bool {
        stage.renderer.patience = 0
        defer { stage.renderer.patience = 20_000 }
        var isSilent = true
        return try poll {
            isSilent = isSilent && stage.render(64).allSatisfy { $0 == 0 }
            return try !isSilent || isTrue()
        } && isSilent
    }

    /// Whether an event tells that the song stands still at a place.
    private static func isStill(_ event: SongEvent) -> Bool {
        if case .seeked = event { true } else { event == .paused }
    }

    /// Plays to the end of all songs.
    private func playOut(_ stage: SongStage) {
        repeat { _ = stage.render(4096) } while stage.source.state != .ended
        #expect(stage.log.wait { $0 == .finished } != nil)
    }

    /// A song that waits is taken out, and the next one, which was to wait, cannot be played: all are
    /// over.
    @Test func whatWaitsCannotBePlayed() throws {
        let broken = try folder.write("broken.mp3", "no song")
        let stage = try SongStage(
            [
                path(.constant), folder.song(seconds: 60, rate: 44_100).path, broken.path,
            ], rate: 44_100, pausesBetween: true)
        stage.song.start()
        _ = stage.render(try decoded(.constant).count / 2)
        #expect(inSilence(stage) { stage.song.waits && stage.log.all.contains(.paused) })
        #expect(stage.song.remove(try id(stage, 1)))
        #expect(inSilence(stage) { stage.log.all.last == .finished })
        #expect(!stage.song.waits && stage.song.listCount == 2)
        #expect(stage.song.error != nil)
        // The song before can be brought back, and plays.
        stage.song.skip(by: -1)
        playOut(stage)
    }

    /// A song that is to wait where all are over, and cannot be played.
    @Test func whatIsAddedAtTheEndCannotBePlayed() throws {
        let broken = try folder.write("broken.mp3", "no song")
        let stage = try SongStage([path(.constant)], rate: 44_100, pausesBetween: true)
        stage.song.start()
        playOut(stage)
        stage.song.play(
            try #require(stage.song.add(Location(broken.path))).song.id, waits: true)
        #expect(inSilence(stage) { stage.log.all.count { $0 == .finished } == 2 })
        #expect(!stage.song.waits && stage.song.listCount == 2)
        // Of a song that is gone nothing can wait.
        stage.song.play(999, waits: true)
        #expect(inSilence(stage) { stage.log.all.count { $0 == .finished } == 3 })
        #expect(!stage.song.waits)
    }

    /// The song that was heard last is taken out, and one follows it: that one does not begin by itself.
    @Test func afterTheEndTheNextOneWaits() throws {
        let stage = try SongStage([path(.headerless), path(.constant)], rate: 44_100)
        stage.song.start()
        playOut(stage)
        let last = try id(stage, 1)
        #expect(stage.song.heardSong == last && stage.song.move(last, by: -1))
        let pauses = stage.log.all.count { $0 == .paused }
        #expect(stage.song.remove(last, waits: true))
        #expect(inSilence(stage) { stage.log.all.count { $0 == .paused } > pauses })
        // The next cycle tells the place.
        #expect(inSilence(stage) { stage.song.waits && stage.source.position == 0 })
        stage.song.resume()
        let expected = try decoded(.headerless)
        #expect(firstDifference(stage.render(expected.count / 2), expected) == nil)
    }

    /// While the queue is paused, the song in the place of one that is taken out is, too.
    @Test func inPauseTheNextOneStandsStill() throws {
        let stage = try SongStage([path(.constant), path(.headerless)], rate: 44_100)
        stage.song.start()
        _ = stage.render(20_000)
        stage.song.pause()
        // The fade.
        _ = stage.render(1000)
        #expect(stage.log.wait { $0 == .paused } != nil)
        let pauses = stage.log.all.count(where: Self.isStill)
        #expect(stage.song.remove(try id(stage, 0)))
        let next = try path(.headerless)
        #expect(inSilence(stage) { stage.song.info?.location == next })
        #expect(inSilence(stage) { stage.log.all.count(where: Self.isStill) > pauses })
        #expect(stage.source.position == 0 && !stage.log.all.suffix(4).contains(.playing))
        #expect(stage.song.isPaused && !stage.song.waits)
        stage.song.resume()
        playOut(stage)
        let frames = Int64(try decoded(.headerless).count / 2)
        #expect(stage.log.all.contains(.ended(frames: frames)))
    }
}
