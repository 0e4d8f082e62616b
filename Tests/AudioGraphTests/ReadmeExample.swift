import AudioGraph

/// A sung note on the left, a song on the right: the graph of the main job, without hardware.
func singOffline(song samples: [Float], voice: [Float]) throws -> [[Float]] {
    let graph = AudioGraph(sampleRate: 48_000)
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
    // Left, right, left, …: at most `song.feed.space` frames at a time.
    song.feed.push(samples, count: samples.count / 2, at: 0)
    song.feed.finish()
    song.feed.release()
    return try OfflineRenderer(graph).render(frames: voice.count, inputs: [voice])
}
