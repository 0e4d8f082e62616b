import AudioGraph
import SystemSupport

/// What a decoder's thread does once it is known that it has a song: decodes, and goes where it is told.
final class DecoderRun {
    /// A place whose bytes the server was asked for.
    private struct Question {
        let order: DecoderThread.Order
        let plan: SeekPlan
        /// The song was being read on to the place, which takes too long.
        let isJump: Bool
    }

    private let reader: SongReader
    private let thread: DecoderThread
    /// The files that the song was taken apart into; nil: none can be used.
    private var stems: SongStems?
    private var question: Question?
    /// The place that is read on to, until a frame comes.
    private var goal: (order: DecoderThread.Order, plan: SeekPlan)?
    private var isEndTold = false
    /// The frame that is decoded next, by its number in the song; nil: it is not known exactly.
    private var frame: Int64? = 0

    init(of reader: SongReader, stems: SongStems?, in thread: DecoderThread) {
        self.reader = reader
        self.stems = stems
        self.thread = thread
    }

    /// Returns when nobody wants the song any more.
    func run() {
        while thread.beginWork() {
            if let reason = thread.stopReason, reader.failure == nil { reader.fail(reason) }
            if let order = thread.takeOrder() { go(to: order) }
            gainStems()
            reader.receive()
            thread.tell(reader.takeRetries())
            takeAnswer()
            jump()
            let isBusy = decode()
            thread.publish(reader, stems: stems)
            // The answer to a seek may have come with the bytes that were decoded.
            if !isBusy, !reader.hasAnswer { thread.wait(for: reader) }
        }
    }

    // MARK: Places

    private func go(to order: DecoderThread.Order) {
        reader.cancelSeek()
        (question, goal) = (nil, nil)
        // Stems are in step with a song whose place is known.
        let plan = SeekPlan(
            to: order.seconds, in: reader, rate: order.rate,
            isExact: order.isExact || stems != nil)
        if let obstacle = plan.obstacle(in: reader) {
            thread.answer(order.number, .impossible(obstacle))
        } else {
            go(to: plan, of: order, isJump: false)
        }
    }

    private func go(to plan: SeekPlan, of order: DecoderThread.Order, isJump: Bool) {
        do throws(SongError) {
            // Behind its end the song has no bytes.
            let move: SongReader.Move =
                plan.isPastEnd
                ? .there : try reader.seek(to: plan.origin, estimating: plan.isEstimate)
            take(move, Question(order: order, plan: plan, isJump: isJump))
        } catch {
            reader.fail(error)
            land(order, plan)
        }
    }

    private func take(_ move: SongReader.Move, _ question: Question) {
        self.question = nil
        switch move {
        case .there: land(question.order, question.plan)
        case .asked: self.question = question
        // Reading on is slow, and possible.
        case .refused where question.isJump: goal = nil
        case .refused(let fault):
            thread.answer(question.order.number, .impossible(.refused(fault)))
        // A newer order waits, or nobody does.
        case .left:
            guard let reason = thread.stopReason else { break }
            reader.fail(reason)
            land(question.order, question.plan)
        }
    }

    private func land(_ order: DecoderThread.Order, _ plan: SeekPlan) {
        if plan.isPastEnd || reader.failure != nil { reader.endDecoding() }
        frame = plan.isEstimate ? nil : plan.origin
        if !reader.isDecoded { moveStems(to: plan.origin) }
        isEndTold = false
        question = nil
        goal = order.mayJump && !order.isExact && !plan.isEstimate ? (order, plan) : nil
        thread.publish(reader, stems: stems)
        thread.answer(order.number, .landed(plan, rate: reader.decoder.sampleRate))
    }

    private func takeAnswer() {
        guard let question else { return }
        do throws(SongError) {
            if let move = try reader.takeSeekAnswer() { take(move, question) }
        } catch {
            reader.fail(error)
            land(question.order, question.plan)
        }
    }

    /// Goes on to a place at once that it takes too long to read on to.
    private func jump() {
        guard question == nil, stems == nil, let goal, !reader.isDecoded, reader.decoder.isExact
        else { return }
        let place = Double(goal.plan.target) / Double(goal.order.rate)
        let plan = SeekPlan(to: place, in: reader, rate: goal.order.rate, isExact: false)
        if plan.isEstimate, plan.obstacle(in: reader) == nil {
            go(to: plan, of: goal.order, isJump: true)
        }
    }

    // MARK: Frames

    /// Decodes until the player has enough; true where there is more to do at once.
    private func decode() -> Bool {
        // Whether what follows is heard depends on the answer.
        if question?.isJump == true { return false }
        while !reader.isDecoded, thread.hasRoom {
            let block = thread.takeBlock()
            let event = fill(block)
            // Once it is handed over, the player may empty it.
            let count = block.count
            var goesOn = true
            if count > 0 {
                goal = nil
                goesOn = push(block)
            } else {
                thread.give(back: block)
            }
            switch event {
            case .newFormat: checkStems()
            case .spliced: frame = nil
            default: break
            }
            if let event {
                goesOn = thread.push(event, secondsAhead: reader.secondsAhead) && goesOn
            } else if count == 0 {
                if thread.isMissed { reader.noteDry() }
                return reader.isAstray
            }
            if !goesOn { return true }
        }
        if reader.isDecoded, !isEndTold {
            isEndTold = true
            // The player sees why it ends when it sees the end.
            thread.publish(reader, stems: stems)
            _ = thread.push(.ended, secondsAhead: 0)
        }
        return false
    }

    /// Hands frames to the player, with what they are without the voice, where stems tell that.
    private func push(_ block: FrameBlock) -> Bool {
        frame? += Int64(block.count)
        guard let (known, loss) = stems?.accompany(block, length: reader.toldLength) else {
            return thread.push(.frames(block), secondsAhead: reader.secondsAhead)
        }
        guard let loss else {
            return thread.push(.frames(block), secondsAhead: reader.secondsAhead)
        }
        loseStems(loss)
        guard known > 0 else {
            block.hasBacking = false
            return thread.push(.frames(block), secondsAhead: reader.secondsAhead)
        }
        // The song goes on alone from that very frame.
        let rest = thread.takeBlock()
        block.split(at: known, to: rest)
        _ = thread.push(.frames(block), secondsAhead: reader.secondsAhead)
        return thread.push(.frames(rest), secondsAhead: reader.secondsAhead)
    }

    private func moveStems(to frame: Int64) {
        do throws(SongError) { try stems?.seek(to: frame) } catch { loseStems(error) }
    }

    /// Goes on with files that the song was taken apart into meanwhile, if it has none and is to look for them.
    private func gainStems() {
        guard stems == nil, question == nil, let frame, !reader.isDecoded, thread.takeStemWish()
        else { return }
        var losses: [SongError] = []
        let found = thread.separatedStems(of: reader, losses: &losses)
        do throws(SongError) { try found?.seek(to: frame) } catch {
            losses.append(error)
            return thread.publish(reader, stems: nil, losses: losses)
        }
        stems = found
        thread.publish(reader, stems: stems, losses: losses)
        if let found { thread.tellStems(found) }
    }

    /// The song's rate may have changed: stems have one.
    private func checkStems() {
        if let error = stems?.mismatch(with: reader.decoder.sampleRate) { loseStems(error) }
    }

    private func loseStems(_ error: SongError) {
        stems = nil
        thread.endStems()
        thread.publish(reader, stems: nil, losses: [error])
    }

    /// Decodes into `block`, until that is nearly full, bytes are missing, or something else comes
    /// first, which is returned.
    private func fill(_ block: FrameBlock) -> FrameQueue.Item? {
        while block.count <= FrameBlock.capacity / 2 {
            if let title = reader.takeTitle() { return .title(title) }
            do throws(SongError) {
                switch unsafe try reader.decode(into: block.room) {
                case .frames(let count): block.count += count
                case .newFormat:
                    return .newFormat(reader.decoder.format, rate: reader.decoder.sampleRate)
                case .spliced: return .spliced
                case .needsBytes, .ended: return nil
                }
            } catch {
                reader.fail(error)
                reader.endDecoding()
                return nil
            }
        }
        return nil
    }
}

/// The way to a place in a song: where decoding begins, and how much is dropped before the place.
struct SeekPlan {
    /// Frames of the stream that the resampler hears before the first one that counts, so that
    /// its filter is as full as if it had come all the way.
    private static let preroll: Int64 = 4096
    /// Reading on may take so long, in seconds, before a seek jumps by an estimate.
    private static let longestReading = 3.0

    /// The place, as a frame at the graph's rate.
    let target: Int64
    /// Whether the song is taken to have no frame there: it ends with `target`.
    let isPastEnd: Bool
    /// Where decoding begins, as a frame of the stream.
    let origin: Int64
    /// The same as a frame at the graph's rate.
    let first: Int64
    /// Whether decoding begins at a place that is estimated.
    let isEstimate: Bool

    /// The way to `seconds` in `song`, which is open. `isExact`: places are never estimated.
    init(to seconds: Double, in song: SongReader, rate: Int, isExact: Bool) {
        let asked = SongTime.frame(at: seconds, rate: rate)
        let end = song.duration.map { SongTime.frame(at: $0, rate: rate) }
        isPastEnd = song.isLengthBelieved && end.map { asked >= $0 } ?? false
        // A time beyond the end counts as the end. Where that may be wrong the song is read on to that
        // time, or to its real end.
        target = isPastEnd ? end ?? asked : asked
        let inputRate = song.decoder.sampleRate
        let way = Self.beginning(for: target, inputRate: inputRate, outputRate: rate)
        isEstimate = !isExact && song.readingTime(to: way.origin) > Self.longestReading
        guard isEstimate, let end, target >= end else {
            (origin, first) = way
            return
        }
        // There is nothing to estimate a place behind the end by: it is read from before the end on.
        (origin, first) = Self.beginning(
            for: max(0, end - Int64(rate)), inputRate: inputRate, outputRate: rate)
    }

    /// Why the place cannot be reached; nil when it can.
    func obstacle(in song: SongReader) -> SeekObstacle? {
        if song.station != nil { return .live }
        return isEstimate || song.canReach(origin) ? nil : .notKept
    }

    /// Where to decode from for the graph's frame `target`, as a frame of the stream and as one of
    /// the graph: early enough for the resampler, and at a place where a frame of the stream falls
    /// on one of the graph exactly, so that no fraction of a frame is lost.
    ///
    /// Such places are counted, and the count is multiplied by what lies between two of them: the
    /// products are no larger than the frames, whatever the rates.
    private static func beginning(
        for target: Int64, inputRate: Int, outputRate: Int
    ) -> (origin: Int64, first: Int64) {
        guard inputRate != outputRate else { return (target, target) }
        let divisor = greatestCommonDivisor(inputRate, outputRate)
        let inputStep = Int64(inputRate / divisor)
        let outputStep = Int64(outputRate / divisor)
        let early = (preroll + inputStep - 1) / inputStep
        let place = max(0, target / outputStep - early)
        return (place * inputStep, place * outputStep)
    }

    private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}
