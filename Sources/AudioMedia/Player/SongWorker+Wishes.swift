import AudioGraph
import SystemSupport

// Songs that users choose. Each is opened while the one before goes on.
extension SongWorker {
    /// Plays the song that is wished for: at once where it is there, else as soon as it is open.
    func play(_ wish: SongLine.Wish) {
        // The song that is heard is not opened again where its beginning can be reached.
        if wish.id == line.heardID, let track = line.heardTrack, filler.hasBegun,
            track.station == nil, track.failure == nil, track.facts.reachesBeginning
        {
            line.dropWish()
            line.list.takeChoice()
            tellBeginning(of: wish)
            let beginning = PendingSeek(number: wish.goal.number, seconds: track.span.start)
            if !go(to: beginning) { seeker.settle(beginning) }
        } else if wish.id == line.list.decoded, line.joints.isEmpty, !filler.hasBegun,
            ringState != .over
        {
            // It is being opened already.
            line.dropWish()
            line.list.takeChoice()
            tellBeginning(of: wish)
            seeker.progress = .asked(wish.goal)
        } else {
            line.begin(wish)
            if line.wished != nil, line.wished === line.track { return carryOut(wish) }
            noteWish()
        }
    }

    /// The song before is heard where it is, until the one that is wished for begins.
    func noteWish() {
        guard let goal = line.wish?.goal else { return }
        // First: who counts a seek from where the song is never sees the old place.
        control.update { $0.choicePlace = goal.seconds }
        seeker.settle(goal)
    }

    /// Goes on opening the song that is wished for. The one before plays on until that is open, or
    /// for good where it cannot be played.
    func openWish() {
        if let refused = line.openWish() { return giveUp(refused.goal) }
        herald.announce(line.wished)
        if let wish = line.wish, let track = line.wished, track.isOpen, !herald.holds(track) {
            carryOut(wish)
        }
    }

    func carryOut(_ wish: SongLine.Wish) {
        begin(entry: wish.id, at: wish.goal)
        line.dropWish()
        control.settle(wish.goal, next: wish.goal)
        control.update { $0.choicePlace = nil }
        tellBeginning(of: wish)
    }

    /// A pause ends with it, and with the call that the event asks for.
    private func tellBeginning(of wish: SongLine.Wish) {
        if wish.resumes { isPaused = false }
        hold(wish.waits)
        control.emit(.choiceBegins)
    }

    /// What `goal` was to begin is not played: what was heard before goes on.
    func giveUp(_ goal: PendingSeek) {
        control.update { [isHeld] in
            $0.isHeld = isHeld
            $0.choicePlace = nil
        }
        seeker.settle(goal)
        if ringState == .over { control.tellFinished() }
    }
}

// When the thread sleeps, and what wakes it.
extension SongWorker {
    /// When the next round is due.
    var nextRound: NextRound {
        NextRound(
            filler: filler, line: line, herald: herald, ringState: ringState, isPaused: isPaused,
            period: period)
    }

    /// Sleeps until there is something to do.
    func wait() {
        waitForInput(
            [control.wake?.descriptor ?? -1, filler.feed.demand],
            milliseconds: nextRound.milliseconds)
    }
}

/// When a queue's thread has something to do again that no descriptor tells.
struct NextRound {
    let filler: RingFiller
    let line: SongLine
    let herald: SongHerald
    let ringState: RingState
    let isPaused: Bool
    /// The frames that the driver takes at once.
    let period: Int

    /// Whether more frames are to be decoded now.
    var isDecodingDue: Bool { filler.state == .busy || framesToSpare <= 0 }

    /// Milliseconds to sleep, 0…5000.
    var milliseconds: Int {
        let feed = filler.feed
        if filler.state == .busy { return 0 }
        // The render thread can make no system call, so nothing wakes this one when it has dropped
        // what is in the ring. While no server renders, it never does, and a seek waits.
        if !feed.isFlushed { return 3 }
        if ringState.isFilling || isPaused { return min(500, herald.millisecondsLeft ?? 500) }
        // The render side may have passed the joint since the thread looked at it: then it is due.
        let untilJoint =
            line.joints.first.map { joint in
                let frames = Double(joint.boundary - filler.ring.heard) / filler.ring.speed
                return milliseconds(Int(nearest: frames)) + 3
            } ?? .max
        return min(max(0, untilJoint), 5000, untilRefill)
    }

    /// The same without regard to joints.
    private var untilRefill: Int {
        let feed = filler.feed
        let level = milliseconds(feed.bufferedFrames)
        switch filler.state {
        case .finished where ringState == .over:
            return herald.millisecondsLeft ?? (line.wish == nil ? 5000 : 500)
        // The next song begins as soon as it is open, and not held.
        case .finished where ringState == .ended:
            return line.track?.isOpen == false ? 500 : herald.millisecondsLeft ?? 0
        case .finished: return min(500, level + 3)
        case .starved: return max(3, min(100, level))
        case .flowing, .busy: break
        }
        // What is in a full ring may be dropped in the next cycle; or nothing renders.
        if feed.isBehind { return feed.space > 0 ? 3 : 10 }
        return max(5, milliseconds(framesToSpare))
    }

    /// How many frames may be played before more are to be decoded. A busy machine may wake the
    /// thread late: three quarters of the ring are left when it is due, for what the driver takes
    /// next, and for the frames that it must not reach. A ring that is fuller is left alone: few
    /// long strides cost less than many short.
    private var framesToSpare: Int {
        guard !ringState.isFilling else { return 0 }
        let needed = max(filler.feed.capacity * 3 / 4, period + SongFeed.reserve)
        return filler.feed.bufferedFrames - needed
    }

    private func milliseconds(_ frames: Int) -> Int {
        Int(nearest: Double(frames) / filler.rate * 1000)
    }
}
