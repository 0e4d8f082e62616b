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
        // A seek is given up by its own time; meanwhile the song may lack bytes.
        let plan = RetryPlan(
            limits: limits, fault: fault, attempt: attempt, isLive: judge.isEndless,
            hasStarted: judge.hasStarted, hasReach: hasReach || request.headBytes > 0,
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
