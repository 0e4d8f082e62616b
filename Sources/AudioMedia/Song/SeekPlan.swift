import AudioGraph

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
