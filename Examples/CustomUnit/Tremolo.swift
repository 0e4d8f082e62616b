/// The state of a tremolo: a gain that swings between 1 and 1 − depth, `rate` times a second.
///
/// A triangle in place of a sine, since the render thread may call no mathematical functions.
struct Tremolo {
    var phase: Float = 0
    /// How far the phase goes in a frame; a swing is 1.
    let step: Float
    let depth: Float

    init(rate: Float, depth: Float, sampleRate: Int) {
        step = rate / Float(sampleRate)
        self.depth = depth
    }
}

/// The tremolo's render callback. `@_noLocks` makes the compiler prove, here, that it neither
/// allocates nor locks.
@c @_noLocks func renderTremolo(
    _ context: UnsafeMutableRawPointer?, _ flags: UnsafeMutablePointer<UInt32>?, _ frame: Int64,
    _ hostTime: UInt64, _ bus: Int32, _ frames: Int32, _ channelCount: Int32,
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>?>?
) -> Int32 {
    guard let buffers, let state = context?.assumingMemoryBound(to: Tremolo.self) else { return 1 }
    var tremolo = state.pointee
    var n = 0
    while n < Int(frames) {
        let triangle = abs(2 * tremolo.phase - 1)
        let gain = 1 - tremolo.depth * (1 - triangle)
        var channel = 0
        while channel < Int(channelCount) {
            if let samples = buffers[channel] { samples[n] *= gain }
            channel += 1
        }
        tremolo.phase += tremolo.step
        if tremolo.phase >= 1 { tremolo.phase -= 1 }
        n += 1
    }
    state.pointee = tremolo
    return 0
}
