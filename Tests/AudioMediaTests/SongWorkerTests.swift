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
        SongWorker(
            SongJob(
                list: SharedList(songs, loops: false), feed: source.feed,
                control: SongControl(listener: nil), limits: .standard, start: SongPlace(),
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
}
