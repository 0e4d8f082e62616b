// A source of your own: a C function that plays a rising tone, and one that looks on and counts.
import AudioGraph

/// What the callbacks use: the tone's phase, and how many frames were rendered.
struct State {
    var phase: Float = 0
    var frames: Int64 = 0
}

/// Plays a saw tooth of 100 Hz for a second, then says that it is silent, and then fails.
@c @_noLocks func renderTone(
    _ context: UnsafeMutableRawPointer?, _ flags: UnsafeMutablePointer<UInt32>?, _ frame: Int64,
    _ hostTime: UInt64, _ bus: Int32, _ frames: Int32, _ channelCount: Int32,
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>?>?
) -> Int32 {
    guard let state = context?.assumingMemoryBound(to: State.self), frame < 96_000 else {
        return -1
    }
    guard frame < 48_000, let samples = buffers?[0] else {
        // With this flag a callback need not write zeros.
        flags?.pointee |= RenderFlags.isSilent
        return 0
    }
    var n = 0
    while n < Int(frames) {
        samples[n] = state.pointee.phase - 0.5
        state.pointee.phase += 100 / 48_000
        if state.pointee.phase >= 1 { state.pointee.phase -= 1 }
        n += 1
    }
    return 0
}

/// Counts the frames for which the source was called, those included for which it told an error.
@c @_noLocks func count(
    _ context: UnsafeMutableRawPointer?, _ flags: UnsafeMutablePointer<UInt32>?, _ frame: Int64,
    _ hostTime: UInt64, _ bus: Int32, _ frames: Int32, _ channelCount: Int32,
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>?>?
) -> Int32 {
    guard let flags, flags.pointee & RenderFlags.isAfter != 0 else { return 0 }
    context?.assumingMemoryBound(to: State.self).pointee.frames += Int64(frames)
    return 0
}

let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
state.initialize(to: State())

let graph = Graph(sampleRate: 48_000)
let tone = CallbackSource(channelCount: 1, context: state, name: "tone", renderTone)
tone.addRenderNotify(context: state, count)
try graph.chain(tone, graph.outputNode)
try graph.prepare()
try graph.start()

let renderer = try OfflineRenderer(graph)
for second in 1...3 {
    let out = renderer.render(frames: 48_000)
    print(
        "second \(second): peak \(out[0].max() ?? 0), \(tone.errors.count > 0 ? "failed with \(tone.errors.last)" : "no error")"
    )
}
print("\(state.pointee.frames) frames")
