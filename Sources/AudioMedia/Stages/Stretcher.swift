import CRubberBand

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
