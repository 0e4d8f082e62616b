/// Plays a song's frames in another key, or at another speed. For one thread.
///
/// Every tuning is a `Playback` of its own, which has heard the frames before it and begins exactly
/// at the frame that is due; a change fades from one to the other. So the song never shifts,
/// whatever a stretcher's own delay is, and without a tuning the frames pass bit for bit again.
final class Tuner {
    /// What is asked for.
    var tuning = SongTuning()

    private let sampleRate: Int
    private let fadeLength: Int
    /// Frames of a tuning that are played at least before the next begins: to begin one costs as much
    /// as 0.2 s of the song.
    private let hold: Int
    private let memory: Int
    private var window = FrameWindow()
    /// Nil until frames come.
    private var present: Playback?
    /// What it fades to, and how many frames of the fade are done.
    private var next: (playback: Playback, faded: Int)?
    private var changes: [(tuning: SongTuning, place: Double)] = []
    /// The tuning of the last change.
    private var told = SongTuning()

    init(sampleRate: Int) {
        self.sampleRate = sampleRate
        fadeLength = sampleRate / 50
        hold = sampleRate / 10
        memory = Playback.memory(sampleRate: sampleRate)
    }

    /// Frames in for each frame out.
    var speed: Double { (next?.playback ?? present)?.tuning.speed ?? tuning.speed }

    /// Tunings that were begun since this was asked last, each with the place of its first frame.
    func takeChanges() -> [(tuning: SongTuning, place: Double)] {
        defer { changes = [] }
        return changes
    }

    /// Whether frames pass as they are, so that they may be skipped.
    var isIdle: Bool {
        tuning.isNone && told.isNone && next == nil && present?.tuning.isNone ?? true
    }

    /// `count` frames pass it by.
    func skip(_ count: Int) {
        let playing = present ?? begin(at: window.end)
        present = playing
        playing.skip(count)
        window.reset(at: window.end + count)
    }

    /// Hears the last of the frames that it skipped. Those of the ring's 0.25 s are as many as a playback
    /// hears before its first one, up to 2.3 times the song's speed; what is beyond them is silence.
    func recall(_ past: [Float]) {
        window.reset(at: window.end - past.count / 2)
        window.append(past)
    }

    /// Takes frames, and gives those that are ready.
    func process(_ frames: [Float], into output: inout StagedFrames) {
        window.append(frames)
        give(to: &output, isEnding: false)
    }

    /// No frame follows for now: gives all that belongs to those that came, and begins anew.
    func drain(into output: inout StagedFrames) {
        give(to: &output, isEnding: true)
        reset(at: window.end)
    }

    /// The frames that come next do not continue those before, and the first of them is at `place`.
    func reset(at place: Int) {
        window.reset(at: place)
        (present, next) = (nil, nil)
    }

    private func give(to output: inout StagedFrames, isEnding: Bool) {
        guard window.end > window.first else { return }
        let playing = present ?? begin(at: window.first)
        present = playing
        while let present {
            if next == nil, tuning != present.tuning, present.taken >= hold {
                next = (begin(at: Int(present.place.rounded(.up))), 0)
            }
            let count = count(isEnding: isEnding)
            guard count > 0 else { break }
            let place = (next?.playback ?? present).place
            output.append(
                frames(count, of: present), at: place,
                step: (next?.playback ?? present).tuning.speed)
            if let next, next.faded == fadeLength {
                self.present = next.playback
                self.next = nil
            }
        }
        if let present { window.forget(before: Int(present.place) - memory) }
    }

    private func begin(at place: Int) -> Playback {
        if tuning != told { changes.append((tuning, Double(place))) }
        told = tuning
        return Playback(from: place, tuning: tuning, sampleRate: sampleRate)
    }

    /// How many frames can be given next: all that are ready, or the rest of a fade; at the end none
    /// behind the last place.
    private func count(isEnding: Bool) -> Int {
        guard let present else { return 0 }
        let playback = next?.playback ?? present
        var limit = next.map { fadeLength - $0.faded } ?? .max
        if isEnding {
            let left = (Double(window.end) - playback.place) / playback.tuning.speed
            limit = min(limit, Int(nearest: max(0, left.rounded(.up))))
        }
        for playback in [present, next?.playback] {
            guard let playback else { continue }
            playback.work(on: window, isEnding: isEnding, count: limit)
            limit = min(limit, playback.ready(in: window, isEnding: isEnding))
        }
        return limit
    }

    private func frames(_ count: Int, of present: Playback) -> [Float] {
        var frames = present.take(count, from: window)
        guard let next else { return frames }
        let new = next.playback.take(count, from: window)
        for frame in 0..<count {
            let gain = Float(next.faded + frame + 1) / Float(fadeLength)
            for sample in [2 * frame, 2 * frame + 1] {
                frames[sample] += (new[sample] - frames[sample]) * gain
            }
        }
        self.next?.faded += count
        return frames
    }
}
