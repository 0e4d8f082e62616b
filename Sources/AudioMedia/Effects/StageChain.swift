/// The effects that a song's frames pass between the conversion to the graph's rate and the ring.
///
/// Stages that keep every frame in its place come first, with the removal of voices at their head;
/// the tuner, which alone changes how long a song lasts, comes last. Without effects every frame
/// passes bit for bit, and need not be appended. For one thread.
struct StageChain {
    /// The most frames that are handed to the stages at once, so that what waits behind them is
    /// no longer than what they make of that.
    static let block = 1024

    private let vocals: VocalStage
    private let stages: [any FrameStage]
    private let tuner: Tuner
    private var output = StagedFrames()
    /// What the last change led to.
    private var told = SongEffects()

    init(sampleRate: Int, stages: [any FrameStage] = []) {
        vocals = VocalStage(sampleRate: sampleRate)
        self.stages = [vocals] + stages
        tuner = Tuner(sampleRate: sampleRate)
    }

    /// The frames that can be taken next; nil when none wait.
    var next: StagedFrames.Run? { output.next }

    /// Frames that wait to be taken.
    var count: Int { output.count }

    /// Frames that were given for each frame that comes out.
    var speed: Double { tuner.speed }

    /// Effects that were begun since this was asked last, each with the place of the first frame that
    /// they are heard in.
    mutating func takeChanges() -> [(effects: SongEffects, place: Double)] {
        var changes = tuner.takeChanges().map { change in
            (
                place: change.place,
                apply: { (effects: inout SongEffects) in effects.tuning = change.tuning }
            )
        }
        changes += vocals.takeChanges().map { change in
            (
                Double(change.place),
                { (effects: inout SongEffects) in effects.vocals = change.removal }
            )
        }
        changes.sort { $0.place < $1.place }
        return changes.map { change in
            change.apply(&told)
            return (told, change.place)
        }
    }

    /// Why the voice of the song cannot be told from the band, each once for a song.
    func takeLimits() -> [EffectLimit] { vocals.takeLimits() }

    /// Goes over to `effects` as soon as that can be heard. The tuning's rate must be one of
    /// `SongTuning.rates`, unless it is none.
    func set(_ effects: SongEffects) {
        vocals.set(effects.vocals)
        tuner.tuning = effects.tuning
    }

    /// Whether every frame passes as it is and none is held, so that frames may be skipped.
    var isIdle: Bool {
        stages.count == 1 && vocals.isIdle && tuner.isIdle && output.next == nil
    }

    /// `count` frames are not appended.
    func skip(_ count: Int) {
        vocals.skip(count)
        tuner.skip(count)
    }

    /// Tells the stages the last of the frames that were skipped, on which those that are appended next
    /// depend.
    func recall(_ past: [Float]) {
        vocals.recall(past)
        tuner.recall(past)
    }

    /// Adds `count` frames, at most `block`; `backing`: the same frames without their voice, where that
    /// is known.
    mutating func append(
        _ frames: UnsafePointer<Float>, backing: UnsafePointer<Float>? = nil, count: Int
    ) {
        let song = unsafe [Float](UnsafeBufferPointer(start: frames, count: 2 * count))
        guard let backing = unsafe backing else { return pass(song, from: 0) }
        var next: [Float] = []
        vocals.process(
            song, backing: unsafe [Float](UnsafeBufferPointer(start: backing, count: 2 * count)),
            into: &next)
        pass(next, from: 1)
    }

    /// No frame follows for now: what the stages hold is added to what waits.
    mutating func drain() {
        for (number, stage) in stages.enumerated() {
            var rest: [Float] = []
            stage.drain(into: &rest)
            pass(rest, from: number + 1)
        }
        tuner.drain(into: &output)
    }

    /// Forgets all frames that wait or are held: those that come next do not continue them, and the
    /// first of them is at `place`.
    mutating func reset(at place: Int) {
        for stage in stages { stage.reset() }
        vocals.reset(at: place)
        tuner.reset(at: place)
        output.removeAll()
    }

    /// The frames that come next are another song's.
    func forgetSong() { vocals.forgetSong() }

    /// Hands the first `count` frames of the next run to `take`, and forgets them.
    mutating func take(_ count: Int, _ take: (UnsafePointer<Float>) -> Void) {
        unsafe output.take(count, take)
    }

    /// Hands `frames` to the stage of that number, and what comes out to those behind it.
    private mutating func pass(_ frames: [Float], from number: Int) {
        var frames = frames
        for stage in stages[number...] {
            var next: [Float] = []
            stage.process(frames, into: &next)
            frames = next
        }
        tuner.process(frames, into: &output)
    }
}

/// An effect on a song's thread: takes stereo frames at the graph's rate in their order, and gives as
/// many, the n-th of them made of the n-th.
///
/// It may hold frames back until it knows those that follow. Frames are interleaved. For one thread.
protocol FrameStage: AnyObject {
    /// Takes all frames of `input`, and appends those that are ready to `output`.
    func process(_ input: [Float], into output: inout [Float])

    /// No frame follows: appends all that it holds to `output`, and begins anew.
    func drain(into output: inout [Float])

    /// Forgets all that it holds: the frames that come next do not continue those before.
    func reset()
}
