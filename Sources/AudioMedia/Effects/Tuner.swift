import CRubberBand

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

/// Rubber Band's finer engine in its real-time mode: stereo frames in, as many times longer and higher
/// as was asked for out. It may allocate. For one thread.
@safe final class Stretcher {
    /// Frames that are taken at once.
    static let block = 1024
    /// The highest magnitude that it is given: 24 dB above full scale.
    private static let loudest: Float = 16

    private let handle: RubberBandState
    /// Both sides, one behind the other.
    private let planes: UnsafeMutableBufferPointer<Float>
    /// Frames of silence, or of what came before, to be given before the first that counts.
    let startPad: Int
    /// Frames of output that come before the one that was made of the first that counts.
    let startDelay: Int

    /// - Parameters:
    ///   - sampleRate: one of `SongTuning.rates`; at others the library prints a warning.
    ///   - speed: frames in for each frame out.
    ///   - pitch: the factor of all frequencies.
    init(sampleRate: Int, speed: Double, pitch: Double) {
        // RubberBandStretcher.h: at high speed a song is resampled before it is stretched where it
        // becomes higher, and less is stretched. That moves transients, by 5 ms five semitones up, by
        // 29 ms an octave up or five semitones up at half the tempo; high consistency leaves them in
        // their places, and so it is taken wherever high speed would move them far or save nothing.
        let isQuick = pitch == 1 || speed >= 1 && (1...1.34).contains(pitch)
        let pitchOption =
            isQuick ? RubberBandOptionPitchHighSpeed : RubberBandOptionPitchHighConsistency
        let options =
            RubberBandOptionProcessRealTime.rawValue | RubberBandOptionEngineFiner.rawValue
            | pitchOption.rawValue
        unsafe handle = rubberband_new(
            UInt32(sampleRate), 2, RubberBandOptions(options), 1 / speed, pitch)
        unsafe rubberband_set_max_process_size(handle, UInt32(Self.block))
        startPad = unsafe Int(rubberband_get_preferred_start_pad(handle))
        startDelay = unsafe Int(rubberband_get_start_delay(handle))
        unsafe planes = .allocate(capacity: 2 * Self.block)
        unsafe planes.initialize(repeating: 0)
    }

    deinit {
        unsafe rubberband_delete(handle)
        unsafe planes.deallocate()
    }

    /// Takes `block` interleaved frames, and appends the frames that are ready to `output`.
    func process(_ input: [Float], into output: inout [Float]) {
        guard let left = unsafe planes.baseAddress else { return }
        let right = unsafe left + Self.block
        for frame in 0..<Self.block {
            unsafe left[frame] = Self.bounded(input[2 * frame])
            unsafe right[frame] = Self.bounded(input[2 * frame + 1])
        }
        var sides = unsafe [UnsafePointer(left), UnsafePointer(right)] as [UnsafePointer<Float>?]
        unsafe rubberband_process(handle, &sides, UInt32(Self.block), 0)
        var outputs = unsafe [left, right] as [UnsafeMutablePointer<Float>?]
        while true {
            // Asked for more than there is, the library prints a warning.
            let ready = unsafe min(Self.block, Int(rubberband_available(handle)))
            guard ready > 0 else { return }
            let count = unsafe Int(rubberband_retrieve(handle, &outputs, UInt32(ready)))
            output.reserveCapacity(output.count + 2 * count)
            for frame in 0..<count {
                unsafe output.append(left[frame])
                unsafe output.append(right[frame])
            }
        }
    }

    /// What no song has, the stretcher would keep for ever; a sample that is not a number is silence.
    private static func bounded(_ sample: Float) -> Float {
        abs(sample) <= loudest ? sample : sample > 0 ? loudest : sample < 0 ? -loudest : 0
    }
}
