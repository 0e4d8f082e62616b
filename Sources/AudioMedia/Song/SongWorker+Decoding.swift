extension SongWorker {
    /// Frames that the converter keeps back until a song's end is known: to fade out, should it
    /// break off.
    static let heldBack = 256
    /// What a live stream's buffer is held at, in seconds, or at more when there was more at first.
    private static let liveTarget = 3.0

    /// One round: what has come is taken, decoded, and put into the ring.
    func work(isDemanded: Bool) {
        for track in [track, next].compactMap({ $0 }) {
            // Here the network and the disk are read.
            let news = track.receive()
            tell(news, of: track)
        }
        triesLeft = Self.triesInARound
        roundEnd = clock() + Self.longestRound
        openPresent()
        openAhead()
        if hasBegun, joints.isEmpty { reportTagsAndLoss() }
        steer()
        jumpWhenSlow()
        if isDemanded || framesToSpare <= 0 { produce() }
    }

    /// Tells what happened to a track's bytes, as far as it concerns what is heard.
    func tell(_ news: [SourceNews], of track: Track) {
        for item in news {
            switch item {
            case .retrying(let attempt, let reason, let delay):
                // One that is opened ahead may still come in time.
                guard track !== next else { continue }
                job.control.emit(.reconnecting(attempt: attempt, reason: reason, delay: delay))
            case .title(let text): track.unreportedTitle = text
            case .spliced: break
            }
        }
        if hasBegun, track === heardTrack { tellTitle() }
    }

    /// Tells the newest title of the song that is heard, a few a second at most.
    func tellTitle() {
        guard let track = heardTrack, let title = track.unreportedTitle,
            titleLimit.allows(at: clock())
        else { return }
        track.unreportedTitle = nil
        job.control.emit(.title(title))
    }

    /// Keeps a live stream's buffer where it is, whatever its sender's clock does.
    private func steer() {
        // A driver that waits has no clock of its own.
        guard let track, track.station != nil, !isFilling, !isPaused, !job.isExact else { return }
        if drift == nil { drift = DriftControl(minimum: Self.liveTarget) }
        if let factor = drift?.factor(buffered: bufferedSeconds, at: clock()) {
            converter?.setFactor(factor)
        }
    }

    /// Decodes until the ring is full or no byte is left.
    private func produce() {
        if decodingState == .starved { decodingState = .flowing }
        guard job.feed.isFlushed, hasBegun else { return }
        while decodingState != .finished, let track {
            let kept = track.isDecoded ? 0 : Self.heldBack
            push(keeping: kept)
            if converter?.count ?? 0 > kept { return }
            if track.isDecoded ? !goOn(after: track) : !decode(track) {
                decodingState = .starved
                return
            }
        }
    }

    /// Moves frames from the converter into the ring, all but the last `kept`.
    private func push(keeping kept: Int) {
        if framesToDrop > 0, let waiting = converter?.count {
            let count = Int(min(framesToDrop, Int64(waiting)))
            converter?.discard(count)
            framesToDrop -= Int64(count)
            nextFrame += Int64(count)
        }
        guard framesToDrop == 0 else { return }
        while let waiting = converter?.count, waiting > kept {
            let boundary = joints.first { $0.boundary > pushed }?.boundary ?? .max
            let count = min(waiting - kept, boundary - pushed, job.feed.space)
            guard count > 0 else { return }
            unsafe converter?.take(count, gain: gain) { frames, count in
                unsafe job.feed.push(frames, count: count, at: nextFrame)
            }
            pushed += count
            nextFrame = pushed == boundary ? 0 : nextFrame + Int64(count)
        }
    }

    /// What the song that is pushed next asks to be multiplied by.
    private var gain: Float {
        let song = joints.first { $0.boundary > pushed }?.before ?? track
        return job.appliesGain ? Float(song?.decoder.replayGain?.gain ?? 1) : 1
    }

    /// One step of decoding; false when it needs bytes that have not come.
    private func decode(_ track: Track) -> Bool {
        guard let base = unsafe block.baseAddress else { return false }
        do throws(SongError) {
            if let refusal = converter?.refusal {
                throw .cannotOpen(
                    song: track.location.description, reason: refusal.reason,
                    hint: "choose another sample rate")
            }
            switch unsafe try track.decode(into: block) {
            case .frames(let count): unsafe converter?.append(base, count: count)
            case .newFormat: converter?.changeInputRate(to: track.decoder.sampleRate)
            case .needsBytes: return false
            case .spliced:
                converter?.beginAgain()
                converter?.fadeOutEnd(Self.heldBack)
                converter?.fadeInNext(Self.heldBack)
            case .ended:
                // A song that broke off fades out.
                if track.failure != nil { endConverter() }
            }
        } catch {
            track.fail(error)
            track.endDecoding()
            endConverter()
        }
        return true
    }

    private func endConverter() {
        converter?.drain()
        converter?.fadeOutEnd(Self.heldBack)
    }

    /// All frames of `track` are decoded: goes over to the next song, or ends the ring; false
    /// when there is something to wait for.
    private func goOn(after track: Track) -> Bool {
        if next == nil { openAhead() }
        if let next, next.isOpen {
            join(next, after: track)
            return true
        }
        // A next song that comes too late begins after the end of this one; where time does not
        // matter, and while nothing sounds yet, it is waited for.
        let isLate = !isFilling && Double(job.feed.bufferedFrames) / rate < 0.1
        if list.following != nil, job.isExact || !isLate { return false }
        converter?.drain()
        if converter?.count ?? 0 == 0 {
            // A seek may have gone beyond the last frame there is.
            job.feed.number(from: nextFrame)
            finishFeed()
        }
        return true
    }

    /// The next song follows the last frame of `track` without a gap.
    private func join(_ next: Track, after track: Track) {
        let rate = next.decoder.sampleRate
        let isLive = next.station != nil || track.station != nil
        // At equal rates the resampler goes on, and knows of no end.
        if isLive || rate != converter?.inputRate || track.failure != nil {
            converter?.begin(inputRate: rate, isVariable: next.station != nil)
        }
        // Nobody joins a live stream at its beginning.
        if next.station != nil { converter?.fadeInNext(Self.heldBack) }
        let due = Int64((converter?.count ?? 0) + (converter?.framesDue ?? 0))
        // A song may end before the frame that was sought.
        framesToDrop = min(framesToDrop, due)
        let left = Int(due - framesToDrop)
        let boundary = pushed + left
        let frames =
            if let last = joints.last?.boundary, last >= pushed { Int64(boundary - last) } else {
                nextFrame + due
            }
        joints.append(
            Joint(before: track, number: list.index, frames: frames, boundary: boundary))
        if left == 0 { nextFrame = -framesToDrop }
        list.goOn()
        self.track = next
        self.next = nil
    }
}
