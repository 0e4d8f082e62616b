import CCurl

/// How the source judges the answers of servers.
extension HTTPSource {
    /// Accepts the head of a response, or returns why its body cannot be used.
    func accept(_ head: HTTPResponse) -> NetworkFault? {
        guard [200, 203, 206].contains(head.status) else { return .status(head.status) }
        isPacked = head.encoding != nil
        // A part would be one of the compressed bytes.
        if isPacked { honoursRanges = false }
        let isStation = head.facts.station != nil
        if isLive && !isStation { return .notTheStation }
        if isStation && hasStarted && !isLive { return .changed }
        if isStation {
            demuxer.restart(interval: head.metadataInterval)
            bodyOffset = position
        } else if let fault = acceptSong(head) {
            return fault
        }
        response = head.facts
        return nil
    }

    private func acceptSong(_ head: HTTPResponse) -> NetworkFault? {
        var first: Int64 = 0
        var total = head.length
        if isRangeAsked, position == 0 { firstRange = .needed }
        if head.status == 206, head.range != nil || isRangeAsked {
            // A part that begins before `position` will do: its first bytes are skipped.
            guard let range = head.range, range.first <= position else {
                honoursRanges = false
                return .otherPart(isFinal: !isRangeAsked)
            }
            first = range.first
            total = range.total
        }
        if hasStarted {
            // We asked for bytes behind the announced end, and got the whole file: there are no
            // more. `fail` ends the song there.
            if let size, position >= size && head.status != 206 { return .broken }
            if isOther(head, total) { return .changed }
        }
        validator = hasStarted ? validator ?? head.validator : head.validator
        size = total ?? size
        isSeekable =
            size != nil && (head.status == 206 || head.offersRanges && !isRangeAsked)
        bodyOffset = first
        return nil
    }

    /// Whether the file is another version than the one that the bytes so far belong to.
    private func isOther(_ head: HTTPResponse, _ total: Int64?) -> Bool {
        if validator?.contradicts(head.validator) == true { return true }
        guard let size, let total, total != size else { return false }
        // A larger total, told when we asked for bytes behind the announced end: the announced
        // length was wrong, and the file is the same.
        return !(position >= size && total > size)
    }

    /// Handles the end of a transfer, a good or a bad one.
    func finish(_ outcome: HTTPRequest.Outcome) throws(SongError) {
        if outcome.code == CURLE_HTTP_RETURNED_ERROR && outcome.status == 416 && isRangeAsked {
            return try finishUnsatisfied(request.response.totalLength)
        }
        let isCutShort = outcome.code == CURLE_PARTIAL_FILE
        if !isCutShort, let fault = NetworkFault(outcome, limits: limits) {
            return try fail(fault)
        }
        guard request.isHeadComplete else { return try fail(.broken) }
        if bodyOffset == nil, let fault = accept(request.response) { return try fail(fault) }
        if isLive { return try fail(.signedOff) }
        let isInPlace = bodyOffset ?? 0 >= position
        if !isCutShort && isInPlace && position >= size ?? 0 {
            // A length that was not announced is known now, for later requests behind the end.
            size = size ?? position
            isAtEnd = true
        } else if isInPlace && hasStarted && position == askedPosition && !wasHeld {
            try finishEmpty()
        } else if !isCutShort && (isRangeAsked || outcome.status == 206)
            && position > askedPosition
        {
            // The server sends only so many bytes at a time: the next ones are asked for at once.
            begin()
        } else {
            try fail(.broken)
        }
    }

    /// A response ended without a byte at our position, where by the announced length there is
    /// more. After two of them in a row that length is taken to be wrong: the song ends here.
    private func finishEmpty() throws(SongError) {
        emptyResumes += 1
        guard emptyResumes == 2 else { return try fail(.broken) }
        size = position
        isAtEnd = true
    }

    /// Handles an answer 416: the server has no bytes at our position. A `total` equal to our
    /// position confirms that the song ends here; it is nil when the server does not tell it.
    private func finishUnsatisfied(_ total: Int64?) throws(SongError) {
        guard hasStarted, let total, total <= position else {
            honoursRanges = false
            return try fail(.noPart)
        }
        guard total == position else { return try fail(.changed) }
        size = position
        isAtEnd = true
    }

    /// Decides what a failed transfer means: the song's end, a retry, or the song's loss.
    func fail(_ fault: NetworkFault) throws(SongError) {
        // All bytes up to the announced end have come: a failure behind it loses nothing.
        if let size, position >= size, hasStarted, !isLive {
            isAtEnd = true
            return
        }
        // A server may close a transfer that we paused: no error, and we go on there when bytes are
        // wanted.
        if wasHeld && bodyOffset != nil && fault.remedy == .retry {
            isPostponed = true
            return
        }
        noteSilence(fault)
        attempt += 1
        let plan = RetryPlan(
            limits: limits, fault: fault, attempt: attempt, isLive: isLive, hasStarted: hasStarted,
            hasReach: hasReach, silence: silence)
        guard let delay = plan.delay(jitter: .random(in: 0.75...1.25)) else {
            throw hasStarted
                ? .brokeOff(song: name, .network(fault)) : .cannotOpen(song: name, .network(fault))
        }
        retryTime = clock() + delay
        news.append(.retrying(attempt: attempt, fault: fault, delay: delay))
    }

    /// Some servers answer nothing to a request without `Range`: they are asked once with one.
    private func noteSilence(_ fault: NetworkFault) {
        guard request.headBytes == 0, fault == .broken || fault == .noAnswer(limits) else { return }
        switch firstRange {
        case .notNeeded where !isRangeAsked: firstRange = .tried
        case .tried: firstRange = .useless
        default: break
        }
    }
}
