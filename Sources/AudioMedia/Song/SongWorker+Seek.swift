import AudioGraph

extension SongWorker {
    /// Frames of the stream that the resampler hears before the first one that counts, so that
    /// its filter is as full as if it had come all the way.
    private static let preroll: Int64 = 4096
    /// Reading on may take so long, in seconds, before a seek jumps by an estimate.
    private static let longestReading = 3.0

    var rate: Double { Double(job.feed.sampleRate) }

    /// What can be played without any more bytes, in seconds.
    var bufferedSeconds: Double {
        let ready = Double(job.feed.bufferedFrames + (converter?.count ?? 0)) / rate
        guard let track else { return ready }
        return ready + track.decoder.secondsAhead
    }

    /// Moves to `goal` in the song that is heard, at once when that is open, else as soon as it is;
    /// `flushing` drops what is in the ring. False where it cannot, which is told.
    func go(to goal: PendingSeek, flushing: Bool) -> Bool {
        guard let track = heardTrack, hasBegun else {
            if list.isOver, heardTrack == nil { return beginLast(at: goal) }
            pendingSeek = goal
            return true
        }
        let asked = SongTime.frame(at: goal.seconds, rate: job.feed.sampleRate)
        // A time beyond the end counts as the end.
        let end = track.duration.map { SongTime.frame(at: $0, rate: job.feed.sampleRate) }
        let target = end.map { min(asked, $0) } ?? asked
        let inputRate = track.decoder.sampleRate
        let (origin, first) = beginning(for: target, inputRate: inputRate)
        let isEstimate = shouldEstimate(origin, in: track)
        if let reason = obstacle(to: origin, in: track, isEstimate: isEstimate) {
            job.control.emit(.cannotSeek(reason: reason))
            return false
        }
        if let joint = joints.first { goBack(to: joint) }
        if flushing { job.feed.flush() }
        do throws(SongError) {
            try track.seek(to: origin, estimating: isEstimate)
        } catch {
            track.fail(error)
        }
        converter = FrameConverter(
            inputRate: inputRate, outputRate: job.feed.sampleRate, isVariable: false)
        let isPastEnd = end.map { target >= $0 } ?? false
        beginStretch(at: isPastEnd ? target : first)
        framesToDrop = isPastEnd ? 0 : target - first
        pendingSeek = goal
        pendingSeek?.arrival = Double(target) / rate
        soughtStart = goal.reportsArrival ? (goal.seconds, pushed) : nil
        if isPastEnd { job.feed.number(from: target) }
        if isPastEnd || track.failure != nil { track.endDecoding() }
        return true
    }

    /// All songs are over, and the last one could not be opened: begins the one before it.
    private func beginLast(at goal: PendingSeek) -> Bool {
        guard !list.entries.isEmpty else {
            job.control.emit(.cannotSeek(reason: "no song is left"))
            return false
        }
        begin(entry: list.entries.count - 1, at: goal, with: nil)
        return true
    }

    /// Reading on to a place turned out to be slow: jumps there.
    func jumpWhenSlow() {
        guard let seek = pendingSeek, let arrival = seek.arrival, converter?.count == 0,
            job.feed.bufferedFrames == 0, let track, !track.isDecoded, track.decoder.isExact
        else { return }
        let target = SongTime.frame(at: arrival, rate: job.feed.sampleRate)
        let (origin, _) = beginning(for: target, inputRate: track.decoder.sampleRate)
        guard shouldEstimate(origin, in: track) else { return }
        _ = go(to: seek, flushing: false)
    }

    /// Why a place cannot be reached; nil when it can.
    private func obstacle(to frame: Int64, in track: Track, isEstimate: Bool) -> String? {
        if track.station != nil { return "it is live" }
        return isEstimate || track.canReach(frame) ? nil : "what was there is no longer kept"
    }

    /// The song before a joint is the one that is heard, and that a seek is meant for.
    private func goBack(to joint: Joint) {
        next = joints.count == 1 ? track : nil
        joints = []
        do throws(SongError) { try next?.seek(to: 0, estimating: false) } catch { next = nil }
        track = joint.before
        list.go(to: joint.number)
    }

    /// Where to decode from for the graph's frame `target`, as a frame of the stream and as one of
    /// the graph: early enough for the resampler, and at a place where a frame of the stream falls
    /// on one of the graph exactly, so that no fraction of a frame is lost.
    ///
    /// Such places are counted, and the count is multiplied by what lies between two of them: the
    /// products are no larger than the frames, whatever the rates.
    private func beginning(
        for target: Int64, inputRate: Int
    ) -> (origin: Int64, first: Int64) {
        let outputRate = job.feed.sampleRate
        guard inputRate != outputRate else { return (target, target) }
        let divisor = greatestCommonDivisor(inputRate, outputRate)
        let inputStep = Int64(inputRate / divisor)
        let outputStep = Int64(outputRate / divisor)
        let early = (Self.preroll + inputStep - 1) / inputStep
        let place = max(0, target / outputStep - early)
        return (place * inputStep, place * outputStep)
    }

    /// Whether reading on to `frame` would take too long, and a jump is possible.
    private func shouldEstimate(_ frame: Int64, in track: Track) -> Bool {
        !job.isExact && track.readingTime(to: frame) > Self.longestReading
    }

    private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}
