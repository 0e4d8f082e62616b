import AudioGraph

/// Takes the song that is decoded to another place: to one that was asked for, or back to the start
/// of the part that is repeated. For one thread.
final class SongSeeker {
    /// What came of a seek at once.
    enum Outcome {
        /// The song is at its new place.
        case landed
        /// It is heard where it was until its server has answered.
        case waiting
        /// It cannot go there, which was told.
        case impossible
    }

    /// How far the newest seek has come.
    var progress: SeekProgress
    /// The way to the start of the part that is repeated, whose bytes are asked for; nil: none is.
    private var turn: SeekPlan?
    /// Whether the server has refused a place near the goal: it is reached by reading on alone.
    private var isJumpRefused = false

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

    /// Moves to `goal` in `track`, the song that is heard, which has begun: at once where its bytes are
    /// kept, else when its server has accepted that. `part` is repeated from there on.
    func go(
        to goal: PendingSeek, in track: Track, meanwhile: SeekProgress.Wait.Meanwhile,
        repeating part: SongPart? = nil
    ) -> Outcome {
        let plan = plan(to: goal.seconds, in: track)
        if let obstacle = plan.obstacle(in: track) {
            control.emit(.cannotSeek(obstacle))
            return .impossible
        }
        track.cancelSeek()
        turn = nil
        let wait = SeekProgress.Wait(
            plan: plan, meanwhile: progress.holds ? .nothing(nil) : meanwhile, part: part)
        do throws(SongError) {
            // Behind its end the song has no bytes.
            let isThere =
                plan.isPastEnd
                ? true : try track.seek(to: plan.origin, estimating: plan.isEstimate)
            guard isThere else {
                if part != nil { filler.part = nil }
                progress = .waiting(goal, wait)
                return .waiting
            }
        } catch {
            track.fail(error)
        }
        land(goal, wait, in: track)
        return .landed
    }

    /// The decoder stands where the way to `goal` begins.
    private func land(_ goal: PendingSeek, _ wait: SeekProgress.Wait, in track: Track) {
        let plan = wait.plan
        line.goBack()
        if case .song = wait.meanwhile { filler.feed.flush() }
        let first = plan.isPastEnd ? plan.target : plan.first
        filler.begin(
            at: first, inputRate: track.decoder.sampleRate, dropping: plan.target - first)
        if let part = wait.part { filler.part = part }
        isJumpRefused = false
        progress = .underWay(
            goal,
            SeekProgress.Landing(
                asked: goal.seconds, seconds: Double(plan.target) / filler.rate,
                index: filler.ring.given))
        if plan.isPastEnd { filler.feed.number(from: plan.target) }
        if plan.isPastEnd || track.failure != nil { track.endDecoding() }
    }

    /// Carries out what waits for its answer when that is there; true where the song is at a new place.
    func takeAnswer() -> Bool {
        takeTurnsAnswer()
        guard case .waiting(let goal, let wait) = progress else { return false }
        guard let track = line.heardTrack, let answer = track.takeSeekAnswer() else {
            // Another song is heard meanwhile.
            if line.heardTrack?.isSeeking != true {
                progress = .none
                settle(goal)
            }
            return false
        }
        guard let fault = answer else {
            land(goal, wait, in: track)
            return true
        }
        if case .nothing(let landing?) = wait.meanwhile {
            // Reading on is slow, and possible.
            progress = .underWay(goal, landing)
            isJumpRefused = true
        } else {
            progress = .none
            control.emit(.cannotSeek(.refused(fault)))
            settle(goal)
        }
        return false
    }

    /// The place to jump to, where reading on to it turned out to be slow, and where that leads.
    var slowGoal: (goal: PendingSeek, landing: SeekProgress.Landing)? {
        guard case .underWay(let goal, let landing) = progress, !isJumpRefused, filler.isEmpty,
            let track = line.track, !track.isDecoded, track.decoder.isExact,
            plan(to: landing.seconds, in: track).isEstimate
        else { return nil }
        return (goal, landing)
    }

    /// The part that is repeated is in the ring to its last frame: goes back to its start. False where
    /// the ring is full, its bytes are asked for first, or the part cannot be repeated.
    func goBackToPart() -> Bool {
        guard let part = filler.part, let track = line.track, filler.feed.space > 0, turn == nil
        else { return false }
        let plan = plan(to: part.start, in: track)
        if let obstacle = plan.obstacle(in: track) {
            filler.part = nil
            control.emit(.cannotSeek(obstacle))
            return true
        }
        do throws(SongError) {
            let waits = track.isSeeking
            guard try track.seek(to: plan.origin, estimating: plan.isEstimate) else {
                if !waits { turn = plan }
                return false
            }
        } catch {
            filler.part = nil
            track.fail(error)
            return true
        }
        begin(plan, in: track)
        return true
    }

    private func begin(_ turn: SeekPlan, in track: Track) {
        filler.turn(
            to: turn.target, inputRate: track.decoder.sampleRate,
            dropping: turn.target - turn.first)
    }

    private func takeTurnsAnswer() {
        guard let plan = turn else { return }
        guard filler.part != nil, let track = line.track else { return cancelTurn() }
        guard let answer = track.takeSeekAnswer() else {
            if !track.isSeeking { turn = nil }
            return
        }
        turn = nil
        if let fault = answer {
            filler.part = nil
            control.emit(.cannotSeek(.refused(fault)))
        } else {
            begin(plan, in: track)
        }
    }

    /// Nothing is repeated any more, or something else.
    func cancelTurn() {
        if turn != nil { line.track?.cancelSeek() }
        turn = nil
        if case .waiting(let goal, var wait) = progress {
            wait.part = nil
            progress = .waiting(goal, wait)
        }
    }

    /// Tells who asked for `goal` that nothing more will come of it.
    func settle(_ goal: PendingSeek) { control.settle(goal, next: progress.pending) }

    private func plan(to seconds: Double, in track: Track) -> SeekPlan {
        SeekPlan(to: seconds, in: track, rate: filler.feed.sampleRate, isExact: isExact)
    }
}
