import AudioGraph

/// The way of the songs' frames through the stages into the ring, and which of them are heard.
///
/// The place of a frame is its number among all that were ever given. For one thread.
final class StagedRing {
    let feed: SongFeed
    private var stages: StageChain
    private var numbers = FrameNumbers()
    /// Frames that were ever put into the ring. Set by nobody else but tests.
    var pushed = 0
    /// Frames of songs that were ever given.
    private(set) var given = 0
    /// Whether frames were given since the stages began anew.
    private(set) var isBegun = false
    /// Why not all effects are done that were asked for last.
    private var limit: EffectLimit?
    private var mono: MonoWatch
    /// Whether a voice is looked for in the frames that come next.
    private var looksForVoice = false
    private var news: [SongEvent] = []

    init(_ feed: SongFeed, stages: [any FrameStage] = []) {
        self.feed = feed
        self.stages = StageChain(sampleRate: feed.sampleRate, stages: stages)
        mono = MonoWatch(sampleRate: feed.sampleRate)
    }

    /// Does `effects` to the frames that come next, as far as that can be done; `isLive`: they are a
    /// live stream's.
    func set(_ effects: SongEffects, isLive: Bool) {
        let (possible, limit) = effects.limited(isLive: isLive, rate: feed.sampleRate)
        stages.set(possible)
        looksForVoice = possible.vocals.audible != VocalRemoval()
        guard limit != self.limit else { return }
        self.limit = limit
        if let limit { news.append(.effectsLimited(limit)) }
    }

    /// What happened to the effects since this was asked last.
    func takeNews() -> [SongEvent] {
        defer { news = [] }
        return news
    }

    /// Whether frames wait for space in the ring.
    var isFull: Bool { stages.next != nil }

    /// How many frames may be given next.
    var room: Int { isFull ? 0 : min(feed.space, StageChain.block) }

    /// Frames of songs that were given and are not in the ring.
    var held: Int { given - numbers.place(at: pushed) }

    /// Frames of the song for each frame that is heard of those that come next.
    var speed: Double { stages.speed }

    /// The place of the frame that is heard next.
    var heard: Int { numbers.place(at: pushed - feed.bufferedFrames) }

    /// The frames that come next do not continue those before, which are not heard.
    func begin() {
        stages.reset(at: given)
        numbers.draw(from: pushed, at: Double(given), step: 1)
        isBegun = false
    }

    /// Adds `count` frames, the first of them the song's `frame`, and puts into the ring what is ready
    /// and has space there.
    func append(_ frames: UnsafePointer<Float>, count: Int, as frame: Int64) {
        numbers.number(from: given, as: frame)
        if looksForVoice, unsafe mono.take(frames, count: count) {
            news.append(.effectsLimited(.mono))
        }
        unsafe stages.append(frames, count: count)
        given += count
        isBegun = true
        for change in stages.takeChanges() {
            news.append(.effects(change.effects, frame: numbers.frame(at: change.place)))
        }
        deliver()
    }

    /// Puts what waits into the ring, as far as it has space.
    func deliver() {
        while feed.space > 0, let run = stages.next {
            numbers.draw(from: pushed, at: run.place, step: run.step)
            var count = min(run.count, feed.space)
            if let jump = numbers.nextJump(after: run.place) {
                count = min(
                    count, Int(nearest: ((Double(jump) - run.place) / run.step).rounded(.up)))
            }
            let frame = numbers.frame(at: run.place)
            unsafe stages.take(count) { frames in
                unsafe feed.push(frames, count: count, at: frame, step: run.step)
            }
            pushed += count
        }
        numbers.forget(before: pushed - feed.bufferedFrames)
    }

    /// No frame follows for now: what the stages hold is put into the ring, as far as it has space.
    func drain() {
        stages.drain()
        deliver()
    }

    /// No frame follows; `frame`, where it is known, is the song's number after the last.
    func finish(at frame: Int64?) {
        numbers.draw(from: pushed, at: Double(given), step: 1)
        if let frame { feed.number(from: frame) }
        feed.finish()
    }
}
