import AudioGraph
import SystemSupport

/// All that a queue's thread does: commands in; bytes from a source, kept, decoded, resampled, put
/// into the feed; events out.
///
/// Which song is heard, decoded and opened is in its `SongLine`, what is decoded in its
/// `RingFiller`; this carries out the commands, and decides when the ring is played.
final class SongWorker {
    /// What an underrun is ended by, in seconds of ring and kept bytes together.
    private static let enoughAfterUnderrun = 3.0

    let line: SongLine
    let filler: RingFiller
    let seeker: SongSeeker
    private let teller: SongTeller
    let herald: SongHerald
    let control: SongControl
    var ringState = RingState.filling()
    var isPaused = false
    /// Whether, when a song is over, the next one waits to be resumed.
    private let pausesBetween: Bool
    /// Whether the present song waits at its first frame to be resumed.
    private(set) var isHeld = false
    /// Whether that was told.
    private var isHoldTold = false
    /// Frames of the ring that were heard so far.
    private var heardFrames = 0
    /// The frames that the driver takes at once.
    var period = 1024
    /// Seconds of a clock that never jumps.
    private let clock: () -> Double

    init(_ job: SongJob, clock: @escaping () -> Double = monotonicSeconds) {
        self.clock = clock
        control = job.control
        pausesBetween = job.pausesBetween
        line = SongLine(
            job.list, part: job.part, control: job.control, limits: job.limits,
            stems: job.stems, clock: clock)
        herald = SongHerald(to: job.control, isAsked: job.tellsOfSongs, clock: clock)
        filler = RingFiller(
            job.feed, from: line, herald: herald, isExact: job.isExact,
            appliesGain: job.appliesGain, effects: job.effects, pausesBetween: job.pausesBetween)
        seeker = SongSeeker(
            job.seek.map { .asked($0) } ?? .none, in: line, filler: filler, control: job.control,
            isExact: job.isExact)
        teller = SongTeller(of: line, to: job.control, lyrics: job.lyrics, clock: clock)
    }

    /// The thread's whole life.
    static func run(_ job: SongJob) {
        if job.isFeedUsed { job.feed.flush() }
        SongWorker(job).loop()
    }

    private func loop() {
        while true {
            control.wake?.clear()
            let isDemanded = filler.feed.clearDemand()
            let commands = control.takeCommands()
            // Commands name songs of the list as it is now.
            takeListChanges()
            for command in commands where obey(command) { return }
            // What was asked for after the end led to nothing.
            if ringState == .over, line.wish == nil, seeker.progress.pending == nil,
                control.isEndUntold
            {
                control.tellFinished()
            }
            work(isDemanded: isDemanded)
            watch()
            wait()
        }
    }

    /// Carries out a command; true when the thread is to end.
    func obey(_ command: SongControl.Command) -> Bool {
        switch command {
        case .paused(let value):
            isPaused = value
            if value { line.pauseWish() } else { hold(false) }
            filler.forgetLevel()
            if !isFilling { control.emit(value ? .paused : .playing) }
        case .seek(let goal) where line.wish != nil:
            line.moveWish(to: goal)
            noteWish()
        case .seek(let goal):
            if !go(to: goal) { seeker.settle(goal) }
        case .part(let part, let goal): repeatPart(part, from: goal)
        case .play(let song, let goal, let waits, let step, let resumes):
            let others = song.map {
                step == 0 ? [] : line.list.others(from: $0, forwards: step > 0)
            }
            if let song, line.list.entry(song) != nil {
                play(
                    SongLine.Wish(
                        id: song, others: others ?? [], goal: goal, waits: waits, resumes: resumes))
            } else {
                line.list.takeChoice()
                if line.wish == nil { giveUp(goal) } else { seeker.settle(goal) }
            }
        case .move(let feed, let goal): move(to: feed, as: goal)
        case .period(let frames): period = frames
        case .effects(let effects):
            filler.effects = effects
            line.heardTrack?.effects = nil
        case .effectsOfSong(let effects, let number):
            for track in [line.heardTrack, line.track, line.next, line.wished]
            where track?.number == number { track?.effects = effects }
        case .lookForStems:
            for track in [line.track, line.next, line.wished] { track?.lookForStems() }
        case .stop(let drained):
            if drained { drain() } else { filler.feed.flush() }
            control.emit(.stopped)
            return true
        }
        return false
    }

    /// One round: what was decoded is taken and put into the ring.
    func work(isDemanded: Bool) {
        switch seeker.takeAnswer() {
        case .none: break
        case .landed: beginStretch()
        case .notMoved(let seconds): goOnInOtherRing(at: seconds)
        }
        teller.tellNews()
        line.tellHangs()
        openWish()
        // When all songs are over no other is opened before it is asked for.
        if ringState != .over { openPresent() }
        teller.tellOpening(
            of: line.wish == nil && filler.hasBegun ? nil : line.wished ?? line.track)
        // Nothing is told of the next song before the present one has begun.
        if ringState != .over, line.track.map(herald.holds) != true {
            line.openAhead(buffered: filler.bufferedSeconds)
        }
        herald.announce(line.next)
        if filler.hasBegun { teller.tellTagsAndLoss() }
        if !isFilling, !isPaused { filler.steer(at: clock()) }
        if isDemanded || nextRound.isDecodingDue, !seeker.progress.holds, !seeker.isTurning {
            filler.fill(isFilling: isFilling)
            if filler.isAtPartEnd { seeker.goBackToPart() }
            for event in filler.ring.takeNews() { control.emit(event) }
        }
    }

    /// Finds out what the present entry is, and begins it once it is a song.
    private func openPresent() {
        // The one before could not be played, and what users have chosen is next.
        if line.track == nil, let wish = line.wish, wish.id == line.list.decoded { carryOut(wish) }
        guard line.track?.isDecoded != true else { return }
        if line.openPresent(onRefusal: forgetPlace) {
            herald.announce(line.track)
            if !filler.hasBegun, line.track.map(herald.holds) == false { begin() }
        } else if line.isOver {
            // The song that was to wait cannot be played, and none waits in its place.
            if isHeld { hold(false) }
            if filler.state != .finished {
                filler.finish()
            } else if ringState == .ended {
                finish()
            }
        }
    }

    /// The place to begin at was meant for a song that cannot be played, not for the next. To be
    /// called before the song's loss is told, which ends every seek where no song follows.
    private func forgetPlace() {
        let old = seeker.progress.pending ?? PendingSeek(number: 0, seconds: 0)
        let beginning = PendingSeek(number: old.number, seconds: 0, reportsArrival: false)
        seeker.progress = .asked(beginning)
        control.settle(old, next: beginning)
    }

    /// The open song begins in an empty ring.
    private func begin() {
        guard let track = line.track else { return }
        if filler.state == .finished { filler.feed.flush() }
        filler.begin(at: 0, inputRate: track.sampleRate)
        beginStretch()
        teller.announce()
        if let goal = goal(in: track), goal.seconds > 0 || goal.reportsArrival,
            !go(to: goal, meanwhile: .nothing)
        {
            seeker.progress = .none
            control.settle(goal)
        }
    }

    /// Where `track` is to begin: the beginning of a song in a file is where the list says.
    private func goal(in track: Track) -> PendingSeek? {
        let goal = seeker.progress.pending
        let isBeginning = goal.map { $0.seconds == 0 && !$0.reportsArrival } ?? true
        guard isBeginning, track.span.start > 0 else { return goal }
        return PendingSeek(
            number: goal?.number ?? 0, seconds: track.span.start, reportsArrival: false)
    }

    /// Another stretch of frames begins in the ring.
    private func beginStretch() {
        ringState = .filling()
        seeker.progress.beginStretch()
    }
}

// MARK: What the commands ask

extension SongWorker {
    /// Moves to `goal` in the song that is heard, at once when that is open, else as soon as it is;
    /// `meanwhile` is what the ring holds until then. `part` is repeated from there on. False where it
    /// cannot, which is told.
    func go(
        to goal: PendingSeek, meanwhile: SeekProgress.Wait.Meanwhile = .song,
        repeating part: SongPart? = nil
    ) -> Bool {
        guard let track = line.heardTrack, filler.hasBegun else {
            if line.isOver, line.heardTrack == nil { return beginLast(at: goal) }
            seeker.progress = .asked(goal)
            return true
        }
        guard track.station == nil else {
            control.emit(.cannotSeek(.live))
            return false
        }
        seeker.go(to: goal, in: track, meanwhile: meanwhile, repeating: part)
        return true
    }

    /// Goes to where the song is heard, `here`, or to where a seek leads, in a ring without the frames that
    /// follow. A seek that waits for its answer waits on.
    private func comeBack(
        to here: PendingSeek, meanwhile: SeekProgress.Wait.Meanwhile
    ) -> Bool {
        let waiting = seeker.progress.waitingUnheard
        let goal = waiting == nil ? seeker.progress.pending ?? here : here
        guard go(to: goal, meanwhile: meanwhile) else { return false }
        if let waiting { _ = go(to: waiting) }
        return true
    }

    /// Repeats `part` of the song that is heard from now on, or none. `goal` is where the song is, or
    /// the part's start where it is beyond the part.
    private func repeatPart(_ part: SongPart?, from goal: PendingSeek) {
        seeker.cancelTurn()
        guard let part else {
            filler.part = nil
            return seeker.settle(goal)
        }
        guard let track = line.heardTrack, filler.hasBegun, track.station == nil else {
            control.emit(.cannotSeek(line.heardTrack?.station == nil ? .noSong : .live))
            return seeker.settle(goal)
        }
        filler.part = part
        // What was decoded beyond the part is not to be heard.
        let isBeyond =
            track.isDecoded
            || filler.nextFrame > part.frames(rate: filler.feed.sampleRate).upperBound
        guard goal.reportsArrival || isBeyond || !line.joints.isEmpty else {
            return seeker.settle(goal)
        }
        if !go(to: goal, repeating: part) {
            filler.part = nil
            seeker.settle(goal)
        }
    }

    /// All songs are over, and the last one could not be opened: begins the one that was heard last.
    private func beginLast(at goal: PendingSeek) -> Bool {
        guard let id = line.list.heard, line.list.entry(id) != nil else {
            control.emit(.cannotSeek(.noSong))
            return false
        }
        begin(entry: id, at: goal)
        return true
    }

    /// Takes over what users have changed of the list. Where the song that is heard is gone, the one
    /// behind it begins; where all were over, it waits to be resumed. Where a song behind it is gone that
    /// is in the ring, the rest of the song that is heard is decoded again.
    func takeListChanges() {
        let seconds = Double(filler.heardFrame) / filler.rate
        switch line.takeChanges() {
        case .begin(let id):
            let wasOver = ringState == .over
            begin(entry: id, at: PendingSeek(number: 0, seconds: 0, reportsArrival: false))
            if wasOver { hold(true) }
        case .goBack:
            let here = PendingSeek(number: 0, seconds: seconds, reportsArrival: false)
            _ = comeBack(to: here, meanwhile: .song)
        case nil: break
        }
    }

    /// Has the present song wait at its first frame, or not any more.
    func hold(_ value: Bool) {
        (isHeld, isHoldTold) = (value, false)
        control.update { $0.isHeld = value }
    }

    /// Begins an entry, or none, in an empty ring, at `goal` once it is open.
    func begin(entry id: Int?, at goal: PendingSeek) {
        if !isFilling || filler.feed.bufferedFrames > 0 { filler.feed.flush() }
        line.go(to: id)
        filler.reset()
        beginStretch()
        seeker.progress = .asked(goal)
        line.noteHeard()
    }

    /// Continues in `feed`, a ring of another graph. A seek that has not arrived is carried out
    /// there; `here` is the position until then.
    private func move(to feed: SongFeed, as here: PendingSeek) {
        let seconds = Double(filler.heardFrame) / filler.rate
        filler.move(to: feed)
        defer { seeker.settle(here) }
        if ringState == .over {
            filler.finish(at: SongTime.frame(at: seconds, rate: feed.sampleRate))
            return feed.release()
        }
        guard let track = line.heardTrack, filler.hasBegun else { return }
        let place = PendingSeek(number: here.number, seconds: seconds, reportsArrival: false)
        if track.station == nil, comeBack(to: place, meanwhile: .moved(seconds: seconds)) { return }
        goOnInOtherRing(at: seconds)
    }

    /// A station, or bytes that are not kept: goes on with the frame that is decoded next. What was
    /// decoded for the other graph is lost, with the end of a song before the decoded one.
    private func goOnInOtherRing(at place: Double) {
        var seconds = place
        seeker.progress = .none
        while !line.joints.isEmpty {
            cross()
            seconds = 0
        }
        filler.goOnDecoding(at: seconds)
        beginStretch()
    }

    /// Lets what is in the ring, and what the stages hold, play to its end, as long as frames are
    /// taken. Where they are not, as in pause, what is in the ring is the end.
    private func drain() {
        let ring = filler.ring
        if filler.state != .finished { ring.drain() }
        ring.feed.release()
        let patience = 2 * Double(ring.feed.capacity) / filler.rate
        var heard: Int
        repeat {
            heard = ring.heard
            _ = PolledWait.run(milliseconds: Int(nearest: patience * 1000), interval: 5) {
                ring.deliver()
                if !ring.isFull, filler.state != .finished { filler.finish() }
                return ring.heard != heard || ring.feed.bufferedFrames == 0
            }
        } while ring.heard != heard
        if filler.state != .finished { filler.finish() }
    }
}

// MARK: What is heard

extension SongWorker {
    private var isFilling: Bool { ringState.isFilling }
    private var isPlaying: Bool { if case .playing = ringState { true } else { false } }

    /// Lets the render side go on when enough is there, and tells what has changed.
    private func watch() {
        let feed = filler.feed
        let now = clock()
        if isPlaying, feed.isPlaying { ringState = .playing(isHeard: true) }
        // A transport that jumps ahead makes the render side drop the whole ring. Where no bytes
        // are left to refill it, that is an underrun.
        if ringState == .playing(isHeard: true), filler.state == .starved, feed.isBehind,
            feed.bufferedFrames == 0
        {
            feed.hold()
        }
        // Also when all has come: the frames may have run out just before the last were pushed.
        if isPlaying, feed.isWaiting, feed.isFlushed {
            ringState = .filling(underrun: now)
            filler.forgetLevel()
            control.emit(.buffering)
        }
        if case .filling(let underrun) = ringState, hasEnough(after: underrun) {
            if !isHeld {
                release(now, after: underrun)
            } else if !isHoldTold, filler.hasBegun {
                isHoldTold = true
                control.emit(.paused)
            }
        } else if case .filling(_?) = ringState, !isPaused {
            // Too little is left to go on with: more is missed.
            line.track?.noteDry()
        }
        if filler.ring.heard > heardFrames {
            heardFrames = filler.ring.heard
            line.noteSound()
        }
        tellComing()
        while let joint = line.joints.first, filler.ring.heard >= joint.boundary {
            cross()
            if !isPaused { control.emit(.playing) }
            tellComing()
        }
        if filler.hasBegun { teller.tellTitle(heard: filler.takeTitle()) }
        if isPlaying, filler.state == .finished, feed.bufferedFrames == 0 { endOfRing() }
        // Until the next song begins, the place is the end of the one before.
        let position = SongPosition(
            seconds: Double(filler.heardFrame) / filler.rate,
            duration: filler.hasBegun ? line.heardTrack?.duration : nil,
            buffered: filler.bufferedSeconds, isExact: isPlaceExact)
        teller.tell(position, sounds: isPlaying)
    }

    /// Whether the place in the song is known to the frame.
    private var isPlaceExact: Bool { line.track?.facts.isExact ?? true }

    /// Whether the ring, which fills since `underrun`, may be played.
    private func hasEnough(after underrun: Double?) -> Bool {
        guard filler.feed.isFlushed, !seeker.progress.holds else { return false }
        if filler.state == .finished { return true }
        guard filler.feed.space == 0 else { return false }
        return underrun == nil || line.track?.hasAllBytes ?? true
            || filler.bufferedSeconds >= Self.enoughAfterUnderrun
    }

    private func release(_ now: Double, after underrun: Double?) {
        ringState = .playing()
        // The event comes before the sound.
        defer { filler.feed.release() }
        // What is left of a lost song is let out, a few milliseconds: it does not play again.
        let isLost = underrun != nil && line.heardTrack?.failure != nil
        if let underrun, !isLost { control.emit(.recovered(seconds: now - underrun)) }
        if let pending = seeker.progress.pending, seeker.progress.waitingUnheard == nil {
            control.settle(pending)
        }
        if let landing = seeker.progress.arrive() {
            control.emit(.seeked(seconds: landing.seconds, isExact: isPlaceExact))
        } else if filler.hasBegun, !isLost {
            control.emit(isPaused ? .paused : .playing)
        }
        teller.forgetPosition()
    }

    private func tellComing() {
        let isOnItsWay = isPlaying && !isPaused
        teller.tellComing(
            at: isOnItsWay ? line.joints.first?.boundary : nil, in: filler.ring)
    }

    /// The last frame before the first joint was heard: from here on it is the next song.
    private func cross() {
        let joint = line.cross()
        tellEnd(of: joint.before, frames: joint.frames, at: joint.boundary, isLast: false)
        teller.announce()
        teller.forgetPosition()
    }

    /// Every frame in the ring was heard: the song is over, and the queue, too, when none follows.
    private func endOfRing() {
        // A seek may lead back.
        guard seeker.progress.waitingUnheard == nil else { return }
        ringState = .ended
        let isLast = line.following == nil
        if filler.hasBegun, let track = line.track {
            tellEnd(of: track, frames: filler.nextFrame, at: filler.ring.given, isLast: isLast)
        }
        guard !isLast else { return finish() }
        if let wish = line.wish, wish.id == line.following { return carryOut(wish) }
        line.goOn()
        filler.endSong()
        if pausesBetween { hold(true) }
    }

    /// A song has ended after `frames` frames; the ring's frame `index` is the one after its last.
    private func tellEnd(of track: Track, frames: Int64, at index: Int, isLast: Bool) {
        if frames == 0 { line.noteSilence(of: track) }
        let landing = seeker.progress.landing
        teller.tellEnd(
            of: track, frames: frames, landing: landing?.index == index ? landing : nil,
            isLast: isLast)
    }

    /// All songs are over: that is told once.
    func finish() {
        guard ringState != .over else { return }
        ringState = .over
        hold(false)
        if let pending = seeker.progress.pending { control.settle(pending) }
        seeker.progress = .none
        // What users have chosen may still begin.
        if line.wish == nil { control.tellFinished() }
    }
}
