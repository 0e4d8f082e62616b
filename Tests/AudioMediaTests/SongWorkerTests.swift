import AudioGraph
import Foundation
import TestSupport
import Testing

@testable import AudioMedia

/// Single rounds of a queue's worker, run without its thread.
@Suite struct SongWorkerTests {
    private let source = SongSource(sampleRate: 48_000)

    private func worker(
        _ songs: [Location], clock: @escaping () -> Double = { 0 }
    ) -> SongWorker {
        worker(SongList(songs, loops: false), clock: clock)
    }

    private func worker(
        _ list: SongList, control: SongControl = SongControl(listener: nil),
        tellsOfSongs: Bool = false, clock: @escaping () -> Double = { 0 }
    ) -> SongWorker {
        SongWorker(
            SongJob(
                list: list, feed: source.feed,
                control: control, limits: .standard, part: 0,
                seek: nil, isExact: false, appliesGain: false, effects: SongEffects(),
                tellsOfSongs: tellsOfSongs, lyrics: nil, pausesBetween: false, isFeedUsed: false),
            clock: clock)
    }

    /// Has the worker go round until `isTrue`; its songs are opened and decoded meanwhile.
    private static func run(_ worker: SongWorker, until isTrue: (SongWorker) -> Bool) -> Bool {
        poll {
            worker.work(isDemanded: true)
            return isTrue(worker)
        }
    }

    /// Has the worker go round until the present song is in the ring, as far as that has space.
    @discardableResult private static func fill(_ worker: SongWorker) -> Bool {
        run(worker) {
            $0.line.wish == nil
                && ($0.line.isOver || $0.filler.feed.space == 0 || $0.line.track?.isDecoded == true)
        }
    }

    /// On a busy machine the thread may be woken late: most of the ring is kept filled for that.
    @Test func theRingIsFilledWhileMostOfItIsThere() throws {
        let worker = worker([try Location(MusicFile.small.url.path)])
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
        worker.ringState = .playing()
        worker.filler.ring.pushed = 10_000
        worker.line.append(
            SongLine.Joint(
                before: try Track(song, limits: .standard), frames: 0,
                boundary: boundary))
        // To poll(2) a negative time is one without end.
        #expect((0...5000).contains(worker.nextRound.milliseconds))
    }

    /// A song that is open begins at once when the one before it is over, also where nothing renders
    /// that would ask for frames; when all are over nothing is due.
    @Test func theNextSongBeginsAtOnce() throws {
        let worker = worker([try Location(MusicFile.small.url.path)])
        Self.fill(worker)
        worker.filler.finish(at: 0)
        worker.ringState = .ended
        #expect(worker.nextRound.milliseconds == 0)
        worker.ringState = .over
        #expect(worker.nextRound.milliseconds == 5000)
    }

    /// Where all songs are over, what is added begins when it is asked for, and not by itself.
    @Test func whatIsAddedToSongsThatAreOverIsNotOpened() throws {
        let list = SongList([try Location("/nowhere/a.mp3")], loops: false)
        let worker = worker(list)
        #expect(Self.run(worker) { $0.line.isOver })
        worker.ringState = .over
        let added = try #require(list.add(try Location(MusicFile.small.url.path), at: .last))
        worker.takeListChanges()
        worker.work(isDemanded: false)
        #expect(list.decoded == added.song.id && worker.line.track == nil)
        #expect(worker.ringState == .over && !worker.filler.hasBegun)
    }

    /// A song that comes in the place of one that is over waits, also before it is said that it is to.
    @Test func afterTheEndNothingBeginsByItself() throws {
        let song = try Location(MusicFile.small.url.path)
        let (list, control) = (SongList([song, song], loops: false), SongControl(listener: nil))
        let worker = worker(list, control: control)
        worker.ringState = .over
        #expect(list.remove(list.songs[0].id, isPlayed: true).isRemoved)
        worker.takeListChanges()
        #expect(control.status.isHeld && list.decoded == list.songs[0].id)
    }

    /// The next song is the one that the list names at that moment: a song that was opened as the next
    /// does not join where another one is the next now.
    @Test func onlyTheNextSongJoins() throws {
        let song = try Location(MusicFile.small.url.path)
        let list = SongList([song, song], loops: false)
        let worker = worker(list)
        Self.fill(worker)
        let line = worker.line
        #expect(Self.run(worker) { $0.line.next?.isOpen == true })
        #expect(line.next?.entry == list.songs[1].id)
        let added = try #require(list.add(song, at: .next)).song.id
        #expect(!line.commitNext() && list.decoded == list.songs[0].id)
        #expect(line.takeChanges() == nil && line.next == nil)
        line.openAhead(buffered: 0)
        #expect(line.commitNext() && list.decoded == added)
        // What comes next from now on comes behind the song that joined.
        let second = try #require(list.add(song, at: .next)).song.id
        #expect(list.number(of: added) == 1 && list.number(of: second) == 2)
    }

    /// Where the song that is heard is gone, the first one behind it that is left begins; where a song
    /// that is in the ring already is gone, the one behind the song that is heard.
    @Test func whatIsGoneIsFollowed() throws {
        let songs = try (0..<5).map { try Location("/nowhere/\($0).mp3") }
        let list = SongList(songs, loops: false, start: 1)
        let line = worker(list).line
        let ids = list.songs.map(\.id)
        // Its bytes are not kept, however soon its thread looks for them.
        let heard = try Track(songs[1], limits: .standard, entry: ids[1])
        line.append(SongLine.Joint(before: heard, frames: 0, boundary: 1))
        line.goOn()
        #expect(list.decoded == ids[2] && line.heardID == ids[1])
        #expect(list.remove(ids[2], isPlayed: true) == (true, nil))
        #expect(line.takeChanges() == .begin(ids[3]))
        line.go(to: ids[3])
        line.noteHeard()
        #expect(list.present == ids[3])
        #expect(list.remove(ids[3], isPlayed: true) == (true, ids[4]))
        #expect(line.takeChanges() == .begin(ids[4]))
        #expect(list.songs.map(\.location) == [songs[0], songs[1], songs[4]])
    }

    // MARK: Songs that are chosen

    /// A queue's worker whose song 0 plays, with missing songs (`-`) and songs (`s`) in its list.
    private struct Chosen {
        let list: SongList
        let control: SongControl
        let log = EventLog()
        let worker: SongWorker
        let ids: [Int]

        init(_ kinds: String, test: SongWorkerTests, start: Int = 0) throws {
            let song = try MusicFile.small.url.path
            list = SongList(
                try kinds.enumerated().map {
                    try Location($1 == "s" ? song : "/nowhere/\($0).mp3")
                }, loops: false, start: start)
            control = SongControl { [log] in log.add($0) }
            worker = test.worker(list, control: control)
            ids = list.songs.map(\.id)
            run()
        }

        /// Has the worker take its commands, and run until `isDone`, by default until what was chosen
        /// has begun or cannot be played, and is in the ring.
        func run(until isDone: ((SongWorker) -> Bool)? = nil) {
            worker.takeListChanges()
            for command in control.takeCommands() { _ = worker.obey(command) }
            if let isDone {
                #expect(SongWorkerTests.run(worker, until: isDone))
            } else {
                #expect(SongWorkerTests.fill(worker))
            }
        }

        func skip(by count: Int) {
            let song = list.choose(by: count)
            control.send(to: 0, reportsArrival: false) {
                .play(song, $0, waits: false, step: count.signum(), resumes: false)
            }
            run()
        }

        func play(_ number: Int) {
            list.choose(ids[number])
            control.send(to: 0, reportsArrival: false) {
                .play(ids[number], $0, waits: false, step: 0, resumes: false)
            }
            run()
        }

        /// How often it was told that a song cannot be played.
        var refusals: Int {
            log.all.count {
                switch $0 {
                case .skipped, .failed: true
                default: false
                }
            }
        }
        var heard: Int? { worker.line.heardTrack.flatMap { ids.firstIndex(of: $0.entry) } }
    }

    /// What cannot be opened is told, and the song before plays on: its frames stay in the ring.
    @Test func aStepThatLeadsNowhereKeepsTheSong() throws {
        let queue = try Chosen("--s", test: self, start: 2)
        let frames = source.feed.bufferedFrames
        #expect(queue.heard == 2 && frames > 0)
        queue.skip(by: -1)
        #expect(queue.heard == 2 && source.feed.bufferedFrames == frames)
        #expect(source.feed.isFlushed && queue.worker.line.wish == nil)
        #expect(queue.list.present == queue.ids[2] && queue.control.status.seek == nil)
        #expect(queue.refusals == 2 && !queue.control.status.isFinished)
        // It is known now: nothing is before it.
        #expect(queue.list.choose(by: -1) == queue.ids[2])
    }

    /// A step goes on to the nearest song that can be played, in its direction.
    @Test(arguments: [(0, 1, 3), (3, -1, 0)]) func aStepPassesOverWhatCannotBePlayed(
        from: Int, step: Int, to: Int
    ) throws {
        let queue = try Chosen("s--s", test: self, start: from)
        queue.skip(by: step)
        #expect(queue.heard == to && queue.refusals == 2)
        #expect(queue.list.present == queue.ids[to] && queue.list.decoded == queue.ids[to])
    }

    /// A choice that cannot be played leads nowhere else, and is tried again when it is chosen again.
    @Test func aChoiceIsThatSongAlone() throws {
        let queue = try Chosen("s-s", test: self, start: 2)
        queue.play(1)
        #expect(queue.heard == 2 && queue.refusals == 1)
        queue.play(1)
        #expect(queue.heard == 2 && queue.refusals == 2)
        queue.play(0)
        #expect(queue.heard == 0 && queue.list.present == queue.ids[0])
    }

    /// Where all are over a choice that cannot be played leaves it so, and says it.
    @Test func aChoiceAfterTheEndMayFail() throws {
        let queue = try Chosen("-s", test: self, start: 1)
        queue.worker.ringState = .over
        queue.play(0)
        #expect(queue.worker.ringState == .over && queue.worker.line.wish == nil)
        #expect(queue.refusals == 1 && queue.list.present == queue.ids[1])
        queue.play(1)
        queue.run { $0.ringState != .over }
        #expect(queue.heard == 1)
    }

    /// The song that is open as the next one is not opened again: it may come from a pipe.
    @Test func theNextSongIsNotOpenedAgain() throws {
        let queue = try Chosen("ss", test: self)
        let line = queue.worker.line
        queue.run { $0.line.next?.isOpen == true }
        let next = try #require(line.next)
        queue.skip(by: 1)
        #expect(line.heardTrack === next && queue.heard == 1 && line.wish == nil)
        // Nor is one whose frames are in the ring already.
        let again = try Chosen("sss", test: self)
        again.run { $0.line.next?.isOpen == true }
        #expect(again.worker.line.commitNext())
        again.worker.line.join(frames: 1, boundary: 1 << 40)
        let joined = try #require(again.worker.line.track)
        #expect(again.heard == 0 && joined.entry == again.ids[1])
        again.skip(by: 1)
        #expect(again.worker.line.heardTrack === joined && again.heard == 1)
    }

    /// A server that does not answer.
    private func waiting() throws -> (DeafListener, Location) {
        let deaf = try DeafListener()
        return (deaf, try Location("http://127.0.0.1:\(deaf.port)/a.mp3"))
    }

    /// While a song is chosen that is not open, the end of the one before is told to nobody; where the
    /// choice leads nowhere it is. The place is that of the song that is heard, meanwhile.
    @Test func theEndWaitsForAChoice() throws {
        let (deaf, slow) = try waiting()
        let queue = try Chosen("s", test: self)
        let added = try #require(queue.list.add(slow, at: .last)).song.id
        queue.list.choose(added)
        queue.control.send(to: 0, reportsArrival: false) {
            .play(added, $0, waits: false, step: 0, resumes: false)
        }
        queue.run { $0.line.wished != nil }
        #expect(queue.worker.line.wish?.id == added && queue.heard == 0)
        #expect(queue.control.status.seek == nil && queue.control.status.choicePlace == 0)
        #expect(queue.list.chosen == added)
        queue.control.send(to: 7, reportsArrival: true) { .seek($0) }
        queue.run { $0.line.wished != nil }
        #expect(queue.control.status.seek == nil && queue.control.status.choicePlace == 7)
        queue.worker.finish()
        #expect(queue.worker.ringState == .over && !queue.log.all.contains(.finished))
        // What is chosen then begins, or is given up, and that ends the list.
        queue.worker.giveUp(PendingSeek(number: 9, seconds: 0))
        #expect(queue.log.all.contains(.finished))
        withExtendedLifetime(deaf) {}
    }

    /// A song that was chosen and is not open after a second: what it waits for is told, once, also
    /// where all are over.
    @Test func whatAChosenSongWaitsForIsTold() throws {
        let (deaf, slow) = try waiting()
        let folder = try TemporaryFolder()
        let pipe = folder.url.appendingPathComponent("pipe.mp3").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let kinds: [(Location, SongEvent.Awaited)] = [(slow, .server), (try Location(pipe), .pipe)]
        for (location, awaited) in kinds {
            var time = 0.0
            let log = EventLog()
            let control = SongControl { log.add($0) }
            let list = SongList([try Location(MusicFile.small.url.path)], loops: false)
            let worker = worker(list, control: control) { time }
            Self.fill(worker)
            let added = try #require(list.add(location, at: .last)).song.id
            list.choose(added)
            control.send(to: 0, reportsArrival: false) {
                .play(added, $0, waits: false, step: 1, resumes: false)
            }
            for command in control.takeCommands() { _ = worker.obey(command) }
            #expect(Self.run(worker) { $0.line.wished?.awaited == awaited })
            func told() -> [SongEvent] {
                log.all.filter { if case .opening = $0 { true } else { false } }
            }
            #expect(told().isEmpty)
            worker.filler.finish(at: 0)
            worker.ringState = .over
            #expect(worker.nextRound.milliseconds <= 500)
            time = 1
            for _ in 0..<3 { worker.work(isDemanded: false) }
            #expect(told() == [.opening(location, waitsFor: awaited)])
        }
        withExtendedLifetime(deaf) {}
    }

    /// `n` while the present entry is still being opened: that goes on being opened where the choice
    /// cannot be played.
    @Test func aChoiceDoesNotGiveUpWhatIsBeingOpened() throws {
        let (deaf, slow) = try waiting()
        let log = EventLog()
        let control = SongControl { log.add($0) }
        let list = SongList([slow, try Location("/nowhere/a.mp3")], loops: false)
        let worker = worker(list, control: control)
        worker.work(isDemanded: false)
        let ids = list.songs.map(\.id)
        list.choose(ids[1])
        control.send(to: 0, reportsArrival: false) {
            .play(ids[1], $0, waits: false, step: 1, resumes: false)
        }
        for command in control.takeCommands() { _ = worker.obey(command) }
        #expect(Self.run(worker) { $0.line.wish == nil })
        #expect(worker.line.wish == nil && !worker.line.isOver && list.decoded == ids[0])
        #expect(worker.line.track?.entry == ids[0] && list.present == ids[0])
        #expect(log.all.count { if case .skipped = $0 { true } else { false } } == 1)
        #expect(!log.all.contains { if case .failed = $0 { true } else { false } })
        withExtendedLifetime(deaf) {}
    }

    /// A song that is chosen in pause plays, and says so; but not where a pause was asked for since.
    @Test(arguments: [false, true]) func aChoiceInPausePlays(isPausedAgain: Bool) throws {
        let queue = try Chosen("ss", test: self)
        queue.control.send(.paused(true))
        queue.run()
        queue.list.choose(queue.ids[1])
        queue.control.send(to: 0, reportsArrival: false) {
            .play(queue.ids[1], $0, waits: false, step: 0, resumes: true)
        }
        if isPausedAgain {
            for command in queue.control.takeCommands() { _ = queue.worker.obey(command) }
            queue.control.send(.paused(true))
        }
        queue.run()
        #expect(queue.heard == 1 && queue.log.all.contains(.choiceBegins))
        #expect(queue.worker.isPaused == isPausedAgain)
    }

    /// When all are over, the thread wakes for a chosen song that waits to be told of its effects.
    @Test func aChosenSongIsNotSleptOver() throws {
        var time = 0.0
        let song = try Location(MusicFile.small.url.path)
        let list = SongList([song, song], loops: false)
        let control = SongControl(listener: nil)
        let worker = worker(list, control: control, tellsOfSongs: true) { time }
        #expect(Self.run(worker) { $0.line.track?.isOpen == true })
        time = 1
        Self.fill(worker)
        worker.filler.finish(at: 0)
        worker.ringState = .over
        let ids = list.songs.map(\.id)
        list.choose(ids[1])
        control.send(to: 0, reportsArrival: false) {
            .play(ids[1], $0, waits: false, step: 0, resumes: false)
        }
        for command in control.takeCommands() { _ = worker.obey(command) }
        #expect(Self.run(worker) { $0.line.wished?.isOpen == true })
        let wished = try #require(worker.line.wished)
        #expect(worker.nextRound.milliseconds <= 251)
        // The effects that are set for it are its own from its first frame on.
        _ = worker.obey(.effectsOfSong(SongEffects(), number: wished.number))
        #expect(wished.effects != nil)
        worker.work(isDemanded: false)
        #expect(worker.line.track === wished)
    }

    /// Each choice that cannot be played is told, however many there are in a row.
    @Test func everyVainChoiceIsTold() throws {
        let queue = try Chosen(String(repeating: "-", count: 12) + "s", test: self, start: 12)
        for number in 0..<12 { queue.play(number) }
        #expect(queue.heard == 12 && queue.refusals == 12)
    }

    /// A song without a frame is no sound: in a loop it is not played for ever.
    @Test func aLoopOfSilenceEnds() throws {
        let folder = try TemporaryFolder()
        let head =
            Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WAVEfmt ".utf8)
            + [16, 0, 0, 0, 1, 0, 2, 0, 0x44, 0xAC, 0, 0, 0x10, 0xB1, 2, 0, 4, 0, 16, 0]
            + Array("data".utf8) + [0, 0, 0, 0]
        let empty = folder.url.appendingPathComponent("empty.wav")
        try Data(head).write(to: empty)
        let stage = try SongStage([empty.path], rate: 44_100, loops: true)
        stage.renderer.patience = 0
        stage.song.start()
        #expect(
            poll {
                _ = stage.render(1024)
                return stage.log.all.contains(.finished)
            })
        #expect(stage.log.all.count { if case .opened = $0 { true } else { false } } < 10)
        stage.song.stop()
    }

    /// A song that the network does not lead to is marked until it is retried; not any more when
    /// another one is chosen.
    @Test func anAbsentSongIsMarked() throws {
        let address = "http://127.0.0.1:\(try Listener.freePort())/a.mp3"
        let list = SongList(
            [try Location(address), try Location(MusicFile.small.url.path)], loops: false)
        let control = SongControl(listener: nil)
        let worker = worker(list, control: control)
        let ids = list.songs.map(\.id)
        #expect(
            poll {
                worker.work(isDemanded: false)
                return list.songs[0].state != .waiting
            })
        guard case .absent(let until, .notConnected) = list.songs[0].state else {
            Issue.record("\(list.songs[0].state)")
            return
        }
        #expect(until > 0)
        list.choose(ids[1])
        control.send(to: 0, reportsArrival: false) {
            .play(ids[1], $0, waits: false, step: 0, resumes: false)
        }
        for command in control.takeCommands() { _ = worker.obey(command) }
        #expect(Self.run(worker) { $0.line.wish == nil })
        #expect(list.songs.map(\.state) == [.waiting, .waiting])
        #expect(worker.line.heardTrack?.entry == ids[1])
    }

    /// An entry that was told as the last one that cannot be played is not told again when another
    /// one follows; and a list of nothing that can be played ends, also in a loop.
    @Test(arguments: [false, true]) func aListOfMissingSongsEnds(loops: Bool) throws {
        let songs = try (0..<3).map { try Location("/nowhere/\($0).mp3") }
        let log = EventLog()
        let list = SongList(songs, loops: loops)
        let worker = worker(list, control: SongControl { log.add($0) })
        #expect(Self.run(worker) { $0.line.isOver })
        #expect(list.count == 3)
        #expect(list.songs.allSatisfy { $0.state != .waiting })
        #expect(log.all.count { if case .failed = $0 { true } else { false } } == 1)
        #expect(log.all.count { if case .skipped = $0 { true } else { false } } == 2)
    }
}
