import CCurl

/// What follows the end of a transfer.
extension HTTPSource {
    /// Handles the end of a transfer, a good or a bad one.
    func finish(_ outcome: HTTPRequest.Outcome) throws(SongError) {
        if outcome.code == CURLE_HTTP_RETURNED_ERROR && outcome.status == 416,
            judge.hasStarted && seek == nil
        {
            return try follow(
                judge.judge(noPartOf: request.response.totalLength, at: position))
        }
        let isCut = outcome.code == CURLE_PARTIAL_FILE
        if !isCut, let fault = NetworkFault(outcome, limits: limits) { return try fail(fault) }
        guard request.isHeadComplete else { return try fail(.broken) }
        if bodyOffset == nil {
            accept(request.response)
            if try obeyInterruption() { return }
        }
        let offset = bodyOffset ?? position
        if case .checking(let target, let range) = seek {
            guard offset >= range.upperBound else { return try fail(.broken) }
            judge.trustValidator()
            seek = .checked(target)
            return begin()
        }
        let end = AnswerJudge.End(
            isCut: isCut, offset: offset, position: position, isNew: position > askedPosition,
            wasHeld: wasHeld)
        try follow(judge.judge(end, of: question))
    }

    private func follow(_ ending: AnswerJudge.Ending) throws(SongError) {
        switch ending {
        case .end: isAtEnd = true
        case .goOn(let offset): begin(from: offset)
        case .compare where attempt == 0:
            attempt = 1
            begin()
        case .compare: try fail(.signedOff)
        case .retry(let fault): try fail(fault)
        }
    }

    /// The bytes that had come before take too long to come again.
    func giveUpReadingAgain() throws(SongError) {
        guard !judge.mayBeOver else { return isAtEnd = true }
        throw .brokeOff(song: name, .network(.broken))
    }

    /// Decides what a failed transfer means: the song's end, a retry, or the song's loss.
    func fail(_ fault: NetworkFault) throws(SongError) {
        request.closeConnections()
        if seek != nil, !fault.isWaitedFor || clock() - seekTime >= limits.giveUp {
            keepPlace()
            news.append(.seekRefused(fault))
            return
        }
        // The server may send to one connection at a time.
        if seek != nil, dropHeldTransfer() { return begin() }
        // All bytes up to the announced end have come: a failure behind it loses nothing.
        let isWhole = size.map { position >= $0 } ?? false
        if seek == nil, isWhole && judge.hasStarted || judge.isOver(after: fault) {
            isAtEnd = true
            return
        }
        // A server may close a transfer that we paused: no error, and we go on there when bytes are
        // wanted.
        if seek == nil, wasHeld && bodyOffset != nil && fault.remedy == .retry {
            isPostponed = true
            return
        }
        noteSilence(fault)
        attempt += 1
        if request.headBytes > 0 { wasAnswered = true }
        // A seek is given up by its own time; meanwhile the song may lack bytes.
        let plan = RetryPlan(
            limits: limits, fault: fault, attempt: attempt, isLive: judge.isEndless,
            hasStarted: judge.hasStarted, wasAnswered: wasAnswered,
            hasReach: hasReach || request.headBytes > 0,
            silence: seek == nil ? silence : nil)
        guard let delay = plan.delay(jitter: .random(in: 0.75...1.25)) else {
            if judge.mayBeOver { return isAtEnd = true }
            throw judge.hasStarted
                ? .brokeOff(song: name, .network(fault)) : .cannotOpen(song: name, .network(fault))
        }
        retryTime = clock() + delay
        if let target = seek?.target { seek = .asked(target) }
        news.append(.retrying(SongRetry(attempt: attempt, fault: fault, delay: delay)))
    }

    /// Some servers answer nothing to a request without `Range`: they are asked once with one.
    private func noteSilence(_ fault: NetworkFault) {
        guard request.headBytes == 0, fault == .broken || fault == .noAnswer(limits) else { return }
        switch firstRange {
        case .notNeeded where !question.isPart: firstRange = .tried
        case .tried: firstRange = .useless
        default: break
        }
    }
}

/// What becomes of the bytes of an answer.
extension HTTPSource {
    /// Compares the audio in `bytes` with what is kept, and puts what is new into the window.
    func take(_ bytes: UnsafeRawBufferPointer, at now: Double) {
        guard let offset = bodyOffset else { return }
        var known = 0
        if question.purpose == .check {
            known = bytes.count
        } else if judge.kind != .live {
            known = Int(min(max(position - offset, 0), Int64(bytes.count)))
        }
        bodyOffset = offset + Int64(bytes.count)
        if known > 0 {
            let again = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(known))
            let difference = unsafe difference(of: again, at: offset)
            switch judge.judge(
                comparedTo: offset + Int64(known), isEqual: difference == nil)
            {
            case .goOn: break
            case .join:
                beLive()
                bodyOffset = position
                let equal = offset + Int64(difference ?? known)
                unsafe judge.beginning.prefix(Int(equal)).withUnsafeBytes {
                    unsafe add($0, at: now)
                }
                return unsafe add(
                    UnsafeRawBufferPointer(rebasing: bytes.dropFirst(difference ?? known)), at: now)
            case .refuse(let fault): return interruption = .fault(fault)
            }
        }
        unsafe add(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(known)), at: now)
    }

    /// Where `bytes`, which begin at the song's byte `offset`, differ from what is kept; nil where
    /// they do not.
    private func difference(of bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int? {
        var index = 0
        while index < bytes.count {
            let place = offset + Int64(index)
            let left = bytes.count - index
            let kept =
                place < judge.beginning.count
                ? judge.beginning[Int(place)...].prefix(left)
                : window.bytes(at: place, limit: left)
            if kept.isEmpty {
                guard place < window.start else { return nil }
                index += Int(min(window.start - place, Int64(left)))
                continue
            }
            let part = unsafe UnsafeRawBufferPointer(
                rebasing: bytes[index..<(index + kept.count)])
            if unsafe !kept.withUnsafeBytes({ unsafe $0.elementsEqual(part) }) {
                let pairs = unsafe zip(part, kept).enumerated()
                return unsafe pairs.first { $1.0 != $1.1 }.map { index + $0.offset }
            }
            index += kept.count
        }
        return nil
    }

    /// Puts new audio into the window.
    private func add(_ bytes: UnsafeRawBufferPointer, at now: Double) {
        guard unsafe !bytes.isEmpty else { return }
        if judge.kind == .live && judge.hasStarted && position == askedPosition {
            news.append(.spliced(at: position))
        }
        unsafe window.append(bytes)
        unsafe judge.note(bytes, at: position)
        position += Int64(bytes.count)
        allowance -= bytes.count
        freshBytes += bytes.count
        if freshBytes >= enoughBytes { attempt = 0 }
        drySince = nil
        noteProgress(at: now)
    }

    /// New bytes on one connection after which the next break begins with the shortest pause again: a
    /// server that sends little and breaks off is asked more and more rarely.
    private var enoughBytes: Int { max(16_384, 2 * 125 * (response?.station?.bitrate ?? 0)) }
}
