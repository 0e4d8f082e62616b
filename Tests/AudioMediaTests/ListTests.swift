import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// The list of songs is changed while it is played: what is heard is every song of the list, whole
/// and without a gap, in the order that the list has then.
@Suite struct ListTests {
    private func path(_ file: MusicFile) throws -> String { try file.url.path }

    private func decoded(_ file: MusicFile) throws -> [Float] {
        try decodeAll(file.bytes, chunk: 65_536)
    }

    private func stage(_ files: [MusicFile], loops: Bool = false) throws -> SongStage {
        try SongStage(files.map(path), rate: 44_100, loops: loops)
    }

    private func id(_ stage: SongStage, _ number: Int) throws -> Int {
        try #require(stage.song.song(at: number))
    }

    private func names(_ stage: SongStage) -> [String] {
        stage.song.list.map { URL(fileURLWithPath: $0.location.description).lastPathComponent }
    }

    /// Renders until all songs are over, after `heard`.
    private func rest(_ stage: SongStage, after heard: [Float] = []) -> [Float] {
        var result = heard
        repeat { result += stage.render(4096) } while stage.source.state != .ended
        #expect(stage.log.wait { $0 == .finished } != nil)
        return result
    }

    private func expectHeard(_ heard: [Float], _ files: [MusicFile]) throws {
        let expected = try files.flatMap { try decoded($0) }
        #expect(heard.count >= expected.count)
        #expect(firstDifference(heard.prefix(expected.count), expected) == nil)
        #expect(Samples.peak(heard.dropFirst(expected.count)) == 0)
    }

    @Test func anAddedSongFollowsTheLast() throws {
        let stage = try stage([.constant])
        stage.song.start()
        let heard = stage.render(20_000)
        #expect(!stage.song.hasNext)
        #expect(stage.song.add(try Location(path(.headerless))) != nil)
        #expect(stage.song.hasNext && stage.song.listCount == 2)
        try expectHeard(rest(stage, after: heard), [.constant, .headerless])
    }

    /// The next song is open already, and is not the next any more.
    @Test func aSongThatIsPutBetweenComesFirst() throws {
        let stage = try stage([.constant, .variable])
        stage.song.start()
        let heard = stage.render(20_000)
        #expect(stage.song.add(try Location(path(.headerless)), at: .next) != nil)
        try expectHeard(rest(stage, after: heard), [.constant, .headerless, .variable])
    }

    @Test func aRemovedSongIsNotHeard() throws {
        let stage = try stage([.constant, .variable, .headerless])
        stage.song.start()
        let heard = stage.render(20_000)
        let gone = try id(stage, 1)
        #expect(stage.song.remove(gone))
        #expect(!stage.song.remove(gone) && stage.song.number(ofSong: gone) == nil)
        try expectHeard(rest(stage, after: heard), [.constant, .headerless])
    }

    @Test func songsAreMoved() throws {
        let stage = try stage([.constant, .variable, .headerless])
        stage.song.start()
        let heard = stage.render(20_000)
        #expect(stage.song.move(try id(stage, 2), by: -1))
        #expect(!stage.song.move(try id(stage, 0), by: -1))
        #expect(!stage.song.move(try id(stage, 2), by: .max))
        #expect(!stage.song.move(999, by: 1))
        try expectHeard(rest(stage, after: heard), [.constant, .headerless, .variable])
        // The song that was heard last is moved to the front, and plays there.
        #expect(stage.song.move(try id(stage, 2), by: .min))
        #expect(names(stage) == ["variable.mp3", "constant.mp3", "headerless.mp3"])
        let ids = stage.song.list.map(\.id)
        #expect(stage.song.heardSong == ids[0] && stage.song.followingSong == ids[1])
    }

    /// In the last moments of a song the next one is in the ring. Whatever is done then, each song is
    /// heard whole.
    @Test(arguments: [12_000, 9000, 5000, 3000, 1500, 600, 100])
    func atTheSeam(framesBefore: Int) throws {
        let first = try decoded(.constant)
        let stage = try stage([.constant, .variable])
        stage.song.start()
        let heard = stage.render(first.count / 2 - framesBefore)
        #expect(stage.song.add(try Location(path(.headerless)), at: .next) != nil)
        let all = rest(stage, after: heard)
        let isFirst = names(stage)[1] == "headerless.mp3"
        try expectHeard(
            all,
            isFirst
                ? [.constant, .headerless, .variable] : [.constant, .variable, .headerless])
    }

    /// A song that is added at any moment near the end of the last one is heard, if need be after it
    /// is asked for.
    @Test(arguments: [12_000, 5000, 600, 100, 0])
    func nothingIsForgottenAtTheEnd(framesBefore: Int) throws {
        let first = try decoded(.constant)
        let stage = try stage([.constant])
        stage.song.start()
        _ = stage.render(first.count / 2 - framesBefore)
        let added = try #require(stage.song.add(try Location(path(.headerless)))).song.id
        let second = Int64(try decoded(.headerless).count / 2)
        let deadline = Date().addingTimeInterval(20)
        var isAsked = false
        while !stage.log.all.contains(.ended(frames: second)), Date() < deadline {
            _ = stage.render(2048)
            let events = stage.log.all
            if !isAsked, events.contains(.finished), !events.contains(.ended(frames: second)) {
                isAsked = true
                #expect(stage.song.followingSong == added)
                stage.song.play(added)
            }
        }
        #expect(stage.log.all.contains(.ended(frames: second)))
    }

    @Test func aChosenSongBeginsAtItsFirstFrame() throws {
        let stage = try stage([.constant, .headerless, .variable])
        stage.song.start()
        _ = stage.render(30_000)
        stage.song.play(999)
        let chosen = try id(stage, 2)
        stage.song.play(chosen)
        var heard: [Float] = []
        while stage.song.heardSong != chosen || stage.source.position >= 20_000 {
            heard += stage.render(64)
        }
        while stage.source.position < 20_000 { heard += stage.render(64) }
        let count = 2 * Int(stage.source.position)
        #expect(
            firstDifference(Array(heard.suffix(count)), Array(try decoded(.variable).prefix(count)))
                == nil)
        stage.song.stop()
    }

    /// What is added as the next song comes behind the one that was chosen a moment ago, and behind the
    /// one that takes the place of the song that is heard.
    @Test func theNextSongComesBehindThePresentOne() throws {
        let stage = try stage([.constant, .headerless, .variable, .mono])
        stage.song.start()
        _ = stage.render(20_000)
        let chosen = try id(stage, 2)
        stage.song.play(chosen)
        #expect(stage.song.heardSong == chosen)
        let small = try Location(path(.small))
        let added = try #require(stage.song.add(small, at: .next)).song.id
        #expect(stage.song.number(ofSong: added) == 3 && stage.song.followingSong == added)
        #expect(stage.song.remove(chosen) && stage.song.heardSong == added)
        #expect(stage.song.add(try Location(path(.mpeg2)), at: .next) != nil)
        #expect(
            names(stage)
                == ["constant.mp3", "headerless.mp3", "small.mp3", "mpeg2.mp3", "mono.mp3"])
        stage.song.stop()
    }

    /// Also where the song was chosen by a step.
    @Test func theNextSongComesBehindTheOneOfAStep() throws {
        let stage = try stage([.constant, .headerless, .variable])
        stage.song.start()
        let heard = stage.render(20_000)
        let second = try id(stage, 1)
        stage.song.skip(by: 1)
        #expect(stage.song.heardSong == second)
        let added = try #require(stage.song.add(Location(path(.constant)), at: .next)).song.id
        #expect(stage.song.number(ofSong: added) == 2 && stage.song.followingSong == added)
        _ = rest(stage, after: heard)
        let frames = try [MusicFile.headerless, .constant, .variable].map {
            SongEvent.ended(frames: Int64(try decoded($0).count / 2))
        }
        #expect(stage.log.all.filter { frames.contains($0) } == frames)
    }

    /// Where the song that is heard is taken out the next one begins; where none follows it stays.
    @Test func theSongThatIsHeardIsRemoved() throws {
        let stage = try stage([.constant, .headerless])
        stage.song.start()
        _ = stage.render(30_000)
        #expect(stage.song.remove(try id(stage, 0)))
        let left = try id(stage, 0)
        #expect(names(stage) == ["headerless.mp3"] && stage.song.heardSong == left)
        #expect(!stage.song.remove(try id(stage, 0)))
        let all = rest(stage)
        let second = try decoded(.headerless)
        #expect(stage.log.all.contains(.ended(frames: Int64(second.count / 2))))
        #expect(!stage.log.all.contains { if case .failed = $0 { true } else { false } })
        #expect(all.count >= second.count)
    }

    /// In its last moments a song that was to follow is taken out, which is in the ring: the song is heard
    /// to its end, and the one after follows it.
    @Test(arguments: [7000, 3000, 1000]) func whatIsInTheRingIsRemoved(framesBefore: Int) throws {
        let (first, third) = try (decoded(.constant), decoded(.headerless))
        let stage = try stage([.constant, .variable, .headerless])
        stage.song.start()
        var heard = stage.render(first.count / 2 - framesBefore)
        #expect(poll { stage.source.feed.bufferedFrames > framesBefore })
        #expect(stage.song.remove(try id(stage, 1)))
        // Nothing renders until the song's thread has seen it.
        #expect(poll { !stage.source.feed.isFlushed })
        heard = rest(stage, after: heard)
        #expect(stage.log.all.contains(.ended(frames: Int64(first.count / 2))))
        // From behind the place where it was taken up again to the end of both.
        let expected = Array(first.suffix(400) + third)
        let start = (0...max(0, heard.count - expected.count)).first {
            heard[$0] == expected[0] && heard[$0..<$0 + 400].elementsEqual(expected.prefix(400))
        }
        let found = try #require(start)
        #expect(firstDifference(Array(heard[found...].prefix(expected.count)), expected) == nil)
        #expect(heard.count >= first.count + third.count)
    }

    /// The same where no other song follows.
    @Test func theLastOneInTheRingIsRemoved() throws {
        let first = try decoded(.constant)
        let stage = try stage([.constant, .variable])
        stage.song.start()
        let heard = stage.render(first.count / 2 - 3000)
        #expect(poll { stage.source.feed.bufferedFrames > 3000 })
        #expect(stage.song.remove(try id(stage, 1)))
        #expect(poll { !stage.source.feed.isFlushed })
        let all = rest(stage, after: heard)
        #expect(stage.log.all.contains(.ended(frames: Int64(first.count / 2))))
        #expect(all.count >= first.count && stage.song.error == nil)
    }

    @Test func inALoopTheFirstFollowsTheLast() throws {
        let stage = try stage([.constant, .headerless], loops: true)
        stage.song.start()
        let heard = stage.render(20_000)
        #expect(stage.song.remove(try id(stage, 1)))
        let only = try id(stage, 0)
        #expect(stage.song.hasNext && !stage.song.remove(only))
        let once = try decoded(.constant)
        let all = heard + stage.render(once.count / 2 * 3 / 2)
        #expect(firstDifference(all, Array((once + once).prefix(all.count))) == nil)
        stage.song.stop()
    }

    /// A playlist that is moved, and whose songs are, is opened where it stands.
    @Test func aPlaylistIsOpenedWhereItStands() throws {
        let folder = try TemporaryFolder()
        let list = try folder.write(
            "list.m3u",
            "#EXTM3U\n#EXTINF:1,First Words\n\(path(.headerless))\n#EXTINF:1,Last\n"
                + "\(path(.variable))\n")
        let stage = try SongStage([path(.constant), path(.mpeg2), list.path], rate: 44_100)
        stage.song.start()
        _ = stage.render(1000)
        #expect(stage.song.move(try id(stage, 2), by: -1))
        #expect(poll { names(stage).count == 4 })
        #expect(
            names(stage) == ["constant.mp3", "headerless.mp3", "variable.mp3", "mpeg2.mp3"])
        #expect(stage.song.list.map(\.title) == [nil, "First Words", "Last", nil])
        #expect(Set(stage.song.list.map(\.id)).count == 4)
        stage.song.stop()
    }

    /// Titles are known when a song is open, and that is before it is heard.
    @Test func titlesOfTheNextSongAreKnown() throws {
        let folder = try TemporaryFolder()
        let song = folder.url.appendingPathComponent("tagged.mp3")
        let frames: [ID3Tag.Frame] = [
            ("TIT2", [3] + Array("Evening".utf8), 0), ("TPE1", [3] + Array("Somebody".utf8), 0),
        ]
        try Data(ID3Tag.bytes(4, frames) + MusicFile.headerless.bytes).write(to: song)
        let stage = try SongStage([path(.constant), song.path], rate: 44_100)
        stage.song.start()
        let version = stage.song.listVersion
        _ = stage.render(1000)
        #expect(poll { stage.song.list[1].title == "Evening" })
        #expect(stage.song.list[1].artist == "Somebody" && stage.song.listVersion > version)
        let first = try id(stage, 0)
        #expect(stage.song.heardSong == first)
        stage.song.stop()
    }

    @Test func aListIsBounded() throws {
        let stage = try stage([.constant])
        stage.song.start()
        let song = try Location(path(.headerless))
        let added = (0..<100_000).count { _ in stage.song.add(song) != nil }
        #expect(added == SongQueue.longestList - 1)
        #expect(stage.song.listCount == SongQueue.longestList)
        #expect(stage.song.song(at: SongQueue.longestList) == nil && stage.song.song(at: -1) == nil)
        let expected = try decoded(.constant) + decoded(.headerless)
        #expect(firstDifference(stage.render(expected.count / 2), expected) == nil)
        stage.song.stop()
    }

    /// A storm of changes, at any moment of short songs: every song that is heard is whole, no song
    /// is lost, and the queue comes to its end.
    @Test(arguments: 1...6) func aStormOfChanges(seed: Int) throws {
        let folder = try TemporaryFolder()
        let songs = try (0..<4).map { number in
            let url = try folder.song(
                "\(number).mp3", seconds: 0.1 + 0.15 * Double(number), rate: 44_100,
                frequency: 300 + 100 * number)
            return (
                url.path,
                Int64(try decodeAll([UInt8](Data(contentsOf: url)), chunk: 4096).count / 2)
            )
        }
        var random = SeededRandom(seed: UInt64(seed))
        let stage = try SongStage(songs.map(\.0), rate: 44_100)
        func ends() -> [Int64] {
            stage.log.all.compactMap { if case .ended(let frames) = $0 { frames } else { nil } }
        }
        stage.song.start()
        // The queue's thread may be slow to begin what is added when all are over.
        for round in 0..<5000 where round < 150 || ends().count <= 8 {
            _ = stage.render(Int.random(in: 1...3000, using: &random))
            let count = stage.song.listCount
            let any = stage.song.song(at: Int.random(in: 0..<max(1, count), using: &random)) ?? 0
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let song = try Location(songs.randomElement(using: &random)!.0)
                #expect(
                    stage.song.add(song, at: Bool.random(using: &random) ? .next : .last) != nil)
            case 2: _ = stage.song.move(any, by: .random(in: -3...3, using: &random))
            case 3 where count > 3 && any != stage.song.heardSong: _ = stage.song.remove(any)
            case 4: _ = stage.song.add(try Location("/nowhere.mp3"))
            default: break
            }
            if stage.log.all.last == .finished, let next = stage.song.followingSong {
                stage.song.play(next)
            }
        }
        let lengths = Set(songs.map(\.1))
        #expect(ends().count > 8 && ends().allSatisfy(lengths.contains), "\(ends())")
        stage.song.stop()
        #expect(stage.song.error == nil || stage.song.error?.hadBegun == false)
    }

    /// Between two songs the next one stands at its first frame until it is resumed, and is then heard
    /// whole, without a fade.
    @Test func theNextSongWaits() throws {
        let files = [MusicFile.constant, .headerless, .variable]
        let stage = try SongStage(files.map(path), rate: 44_100, pausesBetween: true)
        stage.song.start()
        func heardNothing(_ frames: Int) -> Bool { stage.render(frames).allSatisfy { $0 == 0 } }
        for (number, file) in files.enumerated() {
            let expected = try decoded(file)
            let name = try path(file)
            #expect(
                stage.log.wait {
                    if case .opened(let song) = $0 { song.location == name } else { false }
                } != nil)
            if number > 0 {
                stage.renderer.patience = 0
                #expect(poll { stage.song.waits && stage.song.info?.location == name })
                // Told once its first frames are there.
                #expect(
                    poll { heardNothing(64) && stage.log.all.count { $0 == .paused } == number })
                // Nothing is heard meanwhile, however long that is.
                #expect(heardNothing(30_000))
                #expect(stage.source.position == 0 && stage.song.position.seconds == 0)
                #expect(stage.song.waits)
                stage.renderer.patience = 20_000
                stage.song.resume()
            }
            #expect(!stage.song.waits)
            let heard = stage.render(expected.count / 2)
            #expect(firstDifference(heard, expected) == nil)
        }
        stage.renderer.patience = 0
        #expect(heardNothing(4096))
        #expect(stage.log.wait { $0 == .finished } != nil)
        #expect(stage.log.all.count { $0 == .paused } == 2 && !stage.song.waits)
    }

    /// What waits may be left for another song, or be taken out: then the next one waits.
    @Test func whatWaitsMayBeChanged() throws {
        let files = [MusicFile.constant, .headerless, .variable, .mono]
        let stage = try SongStage(files.map(path), rate: 44_100, pausesBetween: true)
        stage.song.start()
        /// Renders until `isTrue`; false when it never is.
        func heard(_ isTrue: () throws -> Bool) rethrows -> Bool {
            try poll {
                _ = stage.render(64)
                return try isTrue()
            }
        }
        _ = stage.render(try decoded(.constant).count / 2)
        stage.renderer.patience = 0
        #expect(
            heard { stage.song.waits })
        #expect(stage.song.remove(try id(stage, 1)))
        let variable = try path(.variable)
        #expect(
            heard { stage.song.info?.location == variable })
        #expect(stage.song.waits)
        stage.song.pause()
        stage.song.seek(to: 0.5)
        #expect(stage.render(4096).allSatisfy { $0 == 0 })
        #expect(stage.song.position.seconds == 0.5)
        stage.song.resume()
        #expect(
            poll {
                _ = stage.render(64);
                return stage.log.all.contains { if case .seeked = $0 { true } else { false } }
            })
        stage.song.play(try id(stage, 2))
        let mono = try path(.mono)
        #expect(
            heard { stage.song.info?.location == mono })
        #expect(!stage.song.waits)
        stage.song.play(try id(stage, 0), waits: true)
        stage.renderer.patience = 0
        let first = try path(.constant)
        #expect(
            heard { stage.song.info?.location == first })
        #expect(stage.song.waits && stage.render(4096).suffix(4096).allSatisfy { $0 == 0 })
        stage.song.skip(by: 1)
        #expect(!stage.song.waits)
        stage.song.stop()
    }
}
