import AudioGraph

/// Takes the song that is decoded to another place: to one that was asked for, or back to the start
/// of the part that is repeated. For one thread.
final class SongSeeker {
    /// How far the newest seek has come.
    var progress: SeekProgress

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

    /// Moves to `goal` in `track`, the song that is heard, which has begun; `flushing` drops what is
    /// in the ring. False where it cannot, which is told.
    func go(to goal: PendingSeek, in track: Track, flushing: Bool) -> Bool {
        let plan = plan(to: goal.seconds, in: track)
        if let obstacle = plan.obstacle(in: track) {
            control.emit(.cannotSeek(obstacle))
            return false
        }
        let inputRate = track.decoder.sampleRate
        line.goBack()
        if flushing { filler.feed.flush() }
        do throws(SongError) {
            try track.seek(to: plan.origin, estimating: plan.isEstimate)
        } catch {
            track.fail(error)
        }
        let first = plan.isPastEnd ? plan.target : plan.first
        filler.begin(at: first, inputRate: inputRate, dropping: plan.target - first)
        progress = .underWay(
            goal,
            SeekProgress.Landing(
                asked: goal.seconds, seconds: Double(plan.target) / filler.rate,
                index: filler.ring.given))
        if plan.isPastEnd { filler.feed.number(from: plan.target) }
        if plan.isPastEnd || track.failure != nil { track.endDecoding() }
        return true
    }

    /// The place to jump to, where reading on to it turned out to be slow.
    var slowGoal: PendingSeek? {
        guard case .underWay(let goal, let landing) = progress, filler.isEmpty,
            let track = line.track, !track.isDecoded, track.decoder.isExact,
            plan(to: landing.seconds, in: track).isEstimate
        else { return nil }
        return goal
    }

    /// The part that is repeated is in the ring to its last frame: goes back to its start. False where
    /// the ring is full, or the part cannot be repeated.
    func turn() -> Bool {
        guard let part = filler.part, let track = line.track, filler.feed.space > 0 else {
            return false
        }
        let plan = plan(to: part.start, in: track)
        if let obstacle = plan.obstacle(in: track) {
            filler.part = nil
            control.emit(.cannotSeek(obstacle))
            return true
        }
        do throws(SongError) {
            try track.seek(to: plan.origin, estimating: plan.isEstimate)
        } catch {
            filler.part = nil
            track.fail(error)
            return true
        }
        filler.turn(
            to: plan.target, inputRate: track.decoder.sampleRate,
            dropping: plan.target - plan.first)
        return true
    }

    /// Tells who asked for `goal` that nothing more will come of it.
    func settle(_ goal: PendingSeek) { control.settle(goal, next: progress.pending) }

    private func plan(to seconds: Double, in track: Track) -> SeekPlan {
        SeekPlan(to: seconds, in: track, rate: filler.feed.sampleRate, isExact: isExact)
    }
}
