import CSoxr

/// Interleaved stereo floats from one rate to another: libsoxr, high quality (20 bits, linear
/// phase, so that frame 0 stays frame 0). For one thread.
@safe final class Resampler {
    private let handle: soxr_t
    /// Frames that go in for each that comes out, as the rates have it.
    private let ratio: Double
    /// Frames over which a change of speed is spread; 0: the speed cannot change.
    private let slewLength: Int

    /// A resampler with no past. Nil when the rates are equal: then none is wanted.
    init?(from inputRate: Int, to outputRate: Int) {
        guard inputRate != outputRate else { return nil }
        var quality = unsafe soxr_quality_spec(UInt(SOXR_20_BITQ), 0)
        guard
            let handle = unsafe soxr_create(
                Double(inputRate), Double(outputRate), 2, nil, nil, &quality, nil)
        else { fatalError("libsoxr has no memory for \(inputRate) Hz to \(outputRate) Hz") }
        unsafe self.handle = handle
        ratio = Double(inputRate) / Double(outputRate)
        slewLength = 0
    }

    /// A resampler with no past whose speed can change, at equal rates too. It costs several times
    /// as much as a fixed one, which refuses another ratio.
    init(variableFrom inputRate: Int, to outputRate: Int) {
        ratio = Double(inputRate) / Double(outputRate)
        slewLength = outputRate / 20
        var quality = unsafe soxr_quality_spec(UInt(SOXR_HQ), UInt(SOXR_VR))
        // soxr.h: the rates say the largest ratio that will be asked for.
        guard
            let handle = unsafe soxr_create(
                ratio * (1 + DriftControl.limit), 1, 2, nil, nil, &quality, nil)
        else { fatalError("libsoxr has no memory for \(inputRate) Hz to \(outputRate) Hz") }
        unsafe self.handle = handle
        _ = unsafe soxr_set_io_ratio(handle, ratio, 0)
    }

    /// Plays `factor` times as fast from now on, at most 1 ± `DriftControl.limit`, in 50 ms.
    func setFactor(_ factor: Double) {
        guard slewLength > 0 else { return }
        _ = unsafe soxr_set_io_ratio(handle, ratio * factor, slewLength)
    }

    deinit { unsafe soxr_delete(handle) }

    /// Takes up to `count` frames and makes up to `capacity`.
    func process(
        _ input: UnsafePointer<Float>, count: Int, into output: UnsafeMutablePointer<Float>,
        capacity: Int
    ) -> (used: Int, made: Int) {
        var (used, made) = (0, 0)
        _ = unsafe soxr_process(handle, input, count, &used, output, capacity, &made)
        return (used, made)
    }

    /// After the last input: up to `capacity` of the frames that are left; 0 when all are out.
    func drain(into output: UnsafeMutablePointer<Float>, capacity: Int) -> Int {
        var made = 0
        _ = unsafe soxr_process(handle, nil, 0, nil, output, capacity, &made)
        return made
    }
}
