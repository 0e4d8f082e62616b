import AudioGraph

/// Takes the song that is decoded to another place: to one that was asked for, or back to the start
/// of the part that is repeated. For one thread.
final class SongSeeker {
    /// How far the newest seek has come.
    var progress: SeekProgress
    /// Where the decoder goes beside that, from one frame of the ring to the next; nil: nowhere.
    private var turn: Turn?

    private enum Turn {
        /// To the start of the part that is repeated.
        case toStart
        /// Behind its end: nothing is repeated any more.
        case toEnd
    }

    /// What came of an answer.
    enum News {
        case none
        /// The song is at a new place.
        case landed
        /// The place in another ring, where the song was, cannot be reached.
        case notMoved(seconds: Double)
    }

    private let line: SongLine
    private let filler: RingFiller
    private let control: SongControl
    private let isExact: Bool

    /// `isExact`: a place is never estimated.
    init(
        _ progress: SeekProgress, in line: SongLine, filler: RingFiller, control: SongControl,
        isExact: Bool
    ) {
        self.progress = progress
        self.line = line
        self.filler = filler
        self.control = control
        self.isExact = isExact
    }

    /// Moves to `goal` in `track`, the song that is heard, which has begun. Until its thread has
    /// answered, `meanwhile` is what the ring holds. `part` is repeated from there on.
    func go(
        to goal: PendingSeek, in track: Track, meanwhile: SeekProgress.Wait.Meanwhile,
        repeating part: SongPart? = nil
    ) {
        turn = nil
        if part != nil { filler.part = nil }
        progress = .waiting(
            goal,
            SeekProgress.Wait(
                meanwhile: progress.holds && meanwhile == .song ? .nothing : meanwhile, part: part))
        track.go(to: goal.seconds, rate: filler.feed.sampleRate, isExact: isExact)
    }

    /// The decoder stands where the way to `goal` begins.
    private func land(
        _ goal: PendingSeek, _ plan: SeekPlan, _ wait: SeekProgress.Wait, in track: Track
    ) {
        line.goBack()
        if wait.meanwhile == .song { filler.feed.flush() }
        let first = plan.isPastEnd ? plan.target : plan.first
        filler.begin(at: first, inputRate: track.sampleRate, dropping: plan.target - first)
        if let part = wait.part { filler.part = part }
        progress = .underWay(
            goal,
            SeekProgress.Landing(
                asked: goal.seconds, seconds: Double(plan.target) / filler.rate,
                index: filler.ring.given))
        if plan.isPastEnd { filler.feed.number(from: plan.target) }
    }

    /// Carries out what waits for its answer when that is there.
    func takeAnswer() -> News {
        takeTurnsAnswer()
        switch progress {
        case .waiting(let goal, let wait):
            guard let track = line.heardTrack, let (answer, isLast) = track.takeAnswer() else {
                // Another song is heard meanwhile.
                if line.heardTrack?.isSeeking != true {
                    progress = .none
                    settle(goal)
                }
                return .none
            }
            switch answer {
            case .landed(let plan, _) where isLast:
                land(goal, plan, wait, in: track)
                return .landed
            case .landed(let plan, _):
                // A seek before this one has led there. The song goes on from there meanwhile.
                let meanwhile = wait.meanwhile == .song ? wait.meanwhile : .nothing
                land(goal, plan, SeekProgress.Wait(meanwhile: meanwhile), in: track)
                progress = .waiting(
                    goal, SeekProgress.Wait(meanwhile: meanwhile, part: wait.part))
                return .landed
            case .impossible where !isLast: break
            case .impossible(let obstacle):
                progress = .none
                defer { settle(goal) }
                if case .moved(let seconds) = wait.meanwhile { return .notMoved(seconds: seconds) }
                control.emit(.cannotSeek(obstacle))
            }
        case .underWay(let goal, _):
            // Reading on to the place takes too long.
            guard turn == nil, let track = line.heardTrack,
                case .landed(let plan, _)? = track.takeAnswer()?.answer
            else { return .none }
            land(goal, plan, SeekProgress.Wait(meanwhile: .nothing), in: track)
            return .landed
        case .none, .asked, .arrived: break
        }
        return .none
    }

    /// The part that is repeated is in the ring to its last frame: has the decoder go back to its start.
    func goBackToPart() {
        guard let part = filler.part, let track = line.track, turn == nil, !track.isSeeking else {
            return
        }
        turn = .toStart
        track.go(
            to: part.start, rate: filler.feed.sampleRate, isExact: isExact, mayJump: false)
    }

    private func takeTurnsAnswer() {
        guard let turn else { return }
        guard let track = line.track, let (answer, isLast) = track.takeAnswer() else {
            if line.track?.isSeeking != true { self.turn = nil }
            return
        }
        guard isLast else { return }
        self.turn = nil
        switch (answer, turn) {
        case (.landed(let plan, _), .toStart):
            filler.turn(
                to: plan.target, inputRate: track.sampleRate, dropping: plan.target - plan.first)
        case (.landed(let plan, _), .toEnd):
            filler.goOn(
                with: plan.target, inputRate: track.sampleRate, dropping: plan.target - plan.first)
        case (.impossible(let obstacle), .toStart):
            filler.part = nil
            control.emit(.cannotSeek(obstacle))
        case (.impossible, .toEnd): break
        }
    }

    /// Nothing is repeated any more, or something else.
    func cancelTurn() {
        if turn != nil, let track = line.track {
            turn = track.cancelSeek() ? nil : .toEnd
            if turn != nil {
                track.go(
                    to: Double(filler.nextFrame) / filler.rate, rate: filler.feed.sampleRate,
                    isExact: isExact, mayJump: false)
            }
        }
        if case .waiting(let goal, var wait) = progress {
            wait.part = nil
            progress = .waiting(goal, wait)
        }
    }

    /// Whether what was decoded last does not follow what is in the ring.
    var isTurning: Bool { turn != nil }

    /// Tells who asked for `goal` that nothing more will come of it.
    func settle(_ goal: PendingSeek) { control.settle(goal, next: progress.pending) }
}
