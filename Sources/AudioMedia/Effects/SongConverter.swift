import AudioGraph

/// A song's frames on their way to the graph's rate, and, where they are known without the song's voice,
/// the same frames without it (the backing): both in step. For one thread.
struct SongConverter {
    /// Frames in a row that wait, all with their backing or all without.
    struct Run {
        var count: Int
        let hasBacking: Bool
    }

    private var song: FrameConverter
    /// Nil while no frame with a backing waits or comes.
    private var backing: FrameConverter?
    /// Whether the frames that come have a backing.
    private var isKnown = false
    private var isVariable: Bool
    private var runs: [Run] = []
    /// Frames without a backing that are still in the resampler, since the backing began behind them.
    private var unknownDue = 0

    /// As `FrameConverter`.
    init(inputRate: Int, outputRate: Int, isVariable: Bool = false) {
        self.isVariable = isVariable
        song = FrameConverter(
            inputRate: inputRate, outputRate: outputRate, isVariable: isVariable)
    }

    var inputRate: Int { song.inputRate }

    /// Why a resampler failed; see `FrameConverter`.
    var refusal: Resampler.Refusal? { song.refusal ?? backing?.refusal }

    /// Frames that wait to be taken.
    var count: Int {
        // A backing that began behind the song may come a little later out of its resampler.
        song.count - max(0, knownCount - (backing?.count ?? 0))
    }

    /// Those of the song's frames that have a backing, also where that is in the resampler still.
    private var knownCount: Int { runs.reduce(0) { $0 + ($1.hasBacking ? $1.count : 0) } }

    /// Nothing is in the resamplers: a backing that began behind the song may have a frame more or less, by
    /// rounding.
    private mutating func settle() {
        let count = knownCount
        backing?.settle(at: count)
    }

    /// Those of them that are taken next.
    var next: Run {
        guard var run = runs.first else { return Run(count: 0, hasBacking: isKnown) }
        if run.hasBacking { run.count = min(run.count, backing?.count ?? 0) }
        return run
    }

    /// Frames that are still in the resampler; see `FrameConverter`.
    var framesDue: Int { song.framesDue }

    /// Adds `count` frames of `inputRate`, and their backing, where there is one. Where that begins, it does so with
    /// the first frame that falls on one that comes out, so that both stay in step and the song goes on. Where
    /// that ends, or the speed can change, the resampler begins anew.
    mutating func append(
        _ frames: UnsafePointer<Float>, backing: UnsafePointer<Float>? = nil, count: Int
    ) {
        if let backing = unsafe backing, !isKnown, let few = song.framesToGrid {
            let plain = min(few, count)
            change { unsafe $0.append(frames, count: plain) }
            guard plain < count else { return }
            (isKnown, unknownDue) = (true, max(0, song.framesDue))
            // Frames of a run before may wait in it.
            let rate = inputRate
            if self.backing == nil {
                self.backing = FrameConverter(inputRate: rate, outputRate: song.outputRate)
            } else {
                self.backing?.begin(inputRate: rate, isVariable: false)
            }
            change { unsafe $0.append(frames + 2 * plain, count: count - plain) }
            unsafe self.backing?.append(backing + 2 * plain, count: count - plain)
            return
        }
        if unsafe isKnown != (backing != nil) {
            begin(inputRate: inputRate, isVariable: isVariable, isKnown: !isKnown)
        }
        change { unsafe $0.append(frames, count: count) }
        if let backing = unsafe backing { unsafe self.backing?.append(backing, count: count) }
    }

    /// Ends the resampler's input; see `FrameConverter`.
    mutating func drain() {
        change { $0.drain() }
        backing?.drain()
        settle()
    }

    /// Begins anew at the same rate, for input that does not continue the input before.
    mutating func beginAgain(isVariable: Bool) {
        begin(inputRate: inputRate, isVariable: isVariable, isKnown: isKnown)
    }

    /// Begins anew where the input's rate changes.
    mutating func changeInputRate(to rate: Int) {
        guard rate != inputRate else { return }
        begin(inputRate: rate, isVariable: isVariable, isKnown: isKnown)
    }

    /// Begins anew for input at `rate`, with or without a backing; see `FrameConverter`.
    mutating func begin(inputRate rate: Int, isVariable: Bool, isKnown: Bool) {
        change { $0.begin(inputRate: rate, isVariable: isVariable) }
        unknownDue = 0
        backing?.begin(inputRate: rate, isVariable: false)
        settle()
        (self.isVariable, self.isKnown) = (isVariable, isKnown)
        if isKnown, backing == nil {
            backing = FrameConverter(inputRate: rate, outputRate: song.outputRate)
        }
    }

    /// Whether the frames that come are expected to have a backing.
    var expectsBacking: Bool { isKnown }

    /// Plays `factor` times as fast; see `FrameConverter`. Only a live stream does, which has no backing.
    mutating func setFactor(_ factor: Double) { song.setFactor(factor) }

    /// Fades the last `limit` frames that wait, or as many as there are, to silence.
    mutating func fadeOutEnd(_ limit: Int) {
        let length = min(limit, runs.last?.count ?? 0)
        song.fadeOutEnd(length)
        if isKnown { backing?.fadeOutEnd(length) }
    }

    /// Fades the next `length` frames in from silence.
    mutating func fadeInNext(_ length: Int) {
        song.fadeInNext(length)
        backing?.fadeInNext(length)
    }

    /// Hands up to `limit` frames of the next run, multiplied by `gain`, to `take`, and forgets them:
    /// frames, their backing or nil, and how many.
    mutating func take(
        _ limit: Int, gain: Float = 1,
        _ take: (UnsafePointer<Float>, UnsafePointer<Float>?, Int) -> Void
    ) {
        let count = min(limit, next.count)
        guard count > 0 else { return }
        // Both resamplers have made as many frames of as many.
        if next.hasBacking, var other = backing, other.count >= count {
            // Not shared, so that its frames are not copied.
            backing = nil
            unsafe song.take(count, gain: gain) { frames, count in
                unsafe other.take(count, gain: gain) { backing, count in
                    unsafe take(frames, backing, count)
                }
            }
            backing = other
        } else {
            unsafe song.take(count, gain: gain) { unsafe take($0, nil, $1) }
        }
        forget(count)
    }

    /// Forgets the next `limit` frames, or all.
    mutating func discard(_ limit: Int) {
        var left = min(limit, count)
        song.discard(left)
        while left > 0, !runs.isEmpty {
            let part = min(left, next.count)
            if next.hasBacking { backing?.discard(part) }
            forget(part)
            left -= part
        }
    }

    /// The first `count` frames of the next run are gone.
    private mutating func forget(_ count: Int) {
        guard !runs.isEmpty else { return }
        runs[0].count -= count
        if runs[0].count <= 0 { runs.removeFirst() }
        if !isKnown, !runs.contains(where: \.hasBacking) { backing = nil }
    }

    /// Does something to the song's frames, and counts those that it adds.
    private mutating func change(_ change: (inout FrameConverter) -> Void) {
        let before = song.count
        change(&song)
        let added = song.count - before
        let plain = min(added, unknownDue)
        unknownDue -= plain
        note(plain, hasBacking: false)
        note(added - plain, hasBacking: isKnown)
    }

    private mutating func note(_ count: Int, hasBacking: Bool) {
        guard count > 0 else { return }
        if let last = runs.indices.last, runs[last].hasBacking == hasBacking {
            runs[last].count += count
        } else {
            runs.append(Run(count: count, hasBacking: hasBacking))
        }
    }
}
