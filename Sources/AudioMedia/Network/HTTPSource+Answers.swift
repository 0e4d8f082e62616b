import CCurl

/// What the source makes of what servers answer.
extension HTTPSource {
    /// Takes the head of a response; why its body is no good, if it is not.
    func accept(_ head: HTTPResponse) -> HTTPFailure? {
        guard head.status == 200 || head.status == 206 else {
            return HTTPFailure(status: head.status, retryAfter: 0)
        }
        if let encoding = head.encoding { return .packed(encoding) }
        let isStation = head.facts.station != nil
        if isLive && !isStation { return .anotherThanTheStation }
        if isStation && hasStarted && !isLive { return .changed }
        if isStation {
            demuxer.restart(interval: head.metadataInterval)
            bodyOffset = position
        } else if let failure = acceptSong(head) {
            return failure
        }
        response = head.facts
        return nil
    }

    private func acceptSong(_ head: HTTPResponse) -> HTTPFailure? {
        var first: Int64 = 0
        var total = head.length
        if head.status == 206 {
            // One that begins earlier serves too: what is not wanted of it is skipped.
            guard let range = head.range, range.first <= position else {
                honoursRanges = false
                return .anotherPart(isFinal: !isRangeAsked)
            }
            first = range.first
            total = range.total
        }
        if hasStarted {
            // Asked whether there is more than it announced, it says what we know.
            if let size, position >= size && head.status == 200 { return .broken }
            if isOther(head, total) { return .changed }
        }
        validator = hasStarted ? validator ?? head.validator : head.validator
        size = total ?? size
        isSeekable =
            size != nil && (head.status == 206 || head.offersRanges && !isRangeAsked)
        bodyOffset = first
        return nil
    }

    /// Whether the file is another than the one that the bytes so far are of.
    private func isOther(_ head: HTTPResponse, _ total: Int64?) -> Bool {
        if validator?.contradicts(head.validator) == true { return true }
        guard let size, let total, total != size else { return false }
        // More than was announced, found behind its end: it was the length that was wrong.
        return !(position >= size && total > size)
    }

    /// A transfer has ended, in whatever way.
    func finish(_ outcome: HTTPRequest.Outcome) throws(SongError) {
        if outcome.code == CURLE_HTTP_RETURNED_ERROR && outcome.status == 416 && isRangeAsked {
            return try finishUnsatisfied(request.response.totalLength)
        }
        let isCutShort = outcome.code == CURLE_PARTIAL_FILE
        if !isCutShort, let failure = HTTPFailure(outcome, limits: limits) {
            return try fail(failure)
        }
        guard request.isHeadComplete else { return try fail(.broken) }
        if bodyOffset == nil, let failure = accept(request.response) { return try fail(failure) }
        if isLive { return try fail(.signedOff) }
        let isInPlace = bodyOffset ?? 0 >= position
        if !isCutShort && isInPlace && position >= size ?? 0 {
            // Known from here on, to whoever asks whether there is more.
            size = size ?? position
            isAtEnd = true
        } else if isInPlace && hasStarted && position == askedPosition && !wasHeld {
            try finishEmpty()
        } else if !isCutShort && isRangeAsked && position > askedPosition {
            // A server that sends no more than so much at a time.
            begin()
        } else {
            try fail(.broken)
        }
    }

    /// A response had nothing at our place, where by the length announced there is more. One that
    /// lies is believed no longer when this has happened twice: the song ends where its bytes do.
    private func finishEmpty() throws(SongError) {
        emptyResumes += 1
        guard emptyResumes == 2 else { return try fail(.broken) }
        size = position
        isAtEnd = true
    }

    /// The server has nothing at our place, and says how long the whole is, or not.
    private func finishUnsatisfied(_ total: Int64?) throws(SongError) {
        guard hasStarted, let total, total <= position else {
            honoursRanges = false
            return try fail(.noParts)
        }
        guard total == position else { return try fail(.changed) }
        size = position
        isAtEnd = true
    }

    /// What a transfer that failed means: the end, a retry, or that the song is lost.
    func fail(_ failure: HTTPFailure) throws(SongError) {
        // What lies beyond the end is nothing.
        if let size, position >= size, hasStarted, !isLive {
            isAtEnd = true
            return
        }
        // A server that closes what we have held up does no wrong: go on where it stopped.
        if wasHeld && bodyOffset != nil && failure.remedy == .retry {
            isPostponed = true
            return
        }
        let now = clock()
        let mayRetry =
            failure.remedy == .retry || failure.remedy == .retryOnceStarted && hasStarted
        guard isLive || mayRetry && now - lastProgressTime < limits.giveUp else {
            throw hasStarted
                ? .brokeOff(song: name, reason: failure.reason, hint: failure.hint)
                : .cannotOpen(song: name, reason: failure.reason, hint: failure.hint)
        }
        attempt += 1
        var delay = limits.firstPause
        for _ in 1..<attempt where delay < limits.longestPause { delay *= 2 }
        delay = min(delay, limits.longestPause) * Double.random(in: 0.75...1.25)
        delay = max(delay, min(failure.retryAfter, limits.longestRetryAfter))
        if !isLive { delay = min(delay, max(0, lastProgressTime + limits.giveUp - now)) }
        retryTime = now + delay
        news.append(.retrying(attempt: attempt, reason: failure.reason, delay: delay))
    }
}
