/// A window's frames, played from a place on with one tuning. For one thread.
final class Playback {
    let tuning: SongTuning
    /// Nil: the frames as they are.
    private let stretcher: Stretcher?
    /// The place of its first frame.
    private let origin: Double
    /// Frames that were taken.
    private(set) var taken = 0
    /// Frames that the stretcher has made, those before the first one included.
    private var made: [Float] = []
    /// Frames of the stretcher that come before the first.
    private var early: Int
    /// The place of the frame that the stretcher is given next.
    private var nextPlace: Int

    /// Plays on from `place`, to the frame.
    init(from place: Int, tuning: SongTuning, sampleRate: Int) {
        self.tuning = tuning
        guard !tuning.isNone else {
            (stretcher, early, nextPlace, origin) = (nil, 0, place, Double(place))
            return
        }
        let stretcher = Stretcher(
            sampleRate: sampleRate, speed: tuning.speed, pitch: tuning.pitch)
        self.stretcher = stretcher
        // The windows that overlap the first frame need to have heard what comes before it. A whole
        // number of hundreds, so that whole percents lead to a whole frame.
        let warmth = (2 * stretcher.startPad + 99) / 100 * 100
        let heard = Double(warmth) * tuning.speed
        // A whole number may have come out a little too small.
        let before = Int(heard + 1e-6)
        early = stretcher.startDelay + warmth
        nextPlace = place - before - stretcher.startPad
        origin = max(Double(place), Double(place - before) + heard)
    }

    /// The most frames before its place that a playback hears.
    static func memory(sampleRate: Int) -> Int {
        // A pad is 2048 frames at 48 kHz; the speed is 4 at most.
        9 * 2048 * max(1, (sampleRate + 47_999) / 48_000)
    }

    /// The place of the next frame.
    var place: Double { origin + Double(taken) * tuning.speed }

    /// `count` frames passed by, since it plays them as they are.
    func skip(_ count: Int) {
        taken += count
        nextPlace += count
    }

    /// Works on until nothing of `window` is left to work on; where `isEnding`, with the silence
    /// behind it, until `count` frames are ready.
    func work(on window: FrameWindow, isEnding: Bool, count: Int) {
        guard let stretcher else { return }
        while isEnding
            ? ready(in: window, isEnding: true) < count
            : nextPlace + Stretcher.block <= window.end
        {
            stretcher.process(
                window.frames(from: nextPlace, count: Stretcher.block), into: &made)
            nextPlace += Stretcher.block
            let dropped = min(early, made.count / 2)
            made.removeFirst(2 * dropped)
            early -= dropped
        }
    }

    /// How many frames can be taken.
    func ready(in window: FrameWindow, isEnding: Bool) -> Int {
        guard stretcher == nil else { return made.count / 2 }
        return isEnding ? .max : window.end - nextPlace
    }

    /// The next `count` frames.
    func take(_ count: Int, from window: FrameWindow) -> [Float] {
        taken += count
        guard stretcher == nil else {
            defer { made.removeFirst(2 * count) }
            return Array(made.prefix(2 * count))
        }
        defer { nextPlace += count }
        return window.frames(from: nextPlace, count: count)
    }
}
