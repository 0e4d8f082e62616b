import AudioGraph

/// A render callback that plays silence and says so.
@c @_noLocks func renderSilence(
    _ context: UnsafeMutableRawPointer?, _ flags: UnsafeMutablePointer<UInt32>?, _ frame: Int64,
    _ hostTime: UInt64, _ bus: Int32, _ frames: Int32, _ channelCount: Int32,
    _ buffers: UnsafePointer<UnsafeMutablePointer<Float>?>?
) -> Int32 {
    flags?.pointee |= RenderFlags.isSilent
    return 0
}

/// Sound that comes from C functions of the user's, and sound that is given to a closure.
func useCallbacks() throws {
    let graph = Graph(sampleRate: 48_000)
    let source = CallbackSource(channelCount: 2, renderSilence)
    let effect = CallbackEffect(renderSilence)
    let tap = TapNode { frame, channels in print(frame, channels.count) }
    source.addRenderNotify(renderSilence)
    try graph.chain(source, effect, tap, graph.outputNode)
    try graph.prepare()
    try graph.start()
    let renderer = try OfflineRenderer(graph)
    _ = renderer.render(frames: 256)
    tap.stop()
    print(source.errors.count, effect.errors.count)
}
