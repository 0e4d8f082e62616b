import AudioGraph

/// A sung note on the left, a song on the right: the graph of the main job, without hardware.
func singOffline(song samples: [Float], voice: [Float]) throws -> [[Float]] {
    let graph = Graph(sampleRate: 48_000)
    let io = HardwareIO(inputChannels: 1)  // bus 0 out, bus 1 in
    let song = SongSource(sampleRate: 48_000)
    let mixer = MixerNode(inputs: 2, sampleRate: 48_000)
    let limiter = LimiterNode(ceiling: Decibels(-1))
    for node in [io, song, mixer, limiter] { try graph.add(node) }
    try graph.connect(song, to: mixer, bus: 0)
    try graph.connect(io, bus: 1, to: mixer, bus: 1)
    try graph.connect(mixer, to: limiter)
    try graph.connect(limiter, to: io, bus: 0)
    mixer.inputs[0].pan = .right
    mixer.inputs[1].pan = .left
    mixer.inputs[1].volume = Volume(Decibels(-6))
    try graph.prepare()
    try graph.start()
    let renderer = try OfflineRenderer(graph)
    var output: [[Float]] = [[], []]
    var pushed = 0  // frames of the song: left, right, left, …
    while output[0].count < voice.count {
        // The song's ring holds a quarter of a second.
        let count = min(samples.count / 2 - pushed, song.feed.space)
        song.feed.push(
            Array(samples[(2 * pushed)..<(2 * (pushed + count))]), count: count, at: Int64(pushed))
        pushed += count
        if pushed == samples.count / 2 { song.feed.finish() }
        song.feed.release()
        let piece = Array(voice[output[0].count...].prefix(1024))
        let rendered = renderer.render(frames: piece.count, inputs: [piece])
        for side in output.indices { output[side] += rendered[side] }
    }
    return output
}
