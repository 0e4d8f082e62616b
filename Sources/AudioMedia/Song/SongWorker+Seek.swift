extension SongWorker {
    /// Frames of the stream that the resampler hears before the first one that counts, so that
    /// its filter is as full as if it had come all the way.
    private static let preroll: Int64 = 4096
    /// Reading on may take so long, in seconds, before a seek jumps by an estimate.
    private static let longestReading = 3.0

    var rate: Double { Double(job.feed.sampleRate) }

    /// In seconds; nil while unknown.
    var duration: Double? {
        decoder.length.map { Double($0) / Double(max(1, decoder.sampleRate)) }
    }

    /// What can be played without any more bytes, in seconds.
    var bufferedSeconds: Double {
        let ready = job.feed.bufferedFrames + (converter?.count ?? 0)
        let kept = max(0, Int(window.end - decoder.inputOffset))
        let bytes = Double(kept + decoder.pendingByteCount)
        return Double(ready) / rate + bytes / bytesPerSecond
    }

    private var bytesPerSecond: Double {
        if let size = source.size, let duration, duration > 0 { return Double(size) / duration }
        return Double(max(8, decoder.format?.bitrate ?? 128)) * 125
    }

    /// Moves to another place; `isFirst` when no frame has been handed out yet.
    func seek(to seconds: Double, isFirst: Bool) throws(SongError) {
        guard let present = converter else {
            pendingSeek = seconds
            return
        }
        let asked = Int64((max(0, seconds) * rate).rounded())
        // What lies beyond the end is the end.
        let target = duration.map { min(asked, Int64(($0 * rate).rounded())) } ?? asked
        let origin = streamFrame(for: target, inputRate: present.inputRate)
        let isEstimate = shouldEstimate(origin)
        if !isEstimate, let known = decoder.nearestKnown(to: origin),
            !source.isSeekable && known.offset < window.start
        {
            job.control.update { $0.seeking = nil }
            job.control.emit(.cannotSeek(reason: "what was there is no longer kept"))
            return
        }
        if !isFirst { job.feed.flush() }
        let isPastEnd = duration.map { Double(target) >= $0 * rate } ?? false
        let offset: Int64
        do throws(DecoderError) {
            offset = try decoder.seek(to: origin, estimating: isEstimate)
        } catch {
            throw .brokeOff(
                song: job.location.description, reason: "seeking failed: \(error)",
                hint: "the file may be damaged")
        }
        if !window.reaches(offset) {
            window.restart(at: offset)
            source.start(at: offset)
        }
        converter = FrameConverter(
            inputRate: present.inputRate, outputRate: present.outputRate)
        let first = origin * Int64(present.outputRate) / Int64(present.inputRate)
        skip = isPastEnd ? 0 : target - first
        beginStretch(at: isPastEnd ? target : first, after: (seconds, Double(target) / rate))
        isDecoded = isPastEnd
    }

    /// The stream's frame to decode from for the graph's frame `target`: early enough for the
    /// resampler, and one that falls on a frame of the graph exactly, so that no fraction of a
    /// frame is lost.
    private func streamFrame(for target: Int64, inputRate: Int) -> Int64 {
        let outputRate = job.feed.sampleRate
        guard inputRate != outputRate else { return target }
        let step = Int64(inputRate / greatestCommonDivisor(inputRate, outputRate))
        let frame = target * Int64(inputRate) / Int64(outputRate) - Self.preroll
        return max(0, frame / step * step)
    }

    /// Whether reading on to `frame` would take too long, and a jump is possible.
    private func shouldEstimate(_ frame: Int64) -> Bool {
        guard !job.isExact, source.isSeekable, source.size != nil, let speed = source.speed,
            let known = decoder.nearestKnown(to: frame)
        else { return false }
        let seconds = Double(frame - known.frame) / Double(max(1, decoder.sampleRate))
        let end = Double(known.offset) + seconds * bytesPerSecond
        let reached = window.reaches(known.offset) ? window.end : known.offset
        return (end - Double(reached)) / speed > Self.longestReading
    }

    private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
        b == 0 ? a : greatestCommonDivisor(b, a % b)
    }
}
