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

/// A seek that is under way, from the request to the first frame that is heard.
struct PendingSeek: Sendable {
    /// Counts the seeks: the newest has the greatest number.
    let number: Int
    /// Seconds from the beginning of the song.
    let seconds: Double
    /// Whether `seeked` is told when the seek arrives; not for a skip, which begins a song.
    var reportsArrival = true
}

/// How far the newest seek has come.
enum SeekProgress {
    /// Where a seek leads.
    struct Landing {
        /// What was asked for, in seconds from the song's beginning.
        let asked: Double
        /// The same, or the song's end where that is earlier.
        let seconds: Double
        /// The number of the frame, among all that were ever put into the ring, that it begins
        /// with.
        let index: Int
    }

    /// A seek whose answer has not come.
    struct Wait {
        /// What is heard until the answer is there.
        enum Meanwhile: Equatable {
            /// The song, at its old place.
            case song
            /// Nothing: the song begins at the place.
            case nothing
            /// Nothing: the place is where the song was heard in another ring, in seconds.
            case moved(seconds: Double)
        }
        let meanwhile: Meanwhile
        /// What is repeated from the new place on.
        var part: SongPart?
    }

    /// There is none.
    case none
    /// The song that it is meant for is not open, or the seek asks for no more than its beginning.
    case asked(PendingSeek)
    /// The decoder was told to go there, and its server may have to be asked.
    case waiting(PendingSeek, Wait)
    /// The frames before the place are decoded and dropped, or the ring is filled from there on.
    case underWay(PendingSeek, Landing)
    /// The frames from the place on are played. Kept until another stretch begins, to tell a place
    /// past the song's end.
    case arrived(Landing)

    /// The seek, until it has arrived.
    var pending: PendingSeek? {
        switch self {
        case .asked(let seek), .waiting(let seek, _), .underWay(let seek, _): seek
        case .none, .arrived: nil
        }
    }

    /// Where a seek leads that was asked to tell its arrival; nil when there is none.
    var landing: Landing? {
        switch self {
        case .underWay(let seek, let landing): seek.reportsArrival ? landing : nil
        case .arrived(let landing): landing
        case .none, .asked, .waiting: nil
        }
    }

    /// The seek that waits for its answer while the song is heard.
    var waitingUnheard: PendingSeek? {
        if case .waiting(let seek, let wait) = self, wait.meanwhile == .song { seek } else { nil }
    }

    /// Whether nothing is to be decoded until an answer is there.
    var holds: Bool {
        if case .waiting(_, let wait) = self { wait.meanwhile != .song } else { false }
    }

    /// The frames from the place on are played from now on. Gives the place where a seek has just
    /// arrived that was asked to tell it.
    mutating func arrive() -> Landing? {
        if case .waiting = self { return nil }
        let (wasPending, place) = (pending != nil, landing)
        self = place.map { .arrived($0) } ?? .none
        return wasPending ? place : nil
    }

    /// Another stretch of frames begins in the ring.
    mutating func beginStretch() { if case .arrived = self { self = .none } }
}
