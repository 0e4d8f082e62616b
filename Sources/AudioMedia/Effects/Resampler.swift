import CSoxr
import SystemSupport

/// Converts interleaved stereo floats from one rate to another by libsoxr, high quality (20 bits,
/// linear phase, so that frame 0 stays frame 0). For one thread.
@safe final class Resampler {
    /// Why libsoxr cannot make a resampler, or failed while resampling: both rates, and its own
    /// words.
    struct Refusal: Error, Equatable {
        let reason: String
    }

    private let handle: soxr_t
    /// The conversion in words, for the reason of a `Refusal`.
    private let task: String
    /// Input frames for each output frame, by the two rates.
    private let ratio: Double
    /// Frames over which a change of speed is spread; 0: the speed cannot change.
    private let slewLength: Int

    /// A resampler whose speed is fixed.
    init(from inputRate: Int, to outputRate: Int) throws(Refusal) {
        task = Self.task(inputRate, outputRate)
        unsafe handle = try Self.create(
            task, Double(inputRate), Double(outputRate),
            soxr_quality_spec(UInt(SOXR_20_BITQ), 0))
        ratio = Double(inputRate) / Double(outputRate)
        slewLength = 0
    }

    /// A resampler whose speed can change, at equal rates too. It costs several times as much as a
    /// fixed one, whose ratio libsoxr does not let us change.
    init(variableFrom inputRate: Int, to outputRate: Int) throws(Refusal) {
        task = Self.task(inputRate, outputRate)
        ratio = Double(inputRate) / Double(outputRate)
        slewLength = outputRate / 20
        // soxr.h: the rates say the largest ratio that will be asked for.
        unsafe handle = try Self.create(
            task, ratio * (1 + DriftControl.limit), 1,
            soxr_quality_spec(UInt(SOXR_HQ), UInt(SOXR_VR)))
        _ = unsafe soxr_set_io_ratio(handle, ratio, 0)
    }

    private static func task(_ inputRate: Int, _ outputRate: Int) -> String {
        "\(inputRate) Hz cannot become \(outputRate) Hz"
    }

    private static func create(
        _ task: String, _ inputRate: Double, _ outputRate: Double, _ quality: soxr_quality_spec_t
    ) throws(Refusal) -> soxr_t {
        var quality = unsafe quality
        var error: soxr_error_t?
        guard
            let handle = unsafe soxr_create(inputRate, outputRate, 2, &error, nil, &quality, nil)
        else { throw unsafe refusal(task, error) }
        return unsafe handle
    }

    private static func refusal(_ task: String, _ error: soxr_error_t?) -> Refusal {
        let words = unsafe error.map { unsafe String(cString: $0) } ?? "no memory"
        return Refusal(reason: "\(task) (libsoxr: \(SafeText.clean(words)))")
    }

    /// Plays `factor` times as fast from now on, within 1 ± `DriftControl.limit`; the change takes
    /// 50 ms. Does nothing when the speed is fixed.
    func setFactor(_ factor: Double) {
        guard slewLength > 0 else { return }
        _ = unsafe soxr_set_io_ratio(handle, ratio * factor, slewLength)
    }

    deinit { unsafe soxr_delete(handle) }

    /// Takes up to `count` frames and makes up to `capacity`.
    func process(
        _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>,
        capacity: Int
    ) throws(Refusal) -> (used: Int, made: Int) {
        var (used, made) = (0, 0)
        let error = unsafe soxr_process(handle, input, count, &used, output, capacity, &made)
        if unsafe error != nil { throw unsafe Self.refusal(task, error) }
        return (used, made)
    }

    /// After the last input: writes up to `capacity` of the remaining frames, and returns how many;
    /// 0 when none remain.
    func drain(into output: UnsafeMutablePointer<Float>, capacity: Int) -> Int {
        var made = 0
        _ = unsafe soxr_process(handle, nil, 0, nil, output, capacity, &made)
        return made
    }
}
