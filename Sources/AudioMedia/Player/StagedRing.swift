import AudioGraph

/// The way of the songs' frames through the stages into the ring, and which of them are heard.
///
/// While no effect is on, frames go into the ring past the stages. The ring then is the memory of an
/// effect that is turned on: it still has the newest frames, heard or not.
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
    /// Whether frames go past the stages.
    private var isDirect = true
    /// How many frames in a row, up to the newest, are in the ring as they were given.
    private var untouched = 0
    /// Why not all effects are done that were asked for last.
    private var limit: EffectLimit?
    private var news: [SongEvent] = []

    init(_ feed: SongFeed, stages: [any FrameStage] = []) {
        self.feed = feed
        self.stages = StageChain(sampleRate: feed.sampleRate, stages: stages)
    }

    /// Does `effects` to the frames that come next, as far as that can be done; `isLive`: they are a
    /// live stream's.
    func set(_ effects: SongEffects, isLive: Bool) {
        let (possible, limit) = effects.limited(isLive: isLive, rate: feed.sampleRate)
        stages.set(possible)
        guard limit != self.limit else { return }
        self.limit = limit
        if let limit { news.append(.effectsLimited(limit)) }
    }

    /// The frames that come next are another song's.
    func forgetSong() { stages.forgetSong() }

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

    /// The frame of the graph in which the frame at `place` is heard, while what is in the ring plays
    /// on. What is not in the ring yet is taken to be as fast as the last that is.
    func graphFrame(of place: Int) -> Int { feed.graphFrame(of: numbers.index(of: place)) }

    /// The frames that come next do not continue those before, which are not heard.
    func begin() {
        stages.reset(at: given)
        numbers.draw(from: pushed, at: Double(given), step: 1)
        (isBegun, isDirect, untouched) = (false, true, 0)
    }

    /// Adds `count` frames, the first of them the song's `frame`, and puts into the ring what is ready
    /// and has space there. `backing`: the same frames without their voice, where that is known.
    func append(
        _ frames: UnsafePointer<Float>, backing: UnsafePointer<Float>? = nil, count: Int,
        as frame: Int64
    ) {
        numbers.number(from: given, as: frame)
        if isDirect, !stages.isIdle || count > feed.space {
            stages.recall(feed.newest(min(untouched, feed.capacity)))
            isDirect = false
        }
        if isDirect {
            numbers.draw(from: pushed, at: Double(given), step: 1)
            unsafe feed.push(frames, count: count, at: frame)
            pushed += count
            stages.skip(count)
        } else {
            unsafe stages.append(frames, backing: backing, count: count)
            for change in stages.takeChanges() {
                news.append(.effects(change.effects, frame: numbers.frame(at: change.place)))
            }
            news += stages.takeLimits().map { .effectsLimited($0) }
        }
        given += count
        isBegun = true
        deliver()
        untouched = stages.isIdle ? untouched + count : 0
        // An effect that is turned off and on again has as much to recall as the ring holds.
        isDirect = isDirect || untouched >= feed.capacity
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
        (isDirect, untouched) = (true, 0)
        deliver()
    }

    /// No frame follows; `frame`, where it is known, is the song's number after the last.
    func finish(at frame: Int64?) {
        numbers.draw(from: pushed, at: Double(given), step: 1)
        if let frame { feed.number(from: frame) }
        feed.finish()
    }
}
