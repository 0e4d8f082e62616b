import AudioGraph
import TestSupport
import Testing

@testable import AudioMedia

/// Single rounds of a queue's worker, run without its thread.
@Suite struct SongWorkerTests {
    private let source = SongSource(sampleRate: 48_000)

    private func worker(
        _ songs: [Location], clock: @escaping () -> Double = { 0 }
    ) -> SongWorker {
        worker(SharedList(songs, loops: false), clock: clock)
    }

    private func worker(
        _ list: SharedList, control: SongControl = SongControl(listener: nil),
        clock: @escaping () -> Double = { 0 }
    ) -> SongWorker {
        SongWorker(
            SongJob(
                list: list, feed: source.feed,
                control: control, limits: .standard, start: SongPlace(),
                seek: nil, isExact: false, appliesGain: false, effects: SongEffects(),
                tellsOfSongs: false, lyrics: nil, pausesBetween: false, isFeedUsed: false),
            clock: clock)
    }

    /// A round tries four entries, but fewer on a slow disk.
    @Test(arguments: [(0.0, 4), (0.02, 3), (0.04, 2), (0.1, 1)])
    func aRoundIsShort(secondsOfATry: Double, tries: Int) throws {
        let songs = try (0..<10).map { try Location("/nowhere/missing\($0).mp3") }
        var time = 0.0
        let worker = worker(songs) {
            defer { time += secondsOfATry }
            return time
        }
        worker.work(isDemanded: false)
        #expect(worker.line.list.entries.count == 10 - tries)
        // The other entries are tried in the next round, which begins at once.
        #expect(worker.nextRound.milliseconds == 0)
    }

    /// On a busy machine the thread may be woken late: most of the ring is kept filled for that.
    @Test func theRingIsFilledWhileMostOfItIsThere() throws {
        let worker = worker([try Location(MusicFile.small.url.path)])
        worker.line.beginRound()
        worker.ringState = .playing()
        let frames = [Float](repeating: 0, count: 2 * source.feed.capacity)
        source.feed.push(frames, count: source.feed.capacity, at: 0)
        let whole = source.feed.capacity * 1000 / source.feed.sampleRate
        #expect((1...(whole / 4 + 1)).contains(worker.nextRound.milliseconds))
    }

    /// The render thread may pass a joint after `watch` has looked for such joints.
    @Test(arguments: [0, 1, 9_999, 10_000, 100_000, 10_000_000_000])
    func aJointThatWasPassedIsDue(boundary: Int) throws {
        let song = try Location(MusicFile.small.url.path)
        let worker = worker([song])
        worker.line.beginRound()
        worker.ringState = .playing()
        worker.filler.ring.pushed = 10_000
        worker.line.append(
            SongLine.Joint(
                before: try Track(song, limits: .standard), number: 0, frames: 0,
                boundary: boundary))
        // To poll(2) a negative time is one without end.
        #expect((0...5000).contains(worker.nextRound.milliseconds))
    }

    /// A song that is open begins at once when the one before it is over, also where nothing renders
    /// that would ask for frames; when all are over nothing is due.
    @Test func theNextSongBeginsAtOnce() throws {
        let worker = worker([try Location(MusicFile.small.url.path)])
        worker.work(isDemanded: false)
        worker.filler.finish(at: 0)
        worker.ringState = .ended
        #expect(worker.nextRound.milliseconds == 0)
        worker.ringState = .over
        #expect(worker.nextRound.milliseconds == 5000)
    }

    /// Where all songs are over, what is added begins when it is asked for, and not by itself.
    @Test func whatIsAddedToSongsThatAreOverIsNotOpened() throws {
        let list = SharedList([try Location("/nowhere/a.mp3")], loops: false)
        let worker = worker(list)
        worker.work(isDemanded: false)
        #expect(worker.line.list.isOver)
        worker.ringState = .over
        #expect(list.add(try Location(MusicFile.small.url.path), asNext: false) != nil)
        worker.takeListChanges()
        worker.work(isDemanded: false)
        #expect(worker.line.list.index == 0 && worker.line.track == nil)
        #expect(worker.ringState == .over && !worker.filler.hasBegun)
    }

    /// A song that comes in the place of one that is over waits, also before it is said that it is to.
    @Test func afterTheEndNothingBeginsByItself() throws {
        let song = try Location(MusicFile.small.url.path)
        let (list, control) = (SharedList([song, song], loops: false), SongControl(listener: nil))
        let worker = worker(list, control: control)
        worker.ringState = .over
        #expect(list.remove(list.songs[0].id).isOut)
        worker.takeListChanges()
        #expect(control.status.isHeld && worker.line.list.entries.count == 1)
    }

    /// The next song is the one that the list names at that moment: a worker that has not seen a change
    /// yet lets no song join.
    @Test func aSongJoinsOnlyAListThatIsKnown() throws {
        let songs = try ["a.mp3", "b.mp3", "c.mp3"].map { try Location("/nowhere/" + $0) }
        let list = SharedList(Array(songs[..<2]), loops: false)
        let line = worker(list).line
        #expect(line.isListKnown && line.list.following == 1)
        let added = try #require(list.add(songs[2], asNext: true)).song.id
        #expect(!line.isListKnown && !line.commitNext())
        #expect(line.takeChanges() == nil && line.isListKnown)
        #expect(line.list.entries.map(\.location) == [songs[0], songs[2], songs[1]])
        #expect(line.commitNext())
        // What comes next from now on comes behind the song that was committed.
        let second = try #require(list.add(songs[1], asNext: true)).song.id
        #expect(list.number(of: added) == 1 && list.number(of: second) == 2)
        #expect(!line.commitNext())
    }

    /// Where the song that is heard is gone, the first one behind it that is left begins; where a song
    /// that is in the ring already is gone, the one behind the song that is heard.
    @Test func whatIsGoneIsFollowed() throws {
        let songs = try (0..<5).map { try Location("/nowhere/\($0).mp3") }
        let list = SharedList(songs, loops: false, start: 1)
        let line = worker(list).line
        line.go(to: 1)
        let heard = try Track(Location(MusicFile.small.url.path), limits: .standard)
        line.append(SongLine.Joint(before: heard, number: 1, frames: 0, boundary: 1))
        line.goOn()
        #expect(line.list.index == 2 && line.heardNumber == 1)
        let ids = list.songs.map(\.id)
        #expect(list.remove(ids[2]) == (true, nil))
        #expect(line.takeChanges() == .begin(2))
        #expect(line.list.entries[2].location == songs[3])
        line.go(to: 2)
        line.noteHeard()
        #expect(list.heard == ids[3] && list.remove(ids[3]) == (true, ids[4]))
        #expect(line.takeChanges() == .begin(2))
        #expect(line.list.entries.map(\.location) == [songs[0], songs[1], songs[4]])
    }
}
