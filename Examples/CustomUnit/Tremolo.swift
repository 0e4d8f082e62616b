import AudioGraph

/// The state of a tremolo: a gain that swings between 1 and 1 − depth, a triangle in place of a sine,
/// since the render thread may call no mathematical functions.
struct Tremolo {
    var phase: Float = 0
    let sampleRate: Float
}

/// The functions of a tremolo: parameter 0 is its rate in Hz, parameter 1 its depth.
let tremoloFunctions = UnitFunctions(
    make: { _, sampleRate, _ in
        let state = UnsafeMutablePointer<Tremolo>.allocate(capacity: 1)
        state.initialize(to: Tremolo(sampleRate: Float(sampleRate)))
        return UnsafeMutableRawPointer(state)
    },
    render: renderTremolo, reset: resetTremolo, free: { $0?.deallocate() })

/// `@_noLocks` makes the compiler prove, here, that it neither allocates nor locks.
@c @_noLocks func renderTremolo(
    _ state: UnsafeMutableRawPointer?, _ slice: UnsafePointer<UnitSlice>
) -> Int32 {
    guard let tremolo = state?.assumingMemoryBound(to: Tremolo.self) else { return 1 }
    let (input, output) = (slice.pointee.inputs[0], slice.pointee.outputs[0])
    let (rate, depth) = (slice.pointee.parameters[0].values, slice.pointee.parameters[1].values)
    for n in 0..<Int(slice.pointee.frames) {
        let gain = 1 - depth[n] * (1 - abs(2 * tremolo.pointee.phase - 1))
        for channel in 0..<Int(output.channel_count) {
            output.channels[channel][n] = input.channels[channel][n] * gain
        }
        tremolo.pointee.phase += rate[n] / tremolo.pointee.sampleRate
        if tremolo.pointee.phase >= 1 { tremolo.pointee.phase -= 1 }
    }
    return 0
}

@c @_noLocks func resetTremolo(_ state: UnsafeMutableRawPointer?) {
    state?.assumingMemoryBound(to: Tremolo.self).pointee.phase = 0
}
