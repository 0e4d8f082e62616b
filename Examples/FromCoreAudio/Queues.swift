import AudioGraph
import AudioMedia

/// Playback as with an audio queue: three buffers, which a closure fills as soon as one was played,
/// of 16-bit frames at 44.1 kHz, in a graph of 48 kHz that is rendered offline. Prints what is heard
/// in every quarter of a second.
func useAQueue() throws {
    let melody = Melody()
    let player = QueuePlayerNode(
        format: Melody.format, buffers: 3, frames: 4096,
        fill: melody.fill,
        listener: { event in
            if case .running(let isRunning) = event { print(isRunning ? "running" : "stopped") }
        })
    let renderer = try OfflineRenderer(graph(of: player))

    /// Renders a quarter of a second, and prints the pitch by the number of times the wave rises.
    func listen(_ what: String) {
        let out = renderer.render(frames: 12_000)[0]
        let rises = zip(out, out.dropFirst()).count { $0 <= 0.01 && $1 > 0.01 }
        print("\(what): \(4 * rises) Hz at \((100 * player.currentTime).rounded() / 100) s")
    }

    // The first buffers are filled, and the first frame is heard a quarter of a second from now.
    print("\(player.prime()) buffers primed")
    player.start(at: 12_000)
    listen("before the start")
    listen("first tone")

    player.isPaused = true
    listen("paused")
    player.isPaused = false
    player.volume = Volume(gain: 0.5)
    listen("first tone, softer")

    // The closure goes on from another place: the third tone.
    player.seek(to: 44_100) { melody.seek(to: 44_100) }
    listen("third tone")
    listen("third tone")
    listen("fourth tone")

    // All of it is played to the end.
    listen("fourth tone")
    listen("after the end")
    print("\(player.isRunning ? "still running" : "over"), \(player.underruns) underruns")
}

/// Buffers that the user schedules, and the ends of a queue.
func scheduleBuffers() throws {
    let format = StreamFormat(sampleRate: 44_100, channelCount: 2, layout: .int16)
    let player = QueuePlayerNode(format: format)
    let renderer = try OfflineRenderer(graph(of: player))
    let buffer = AudioBuffer(format: format, capacity: 4096)
    buffer.frameCount = 4096
    try player.schedule(buffer, trimmingFirst: 96) { wasPlayed in print(wasPlayed) }
    player.flush()
    try player.schedule(filledBy: Melody().fill)
    player.start()
    player.stop(.whenPlayed)
    _ = renderer.render(frames: 4800)
    player.reset()
    player.stop(.now)
}

/// A part of a file and then the whole of it, in one queue.
func scheduleFile(_ path: String) throws {
    let song = try QueuedSong(.file(path: path))
    let player = QueuePlayerNode(format: song.format)
    let renderer = try OfflineRenderer(graph(of: player))
    try player.schedule(song, frames: 1000..<5000) { wasPlayed in print("segment: \(wasPlayed)") }
    try player.schedule(song) { wasPlayed in print("file: \(wasPlayed)") }
    player.start()
    player.stop(.whenPlayed)
    renderer.render(untilEndOf: player) { buffer in print(buffer.frameCount) }
    print("\(player.position - 4000) frames of the file")
}

/// Conversion by hand, and sound that is handed to a closure in place of hardware.
func convertAndHandOver() throws {
    let input = StreamFormat(sampleRate: 44_100, channelCount: 1)
    let output = StreamFormat(sampleRate: 48_000, channelCount: 2, layout: .int16)
    let converter = try Converter(from: input, to: output)
    let buffer = AudioBuffer([[Float](repeating: 0.5, count: 4410)], sampleRate: 44_100)
    let converted = converter.convert(buffer)
    print(converted.frameCount, converter.drain().frameCount, converter.latency)

    let graph = Graph(sampleRate: 48_000)
    let source = CallbackSource(channelCount: 2, renderSilence)
    let sink = GenericOutput(format: output) { buffer in print(buffer.frameCount) }
    try graph.add(HardwareIO(inputChannels: 0))
    try graph.chain(source, sink)
    try graph.prepare()
    try graph.start()
    try sink.render(frames: 480)
    try sink.finish()
}

/// A graph that runs, and plays `node`.
private func graph(of node: AudioNode) throws -> Graph {
    let graph = Graph(sampleRate: 48_000)
    try graph.chain(node, graph.outputNode)
    try graph.prepare()
    try graph.start()
    return graph
}
